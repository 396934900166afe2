// Connects a session to a target: client, record, ledger and certificate; what runs in it is up to the caller.
import { dirname, join } from 'node:path'
import type { Target } from '../config/target-file.js'
import { createClient } from '../driver/client.js'
import { createSession, type Session, type SessionOptions } from '../driver/session.js'
import type { RecordLine } from '../history/record.js'
import { findingFile } from '../reports/index.js'
import { createNonce } from './nonce.js'
import { openWriter } from './writer.js'

export interface Connection {
  readonly session: Session
  /** Writes out what is buffered of the record and the ledger. */
  readonly flush: () => void
  readonly close: () => Promise<void>
}

interface ConnectOptions {
  /** A text that every name made through this connection contains; a new one when left out. */
  readonly nonce?: string
  /** Milliseconds since the epoch; now when left out. */
  readonly startedAt?: number
  /** Whether programs may upload certificates: making one takes as long as many calls. They may when left out. */
  readonly certificates?: boolean
  /** Sees every line before it is recorded. */
  readonly watch?: (line: RecordLine) => void
}

const makeCertificate = async () => (await import('../driver/certificate.js')).createCertificate()

/** @throws Error that names the file where the record or the ledger cannot be opened. */
export const connect = async (
  target: Target,
  recordPath: string,
  ledgerPath: string,
  options: ConnectOptions = {},
): Promise<Connection> => {
  const startedAt = options.startedAt ?? Date.now()
  const nonce = options.nonce ?? createNonce(target.environment.safety.prefix, startedAt)
  const record = openWriter(recordPath)
  const ledger = openWriter(ledgerPath)
  const client = createClient({ ...target, correlation: nonce })
  const certificate = options.certificates === false ? undefined : await makeCertificate()
  const session = createSession({
    environment: target.environment,
    transport: client,
    emit: (line) => {
      options.watch?.(line)
      record.write(line)
    },
    ledger: (line) => {
      ledger.write(line)
      // What is about to be created must be known even after a crash.
      if (line.event === 'creating') ledger.flush()
    },
    hooks: target.hooks as SessionOptions['hooks'],
    nonce,
    settleMs: target.pace.settleMs,
    listLagMs: target.pace.listLagMs,
    concurrency: target.pace.concurrency,
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    clock: () => Date.now() - startedAt,
    certificate: () => {
      if (!certificate) throw new Error('suite defect: a program of this run needs a certificate')
      return certificate
    },
    attachmentField: target.attachmentField,
    replayLine: (id) => `touchstone replay ${join(dirname(recordPath), findingFile(id))}`,
  })
  const close = async (): Promise<void> => {
    record.close()
    ledger.close()
    await client.close()
  }
  const flush = (): void => {
    record.flush()
    ledger.flush()
  }
  return { session, flush, close }
}
