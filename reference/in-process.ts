// A session against the embedded target without HTTP: for plans that are not sent, and the project's own tests, mutants and benches.

import { createSession } from '../driver/create-session.js'
import type { LedgerLine, Session, SessionOptions } from '../driver/session.js'
import { recorded } from '../history/calls.js'
import type { RecordLine } from '../history/record.js'
import { createEmbedded, type Embedded, type EmbeddedOptions, hooksOf } from './embedded.js'

export interface InProcess {
  readonly session: Session
  readonly embedded: Embedded
  readonly lines: RecordLine[]
  readonly ledger: LedgerLine[]
}

const pem = (kind: string): string => `-----BEGIN ${kind}-----\\nMIIB\\n-----END ${kind}-----`

/** A stand-in for a PEM pair: the embedded target looks at the frame alone. */
export const certificate = () => ({ certificate: pem('CERTIFICATE'), private_key: pem('PRIVATE KEY') })

/** @param adapt what is otherwise about the session: its transport, its clock, how many calls go at a time */
export const inProcess = (
  options: EmbeddedOptions,
  nonce = 'ts-t',
  adapt: (options: SessionOptions) => SessionOptions = (plain) => plain,
): InProcess => {
  const embedded = createEmbedded(options)
  const lines: RecordLine[] = []
  const ledger: LedgerLine[] = []
  let time = 0
  const session = createSession(
    adapt({
      environment: options.environment,
      transport: { send: async (call) => JSON.parse(JSON.stringify(embedded.handle(structuredClone(recorded(call))))) },
      emit: (line) => void lines.push(line),
      ledger: (line) => void ledger.push(line),
      hooks: hooksOf(embedded),
      nonce,
      settleMs: 1000,
      listLagMs: 0,
      sleep: async () => undefined,
      clock: () => time++,
      certificate,
      attachmentField: 'file',
      replayLine: (id) => `touchstone replay ${id}`,
    }),
  )
  return { session, embedded, lines, ledger }
}
