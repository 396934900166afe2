// What deviates once and for good beside other programs is told, though the same program does not show it again alone.
import { expect, test } from 'vitest'
import { planProgram } from '../../arbitraries/plan.js'
import { settle } from '../../driver/alone.js'
import { runProgram } from '../../driver/programs.js'
import { runJobs } from '../../driver/schedule.js'
import type { Session, SessionOptions } from '../../driver/session.js'
import { survey } from '../../driver/survey.js'
import type { Outcome } from '../../history/wire.js'
import { operationById } from '../../models/index.js'
import type { Operation } from '../../models/language/operation.js'
import { volumes } from '../../models/volumes/record.js'
import type { Deviation } from '../../oracle/judgement.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { inProcess } from '../../reference/in-process.js'
import { jobOf, wronglyRefused } from './jobs.js'

/** Runs programs together until nothing is unclear: those that deviate the first times and never again, and others beside them. */
const findingsOf = async (session: Session, jobs: Parameters<typeof runJobs>[1]) => {
  const told: string[] = []
  await runJobs(session, jobs, {
    width: 4,
    isOver: () => false,
    onEnd: (_, { findings }) => void told.push(...findings.map(({ id }) => id)),
  })
  return told
}

const clear = { findings: [], exercised: true, sent: [], doubts: [] }

/** Programs that deviate when they run beside others, the last of them until it has run so many times. */
const doubtful = (doubt: Deviation, times: number) => {
  let runs = 0
  const insisted: Deviation[] = []
  const run = async () => {
    runs += 1
    const insist = async (one: Deviation) => {
      insisted.push(one)
      return [{ id: `${one.clause}:${one.kind}` }] as never
    }
    return runs <= times ? { ...clear, exercised: false, doubts: [doubt], insist } : clear
  }
  return {
    jobs: [jobOf(run, { name: 'one' }), jobOf(async () => clear, { name: 'other' })] as const,
    insisted,
    runs: () => runs,
  }
}

const accepted = (step: number): Deviation => ({
  ...wronglyRefused('volumes.delete', '200'),
  clause: 'volumes.delete.migrating',
  kind: 'accepted',
  facts: [{ text: 'volumes 601 has migrating true', step, by: step === 0 ? 'target file' : 'volumes.view' }],
})

const opened = (adapt?: (options: SessionOptions) => SessionOptions): Session =>
  inProcess({ environment: embeddedEnvironment() }, 'ts-t', adapt).session

test('an acceptance against the target file is told, as no other program can have caused it', async () => {
  const { jobs, insisted } = doubtful(accepted(0), 1)
  expect(await findingsOf(opened(), jobs)).toEqual(['volumes.delete.migrating:accepted'])
  expect(insisted).toHaveLength(1)
})

test('one against what steps have told is not, as others may have changed that', async () => {
  const { jobs, insisted, runs } = doubtful(accepted(3), 1)
  expect(await findingsOf(opened(), jobs)).toEqual([])
  expect(insisted).toEqual([])
  // Beside others, alone, and once more.
  expect(runs()).toBe(3)
})

/** Where the value that the model has, or another, is told of the region of a lent volume. */
const placed = (shown: unknown): Deviation => ({
  ...accepted(3),
  clause: 'volumes.view.shows.region',
  kind: 'region',
  member: { name: 'region', shown },
  facts: [{ text: '', step: 3, by: 'volumes.list', table: 'volumes', key: '601', field: 'region' }],
})

test('what is still so, and no other program can have caused, is told; what is so no more is not', async () => {
  for (const [shown, ids] of [
    ['r1', ['volumes.view.shows.region:region']],
    ['r2', []],
  ] as const) {
    const { jobs, insisted } = doubtful(placed(shown), 1)
    expect(await findingsOf(opened(), jobs)).toEqual(ids)
    expect(insisted).toHaveLength(ids.length)
  }
})

test('it is not told where another program may have caused it', async () => {
  const told = async (...causes: readonly number[]): Promise<number> => {
    const { jobs, insisted } = doubtful(placed('r1'), 1)
    const session = opened()
    const [job] = jobs
    const first = await job.run(session)
    const causesOf = () => new Set(causes.flatMap((at) => jobs[at] ?? []))
    const { doubts, insist } = first
    const unclear = { doubts, explained: [], last: 0, insist, first, isBeside: true, causesOf }
    await settle(session, jobs, new Map([[job, unclear]]), { isOver: () => false, onEnd: () => undefined })
    return insisted.length
  }
  expect([await told(), await told(1)]).toEqual([1, 0])
})

/** Shows other tags of a lent volume where asked to. */
const showing = (isWrong: (url: string) => boolean) => {
  const looks: string[] = []
  const retagged = (record: Record<string, unknown>): unknown =>
    String(record.id) === lent ? { ...record, tags: ['others'] } : record
  const altered = (body: Record<string, unknown>): unknown =>
    Array.isArray(body.data) ? { ...body, data: body.data.map(retagged) } : retagged(body)
  const adapt = (options: SessionOptions): SessionOptions => ({
    ...options,
    transport: {
      send: async (call, step) => {
        const outcome: Outcome = await options.transport.send(call, step)
        const { url } = call
        looks.push(url)
        return 'status' in outcome && isWrong(url)
          ? { ...outcome, body: altered(outcome.body as never) as never }
          : outcome
      },
    },
  })
  return { ...inProcess({ environment: embeddedEnvironment() }, 'ts-t', adapt), looks }
}

const lent = '601'
const list = operationById('volumes.list') as Operation
const view = operationById('volumes.view') as Operation

test.each([
  ['a list', '/volumes', list, {}, `/volumes/${lent}`],
  ['a view', `/volumes/${lent}`, view, { path: { volumeId: lent } }, '/volumes'],
] as const)(
  'what %s has contradicted shows once more after another operation has told it',
  async (_, url, op, args, other) => {
    let isWrong = false
    const { session, looks } = showing((asked) => isWrong && asked.split('?')[0] === url)
    await survey(session)
    const look = async (): Promise<readonly string[]> => {
      const { judgement } = await session.send(session.originOf('a look'), op, { ...args, as: 'owner' }, 'read')
      return judgement.deviations.map(({ clause }) => clause)
    }
    expect(await look()).toEqual([])
    isWrong = true
    expect(await look()).toEqual([`${op.id}.shows.tags`])
    // The same is told again, so that nothing settles it.
    expect(await look()).toEqual([])
    // Nothing is unclear: it is looked at all the same before anything would run alone.
    await settle(session, [], new Map(), { isOver: () => false, onEnd: () => undefined })
    expect(looks.at(-1)?.split('?')[0]).toBe(other)
    expect(await look()).toEqual([`${op.id}.shows.tags`])
  },
)

/** What is told where a lent volume is shown wrongly so many times once another was made: the steps of each finding, and the write at fault. */
const toldAfter = async (times: number, isBeside = false): Promise<readonly unknown[]> => {
  let left = times
  const isAfter = (): boolean => looks.includes('/volumes')
  const { session, lines, looks } = showing((url) => url === `/volumes/${lent}` && isAfter() && left-- > 0)
  const program = planProgram('a lent volume is viewed before and after', session.context, (plan) => {
    plan.check('volumes.view', { path: { volumeId: lent } })
    plan.make(volumes, { region: 'r1', size: 22 })
    plan.check('volumes.view', { path: { volumeId: lent } })
  })
  const sharing = { ...session, originOf: (name: string) => ({ ...session.originOf(name), beside: true as const }) }
  const { doubts, insist } = await runProgram(isBeside ? sharing : session, program)
  for (const doubt of doubts) await insist?.(doubt)
  return lines.flatMap((line) => {
    if (line.type !== 'finding') return []
    const { id, steps, unforeseen = [] } = line.finding
    const operationAt = ({ call: { operation } }: (typeof steps)[number]): string => operation
    return [[id, steps.map(operationAt), steps.filter(({ n }) => unforeseen.includes(n)).map(operationAt)]]
  })
}

test('the write between a right look and a wrong one is told as the cause where it stays so', async () => {
  const steps = ['volumes.view', 'volumes.create', 'volumes.view']
  expect(await toldAfter(Number.POSITIVE_INFINITY)).toEqual([
    ['volumes.view.shows.tags:tags', steps, ['volumes.create']],
  ])
  // Shown wrongly once, it says nothing of the write.
  expect(await toldAfter(1)).toEqual([['volumes.view.shows.tags:tags', expect.any(Array), []]])
})

test('so it is where the program ran beside others, once it is insisted on', async () => {
  const [[id] = []] = (await toldAfter(Number.POSITIVE_INFINITY, true)) as readonly (readonly unknown[])[]
  expect(id).toBe('volumes.view.shows.tags:tags')
})
