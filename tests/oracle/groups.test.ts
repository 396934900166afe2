// Groups of overlapping calls: the same as if every pair of calls were looked at.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { operationById } from '../../models/index.js'
import type { Operation } from '../../models/language/operation.js'
import { groupsOf, type Spanned } from '../../oracle/groups.js'
import { areIndependent } from '../../oracle/independence.js'
import { seed } from '../seed.js'
import { gating, judgeExchanges, told, volume } from './traffic.js'

const kinds: readonly (readonly [string, object?, object?])[] = [
  ['volumes.view', { volumeId: '7' }],
  ['volumes.resize', { volumeId: '7' }],
  ['volumes.view', { volumeId: '8' }],
  ['volumes.list'],
  ['managed-contacts.view', { contactId: '1' }],
  ['managed-contacts.delete', { contactId: '2' }],
  ['managed-services.list'],
  ['tickets.create', {}, { summary: 'plain', description: 'plain' }],
  ['tickets.create', {}, { summary: 'about', description: 'about', volume_id: 7 }],
  ['tickets.view', { ticketId: '3' }],
  ['ips.list'],
]

const call = fc.record({ kind: fc.constantFrom(...kinds), from: fc.nat(30), ms: fc.nat(8), lane: fc.nat(3) })

const spanned = fc.array(call, { minLength: 2, maxLength: 12 }).map((all) =>
  all
    .toSorted((a, b) => a.from - b.from)
    .map(({ kind: [id, path = {}, body], from, ms, lane }) => {
      const op = operationById(id) as Operation
      const sent = {
        operation: id,
        method: op.method,
        url: op.path,
        as: 'owner',
        path,
        query: {},
        ...(body && { body }),
      }
      const outcome = { status: 200, body: {} }
      return { op, call: sent, outcome, startedAt: from, endedAt: from + ms, lane } as Spanned & { lane: number }
    }),
)

test('Calls are in one group if each leads to the other, and in a later one if only one leads to the other', () => {
  fc.assert(
    fc.property(spanned, (calls) => {
      const places = new Map(calls.map((one, i) => [one, i]))
      // Those of lane 0 are sent in turn, whatever the times say.
      const isBefore = (one: (typeof calls)[number], other: (typeof calls)[number]) =>
        one.lane === 0 && other.lane === 0 && (places.get(one) ?? 0) < (places.get(other) ?? 0)
      const precedes = (one: (typeof calls)[number], other: (typeof calls)[number]) =>
        one.endedAt < other.startedAt || isBefore(one, other)
      const leads = calls.map((one) =>
        calls.map((other) => one !== other && !areIndependent(one, other) && !precedes(other, one)),
      )
      for (const [k] of calls.entries())
        for (const [i] of calls.entries())
          for (const [j] of calls.entries()) if (leads[i]?.[k] && leads[k]?.[j]) (leads[i] as boolean[])[j] = true
      const groups = groupsOf(calls, isBefore)
      const groupOf = calls.map((one) => groups.findIndex((group) => group.includes(one)))
      expect(groups.flat()).toHaveLength(calls.length)
      for (const [i] of calls.entries())
        for (const [j] of calls.entries()) {
          if (i === j || !leads[i]?.[j]) continue
          if (leads[j]?.[i]) expect(groupOf[i]).toBe(groupOf[j])
          else expect(groupOf[i]).toBeLessThan(groupOf[j] as number)
        }
    }),
    { seed, numRuns: 2000 },
  )
})

test('What a creation has made may be named by a later call, though the creation itself concerned nothing beside it', () => {
  const as = 'owner'
  const disk = { path: { volumeId: 7 } }
  const no = { errors: [{ field: '', reason: 'no' }] }
  const history = (tags: readonly string[]) => [
    told('volumes.create', { as, body: { label: 'disk', region: 'r1' } }, 200, volume(), { at: 0, ms: 50 }),
    told('managed-credentials.view', { as, path: { credentialId: 5 } }, 404, no, { at: 30, ms: 60 }),
    told('tags.create', { as, body: { label: 'mark', volumes: [7] } }, 200, {}, { at: 60, ms: 20 }),
    told('volumes.view', { as, ...disk }, 200, { ...volume(), tags }, { at: 150, ms: 20 }),
  ]
  expect(gating(judgeExchanges(history(['mark']), true))).toEqual([])
  expect(gating(judgeExchanges(history([]), true))).not.toEqual([])
})
