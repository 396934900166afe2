// Reads the files by which a target and a client prove to each other who they are; not how they are spoken to.
import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { createSecureContext, rootCertificates } from 'node:tls'
import { type Problem, showReceived } from './errors.js'
import type { TargetFile } from './schema.js'

/** As Node.js takes them. The key is a secret: it goes into no text. */
export interface TlsIdentity {
  /** The authorities that may vouch for the target; those of Node.js when left out. */
  readonly ca?: readonly string[]
  readonly cert?: string
  readonly key?: string
}

type Files = NonNullable<TargetFile['tls']>
type Name = keyof Files

const kinds: Readonly<Record<Name, string>> = {
  ca: 'certificates of authorities',
  cert: 'a certificate',
  key: 'a private key without a passphrase',
}

/** The identity whose files lie relative to a folder, or what is wrong with them. */
export async function readTls(
  files: Files,
  folder: string,
): Promise<{ readonly tls?: TlsIdentity; readonly problems: readonly Problem[] }> {
  const problems: Problem[] = []
  const told = (name: Name, received: string, next: string): void =>
    void problems.push({ path: ['tls', name], expected: `a PEM file of ${kinds[name]}`, received, next })
  const read: { [K in Name]?: string } = {}
  for (const name of Object.keys(kinds) as Name[]) {
    const file = files[name]
    if (file === undefined) continue
    const path = ['tls', name]
    const text = await readFile(resolve(folder, file), 'utf8').catch((error: NodeJS.ErrnoException) =>
      told(name, `${showReceived(file, path)}, which cannot be read (${error.code})`, 'See that it is there.'),
    )
    if (text === undefined) continue
    if (isUsable(name, text)) read[name] = text
    else told(name, `${showReceived(file, path)}, which holds none`, 'Name another file.')
  }
  if (problems.length > 0) return { problems }
  const { ca, cert, key } = read
  const problem = cert === undefined || key === undefined ? undefined : pairProblem(cert, key, files)
  const tls = { ...(ca !== undefined && { ca: [...rootCertificates, ca] }), ...(cert && { cert }), ...(key && { key }) }
  return problem ? { problems: [problem] } : { tls, problems }
}

function isUsable(name: Name, text: string): boolean {
  if (name !== 'key' && !text.includes('-----BEGIN CERTIFICATE-----')) return false
  try {
    createSecureContext({ [name]: text })
    return true
  } catch {
    return false
  }
}

function pairProblem(cert: string, key: string, files: Files): Problem | undefined {
  const path = ['tls', 'cert']
  const received = showReceived(files.cert, path)
  try {
    createSecureContext({ cert, key })
  } catch {
    const next = 'Name the certificate and the key that belong together.'
    return { path, expected: 'the certificate of tls.key', received: `${received}, which is that of another key`, next }
  }
  const until = new X509Certificate(cert).validTo
  if (Date.parse(until) >= Date.now()) return undefined
  return {
    path,
    expected: 'a certificate that is valid',
    received: `${received}, valid until ${until}`,
    next: 'Renew it.',
  }
}
