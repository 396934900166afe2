// Secrets stand nowhere: a target that echoes whatever it is sent, in every spelling, and mints a key of its own.
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createVault } from '../../driver/vault.js'
import type { RecordLine } from '../../history/record.js'
import { operationById } from '../../models/index.js'
import type { Args } from '../../models/language/plan.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { embeddedTarget } from '../../reference/target.js'
import { foldStream, readRecordFile, writeResults } from '../../reports/index.js'
import { connect } from '../../suites/connect.js'
import { startLine } from '../../suites/start-line.js'
import { folder, invoke } from '../cli/invoke.js'
import { notingTarget } from '../driver/hostile.js'
import { canaries, minted, password, privateKey, spelled, textsIn, token } from '../guard/canaries.js'

/** The calls that carry secrets, sent to a target with such replies; the folder of all that was written. */
const writtenFor = async (reply: (secrets: readonly string[]) => string, status = 400): Promise<string> => {
  const sent = new Set<string>()
  const { baseUrl } = await notingTarget((response, { headers, body }) => {
    sent.add(String(headers.authorization))
    if (body.includes('password')) sent.add(password)
    if (body.includes('private_key')) sent.add(privateKey)
    const echo = [...sent].flatMap(spelled)
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(reply(echo))
  })
  const environment = embeddedEnvironment()
  const secrets = environment.tokens.map(({ name }) => [name, name === 'owner' ? token : `other-${name}`] as const)
  const target = { ...embeddedTarget({ baseUrl, secrets }), environment, hooks: {} }
  const dir = folder()
  const record = join(dir, 'run.ndjson')
  const connection = await connect(target, record, join(dir, 'ledger.ndjson'))
  onTestFinished(connection.close)
  const options = { seed: 1, command: 'touchstone run', level: 'must' } as const
  const lines: RecordLine[] = [startLine({ options, startedAt: 0 }, target)]
  for (const line of lines) connection.session.options.emit(line)
  const calls: readonly (readonly [string, Args])[] = [
    ['managed-credentials.create', { body: { label: 'ts-a', password } }],
    ['managed-credentials.change-password', { path: { credentialId: 1 }, body: { password } }],
    [
      'bucket-certificates.create',
      { path: { clusterId: 'c1', bucket: 'b' }, body: { certificate: 'c', private_key: privateKey } },
    ],
    ['object-keys.create', { body: { label: 'ts-key' } }],
  ]
  for (const [id, args] of calls) {
    const op = operationById(id)
    if (op) await connection.session.send(connection.session.originOf(id), op, { as: 'owner', ...args }, 'check')
  }
  connection.flush()
  await writeResults(dir, await foldStream(readRecordFile(record)), ['html', 'junit', 'json', 'ctrf', 'sarif'])
  return dir
}

const found = (dir: string): readonly string[] =>
  [...textsIn(dir)].flatMap(([file, text]) =>
    canaries.filter((canary) => text.includes(canary)).map((canary) => `${file}: ${canary}`),
  )

it.each([
  [
    'a reason that echoes the request',
    (echo: readonly string[]) => JSON.stringify({ errors: [{ reason: echo.join(' ') }] }),
    400,
  ],
  [
    'a server error that is no JSON',
    (echo: readonly string[]) => `<pre>${echo.join('\n')}</pre>{"secret_key":"${minted}"`,
    500,
  ],
  ['a reply cut short with a minted key', () => `{"id":1,"secret_key":"${minted}","label`, 200],
  [
    'a success that echoes under other names',
    (echo: readonly string[]) => JSON.stringify({ id: 1, secret_key: minted, note: [minted, ...echo] }),
    200,
  ],
] as const)('%s puts no secret into any file', async (_, reply, status) => {
  const dir = await writtenFor(reply, status)
  expect(found(dir)).toEqual([])
  expect(readFileSync(join(dir, 'run.ndjson'), 'utf8')).toContain('«redacted»')
})

it.each(['doctor', 'run', 'sweep'])(
  '%s tells no token that is shown again where nothing is judged yet',
  async (command) => {
    const { baseUrl } = await notingTarget((response, { headers }) => {
      const echo = spelled(String(headers.authorization).slice('Bearer '.length))
      const [shown = '', ...others] = [...echo].reverse()
      response.writeHead(403, { 'content-type': 'application/json' })
      const errors = [{ reason: `${others[0]} ${shown}`.slice(0, 150) }, { reason: echo.join(' ') }]
      response.end(JSON.stringify({ errors }))
    })
    const dir = folder()
    const file = join(dir, 'target.json')
    writeFileSync(file, JSON.stringify({ baseUrl, tokens: [{ name: 'owner', scopes: '*', secret: token }] }))
    const printed = await invoke(
      command,
      '--target',
      file,
      ...(command === 'doctor' ? [] : ['--out', join(dir, 'out')]),
    )
    const all = JSON.stringify(printed)
    expect(canaries.filter((canary) => all.includes(canary))).toEqual([])
    expect(all).toContain('«token owner»')
  },
)

it('what is written is for its owner alone', async () => {
  const dir = await writtenFor(() => '{}')
  const modes = [...textsIn(dir).keys()].map((file) => (statSync(file).mode & 0o077).toString(8))
  expect(new Set(modes)).toEqual(new Set(['0']))
})

it('ordinary words stay as they are, also where they follow the name of a secret', () => {
  const vault = createVault(new Map([['owner', token]]))
  vault.hearOutcome({ status: 400, body: { errors: [{ reason: 'private_key: certificate mismatch' }] } })
  vault.hearCall({ body: { password: 'short' } })
  const text = 'certificate mismatch, short'
  expect(vault.text(text)).toBe(text)
  expect(vault.text(`Bearer ${token}.`)).toBe('Bearer «token owner».')
})
