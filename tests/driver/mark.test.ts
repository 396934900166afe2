// Runs on one account see each other: one goes first, the others wait, and what is no mark is none.
import { expect, it } from 'vitest'
import { holdAccount } from '../../driver/mark.js'
import { createNonce, isMark, markOf } from '../../driver/nonce.js'
import type { Session } from '../../driver/session.js'
import { survey } from '../../driver/survey.js'
import { operationById } from '../../models/index.js'
import type { Operation } from '../../models/language/operation.js'
import { judgeRun } from '../../oracle/judge-run.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { inProcess } from '../../reference/in-process.js'
import { runIn } from '../history/recorded.js'
import { firstLine } from '../oracle/traffic.js'

const minuteMs = 60_000
const start = Date.UTC(2026, 0, 1)

/** A run that wrote to the same folder before. */
const killed = createNonce('ts', start - 2 * minuteMs)

/** Sessions of runs on one target, begun at these times; `sleep` lets the others go on, and time pass. */
const runsAt = (...times: readonly number[]) => {
  const environment = { ...embeddedEnvironment(), exclusive: false }
  const { session } = inProcess({ environment, seed: 1 })
  let now = start + 1000
  const runs = times.map((at) => {
    const said: string[] = []
    const own = inProcess({ environment, seed: 1 }, createNonce('ts', start + at), (options) => ({
      ...options,
      transport: session.options.transport,
      sleep: async (ms) => {
        now += ms
        await new Promise(setImmediate)
      },
      time: { isOver: () => now > start + 10 * minuteMs, isSpent: () => false },
    }))
    const hold = holdAccount(own.session, { over: [killed], now: () => now, say: (text) => said.push(text) })
    return { session: own.session, ...hold, said }
  })
  const tags = async (): Promise<readonly string[]> => {
    const all = (await session.options.transport.send(listing, 0)) as { body: { data: { label: string }[] } }
    return all.body.data.map(({ label }) => label)
  }
  const leave = (label: string) => session.options.transport.send({ ...creating, body: { label } }, 0)
  const pass = (ms: number): void => {
    now += ms
  }
  return { runs, tags, leave, pass, now: () => now }
}

const listing = { operation: 'tags.list', method: 'GET', url: '/tags', as: 'owner', path: {}, query: {} } as const
const creating = { ...listing, operation: 'tags.create', method: 'POST' } as const

const marksOf = ({ options }: Session, tags: readonly string[]) => tags.filter((tag) => tag.startsWith(options.nonce))

it('of two that begin at once one leaves its mark, and the other waits until that is old', async () => {
  const { runs, tags, now } = runsAt(0, 1)
  const ends: number[] = []
  await Promise.all(
    runs.map(async ({ claim }) => {
      expect(await claim()).toBeUndefined()
      ends.push(now())
    }),
  )
  expect(ends[0]).toBeLessThan(start + minuteMs)
  expect(ends[1]).toBeGreaterThanOrEqual(start + minuteMs / 2)
  for (const { session } of runs) expect(marksOf(session, await tags())).toHaveLength(1)
  expect(runs.flatMap(({ said }) => said)[0]).toContain('another run is at this account')
})

it('marks that are old, of far too long a run, of a run that is over, or of other people are no reason to wait', async () => {
  const { runs, leave } = runsAt(0)
  const others = [
    markOf(createNonce('ts', start - minuteMs), start),
    markOf(createNonce('ts', start - minuteMs), start + 1e12),
    markOf(killed, start + minuteMs),
    markOf('ts-team', start + minuteMs),
    markOf(createNonce('web', start), start + minuteMs),
  ]
  expect(others.every(isMark)).toBe(true)
  for (const label of others) await leave(label)
  expect(await runs[0]?.claim()).toBeUndefined()
  expect(runs[0]?.said).toEqual([])
})

it('a run whose time ends while it waits says why, and leaves nothing', async () => {
  const { runs, tags, leave } = runsAt(0)
  await leave(markOf(createNonce('ts', start - minuteMs), start + 60 * minuteMs))
  expect(await runs[0]?.claim()).toBe('another run was at this account for all of its time')
  expect(marksOf(runs[0]?.session as Session, await tags())).toEqual([])
})

it('a run whose time was over before it began blames nobody for it', async () => {
  const { runs, pass, tags } = runsAt(0)
  pass(11 * minuteMs)
  expect(await runs[0]?.claim()).toBeUndefined()
  expect([runs[0]?.said, marksOf(runs[0]?.session as Session, await tags())]).toEqual([[], []])
})

it('the mark of a run that goes on is renewed, one at a time, and another run waits for as long', async () => {
  const { runs, tags, pass, now } = runsAt(0, 1)
  const [first, second] = runs
  await first?.claim()
  const before = marksOf(first?.session as Session, await tags())
  let hasBegun = false
  const waiting = second?.claim().then(() => {
    hasBegun = true
  })
  while (now() < start + 8 * minuteMs) {
    pass(10_000)
    await first?.renew(first.session)
    await new Promise(setImmediate)
  }
  expect(hasBegun).toBe(false)
  const after = marksOf(first?.session as Session, await tags())
  expect([before.length, after.length]).toEqual([1, 1])
  expect(after).not.toEqual(before)
  expect(first?.lost()).toBeUndefined()
  while (now() < start + 11 * minuteMs) pass(minuteMs)
  await waiting
})

it('a run that stood still, and finds another at the account when it goes on, says so', async () => {
  const { runs, pass } = runsAt(0, 1)
  const [first, second] = runs
  await first?.claim()
  pass(6 * minuteMs)
  await second?.claim()
  await first?.renew(first.session)
  expect(first?.lost()).toMatch(/^another run \(tag ts-.*\) came to this account while this one stood still$/)
})

it('a mark that is refused, for a quota that is full, is held against nobody when the record is judged again', async () => {
  const environment = { ...embeddedEnvironment(), exclusive: false }
  const { session, lines } = inProcess({ environment, seed: 1 }, 'ts-t', (options) => ({
    ...options,
    transport: {
      send: async (call, n) =>
        call.operation === 'tags.create'
          ? { status: 400, body: { errors: [{ field: '', reason: 'no more tags' }] } }
          : options.transport.send(call, n),
    },
  }))
  await holdAccount(session, { over: [], now: () => start, say: () => undefined }).claim()
  const { steps, found } = judgeRun(runIn([firstLine(), ...lines]))
  expect([steps.map(({ op }) => op.id), found]).toEqual([['tags.create'], []])
})

it.each(['before it is seen', 'after it was seen'])(
  'a mark that somebody removes %s is held against nobody',
  async (when) => {
    const { session, lines } = inProcess({ environment: embeddedEnvironment(), seed: 1 }, 'ts-t')
    await survey(session)
    await holdAccount(session, { over: [], now: () => start, say: () => undefined }).claim()
    const list = operationById('tags.list') as Operation
    const origin = session.originOf('program')
    const read = () => session.send(origin, list, { as: 'owner' }, 'check')
    const { call } = await read()
    const labels = async () =>
      ((await session.options.transport.send(call, 0)) as { body: { data: { label: string }[] } }).body.data
    const mark = (await labels()).find(({ label }) => isMark(label))?.label as string
    if (when.startsWith('after')) await read()
    await session.options.transport.send(
      { ...listing, operation: 'tags.delete', method: 'DELETE', url: `/tags/${mark}`, path: { tagLabel: mark } },
      0,
    )
    expect((await labels()).some(({ label }) => label === mark)).toBe(false)
    const { judgement } = await read()
    expect([judgement.deviations, judgement.late]).toEqual([[], undefined])
    expect(lines.some(({ type }) => type === 'finding')).toBe(false)
  },
)
