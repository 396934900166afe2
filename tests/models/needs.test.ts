// What a target file lacks can be pasted into it: each snippet is of its schema, and with them every clause can be planned.
import { expect, test } from 'vitest'
import { type Probe, probeFor } from '../../arbitraries/probes.js'
import { planningFor } from '../../cli/planning.js'
import { shapeProblems } from '../../config/check.js'
import { allClauses } from '../../models/index.js'
import type { Clause } from '../../models/language/derive.js'
import type { Environment } from '../../models/language/environment.js'
import type { Need, Piece } from '../../models/language/needs.js'
import { snippetOf } from '../../reports/needs.js'

const bare: Environment = {
  name: 'a target file that says nothing',
  exclusive: false,
  accounts: [{ name: 'main' }],
  users: [],
  tokens: [],
  fixtures: {},
  pins: {},
  safety: { prefix: 'ts', maxLive: { default: 0 }, maxVolumeGiB: 0, allow: [] },
}

const needsOf = (probe: Probe): readonly Need[] => (probe.kind === 'program' ? probe.program.missing : [])

/** What is pasted, with a number in place of each that stands in for one: of a fixture, and of what is granted on it. */
const filled = (piece: Piece, number: number): Piece =>
  JSON.parse(JSON.stringify(piece), (key, value: unknown) => {
    if (key === 'id' && value === 0) return number
    if (typeof value !== 'object' || value === null || !('0' in value) || Array.isArray(value)) return value
    return { [number]: value[0] }
  }) as Piece

const named = <T extends { readonly name: string }>(known: readonly T[], more: readonly T[] = []): readonly T[] => [
  ...known,
  ...more.filter(({ name }) => !known.some((one) => one.name === name)),
]

/** The environment with what is pasted; users and tokens of one name that differ are two. */
const pasted = (environment: Environment, piece: Piece, number: number): Environment => {
  const { accounts, users = [], tokens = [], fixtures = {}, safety = {}, exclusive } = filled(piece, number)
  const nameOf = (name: string): string =>
    name === 'owner' ? name : name.startsWith('owner-') ? name : `${name}-${number}`
  return {
    ...environment,
    exclusive: environment.exclusive || exclusive === true,
    accounts: named(environment.accounts, accounts),
    users: named(
      environment.users,
      users.map((user) => ({ ...user, name: nameOf(user.name) })),
    ),
    tokens: [
      ...environment.tokens,
      ...tokens.map(({ name, user, scopes }) => ({ name: `${name}-${number}`, user: nameOf(user), scopes })),
    ],
    fixtures: Object.fromEntries(
      [...new Set([...Object.keys(environment.fixtures), ...Object.keys(fixtures)])].map((kind) => [
        kind,
        [...(environment.fixtures[kind as 'nodes'] ?? []), ...(fixtures[kind as 'nodes'] ?? [])],
      ]),
    ),
    safety: {
      ...environment.safety,
      ...safety,
      allow: [...environment.safety.allow, ...(safety.allow ?? [])],
      maxLive: { ...environment.safety.maxLive, ...safety.maxLive },
    },
  }
}

/** What is wrong with a target file that has what is pasted beside what every file has. */
const wrongWith = (piece: Piece): readonly unknown[] => {
  const user = { name: 'owner', account: 'main', restricted: false }
  const token = { name: 'owner', user: 'owner', scopes: '*', secret: 'secret' }
  const file = {
    name: 'here',
    baseUrl: 'http://127.0.0.1',
    accounts: [{ name: 'main' }],
    users: [user],
    tokens: [token],
  }
  return shapeProblems({ ...file, ...piece }, 'json')
}

/** What a clause still needs once all that it said it needs was pasted, as often as it says something else. */
const leftOf = (clause: Clause): readonly string[] => {
  let environment = bare
  let needs = needsOf(probeFor(clause, planningFor(environment)))
  for (let round = 1; needs.length > 0 && round <= 4; round += 1) {
    for (const [at, { add = {} }] of needs.entries()) {
      const piece = JSON.parse(`{${snippetOf(add)}}`) as Piece
      expect(wrongWith(piece), clause.id).toEqual([])
      for (const list of [piece.accounts, piece.users, piece.tokens])
        expect(new Set(list?.map(({ name }) => name)).size, clause.id).toBe(list?.length ?? 0)
      environment = pasted(environment, piece, 100 * round + 10 * at)
    }
    needs = needsOf(probeFor(clause, planningFor(environment)))
  }
  return needs.map(({ what }) => what)
}

test('with what every clause says that it needs, every clause has what it needs', () => {
  const left = allClauses().flatMap((clause) => leftOf(clause).map((what) => `${clause.id}: ${what}`))
  expect(left).toEqual([])
})

test('with a target file that says nothing, every program lacks something', () => {
  const probes = allClauses().map((clause) => probeFor(clause, planningFor(bare)))
  const programs = probes.filter(({ kind }) => kind === 'program')
  expect(programs.length).toBeGreaterThan(0)
  expect(programs.filter((probe) => needsOf(probe).length === 0)).toEqual([])
})

test('a token that is to be pasted for several needs has the same scopes in each', () => {
  const byName = new Map<string, string>()
  for (const clause of allClauses())
    for (const { what, add } of needsOf(probeFor(clause, planningFor(bare))))
      for (const { name, user, scopes } of add?.tokens ?? []) {
        const told = JSON.stringify([user, scopes])
        expect(byName.get(name) ?? told, what).toBe(told)
        byName.set(name, told)
      }
  expect(byName.size).toBeGreaterThan(0)
})
