// `list` and `explain`: what they show is what the registry and the last results hold.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { allClauses, operations } from '../../models/index.js'
import { fold } from '../../reports/index.js'
import { sample } from '../reports/sample.js'
import { folder, invoke } from './invoke.js'

const listed = async (...args: readonly string[]) =>
  JSON.parse((await invoke('list', ...args, '--json')).out) as { id: string }[]

test('every operation and every clause is listed', async () => {
  expect((await listed('operations')).map(({ id }) => id)).toEqual(operations.map(({ id }) => id))
  expect((await listed('clauses')).map(({ id }) => id)).toEqual(allClauses().map(({ id }) => id))
})

test('filters leave what matches all of them', async () => {
  const found = await listed('clauses', '--area', 'volumes', '--operation', '*.resize', '--clause', '*.only-up')
  expect(found.map(({ id }) => id)).toEqual(['volumes.resize.only-up'])
})

test('the choices of an operation hold its status, and none of another operation', async () => {
  const found = (await listed('choices', '--operation', 'volumes.create')).map(({ id }) => id)
  expect(found).toContain('volumes.create.status')
  expect(found.filter((id) => !id.startsWith('volumes.create.'))).toEqual([])
})

test('columns line up', async () => {
  const { out } = await invoke('list', 'operations', '--area', 'volumes')
  const starts = out
    .trimEnd()
    .split('\n')
    .map((line) => line.search(/ (GET|POST|PUT|DELETE) /))
  expect(new Set(starts).size).toBe(1)
})

test('defects of the document come with how they are read', async () => {
  expect((await invoke('list', 'defects')).out).toContain('read as: ')
})

test('a clause is explained by its probe and its twin', async () => {
  const { exitCode, out } = await invoke('explain', 'volumes.resize.only-up', '--out', folder())
  expect(exitCode).toBe(0)
  expect(out).toMatch(/probe +volumes\.resize\(volumeId id of step 1, \{"size":\d+\}\) as owner/)
  expect(out).toMatch(/twin +volumes\.resize\(/)
  expect(out).toContain('evidence: none: there is no ')
})

test('the last evidence of a clause is shown where the folder holds results', async () => {
  const out = folder()
  writeFileSync(join(out, 'results.json'), JSON.stringify(fold(sample)))
  const said = await invoke('explain', 'volumes.resize.only-up', '--out', out)
  expect(said.out).toMatch(/verdict +finding/)
  const facts = JSON.parse((await invoke('explain', 'volumes.resize.only-up', '--out', out, '--json')).out)
  expect(facts.evidence.verdict).toBe('finding')
})

test('results that cannot be read are said to be so, and hide nothing else', async () => {
  const out = folder()
  writeFileSync(join(out, 'results.json'), '{')
  const said = await invoke('explain', 'volumes.resize.only-up', '--out', out)
  expect([said.exitCode, said.out.includes('received text that is not JSON')]).toEqual([0, true])
})

test('an operation is explained by all of its clauses', async () => {
  const facts = JSON.parse((await invoke('explain', 'tags.create', '--json', '--out', folder())).out)
  expect(facts.clauses.map(({ id }: { id: string }) => id)).toEqual(
    allClauses().flatMap(({ id, operation }) => (operation === 'tags.create' ? [id] : [])),
  )
})

test('a choice and a defect can be explained as well', async () => {
  expect((await invoke('explain', 'refusals.token', '--out', folder())).out).toContain(
    'Status of a refusal for: token.',
  )
  expect((await invoke('explain', 'error-status-codes', '--out', folder())).out).toContain('Read as: ')
})

test('the choices are a questionnaire: the sentence, how it is read, what the reference does and what the target did', async () => {
  const out = folder()
  const choices = [{ id: 'volumes.create.region-beside-node', text: '', observed: ['refused'], pinned: null }]
  writeFileSync(join(out, 'results.json'), JSON.stringify({ ...fold(sample), choices }))
  const asked = await invoke('list', 'choices', '--operation', 'volumes.create', '--out', out)
  const [, said = ''] = asked.out.split('volumes.create.region-beside-node\n')
  expect(said.split('\n').slice(0, 6)).toEqual([
    '  What happens when both region and node_id are given and they disagree is not said.',
    '  the document: “Required only when node_id is not given”',
    expect.stringContaining('  it is read so: '),
    '  the reference: takes the call',
    expect.stringMatching(/^ {2}\S+: refused$/),
    "  what does yours do? pins: { 'volumes.create.region-beside-node': 'refused' } holds it to that",
  ])
})

test('the questionnaire says how a pin of each kind is written', async () => {
  const { out } = await invoke('list', 'choices', '--out', folder())
  const pins = Object.fromEntries(
    [...out.matchAll(/pins: \{ '(\S+)': (.*) \} holds/g)].map(([, id = '', pin]) => [id, pin]),
  )
  expect(pins).toMatchObject({
    'volumes.create.label-reused': "'accepted' or 'refused'",
    'volumes.create.first-status': "'creating', 'active', or 'resizing'",
    'ipv6-ranges.create.shows-prefix': 'true or false',
    'tickets.view.closed-state': "'a word of yours'",
    'volumes.create.status': '200',
    'volumes.create.lag': '500',
    'refusals.token': '403',
  })
})

test('a clause is explained by how its sentence is read, and by the mutants that break it', async () => {
  const said = await invoke('explain', 'volumes.resize.only-up', '--out', folder())
  expect(said.out).toMatch(/mutants +volumes\.resize: drops volumes\.resize\.only-up/)
  const facts = JSON.parse((await invoke('explain', 'firewalls.update.own-label', '--out', folder(), '--json')).out)
  expect(facts.readings).toEqual([
    {
      says: 'The label that a firewall has already, in an update.',
      possible: 'taken; refused as taken',
      taken: 'Taken, by inference: no other firewall has it.',
    },
  ])
  const readingsOf = async (id: string) =>
    JSON.parse((await invoke('explain', id, '--out', folder(), '--json')).out).readings
  expect(await readingsOf('managed-contacts.create.shows.id')).toEqual([])
  expect(await readingsOf('ips.assign.public-left')).toEqual([])
})
