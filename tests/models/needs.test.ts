// What a target file lacks can be pasted into it: each snippet is of its schema, and with them every clause can be planned.
import { Ajv } from 'ajv'
import { expect, test } from 'vitest'
import type { PlanContext } from '../../arbitraries/plan-fixtures.js'
import { type Probe, probeFor } from '../../arbitraries/probes.js'
import { targetSchema } from '../../config/schema.js'
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

const contextOf = (environment: Environment): PlanContext => {
  let n = 0
  return {
    environment,
    nonce: 'ts-1',
    next: () => n++,
    certificate: () => ({ certificate: '', private_key: '' }),
  }
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

const ajv = new Ajv({ allErrors: true, allowUnionTypes: true })
ajv.addFormat('ipv4', true).addFormat('ipv6', true)
const isTargetFile = ajv.compile(targetSchema)

/** What is wrong with a target file that has what is pasted beside what every file has. */
const wrongWith = (piece: Piece): unknown => {
  const user = { name: 'owner', account: 'main', restricted: false }
  const token = { name: 'owner', user: 'owner', scopes: '*', secret: 'secret' }
  const file = {
    name: 'here',
    baseUrl: 'http://127.0.0.1',
    accounts: [{ name: 'main' }],
    users: [user],
    tokens: [token],
  }
  return isTargetFile({ ...file, ...piece }) ? undefined : isTargetFile.errors
}

/** What a clause still needs once all that it said it needs was pasted, as often as it says something else. */
const leftOf = (clause: Clause): readonly string[] => {
  let environment = bare
  let needs = needsOf(probeFor(clause, contextOf(environment)))
  for (let round = 1; needs.length > 0 && round <= 4; round += 1) {
    for (const [at, { add = {} }] of needs.entries()) {
      const piece = JSON.parse(`{${snippetOf(add)}}`) as Piece
      expect(wrongWith(piece), clause.id).toBeUndefined()
      environment = pasted(environment, piece, 100 * round + 10 * at)
    }
    needs = needsOf(probeFor(clause, contextOf(environment)))
  }
  return needs.map(({ what }) => what)
}

test('with what every clause says that it needs, every clause has what it needs', () => {
  const left = allClauses().flatMap((clause) => leftOf(clause).map((what) => `${clause.id}: ${what}`))
  expect(left).toEqual([])
})
