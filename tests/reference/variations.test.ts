// Every variation is legal: the checker accepts it; and each one makes a difference.
import { expect, test } from 'vitest'
import { probeFor } from '../../arbitraries/probes.js'
import { runProgram } from '../../driver/programs.js'
import { survey } from '../../driver/survey.js'
import { operations } from '../../models/index.js'
import { clausesOf } from '../../models/language/derive.js'
import { createEmbedded } from '../../reference/embedded.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { inProcess } from '../../reference/in-process.js'
import { combined, conflictAmong, variationNames, variations } from '../../reference/variations.js'
import { partOf } from '../parts.js'

const probedOps = /^(volumes\.(resize|list)|tags\.create|firewalls\.(list|view)|firewall-rules\.view|tickets\.view)$/

/** Two members are wrong at once, which no probe is. */
const doublyWrong = {
  operation: 'volumes.create',
  method: 'POST',
  url: '/volumes',
  as: 'owner',
  path: {},
  query: {},
  body: { label: 'x'.repeat(33), size: 'big', region: 'r1' },
}

/** A member inside of another one is wrong. */
const deeplyWrong = {
  ...doublyWrong,
  operation: 'firewalls.create',
  url: '/networking/firewalls',
  body: { label: 'web', rules: { inbound_policy: 'MAYBE', outbound_policy: 'ACCEPT' } },
}

/** Made by a call of its own, since its record may be spelled in two ways. */
const newRange = {
  ...doublyWrong,
  operation: 'ipv6-ranges.create',
  url: '/networking/ipv6/ranges',
  body: { prefix_length: 64, node_id: 101 },
}

type Options = (typeof variations)[keyof typeof variations]

const results = new Map<Options, ReturnType<typeof probe>>()

/** Findings at any level of the probes of a few operations, and everything that was answered. */
const probed = (options: Options): ReturnType<typeof probe> => {
  const known = results.get(options) ?? probe(options)
  results.set(options, known)
  return known
}

const probe = async (options: Options) => {
  const { session, lines } = inProcess({ environment: embeddedEnvironment(), seed: 1, ...options })
  await survey(session)
  for (const clause of operations.filter(({ id }) => probedOps.test(id)).flatMap(clausesOf)) {
    const planned = probeFor(clause, session.context)
    if (planned.kind === 'program' && planned.program.missing.length === 0)
      await runProgram(session, planned.program, clause)
  }
  return {
    findings: lines.flatMap((line) => (line.type === 'finding' ? [line.finding] : [])),
    answers: JSON.stringify([
      ...lines.flatMap((line) => (line.type === 'step' ? [line.call, line.outcome] : [])),
      ...[doublyWrong, deeplyWrong, newRange].map((call) =>
        createEmbedded({ environment: embeddedEnvironment(), ...options }).handle(call),
      ),
    ]),
  }
}

const plain = {}
const some = partOf(variationNames, 3)

test.each(some)('%s breaks no clause that a run gates on', async (name) => {
  const { findings } = await probed(variations[name])
  expect(findings.filter(({ level }) => level === 'must').map(({ id, received }) => `${id}: ${received}`)).toEqual([])
})

test.each(some)('%s is answered otherwise than the plain target', async (name) => {
  expect((await probed(variations[name])).answers).not.toBe((await probed(plain)).answers)
})

test('combined variations keep what each of them says', () => {
  const { variation, randomIds } = combined([variations.descending, variations['random-ids'], variations.strict])
  expect([variation?.descending, variation?.strict, randomIds]).toEqual([true, true, true])
})

test('variations about different matters go together, and those about one matter do not', () => {
  expect(conflictAmong(['descending', 'strict', 'slow-rest'])).toBeUndefined()
  expect(conflictAmong(['slow-rest', 'instant-rest'])).toEqual(['slow-rest', 'instant-rest', 'restAfter'])
})

test.each<[string, object, object, unknown]>([
  ['a page before the first', {}, { query: { page: '0' } }, { field: 'page', reason: 'Must be at least 1' }],
  ['a page of nothing', {}, { query: { page_size: '0' } }, { field: 'page_size', reason: 'Must be at least 1' }],
  [
    'a body where none is foreseen, by a strict target',
    variations.strict,
    { body: { a: 1 } },
    { field: '', reason: 'Not taken: a body where none is foreseen' },
  ],
])('%s is refused with the reason', (_, options, asked, error) => {
  const { handle } = createEmbedded({ environment: embeddedEnvironment(), seed: 1, ...options })
  const list = { ...doublyWrong, operation: 'volumes.list', method: 'GET', body: undefined } as const
  expect(handle({ ...list, ...asked })).toMatchObject({ status: 400, body: { errors: [error] } })
})
