// Secrets that are looked for in what was written, and how a target may spell them; no tests.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const password = 'Canary "pass\\word" ümläut/+?&'
const keyLines = ['MIIEvQIBADANBgkqhkiG9w0BAQEFAASC', 'BKcwggSjAgEAAoIBAQCanary+/keyline']
export const privateKey = ['-----BEGIN PRIVATE KEY-----', ...keyLines, '-----END PRIVATE KEY-----'].join('\n')
export const token = 'canary-token-0123456789'
export const basic = 'canary-basic-0123456789'
export const minted = 'CanaryMintedSecretKey0123456789'
const secrets = [password, ...keyLines, token, basic, minted]

const hex = (text: string): string => Buffer.from(text).toString('hex')
export const base64 = (text: string): string => Buffer.from(text).toString('base64')

export const spelled = (text: string): readonly string[] => [
  ...[text, JSON.stringify(text), JSON.stringify(JSON.stringify(text)), encodeURIComponent(text), hex(text)],
  Buffer.from(text).toString('base64url'),
  ...['', 'x', 'xx'].map((before) => base64(`${before}${text}tail`)),
  ...text.split('\n'),
]

/** What a search would find of the secrets; of base64 what does not depend on its neighbours. */
export const canaries = secrets.flatMap((secret) => [
  ...[secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), hex(secret)],
  ...[0, 1, 2].map((shift) => base64(`${'x'.repeat(shift)}${secret}`).slice(4, -4)),
])

/** The texts of all files in a folder and below it, by their paths. */
export const textsIn = (folder: string): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((one) => one.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .map((path) => [path, readFileSync(path, 'utf8')]),
  )
