// `replay`: which target a finding is sent to, and how it is named.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Operation } from '../../models/language/operation.js'
import type { Fault } from '../../reference/handler.js'
import { faultNamed } from '../../reference/switches.js'
import { findingFile, fold, writeResults } from '../../reports/index.js'
import { claimFolder } from '../../suites/claim.js'
import { onlyUp, onlyUpCause, sample } from '../reports/sample.js'
import { callAsOwner, folder, freePort, invoke, served } from './invoke.js'

/** The folder of a run against a target of that name, which has findings. */
const runOf = async (name: string, replay?: string): Promise<string> => {
  const dir = folder()
  const { findings, ...rest } = fold(sample)
  const results = { ...rest, findings: findings.map((one) => ({ ...one, replay: replay ?? one.replay })) }
  await writeResults(dir, { ...results, target: { ...results.target, name } }, ['json'])
  return dir
}

test('what another target has shown is not sent to the embedded one, which would say that it is gone', async () => {
  const dir = await runOf('staging')
  const { exitCode, err } = await invoke('replay', onlyUp.id, '--out', dir)
  expect([exitCode, err]).toEqual([2, expect.stringContaining('staging at https://api.staging.example/v4')])
  expect(err).not.toContain('The run had it')
  const told = 'touchstone replay findings/one.json --target staging.json'
  const named = await invoke('replay', onlyUp.id, '--out', await runOf('staging', told))
  expect(named.err).toContain(`with --target. The run had it so: ${told}`)
})

test('what the embedded target has shown is sent to it again, by the id of its cause', async () => {
  const dir = await runOf('embedded')
  const { exitCode, out } = await invoke('replay', onlyUpCause.id, '--out', dir, '--json')
  expect([exitCode, JSON.parse(out)]).toEqual([
    3,
    expect.objectContaining({ finding: onlyUp.id, reproduced: 'unknown' }),
  ])
})

test('where the target is not there, that is said, and nothing of what a replay may have left', async () => {
  const baseUrl = `http://127.0.0.1:${await freePort()}/v4`
  const { file } = await served((content) => ({ ...content, baseUrl }))
  const dir = await runOf('staging')
  const { exitCode, out, err } = await invoke('replay', onlyUp.id, '--out', dir, '--target', file, '--json')
  expect([exitCode, JSON.parse(out)]).toEqual([3, expect.objectContaining({ reproduced: 'unknown', steps: [] })])
  expect(err).toBe(
    `touchstone: nothing was replayed: ${baseUrl} was not reached (connect ECONNREFUSED ${new URL(baseUrl).host}): see that it is up, then replay again\n`,
  )
  expect(existsSync(join(dir, 'ledger.ndjson'))).toBe(false)
})

test('a folder that a run writes to is left to it, with its ledger', async () => {
  const dir = await runOf('embedded')
  writeFileSync(join(dir, 'ledger.ndjson'), 'of the run')
  const free = await claimFolder(dir)
  const { exitCode, err } = await invoke('replay', onlyUpCause.id, '--out', dir)
  free()
  expect([exitCode, err]).toEqual([2, expect.stringContaining('another run, sweep or replay writes to')])
  expect(readFileSync(join(dir, 'ledger.ndjson'), 'utf8')).toBe('of the run')
})

test('the command that a finding of a run or of a record names asks the target that was named by its flag', async () => {
  const { fault } = faultNamed('volumes.resize: drops volumes.resize.only-up').arm()
  const { file, dir } = await served(undefined, { fault })
  const [out, again] = [join(dir, 'a run'), join(dir, 'again')]
  const select = ['--clause', 'volumes.resize.only-up', '--seed', '7', '--json']
  const run = JSON.parse((await invoke('run', '--target', file, '--out', out, ...select)).out)
  const [{ id, replay }] = run.findings
  expect(replay).toBe(`touchstone replay '${join(out, findingFile(id))}' --target ${file}`)
  expect(
    (
      await invoke(
        ...replay
          .replaceAll("'", '')
          .split(/ (?!run)/)
          .slice(1),
      )
    ).exitCode,
  ).toBe(1)
  const judge = await invoke('judge', join(out, 'run.ndjson'), '--target', file, '--out', again, '--json')
  expect(JSON.parse(judge.out).findings[0].replay).toMatch(` --target ${file}`)
})

/** What `replay` says of a finding of a served target that is broken so. */
const replayedAt = async (fault: Fault, finding: object, to = folder()) => {
  const { target, file, dir } = await served(undefined, { fault })
  const { baseUrl } = target
  const name = join(dir, 'finding.json')
  writeFileSync(name, JSON.stringify({ format: 1, target: { name: 'embedded', baseUrl }, finding }))
  const { exitCode, out, err } = await invoke('replay', name, '--target', file, '--out', to, '--json')
  return { exitCode, err, file, ...JSON.parse(out) }
}

/** The same where its calls show another break of a must. */
const replayed = (finding: object) => replayedAt(faultNamed('volumes.view: shows a wrong label').arm().fault, finding)

const create = { operation: 'volumes.create', method: 'POST', url: '/volumes', as: 'owner', path: {}, query: {} }
const looked = {
  ...onlyUp,
  steps: [
    { n: 1, line: '', outcome: { status: 200 }, made: '7', call: { ...create, body: { label: 'a', region: 'r1' } } },
    {
      n: 2,
      line: '',
      outcome: { status: 200 },
      call: { ...create, operation: 'volumes.view', method: 'GET', url: '/volumes/7', path: { volumeId: '7' } },
    },
  ],
}

test('another clause that the last call breaks is not taken for the finding', async () => {
  const own = { ...looked, id: 'volumes.view.shows.label:label', clause: 'volumes.view.shows.label' }
  expect(await replayed(own)).toMatchObject({ exitCode: 1, reproduced: 'yes' })
  expect(await replayed({ ...looked, confirmed: true })).toMatchObject({ exitCode: 0, reproduced: 'no' })
})

const tagged = {
  n: 1,
  line: '',
  outcome: { status: 200 },
  call: { ...create, operation: 'tags.create', url: '/tags', body: { label: 'ts-0-1' } },
}

test('what could not be removed after a replay is told beside what the finding shows', async () => {
  const to = folder()
  const isDelete = ({ id }: Operation): boolean => id === 'tags.delete'
  const keeps: Fault = {
    status: (status, op) => (isDelete(op) ? 500 : status),
    world: (after, before, op) => (isDelete(op) ? before : after),
  }
  const { err, file, ...told } = await replayedAt(keeps, { ...onlyUp, nonce: 'ts-0', steps: [tagged] }, to)
  expect(told).toMatchObject({ exitCode: 0, reproduced: 'no' })
  expect(err).toMatch(/^failed +tags \S+ .*: tags\.delete: 500/m)
  expect(err).toContain(`touchstone sweep --out ${to} --target ${file}\n`)
})

test('a ledger that cannot be written after a replay costs a warning, and not its verdict', async () => {
  const to = folder()
  // Where the new ledger is to be written there is a folder by then.
  const spoils: Fault = {
    due: (due, { id }) => {
      if (id === 'volumes.create') mkdirSync(join(to, 'ledger.ndjson.new'), { recursive: true })
      return due
    },
  }
  const { err, ...told } = await replayedAt(spoils, { ...looked, confirmed: true }, to)
  expect(told).toMatchObject({ exitCode: 0, reproduced: 'no' })
  expect(err).toMatch(/^warning: what the replay made may be left on the target: .*ledger\.ndjson/m)
})

test('a creation that was to be refused, and is now, is gone', async () => {
  const clause = 'volumes.create.body.label.maxLength'
  const [first] = looked.steps
  const call = { ...create, body: { label: 'a'.repeat(33), region: 'r1' } }
  const accepted = { ...onlyUp, id: `${clause}:accepted`, clause, operation: 'volumes.create', confirmed: true }
  expect(await replayed({ ...accepted, steps: [{ ...first, call }] })).toMatchObject({ exitCode: 0, reproduced: 'no' })
})

/** A finding that shows when a volume is resized that no step of it makes. */
const resizedTo = (id: number) => {
  const path = { volumeId: String(id) }
  const about = { operation: 'volumes.view', method: 'GET', url: `/volumes/${id}`, as: 'owner', path, query: {} }
  const resize = { ...about, operation: 'volumes.resize', method: 'POST', url: `${about.url}/resize` }
  const answered = { line: '', outcome: { status: 200 } }
  return {
    ...onlyUp,
    id: `${onlyUp.clause}:accepted`,
    steps: [
      { ...answered, n: 1, call: about },
      { ...answered, n: 2, call: { ...resize, body: { size: 10 } } },
    ],
  }
}

test.each([true, false])(
  'what others made is not written to, and not told as fixed (exclusive: %s)',
  async (exclusive) => {
    const { target, file, dir } = await served((one) => ({ ...one, exclusive }))
    const { body } = await callAsOwner(target, 'POST', '/volumes', { label: 'theirs', region: 'r1', size: 30 })
    const name = join(dir, 'finding.json')
    writeFileSync(name, JSON.stringify({ format: 1, finding: resizedTo(body.id) }))
    const { exitCode, out } = await invoke('replay', name, '--target', file, '--out', dir)
    expect([exitCode, out]).toEqual([3, expect.stringContaining('changes only what it made itself')])
    expect(out).toMatch(/ now {2}not sent: .*volumes \d+ /)
    expect((await callAsOwner(target, 'GET', `/volumes/${body.id}`)).body.size).toBe(30)
  },
)

/** A finding of one call, as another target may have shown it. */
const calling = (operation: string, url: string, body: object) => ({
  ...onlyUp,
  id: `${operation}.accepts:refused`,
  clause: `${operation}.accepts`,
  operation,
  steps: [
    {
      n: 1,
      line: '',
      outcome: { status: 400 },
      call: { operation, method: 'POST', url, as: 'owner', path: {}, query: {}, body },
    },
  ],
})

test.each([
  ['ips.share', false, '/networking/ips/share', { ips: [], node_id: 101 }, 'ipv4.shared of the nodes'],
  ['tickets.create', false, '/support/tickets', { summary: 'a', description: 'b' }, 'safety.allow to name tickets'],
  ['object-storage.cancel', false, '/object-storage/cancel', {}, 'an exclusive target'],
  ['object-storage.cancel', true, '/object-storage/cancel', {}, 'safety.allow to name object-storage.cancel'],
])('%s, exclusive %s, is not sent where the target file does not allow it', async (id, exclusive, url, body, why) => {
  const { file, dir } = await served(({ safety, fixtures, ...rest }) => ({
    ...rest,
    exclusive,
    safety: { ...safety, allow: [] },
    fixtures: {
      ...fixtures,
      nodes: (fixtures.nodes ?? []).map(({ ipv4: { shared: _, ...ipv4 } = {}, ...node }) => ({ ...node, ipv4 })),
    },
  }))
  const name = join(dir, 'finding.json')
  writeFileSync(name, JSON.stringify({ format: 1, finding: calling(id, url, body) }))
  const { exitCode, out } = await invoke('replay', name, '--target', file, '--out', dir)
  expect([exitCode, out]).toEqual([3, expect.stringContaining('not sent: the target file has to give')])
  expect(out).toContain(why)
})

test('what is gone meanwhile is not told as fixed', async () => {
  expect(await replayed(resizedTo(987_654))).toMatchObject({ exitCode: 3, reproduced: 'unknown' })
})

test('what did not show again in the run either is not told as gone', async () => {
  expect(await replayed({ ...looked, confirmed: false })).toMatchObject({ exitCode: 3, reproduced: 'unknown' })
})

test('a finding is also named by the clause that it broke', async () => {
  const dir = folder()
  const results = fold(sample)
  const findings = results.findings.map((one) => ({ ...one, id: `${one.id}:accepted` }))
  await writeResults(dir, { ...results, target: { ...results.target, name: 'embedded' }, findings }, ['json'])
  const { out } = await invoke('replay', onlyUp.clause, '--out', dir, '--json')
  expect(JSON.parse(out)).toMatchObject({ finding: `${onlyUp.id}:accepted` })
})

test.each([
  ['volumes.resize.only-pu', 'Did you mean "volumes.resize.only-up"?'],
  ['nonsense', `It has ${onlyUp.id}, volumes.create.not-json`],
])('an id that the run has not is answered with what it has: %s', async (id, hint) => {
  const { exitCode, err } = await invoke('replay', id, '--out', await runOf('staging'))
  expect([exitCode, err]).toEqual([2, expect.stringContaining(hint)])
})

test('the clause that a finding or its cause broke is explained by their ids', async () => {
  const dir = await runOf('staging')
  for (const id of [onlyUp.id, onlyUpCause.id]) {
    const { out } = await invoke('explain', id, '--out', dir, '--json')
    expect(JSON.parse(out)).toMatchObject({ id: onlyUp.clause, evidence: { verdict: 'finding' } })
  }
})
