// When recorded traffic may be excused by a token that had expired, and when one operation refuses a good one.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { buildCall, recorded } from '../../history/calls.js'
import { operationById, operations } from '../../models/index.js'
import type { Operation } from '../../models/language/operation.js'
import { createTokenWatch } from '../../oracle/explanations/token-watch.js'
import { seed } from '../seed.js'
import { type Exchange, exchangeOf, gating, judgeExchanges, linesOf, stepsOf, told } from './traffic.js'

const denied = { errors: [{ reason: 'Invalid token' }] }
const reads = ['volumes.list', 'tags.list', 'firewalls.list', 'managed-contacts.list', 'tickets.list']

/** The numbers of the calls that are refused a good token, of calls that are answered so, one after another. */
const aloneIn = (calls: readonly (readonly [operation: string, status: number])[]): readonly number[] => {
  const watch = createTokenWatch()
  const events = calls.map(([id, status], n) => {
    const op = operationById(id) as Operation
    const call = recorded(buildCall(op, { as: 'owner' }))
    return { kind: 'call', n, op, call, outcome: { status }, program: '', startedAt: n, endedAt: n, ms: 0 } as const
  })
  watch.note(events.slice(0, calls.length / 2))
  const later = watch.fork()
  later.note(events.slice(calls.length / 2))
  return events.flatMap(({ n }) => (later.isAlone(n) ? [n] : []))
}

const asked = fc.array(fc.constantFrom(...reads), { minLength: 200, maxLength: 400 })

test('an operation that refuses each time a token which all others take does not do so by chance', () => {
  fc.assert(
    fc.property(asked, fc.constantFrom(...reads), (ids, broken) => {
      const calls = ids.map((id) => [id, id === broken ? 401 : 200] as const)
      const alone = aloneIn(calls)
      expect(alone.length).toBeGreaterThan(0)
      expect(alone.every((n) => ids[n] === broken)).toBe(true)
    }),
    { seed, numRuns: 30 },
  )
})

test.each<[string, (i: number, draws: readonly number[]) => boolean]>([
  ['has expired', (i, [when = 0]) => i >= when],
  ['is forgotten by chance', (i, draws) => (draws[i] as number) % 100 < (draws[0] as number) % 60],
  ['is forgotten for a while', (i, draws) => Math.floor(i / 20) % 4 === (draws[0] as number) % 4],
])('a token that %s is refused by all operations alike, or may be', (_, isRefused) => {
  const draws = fc.array(fc.nat(399), { minLength: 400, maxLength: 400 })
  fc.assert(
    fc.property(asked, draws, (ids, drawn) => {
      expect(aloneIn(ids.map((id, i) => [id, isRefused(i, drawn) ? 401 : 200] as const))).toEqual([])
    }),
    { seed, numRuns: 30 },
  )
})

test.each([2, 3, 4, 5])('one of %i servers that take turns may not know a token', (servers) => {
  const ids = Array.from({ length: 300 }, (_, i) => reads[i % servers] as string)
  expect(aloneIn(ids.map((id, i) => [id, i % servers === 0 ? 401 : 200] as const))).toEqual([])
})

/** What a client records of the target, whose lists of tags may refuse the token of their owner. */
const recordedOf = async (isRefused: boolean): Promise<readonly Exchange[]> => {
  const near = operations.filter(({ id }) => id.startsWith('tags.') || id.startsWith('managed-contacts.'))
  const isList = ({ method, url, as, status }: Exchange): boolean =>
    method === 'GET' && /\/tags(\?|$)/.test(url) && as === 'owner' && status === 200
  return stepsOf(await linesOf({ programs: 30, near, seed }))
    .map(exchangeOf)
    .map((one) => (isRefused && isList(one) ? { ...one, status: 401, reply: denied } : one))
}

test('what refuses a good token again and again is told, and nothing else', async () => {
  expect(gating(judgeExchanges(await recordedOf(true), true))).toEqual(['tags.list.accepts:refused'])
  expect(gating(judgeExchanges(await recordedOf(false), true))).toEqual([])
})

test('a call without a token is refused as it has to be, and no token has expired', () => {
  const unnamed = { errors: [{ field: '', reason: 'Invalid token' }] }
  const calls = [told('volumes.list', { as: 'owner' }, 429), told('volumes.list', { as: null }, 401, unnamed)]
  const last = judgeExchanges(calls, true).steps.at(-1)
  expect(last?.call.as).toBe(null)
  expect(last?.judgement.decisive).toBe('volumes.list.token')
  expect(last?.verdict).toBe('pass')
})
