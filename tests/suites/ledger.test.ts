// What the end of a run makes of its ledger.
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { nameOfRun } from '../../arbitraries/serial.js'
import { outstanding } from '../../driver/ledger.js'
import type { LedgerLine } from '../../driver/session.js'
import { startEmbedded } from '../../reference/serve.js'
import { embeddedTarget } from '../../reference/target.js'
import { settleLedger, tidy } from '../../suites/ledger.js'

const nonce = 'ts-00abc7l'
const line = (event: LedgerLine['event'], label: string): LedgerLine => ({
  event,
  step: 1,
  kind: 'buckets',
  operation: 'buckets.create',
  key: `c1/${label}`,
  account: 'main',
  url: '/object-storage/buckets',
  body: { cluster: 'c1', label },
})

test('what was told as left, and is seen to be gone at the end, is told as gone, unless it was not looked for', async () => {
  const { baseUrl, secrets, server } = await startEmbedded({ seed: 1 })
  const file = join(mkdtempSync(join(tmpdir(), 'ts-ledger-')), 'ledger.ndjson')
  const [gone, removedBefore] = [`${nonce}-1`, `${nonce}-2`]
  const lines = [
    { event: 'run', step: 0, kind: '', operation: '', key: nonce },
    line('creating', gone),
    line('created', gone),
    line('left', gone),
    line('created', removedBefore),
    line('removed', removedBefore),
    line('left', removedBefore),
  ]
  writeFileSync(file, lines.map((one) => `${JSON.stringify(one)}\n`).join(''))
  try {
    const told = await tidy(embeddedTarget({ baseUrl, secrets: [...secrets] }), nonce, file, 10_000)
    expect(told.map(({ key, result }) => `${key} ${result}`)).toEqual([`c1/${gone} removed`])
  } finally {
    await server.close()
  }
})

test('what people name after a run while it goes on is left to them', async () => {
  const { baseUrl, secrets, server } = await startEmbedded({ seed: 1 })
  const file = join(mkdtempSync(join(tmpdir(), 'ts-ledger-')), 'ledger.ndjson')
  const ours = nameOfRun(nonce, 1)
  const call = (method: string, label?: string) =>
    fetch(`${baseUrl}/object-storage/buckets`, {
      method,
      headers: { authorization: `Bearer ${secrets.get('owner')}`, 'content-type': 'application/json' },
      ...(label !== undefined && { body: JSON.stringify({ label, cluster: 'c1' }) }),
    })
  for (const label of [ours, `${nonce}-keep`]) await call('POST', label)
  const lines = [{ event: 'run', step: 0, kind: '', operation: '', key: nonce }, line('creating', ours)]
  writeFileSync(file, lines.map((one) => `${JSON.stringify(one)}\n`).join(''))
  try {
    const told = await tidy(embeddedTarget({ baseUrl, secrets: [...secrets] }), nonce, file, 10_000)
    expect(told.map(({ key, result }) => `${key} ${result}`)).toEqual([`c1/${ours} removed`])
    expect(await (await call('GET')).text()).toContain(`"${nonce}-keep"`)
  } finally {
    await server.close()
  }
})

test('where nothing is reached, only what may be left is told as left', async () => {
  const { baseUrl, secrets, server } = await startEmbedded({ seed: 1 })
  await server.close()
  const file = join(mkdtempSync(join(tmpdir(), 'ts-ledger-')), 'ledger.ndjson')
  const volume: LedgerLine = { event: 'creating', step: 2, kind: 'volumes', operation: 'volumes.create', body: {} }
  const run: LedgerLine = { event: 'run', step: 0, kind: '', operation: '', key: nonce }
  const lines = [
    run,
    line('creating', `${nonce}-1`),
    line('created', `${nonce}-1`),
    volume,
    { ...volume, event: 'refused' },
  ]
  writeFileSync(file, lines.map((one) => `${JSON.stringify(one)}\n`).join(''))
  const told = await tidy(embeddedTarget({ baseUrl, secrets: [...secrets] }), nonce, file, 500)
  expect([...new Set(told.map(({ kind }) => kind))].sort()).toEqual(['buckets', 'tags'])
})

test('what others have moved since is done with once it was told; what is lent no more is told again', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'ts-ledger-')), 'ledger.ndjson')
  const run: LedgerLine = { event: 'run', step: 0, kind: '', operation: '', key: nonce, baseUrl: 'x' }
  const of = (key: string): readonly LedgerLine[] =>
    (['lent', 'changing', 'unanswered', 'shown'] as const).map((event) => ({
      event,
      step: 1,
      kind: 'volumes',
      operation: 'volumes.attach',
      account: 'main',
      key,
    }))
  writeFileSync(file, [run, ...of('a'), ...of('b')].map((one) => `${JSON.stringify(one)}\n`).join(''))
  const told = { kind: 'volumes', account: 'main' }
  settleLedger(
    file,
    [
      { ...told, key: 'a', result: 'moved' },
      { ...told, key: 'b', result: 'stays' },
    ],
    () => true,
  )
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  expect(outstanding(lines.map((text) => JSON.parse(text)))).toEqual([run, ...of('b')])
})

test('a creation of which nothing was found is done with', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'ts-ledger-')), 'ledger.ndjson')
  const run: LedgerLine = { event: 'run', step: 0, kind: '', operation: '', key: nonce, baseUrl: 'x' }
  writeFileSync(file, [run, line('creating', 'a')].map((one) => `${JSON.stringify(one)}\n`).join(''))
  settleLedger(file, [], () => true)
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  expect(outstanding(lines.map((text) => JSON.parse(text)))).toEqual([])
})
