// `doctor`: it finds what is wrong with a target file, and says what can't be tested.
import { readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startEmbedded } from '../../reference/serve.js'
import { freePort, invoke, served } from './invoke.js'

interface Diagnosed {
  readonly exitCode: number
  readonly checks: { what: string; result: string; text: string }[]
  readonly untestable: { reason: string; remedy?: string; clauses: string[] }[]
}

const diagnose = async (change?: Parameters<typeof served>[0]): Promise<Diagnosed> => {
  const { file } = await served(change)
  const { out, exitCode } = await invoke('doctor', '--target', file, '--json', '--quiet')
  return { ...JSON.parse(out), exitCode }
}

const wrong = ({ checks }: Diagnosed) => checks.filter(({ result }) => result === 'wrong')

test('a target file that is right ends with 0, with every fixture found that the interface shows', async () => {
  const diagnosis = await diagnose()
  expect([diagnosis.exitCode, wrong(diagnosis)]).toEqual([0, []])
  expect(diagnosis.checks.filter(({ result }) => result === 'good').length).toBeGreaterThan(40)
})

test('a target file in JSON, which cannot hold the hooks that are missing, is told how it can', async () => {
  const { file } = await served()
  const { out } = await invoke('doctor', '--target', file, '--quiet')
  expect(out).toContain('the hook ')
  const name = basename(file)
  expect(out).toContain(`call ${name} ${name.replace('.json', '.ts')}, and write \`export default\` before its {`)
  const code = file.replace('.json', '.ts')
  writeFileSync(code, `export default ${readFileSync(file, 'utf8')}`)
  const better = await invoke('doctor', '--target', code, '--quiet')
  expect([better.exitCode, better.out.includes('export default')]).toEqual([0, false])
  expect(better.out).toContain('the hook ')
})

test('a secret that the target does not know is wrong, and ends with 2', async () => {
  const diagnosis = await diagnose((file) => ({
    ...file,
    tokens: file.tokens.map((token) => (token.name === 'other' ? { ...token, secret: 'nobody' } : token)),
  }))
  expect(diagnosis.exitCode).toBe(2)
  expect(wrong(diagnosis).map(({ what, text }) => `${what} ${text}`)[0]).toMatch(
    /^tokens\[4\] token other was answered 401.* check its secret/,
  )
})

test('scopes that a token does not have are wrong', async () => {
  const diagnosis = await diagnose((file) => ({
    ...file,
    tokens: file.tokens.map((token) =>
      token.name === 'without-account-read_only' ? { ...token, scopes: ['account:read_only'] } : token,
    ),
  }))
  expect(wrong(diagnosis)[0]?.text).toContain('gives it the scopes account:read_only')
})

test('a fixture that is not there is wrong, whether it is viewed or listed', async () => {
  const diagnosis = await diagnose((file) => ({
    ...file,
    fixtures: { ...file.fixtures, volumes: [{ id: 1 }], vlans: [{ label: 'lan-0', region: 'r1' }] },
  }))
  expect(wrong(diagnosis).map(({ what }) => what)).toEqual(['volumes 1', 'vlans lan-0'])
})

test('ids that nothing has are wrong, each with the one that was meant', async () => {
  const diagnosis = await diagnose((file) => ({
    ...file,
    pins: { 'volumes.create.statsu': 201 },
    safety: { ...file.safety, allow: ['tickets.creat'], maxLive: { volume: 3 } },
  }))
  expect(wrong(diagnosis).map(({ text }) => /Did you mean "(.*)"/.exec(text)?.[1])).toEqual([
    'volumes.create.status',
    'tickets.create',
    'volumes',
  ])
})

test('a word of the target that could mean two things is wrong', async () => {
  const diagnosis = await diagnose((file) => ({ ...file, vocabulary: { label: 'name' } }))
  expect(wrong(diagnosis)[0]).toMatchObject({ what: 'vocabulary', text: expect.stringContaining('"name" for "label"') })
})

test('how long a change may take is pinned to a number of milliseconds', async () => {
  const diagnosis = await diagnose((file) => ({
    ...file,
    pins: { 'volumes.attach.lag': 300, 'volumes.create.lag': 'soon', 'volumes.detach.lag': -1 },
  }))
  expect(wrong(diagnosis).map(({ what }) => what)).toEqual(['pins["volumes.create.lag"]', 'pins["volumes.detach.lag"]'])
})

test('a pin has to be something that a reply can show', async () => {
  const pins = {
    ...{ 'volumes.create.label-reused': 'refuse', 'volumes.attach.busy': true, 'tags.list.status': 'ok' },
    'tags.create.status': 404,
    ...{ 'refusals.exists': 404, 'refusals.token': 200, 'volumes.create.first-status': 'creating' },
    ...{ 'volumes.resize.shown-status': 'creatng', 'volumes.clone.tags': 'gone', 'object-acl.view.member': 'yes' },
    // The document names no state of a ticket.
    ...{ 'ipv6-ranges.create.shows-prefix': 'true', 'tickets.view.closed-state': 'resolved' },
  }
  const diagnosis = await diagnose((file) => ({ ...file, pins }))
  expect(wrong(diagnosis).map(({ what, text }) => [what, text])).toEqual([
    ['pins["volumes.create.label-reused"]', 'expected "accepted" or "refused", received "refuse". Correct it.'],
    ['pins["volumes.attach.busy"]', 'expected "accepted" or "refused", received true. Correct it.'],
    ['pins["volumes.clone.tags"]', 'expected "kept" or "dropped", received "gone". Correct it.'],
    [
      'pins["volumes.resize.shown-status"]',
      'expected "creating", "active", or "resizing", received "creatng". Correct it.',
    ],
    ['pins["object-acl.view.member"]', 'expected true or false, received "yes". Correct it.'],
    ['pins["tags.list.status"]', 'expected the status of an accepted call, such as 200, received "ok". Correct it.'],
    ['pins["tags.create.status"]', 'expected the status of an accepted call, such as 200, received 404. Correct it.'],
    ['pins["refusals.token"]', 'expected the status of a refusal, such as 403, received 200. Correct it.'],
  ])
})

test('a pin that only the target has a word for is a text', async () => {
  const diagnosis = await diagnose((file) => ({ ...file, pins: { 'tickets.view.closed-state': true } }))
  expect(wrong(diagnosis).map(({ text }) => text)).toEqual([
    'expected a text, as replies show it, received true. Correct it.',
  ])
})

test('what a fixture or a hook would make testable is told with its clauses', async () => {
  const { untestable } = await diagnose((file) => ({ ...file, fixtures: { ...file.fixtures, domains: [] } }))
  const group = untestable.find(({ reason }) => reason === 'a domain')
  expect(group?.remedy).toContain('a domain')
  expect(group?.clauses).toContain('tags.create.accepts')
  expect(untestable.find(({ reason }) => reason === 'the hook setLiveMigration')?.clauses).toContain(
    'firewalls.delete.live-migration',
  )
})

test('a target that does not answer ends with 3, after one attempt', async () => {
  const { file, target } = await served()
  await target.server.close()
  const { out, exitCode } = await invoke('doctor', '--target', file, '--json', '--quiet')
  const { checks } = JSON.parse(out)
  expect([exitCode, checks.map(({ result }: { result: string }) => result)]).toEqual([3, ['unreachable']])
})

const said = async (change: Parameters<typeof served>[0], ...flags: readonly string[]): Promise<readonly string[]> => {
  const { file } = await served(change)
  const { out } = await invoke('doctor', '--target', file, '--quiet', ...flags)
  expect(out).not.toContain('\u001b')
  return out.trimEnd().split('\n')
}

/** A target file with next to nothing in it. */
const bare: Parameters<typeof served>[0] = ({ name, baseUrl, tokens: [owner] }) => ({ name, baseUrl, tokens: [owner] })

test('people are told a screenful: what would open the most with what to paste, and last of all the result', async () => {
  const lines = await said(bare)
  expect(lines.length).toBeLessThanOrEqual(24)
  expect(lines[0]).toMatch(/^embedded at http:\S+, as touchstone.config.json has it$/)
  expect(lines).toContain('         "fixtures": { "clusters": [ { "id": "c1", "region": "r1" } ] }')
  expect(lines.at(-1)).toMatch(/^ready: 1 check, all of them good; touchstone run can test [\d,]+ of [\d,]+ clauses$/)
})

test('what is wrong stands just before the result, in place of what would open more', async () => {
  const lines = await said((file) => ({ ...(bare(file) as typeof file), pins: { 'volumes.create.statsu': 201 } }))
  expect(lines.at(-2)).toMatch(/^wrong {4}pins\["volumes.create.statsu"\]: /)
  expect(lines.at(-1)).toBe('not ready: 1 of 2 checks found something wrong')
  expect(lines.join('\n')).not.toContain('"fixtures"')
})

test('--verbose tells every check and every need, with its clauses', async () => {
  const lines = await said((file) => file, '--verbose')
  expect(lines).toContain('ok       volumes 601: volumes.view was answered 200')
  const needs = await said(bare, '--verbose')
  expect(needs).toContain(
    '         buckets.create.token, buckets.create.token.scheme, buckets.create.scope.object_storage-read_write and 178 more',
  )
  expect(needs.length).toBeGreaterThan(200)
})

test('a target that starts meanwhile is waited for with --wait', async () => {
  const port = await freePort()
  const { target, file } = await served(undefined, { port })
  await target.server.close()
  const later = new Promise((resolve) => setTimeout(resolve, 1500)).then(() => startEmbedded({ seed: 1, port }))
  onTestFinished(async () => (await later).server.close())
  expect((await invoke('doctor', '--target', file, '--wait', '5m', '--json', '--quiet')).exitCode).toBe(0)
})
