import { expect, test } from 'vitest'
import { planProgram } from '../../arbitraries/plan.js'
import { probeFor } from '../../arbitraries/probes.js'
import { operationById } from '../../models/index.js'
import { type Clause, clausesOf } from '../../models/language/derive.js'
import type { Environment } from '../../models/language/environment.js'
import { aNode, saying } from '../../models/language/needs.js'
import type { Operation } from '../../models/language/operation.js'
import type { Plan } from '../../models/language/plan.js'
import { embeddedEnvironment } from '../../reference/environment.js'

const environment = (nodes: NonNullable<Environment['fixtures']['nodes']>): Environment => ({
  name: 'a target with a grant on one node',
  exclusive: true,
  accounts: [{ name: 'main' }],
  users: [
    { name: 'owner', account: 'main', restricted: false },
    { name: 'limited', account: 'main', restricted: true, grants: { nodes: { 3: 'read_write' } } },
  ],
  tokens: [
    { name: 'owner', user: 'owner', scopes: '*' },
    { name: 'limited', user: 'limited', scopes: '*' },
  ],
  fixtures: { nodes, volumes: nodes.map(({ id, region }) => ({ id: 100 + id, region })) },
  pins: {},
  safety: { prefix: 'ts', maxLive: {}, maxVolumeGiB: 20, allow: [] },
})

const contextOf = (nodes: NonNullable<Environment['fixtures']['nodes']>) => {
  let n = 0
  return {
    environment: environment(nodes),
    nonce: 'ts-1',
    next: () => n++,
    certificate: () => ({ certificate: '', private_key: '' }),
  }
}

const program = (nodes: NonNullable<Environment['fixtures']['nodes']>, write: (plan: Plan) => void) =>
  planProgram('a program', contextOf(nodes), write)

/** A volume, a node of its region, and a token that may write on the node: greedily taken, the first volume leads nowhere. */
const attach = (plan: Plan): void => {
  const volume = plan.volumeFixture(() => true)
  const node = plan.node(({ region }) => region === volume.region, aNode('a node in the region of that volume'))
  const permission = [{ kind: 'nodes', id: node.id, write: true }] as const
  const as = plan.token({ restricted: true, permission })
  plan.check('volumes.attach', { path: { volumeId: volume.id }, body: { node_id: node.id }, as })
}

test('a plan goes back on choices that lead nowhere', () => {
  const planned = program(
    [
      { id: 1, region: 'a' },
      { id: 2, region: 'b' },
      { id: 3, region: 'b' },
    ],
    attach,
  )
  expect(planned.missing).toEqual([])
  expect(planned.steps).toMatchObject([{ path: { volumeId: 102 }, body: { node_id: 3 }, as: 'limited' }])
})

test('where no combination will do, the least that is missing is told', () => {
  const planned = program([{ id: 1, region: 'a' }], attach)
  expect(saying(planned.missing)).toEqual('a token of a restricted user with read_write on nodes 1')
  const none = program([], attach)
  expect(saying(none.missing)).toContain('a volume among the fixtures')
  expect(saying(none.missing)).not.toContain('nodes 0')
})

test('nothing is planned twice by a choice that was taken back', () => {
  const planned = program(
    [
      { id: 1, region: 'a' },
      { id: 3, region: 'b' },
    ],
    (plan) => {
      plan.call('tags.create', { body: { label: plan.name() } })
      attach(plan)
    },
  )
  expect(planned.missing).toEqual([])
  expect(planned.steps.map((step) => 'operation' in step && step.operation)).toEqual(['tags.create', 'volumes.attach'])
})

test('a scope is asked for with a token of every other family of its area', () => {
  const narrow = ['ips:read_only', 'ips:read_write', 'firewall:read_only', 'account:read_only'].map((scope) => ({
    name: scope,
    user: 'owner',
    scopes: [scope],
  }))
  const [clause] = clausesOf(operationById('vlans.list') as Operation).filter(({ kind }) => kind === 'scope')
  const base = contextOf([])
  const probe = probeFor(clause as Clause, {
    ...base,
    environment: { ...base.environment, tokens: [...base.environment.tokens, ...narrow] },
  })
  const steps = probe.kind === 'program' ? probe.program.steps : []
  const asked = steps.flatMap((step) => ('as' in step && step.role === 'probe' ? [step.as] : []))
  expect(asked).toEqual(['ips:read_only', 'firewall:read_only'])
})

/** What the probe of a clause lacks on the embedded target with these changes. */
const lackingOn = (id: string, change: (environment: Environment) => Partial<Environment>): readonly string[] => {
  const embedded = embeddedEnvironment()
  const context = { ...contextOf([]), environment: { ...embedded, ...change(embedded) } }
  const op = operationById(id.split('.').slice(0, 2).join('.')) as Operation
  const probe = probeFor(clausesOf(op).find((one) => one.id === id) as Clause, context)
  return probe.kind === 'program' ? probe.program.missing.map(({ what }) => what) : [probe.kind]
}

test('that a volume of another account is not attached takes a node of that account to show', () => {
  const id = 'volumes.attach.path.volumeId.owned'
  const own = ({ fixtures }: Environment) => ({
    fixtures: { ...fixtures, nodes: fixtures.nodes?.filter(({ account }) => account === undefined) ?? [] },
  })
  expect(lackingOn(id, () => ({}))).toEqual([])
  expect(lackingOn(id, own)).toEqual(['a node of another account, in a region with nodes of the first'])
  expect(lackingOn('volumes.detach.path.volumeId.owned', own)).toEqual([])
})

test.each([
  ['volumes.create.body.region.exists', ['an exclusive target']],
  // A node of another account is there, but not for the caller.
  ['tags.create.body.nodes[].exists', []],
])('on a target that others use %s lacks %j', (id, missing) => {
  expect(lackingOn(id, () => ({ exclusive: false }))).toEqual(missing)
  expect(lackingOn(id, () => ({}))).toEqual([])
})

test('nothing is shared with nodes that others use too before the target file tells what is shared with them', () => {
  const untold = ({ fixtures }: Environment) => ({
    exclusive: false,
    fixtures: {
      ...fixtures,
      nodes: (fixtures.nodes ?? []).map(({ ipv4: { shared: _, ...ipv4 } = {}, ...node }) => ({ ...node, ipv4 })),
    },
  })
  const lacking = [expect.stringContaining('ipv4.shared of the nodes')]
  for (const id of ['ips.share.shared', 'ipv4.share.token', 'ips.assign.shared-move']) {
    expect(lackingOn(id, untold), id).toEqual(lacking)
    expect(
      lackingOn(id, (all) => ({ ...untold(all), exclusive: true })),
      id,
    ).toEqual([])
    expect(
      lackingOn(id, () => ({ exclusive: false })),
      id,
    ).toEqual([])
  }
})
