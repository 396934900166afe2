// What may excuse a deviation, and what is told where it does not excuse all.
import { describe, expect, test } from 'vitest'
import { probeFor } from '../../arbitraries/probes.js'
import { runProgram } from '../../driver/programs.js'
import { survey } from '../../driver/survey.js'
import { buildCall, recorded } from '../../history/calls.js'
import type { RecordLine } from '../../history/record.js'
import type { Recording } from '../../history/recording.js'
import type { Outcome } from '../../history/wire.js'
import { operationById, operations } from '../../models/index.js'
import { clausesOf } from '../../models/language/derive.js'
import { type Environment, suppositions } from '../../models/language/environment.js'
import type { Operation } from '../../models/language/operation.js'
import type { Args } from '../../models/language/plan.js'
import { close } from '../../models/language/world.js'
import { startWorld } from '../../models/start.js'
import { believe } from '../../oracle/belief.js'
import type { Explanation } from '../../oracle/explanations/explanation.js'
import { explanations } from '../../oracle/explanations/index.js'
import { open } from '../../oracle/fold.js'
import { judgeTraffic } from '../../oracle/judge-traffic.js'
import { observe } from '../../oracle/observe.js'
import type { EmbeddedOptions } from '../../reference/embedded.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import type { Fault } from '../../reference/handler.js'
import { inProcess } from '../../reference/in-process.js'
import { mutantsOf } from '../../reference/mutants/mutants.js'
import { sourcesIn } from '../sources.js'
import { type Exchange, gating, harOf, judgeExchanges, named, recordingsOf, told, volume } from './traffic.js'

/** What the probes of some clauses show on a target. */
const probe = async (
  ids: readonly string[],
  options: Partial<EmbeddedOptions>,
  more: Partial<Environment> = {},
): Promise<readonly RecordLine[]> => {
  const { session, lines } = inProcess({ environment: { ...embeddedEnvironment(), ...more }, ...options })
  await survey(session)
  for (const id of ids) {
    const op = operationById(id.split('.').slice(0, 2).join('.')) as Operation
    const clause = clausesOf(op).find((one) => one.id === id)
    const planned = clause && probeFor(clause, session.context)
    if (planned?.kind === 'program') await runProgram(session, planned.program, clause)
  }
  return lines
}

const findings = (lines: readonly RecordLine[]): readonly string[] =>
  lines.flatMap((line) => (line.type === 'finding' && line.finding.level === 'must' ? [line.finding.clause] : []))
const assumed = (lines: readonly RecordLine[]): readonly string[] =>
  lines.flatMap((line) => (line.type === 'step' ? (line.assumed ?? []) : []))

const showsPath = (body: unknown): unknown =>
  typeof body === 'object' && body !== null && 'filesystem_path' in body ? { ...body, filesystem_path: '/dev/x' } : body

describe('explanations', () => {
  test('leave a trace in the record, each of them', () => {
    const code = sourcesIn('oracle').map(({ text }) => text)
    const leaves = ({ name }: Explanation): boolean => code.some((text) => text.includes(`traceOf(${name}`))
    expect(explanations.filter((one) => !leaves(one))).toEqual([])
  })

  test('stand in one list, each with a sentence, what refutes it and its bound', () => {
    expect(explanations.map(({ name }) => name).sort()).toEqual(Object.keys(suppositions).sort())
    for (const texts of explanations) expect(Object.values(texts).filter((text) => text.length < 3)).toEqual([])
  })
})

describe('drift', () => {
  const clauses = ['volumes.resize.active-only', 'volumes.clone.active-only']
  const careless = operations
    .flatMap(mutantsOf)
    .find(({ id }) => id === 'volumes.resize: drops volumes.resize.active-only')
    ?.arm().fault as Fault

  test.each([1, 2, 3, 4, 5, 6])(
    'leaves only the rest to tell where a reply is wrong besides: %i calls',
    async (calls) => {
      const lines = await probe(clauses, { restAfter: calls, fault: { body: showsPath } as never })
      const told = findings(lines)
      expect(told).toContain('volumes.view.shows.filesystem_path')
      expect(told.filter((id) => !id.endsWith('.shows.filesystem_path'))).toEqual([])
    },
  )

  test('stands on the line of the step that it explains, and is refuted by a state that does not pass', async () => {
    const lines = await probe(clauses.slice(0, 1), { fault: careless })
    expect(assumed(lines)).toEqual(expect.arrayContaining([expect.stringMatching(/^drift volumes \d+ status$/)]))
    expect(findings(lines)).toEqual(['volumes.resize.active-only'])
  })

  test('excuses a resize long after the creation, and the member that its reply lacks is told', () => {
    const as = 'owner'
    const { filesystem_path: _, ...lacking } = volume({ size: 30, status: 'resizing' })
    const judged = judgeExchanges(
      [
        told('volumes.create', { as, body: { label: 'disk', region: 'r1' } }, 200, volume({ status: 'creating' })),
        told('volumes.resize', { as, path: { volumeId: 7 }, body: { size: 30 } }, 200, lacking, { at: 900_000 }),
      ],
      true,
    )
    expect(gating(judged)).toEqual(['volumes.resize.reply.filesystem_path.required:shape'])
  })

  test('is not assumed where the target file refuses it', async () => {
    const lines = await probe(clauses.slice(0, 1), { fault: careless }, { explanations: { drift: false } })
    expect(findings(lines)).toEqual(['volumes.resize.active-only'])
    expect(assumed(lines)).toEqual([])
  })
})

describe('a quota', () => {
  const refusing: Partial<EmbeddedOptions> = {
    fault: {
      operation: (op: Operation) =>
        op.id === 'tickets.create'
          ? {
              ...op,
              refusals: [
                ...(op.refusals ?? []),
                { id: 'tickets.create.full', source: 'none', text: 'No more.', unprobed: 'not ours', when: () => true },
              ],
            }
          : op,
    } as never,
  }
  const clauses = ['tickets.create.takes-effect', 'tickets.create.accepts']
  test('is assumed on the line of a refused creation, and refused where the target file says so', async () => {
    const excused = await probe(clauses, refusing)
    expect(findings(excused)).toEqual([])
    expect(assumed(excused)).toContain('quota tickets.create')
    const strict = await probe(clauses, refusing, { explanations: { quota: false } })
    expect(findings(strict)).toContain('tickets.create.accepts')
    expect(assumed(strict)).not.toContain('quota tickets.create')
  })
})

describe('what remains of something that is gone', () => {
  const as = 'owner'
  const path = { firewallId: 1 }
  const rules = { inbound: [], inbound_policy: 'ACCEPT', outbound: [], outbound_policy: 'ACCEPT' }
  const web = { id: 1, label: 'web', status: 'enabled', tags: [], rules }
  const exchanges = [
    told('firewalls.create', { as, body: { label: 'web', rules } }, 200, web),
    told('firewalls.delete', { as, path }, 200, {}),
    told('firewalls.view', { as, path }, 200, { ...web, status: 'deleted' }),
    told('firewall-devices.list', { as, path }, 200, { data: [], page: 1, pages: 1, results: 0 }),
    told('firewalls.list', { as }, 200, { data: [{ ...web, status: 'deleted' }], page: 1, pages: 1, results: 1 }),
  ]
  test('stands on the lines of the steps that show it', () => {
    const { steps, found } = judgeExchanges(exchanges, true)
    expect(found).toEqual([])
    expect(steps.flatMap(({ judgement }) => judgement.assumed ?? [])).toEqual([
      'remains firewalls.view',
      'remains firewall-devices.list',
      'remains firewalls.list',
    ])
  })
  test('is not assumed where the target file refuses it', () => {
    const [recording] = recordingsOf(harOf(exchanges), true)
    const refused = { remains: false, interference: false, lag: false }
    const environment = { ...(recording as Recording).environment, explanations: refused }
    expect(gating(judgeTraffic({ ...(recording as Recording), environment }))).toEqual(
      expect.arrayContaining(['firewalls.delete.takes-effect:still-there', 'firewalls.list.only-live:deleted']),
    )
  })
})

describe('walks over pages', () => {
  test('say what they assume of a deletion that was lost', () => {
    const fold = open(embeddedEnvironment())
    let n = 0
    const take = (id: string, args: Args, outcome: Outcome): number => {
      n += 1
      const op = operationById(id) as Operation
      const call = recorded(buildCall(op, { as: 'owner', ...args }))
      fold.take({ kind: 'call', n, op, call, outcome, program: 'p', instance: 1, startedAt: n, endedAt: n, ms: 0 })
      return n
    }
    const contact = (no: number) => ({ id: no, name: `c-${no}`, email: 'a@b.test' })
    const list = (page: number, data: readonly object[]) =>
      take(
        'managed-contacts.list',
        { query: { page, page_size: 25 } },
        { status: 200, body: { data, page, pages: 2, results: 26 } },
      )
    take('managed-contacts.create', { body: { name: 'c-7', email: 'a@b.test' } }, { status: 200, body: contact(7) })
    take('managed-contacts.delete', { path: { contactId: 7 } }, { lost: 'timeout' })
    const all = Array.from({ length: 26 }, (_, i) => contact(100 + i))
    const walk = (): readonly number[] => [list(1, all.slice(0, 25)), list(2, all.slice(25))]
    expect(fold.walked({ kind: 'walked', instance: 1, walks: [walk(), walk()] }).assumed).toEqual([
      'landing managed-contacts.delete 2',
    ])
  })
})

test('a clone whose reply was lost is that of its source as it was then, whatever has become of that since', () => {
  const source = { ...volume(), label: 'disk', updated: '2026-01-01T00:00:01' }
  const clone = { ...volume({ id: 8, label: 'copy' }), filesystem_path: '/dev/disk/by-id/scsi-0Node_Volume_copy' }
  const path = { volumeId: 7 }
  const steps: readonly (readonly [string, Args, Outcome])[] = [
    ['volumes.create', { body: { label: 'disk', size: 20, region: 'r1' } }, { status: 200, body: volume() }],
    ['volumes.clone', { path, body: { label: 'copy' } }, { lost: 'reset' }],
    ['volumes.resize', { path, body: { size: 29 } }, { status: 200, body: { ...source, size: 29 } }],
    [
      'volumes.list',
      {},
      { status: 200, body: { data: [{ ...source, size: 29 }, clone], page: 1, pages: 1, results: 2 } },
    ],
  ]
  let belief = believe(close(startWorld(embeddedEnvironment()), { name: 'volumes' }, 'main'))
  const judgements = steps.map(([id, args, outcome], i) => {
    const op = operationById(id) as Operation
    const call = recorded(buildCall(op, { as: 'owner', ...args }))
    const observed = observe(belief, { op, call, outcome, n: i + 1 })
    belief = observed.belief
    return observed.judgement
  })
  expect(judgements.at(-1)?.assumed).toContain('landing volumes.clone 2')
  expect(judgements.flatMap(({ deviations }) => deviations.map(({ clause }) => clause))).toEqual([
    'volumes.list.complete',
  ])
})

describe('of all explanations, one by itself', () => {
  const as = 'owner'
  const path = { volumeId: 7 }
  const denied = { errors: [{ reason: 'not now' }] }
  const creates = told('volumes.create', { as, body: { label: 'disk', region: 'r1' } }, 200, volume())
  const renames = (label: string, status = 200) =>
    told('volumes.update', { as, path, body: { label } }, status, named(label))
  const tags = (names: readonly string[], status: number, at: number) =>
    told(
      'volumes.update',
      { as, path, body: { tags: names } },
      status,
      status === 200 ? volume({ tags: names }) : denied,
      { at, ms: 500 },
    )
  const views = (reply: object, status = 200) => told('volumes.view', { as, path }, status, reply)
  const none = Object.fromEntries(Object.keys(suppositions).map((name) => [name, false]))
  /** What is found in a recording where these explanations may be assumed and no others. */
  const foundWith = (exchanges: readonly Exchange[], ...names: readonly string[]): readonly string[] => {
    const [recording] = recordingsOf(harOf(exchanges), true) as readonly [Recording]
    const explanations = { ...none, ...Object.fromEntries(names.map((name) => [name, true])) }
    return gating(judgeTraffic({ ...recording, environment: { ...recording.environment, explanations } }))
  }

  test('a token excuses a refusal that names no member, even one that may have been late', () => {
    const rules = { inbound: [], inbound_policy: 'ACCEPT', outbound: [], outbound_policy: 'ACCEPT' }
    const web = { id: 1, label: 'web', status: 'enabled', tags: [], rules }
    const makes = told('firewalls.create', { as, body: { label: 'web', rules } }, 200, web)
    const tooLong = { as, path: { firewallId: 1 }, query: { page_size: 501 } }
    const unnamed = told('firewall-devices.list', tooLong, 401, denied)
    expect(foundWith([makes, unnamed], 'token', 'lag')).toEqual([])
    expect(foundWith([makes, unnamed], 'lag')).not.toEqual([])
  })

  test.each<[string, readonly Exchange[]]>([
    [
      'drift',
      [
        told('volumes.create', { as, body: { label: 'disk', region: 'r1' } }, 200, volume({ status: 'creating' })),
        told('volumes.resize', { as, path, body: { size: 30 } }, 200, volume({ size: 30, status: 'resizing' })),
      ],
    ],
    ['landing', [creates, renames('b', 0), views(named('b'))]],
    ['interference', [views(volume()), views(named('b'))]],
    ['gap', [creates, views(named('b'))]],
    ['lag', [creates, renames('b'), views(volume()), views(named('b'))]],
    ['overlap', [creates, tags(['web-a'], 200, 500), tags(['web-b'], 409, 600)]],
    ['gateway', [creates, views(denied, 503)]],
    ['token', [creates, views(denied, 401)]],
    ['quota', [told('ips.allocate', { as, body: { type: 'ipv4', public: true, node_id: 101 } }, 403, denied)]],
  ])('%s keeps a recording from a finding that nothing else does', (name, exchanges) => {
    expect(foundWith(exchanges, name)).toEqual([])
    expect(foundWith(exchanges)).not.toEqual([])
  })

  test.each<[string, string, readonly Exchange[], string]>([
    [
      'landing',
      'what no lost write has sent',
      [creates, renames('b', 0), views(named('c'))],
      'volumes.view.shows.label:label',
    ],
    [
      'lag',
      'what was never so',
      [creates, renames('b'), views(named('c')), views(named('b'))],
      'volumes.view.shows.label:label',
    ],
    [
      'overlap',
      'a read that is refused beside a write',
      [creates, tags(['web-a'], 200, 500), { ...views(denied, 409), at: 600 }],
      'volumes.view.accepts:refused',
    ],
    [
      'overlap',
      'a write that is refused after another',
      [creates, tags(['web-a'], 200, 500), tags(['web-b'], 409, 1200)],
      'volumes.update.accepts:refused',
    ],
    ['gateway', 'an error of the server itself', [creates, views(denied, 500)], 'volumes.view.accepts:server-error'],
    ['token', 'a refusal with another status', [creates, views(denied, 403)], 'volumes.view.accepts:refused'],
    [
      'token',
      'one that is in no envelope',
      [creates, views({ error: 'expired' }, 401)],
      'volumes.view.refusal.envelope:envelope',
    ],
    [
      'quota',
      'the refusal of what makes nothing',
      [creates, tags(['web-a'], 403, 500)],
      'volumes.update.accepts:refused',
    ],
  ])('%s does not excuse %s', (name, _, exchanges, told) => {
    expect(foundWith(exchanges, name)).toContain(told)
  })
})
