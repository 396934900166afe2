// What deviates once and for good beside other programs is told, though the same program does not show it again alone.
import { expect, test } from 'vitest'
import { lookAgain } from '../../driver/disputes.js'
import { runJobs } from '../../driver/schedule.js'
import type { Session, SessionOptions } from '../../driver/session.js'
import { survey } from '../../driver/survey.js'
import type { Outcome } from '../../history/wire.js'
import { operationById } from '../../models/index.js'
import type { Operation } from '../../models/language/operation.js'
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
    jobs: [jobOf(run, { name: 'one' }), jobOf(async () => clear, { name: 'other' })],
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
  return { session: opened(adapt), looks }
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
    await lookAgain(session)
    expect(looks.at(-1)?.split('?')[0]).toBe(other)
    expect(await look()).toEqual([`${op.id}.shows.tags`])
  },
)
