// Connects a session to a target: client, record, ledger and certificate; what runs in it is up to the caller.
import { dirname } from 'node:path'
import { openProse } from '../arbitraries/prose.js'
import { defaults } from '../config/schema.js'
import type { Target } from '../config/target-file.js'
import { createClient } from '../driver/client.js'
import { createSession } from '../driver/create-session.js'
import { type Credentials, watchSecrets } from '../driver/expiry.js'
import { guardHooks } from '../driver/hooks.js'
import { createNonce } from '../driver/nonce.js'
import type { LedgerLine, RunTime, Session, SessionOptions, Transport } from '../driver/session.js'
import { createVault } from '../driver/vault.js'
import type { RecordLine } from '../history/record.js'
import { isAllowed, traceOf } from '../oracle/explanations/explanation.js'
import { gateway } from '../oracle/explanations/gateway.js'
import { replayCommand } from '../reports/index.js'
import { steadyNow } from './time.js'
import { openWriter } from './writer.js'

export interface Connection {
  readonly session: Session
  /** A text without any secret that was sent or received. */
  readonly redact: (text: string) => string
  /** What became of the first secret that expired. */
  readonly expired: () => string | undefined
  /** How many requests have been sent, repetitions included. */
  readonly requests: () => number
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
  /** One that was made before; a new one when left out. */
  readonly certificate?: ReturnType<SessionOptions['certificate']>
  /** Of what people write in the texts that are sent; names stand for it where it is left out. */
  readonly seed?: number
  /** The file or URL by which a flag names the target, for whoever replays a finding. */
  readonly targetFlag?: string | undefined
  /** How a secret that expires is told. */
  readonly credentials?: Credentials
  /** How long calls are sent; until the connection is closed when left out. */
  readonly time?: RunTime & Pick<SessionOptions, 'sleep'>
  /** Sees every line before it is recorded. */
  readonly watch?: (line: RecordLine) => void
}

/** What a sweep has to know even after a crash: what was about to be made or changed, what was made, and how lent things were seen. */
const flushed: ReadonlySet<LedgerLine['event']> = new Set([
  'creating',
  'created',
  'proven',
  'lent',
  'changing',
  'unanswered',
  'shown',
])

export const makeCertificate = async () => (await import('../driver/certificate.js')).createCertificate()

/** @throws Error that names the file where the record or the ledger cannot be opened. */
export const connect = async (
  target: Target,
  recordPath: string,
  ledgerPath: string,
  options: ConnectOptions = {},
): Promise<Connection> => {
  const startedAt = options.startedAt ?? steadyNow()
  const nonce = options.nonce ?? createNonce(target.environment.safety.prefix, startedAt)
  const vault = createVault(target.secrets)
  const record = openWriter(recordPath, vault.text)
  const ledger = openWriter(ledgerPath, vault.text)
  const emit = (line: RecordLine): void => {
    options.watch?.(line)
    record.write(line)
  }
  const shield = {
    isShielded: isAllowed(target.environment, gateway),
    assume: (n: number, status: number) => emit({ type: 'assumed', n, assumed: traceOf(gateway, status) }),
  }
  const client = createClient({
    ...target,
    ...shield,
    correlation: nonce,
    ...(options.time && { isSpent: options.time.isSpent }),
  })
  const transport = watchSecrets(client, options.credentials, shield)
  const heard: Transport = {
    send: async (call, step) => {
      vault.hearCall(call)
      const outcome = await transport.send(call, step)
      vault.hearOutcome(outcome)
      return outcome
    },
  }
  const { time } = options
  // Nothing is waited for where no call comes through any more.
  const isOver = (): boolean => time?.isOver() === true || transport.expired() !== undefined
  const certificate = options.certificates === false ? undefined : (options.certificate ?? (await makeCertificate()))
  const prose = options.seed === undefined ? undefined : await openProse(options.seed)
  const session = createSession({
    environment: target.environment,
    transport: heard,
    emit,
    ledger: (line) => {
      // It is written before its call is sent.
      vault.hearCall(line)
      ledger.write(line)
      if (flushed.has(line.event)) ledger.flush()
    },
    hooks: guardHooks(target.hooks, target.pace.hooks ?? defaults.pace.hooks) as SessionOptions['hooks'],
    nonce,
    settleMs: target.pace.settleMs,
    listLagMs: target.pace.listLagMs,
    sleep: time?.sleep ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms))),
    ...(time && { time: { isOver, isSpent: time.isSpent } }),
    clock: () => steadyNow() - startedAt,
    say: (text) => console.info(`touchstone: ${text}`),
    certificate: () => {
      if (!certificate) throw new Error('suite defect: a program of this run needs a certificate')
      return certificate
    },
    ...(prose && { prose }),
    attachmentField: target.attachmentField,
    replayLine: (id) => replayCommand(id, dirname(recordPath), options.targetFlag),
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
  return { session, redact: vault.text, expired: transport.expired, requests: client.requests, flush, close }
}
