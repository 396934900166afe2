// What stands before a target answers in its place: nothing is learnt from that; what the target itself must refuse is its own affair.
import { expect, it } from 'vitest'
import { buildCall } from '../../history/calls.js'
import type { Outcome } from '../../history/wire.js'
import { operationById } from '../../models/index.js'
import type { Environment } from '../../models/language/environment.js'
import type { Operation } from '../../models/language/operation.js'
import { startWorld } from '../../models/start.js'
import { open } from '../../oracle/fold.js'
import { judge } from '../../oracle/judge.js'
import { embeddedEnvironment } from '../../reference/environment.js'

const list = operationById('volumes.list') as Operation

const judged = (
  reply: Omit<Extract<Outcome, { readonly status: number }>, 'text'>,
  as: string | null = 'owner',
  explanations: Environment['explanations'] = {},
) => {
  const world = startWorld({ ...embeddedEnvironment(), explanations })
  const text = reply.body === undefined ? { text: '<html>no</html>' } : {}
  const call = buildCall(list, { as })
  const { deviations, verdict, assumed } = judge(world, list, call, { ...reply, ...text }, 1)
  return { verdict, assumed, told: deviations.map(({ clause }) => clause) }
}

const html = { contentType: 'text/html' }
const envelope = { contentType: 'application/json', body: { errors: [{ reason: 'no' }] } }

it.each([403, 406, 407, 413, 414, 460, 499, 523])(
  'a page with the status %i in place of an acceptance is a gateway’s',
  (status) => {
    expect(judged({ status, ...html })).toEqual({ verdict: 'inconclusive', assumed: [`gateway ${status}`], told: [] })
  },
)

it.each([
  ['in the envelope of the interface', { status: 403, ...envelope }],
  ['too large, in the envelope of the interface', { status: 413, ...envelope }],
  ['without a credential, in the envelope of the interface', { status: 407, ...envelope }],
  ['with a status of the target’s own', { status: 404, ...html }],
])('a refusal %s is the target’s', (_, reply) => {
  expect(judged(reply).told).toContain('volumes.list.accepts')
})

it('a page that forbids is the target’s where it has to turn the caller away', () => {
  expect(judged({ status: 403, ...html }, null).told).toEqual(['volumes.list.refusal.envelope'])
})

it('the page with which a filter met others is the filter’s where the target has to turn the caller away, too', () => {
  const world = startWorld(embeddedEnvironment())
  const page = (trace: string) => ({ status: 403, ...html, text: `<html>blocked, trace ${trace}</html>` })
  const seen = judge(world, list, buildCall(list, { as: 'owner' }), page('0a1b2c3d4e'), 1)
  const met = (text: string) => judge(seen.world, list, buildCall(list, { as: null }), { ...page(text) }, 2).deviations
  expect(met('99ffee00aa')).toEqual([])
  expect(met('of the target itself')).toHaveLength(1)
})

it('where no gateway may be supposed, a page that forbids is the target’s', () => {
  expect(judged({ status: 403, ...html }, 'owner', { gateway: false }).told).toContain('volumes.list.accepts')
})

it('a reply that was cut off, or a page in place of a result, is told as a gateway’s', () => {
  const detail = 'a body that ends in the middle, after status 200 and 72 characters'
  const take = (outcome: Outcome, explanations = {}) =>
    open({ ...embeddedEnvironment(), explanations }, { nonce: 'ts-t' }).take({
      kind: 'call',
      n: 1,
      op: list,
      call: buildCall(list, { as: 'owner' }),
      outcome,
      role: 'read',
      program: 'a list',
      startedAt: 0,
      endedAt: 1,
      ms: 1,
    }).judgement
  expect([take({ lost: 'foreign', detail }), take({ lost: 'reset' })].map(({ assumed }) => assumed)).toEqual([
    [`gateway ${detail}`],
    undefined,
  ])
  const refused = take({ lost: 'foreign', detail }, { gateway: false })
  expect([refused.assumed, refused.deviations.map(({ kind }) => kind)]).toEqual([undefined, ['malformed']])
})
