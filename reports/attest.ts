// A signed summary of a result, so that it can be cited: an in-toto statement in a DSSE envelope, signed with Ed25519.
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import type { Results } from './results-schema.js'
import { countVerdicts, selectedIn } from './tally.js'

const PAYLOAD_TYPE = 'application/vnd.in-toto+json'
const STATEMENT = 'https://in-toto.io/Statement/v1'
const PREDICATE = 'https://in-toto.io/attestation/test-result/v0.1'

/** A file that a result was read from. */
export interface Attested {
  readonly name: string
  readonly bytes: Uint8Array
}

const RESULT: Readonly<Record<Results['verdict'], string>> = {
  conforms: 'PASSED',
  nonconforming: 'FAILED',
  inconclusive: 'WARNED',
}

/** What is signed: the digest of the file, and of what it says the target, versions, selection and counts. */
function statementOf(results: Results, file: Attested): object {
  const { suite, target, configuration } = results
  const clauses = selectedIn(results)
  return {
    _type: STATEMENT,
    subject: [{ name: file.name, digest: { sha256: sha256(file.bytes) } }],
    predicateType: PREDICATE,
    predicate: {
      result: RESULT[results.verdict],
      configuration: [
        { name: 'selection', digest: { sha256: sha256(JSON.stringify(clauses.map(({ id }) => id).sort())) } },
      ],
      failedTests: clauses.filter(({ verdict }) => verdict === 'finding').map(({ id }) => id),
      touchstone: {
        verdict: results.verdict,
        interface: results.interface,
        suite,
        target,
        startedAt: results.startedAt,
        seed: results.seed,
        requests: results.requests,
        command: configuration.command,
        level: configuration.level,
        selected: clauses.length,
        of: results.clauses.length,
        clauses: countVerdicts(results.clauses),
      },
    },
  }
}

/**
 * The envelope as text.
 * @param pem a private key of Ed25519, PKCS #8 in PEM
 * @throws Error where it is none
 */
export function attest(results: Results, file: Attested, pem: string): string {
  const key = ed25519(() => createPrivateKey(pem), 'a private key of Ed25519 in PEM')
  const payload = Buffer.from(JSON.stringify(statementOf(results, file)))
  const signature = { keyid: keyId(createPublicKey(key)), sig: sign(null, toSign(payload), key).toString('base64') }
  const envelope = { payloadType: PAYLOAD_TYPE, payload: payload.toString('base64'), signatures: [signature] }
  return `${JSON.stringify(envelope, null, 1)}\n`
}

/**
 * What is wrong with an envelope as a summary of the file; undefined where it is signed with the key, and of this file.
 * @param pem a public key of Ed25519 in PEM; a private one stands for its public one
 * @throws Error where it is neither
 */
export function faultOf(envelope: string, file: Attested, pem: string): string | undefined {
  const key = ed25519(() => createPublicKey(pem), 'a key of Ed25519 in PEM')
  const { payloadType, payload, signatures } = parsed(envelope) as Partial<Record<string, unknown>>
  if (payloadType !== PAYLOAD_TYPE || typeof payload !== 'string' || !Array.isArray(signatures))
    return 'it is no DSSE envelope of an in-toto statement'
  const bytes = Buffer.from(payload, 'base64')
  const isSigned = signatures.some(
    (one) => typeof one?.sig === 'string' && verify(null, toSign(bytes), key, Buffer.from(one.sig, 'base64')),
  )
  if (!isSigned) return `none of its signatures is of the key ${keyId(key)}`
  const statement = parsed(bytes.toString('utf8')) as { _type?: unknown; subject?: readonly Subject[] }
  if (statement._type !== STATEMENT) return `its statement is not of the type ${STATEMENT}`
  const received = sha256(file.bytes)
  const digests = (Array.isArray(statement.subject) ? statement.subject : []).map((one: Subject) => one?.digest?.sha256)
  return digests.includes(received)
    ? undefined
    : `it is of another file: expected ${digests.join(', ')}, received ${received}`
}

interface Subject {
  readonly digest?: { readonly sha256?: string }
}

/** What DSSE has signed: the type and the payload, each with its length before it. */
const toSign = (payload: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`DSSEv1 ${PAYLOAD_TYPE.length} ${PAYLOAD_TYPE} ${payload.length} `), payload])

const sha256 = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex')

const keyId = (key: KeyObject): string => sha256(key.export({ type: 'spki', format: 'der' }))

function ed25519(read: () => KeyObject, what: string): KeyObject {
  let key: KeyObject | undefined
  try {
    key = read()
  } catch {
    // What the library says of it may repeat a part of it.
  }
  if (key?.asymmetricKeyType !== 'ed25519')
    throw new Error(
      `expected ${what}, received ${key?.asymmetricKeyType ?? 'something else'}; make one with: openssl genpkey -algorithm ed25519`,
    )
  return key
}

function parsed(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}
