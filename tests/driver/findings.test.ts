// Findings that did not show when they were tried once more: another program may confirm them, and then they are told again, once.
import { expect, test } from 'vitest'
import { planProgram } from '../../arbitraries/plan.js'
import { runProgram } from '../../driver/programs.js'
import { bodyOf, isError } from '../../history/outcomes.js'
import type { Outcome } from '../../history/wire.js'
import { firewalls } from '../../models/firewalls/record.js'
import { isObject } from '../../models/language/objects.js'
import { volumes } from '../../models/volumes/record.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { inProcess } from '../../reference/in-process.js'
import { spares } from '../models/faulty.js'
import { shownAgain } from '../oracle/shown.js'
import { firstLine } from '../oracle/traffic.js'

/** Runs a program that makes a volume smaller on a target that takes that as often as is said, and tells whether findings were confirmed. */
const shrinking = () => {
  let left = 0
  const fault = spares('volumes.resize', 'only-up', () => {
    left -= 1
    return left >= 0
  })
  const { session, lines } = inProcess({ environment: embeddedEnvironment(), fault })
  return async (times: number): Promise<readonly (boolean | undefined)[]> => {
    left = times
    const from = lines.length
    const program = planProgram('a volume is made smaller', session.context, (plan) => {
      const path = { volumeId: plan.make(volumes, { region: 'r1', size: 22 }).id }
      plan.check('volumes.resize', { path, body: { size: 21 } })
    })
    await runProgram(session, program)
    return lines.slice(from).flatMap((line) => (line.type === 'finding' ? [line.finding.confirmed] : []))
  }
}

test('a finding that another program confirms is told again, and no more after that', async () => {
  const run = shrinking()
  expect(await run(1)).toEqual([false])
  expect(await run(1)).toEqual([])
  expect(await run(Number.POSITIVE_INFINITY)).toEqual([true])
  expect(await run(Number.POSITIVE_INFINITY)).toEqual([])
})

test('a finding that no program confirms is tried a few times more', async () => {
  const run = shrinking()
  const told = []
  for (let n = 0; n < 5; n += 1) told.push(await run(1))
  expect(told).toEqual([[false], [], [], [], []])
  expect(await run(Number.POSITIVE_INFINITY)).toEqual([])
})

/** What is found where the first view of each volume comes damaged, and a program makes volumes that come to rest later. */
const damaged = async (isEach: boolean): Promise<readonly string[]> => {
  const seen = new Set<string>()
  const { session, lines } = inProcess({ environment: embeddedEnvironment() }, 'ts-t', (plain) => ({
    ...plain,
    transport: {
      send: async (call, step) => {
        const outcome = await plain.transport.send(call, step)
        if (call.operation !== 'volumes.view' || (!isEach && seen.has(call.url))) return outcome
        seen.add(call.url)
        return { status: 200, text: '(it is not UTF-8) x' }
      },
    },
  }))
  const program = planProgram('a volume is viewed', session.context, (plan) => {
    plan.check('volumes.view', { path: { volumeId: plan.make(volumes, { region: 'r1', size: 22 }).id } })
  })
  await runProgram(session, program)
  return lines.flatMap((line) => (line.type === 'finding' ? [line.finding.id] : []))
}

test('a reply that is damaged on its way is no finding where only looks before it are damaged again', async () => {
  expect(await damaged(false)).toEqual([])
  expect(await damaged(true)).toContain('volumes.view.json:not-json')
})

test('what shows without the refused call that it is blamed on is told as what it is, in a run and when its record is judged again', async () => {
  let isUpdated = false
  let isAfterWrite = false
  let isCleared = false
  const { session, lines } = inProcess({ environment: embeddedEnvironment() }, 'ts-t', (plain) => ({
    ...plain,
    transport: {
      send: async (call, step) => {
        const outcome = await plain.transport.send(call, step)
        const isList = call.operation === 'volumes.list'
        if (isList && isUpdated && isAfterWrite) isCleared = true
        isAfterWrite = call.method !== 'GET'
        if (call.operation === 'volumes.update') isUpdated = true
        if (call.method === 'DELETE') isUpdated = isCleared = false
        return isList && isCleared ? withoutTags(outcome) : outcome
      },
    },
  }))
  const program = planProgram('a refused creation follows an update', session.context, (plan) => {
    const { id } = plan.make(volumes, { region: 'r1', tags: [] })
    plan.make(volumes, { region: 'r1', tags: [plan.tag()] })
    plan.check('volumes.update', { path: { volumeId: id }, body: { label: plan.name() } })
    plan.check('volumes.create', { body: { label: '', region: 'r1' } })
  })
  await runProgram(session, program)
  const told = lines.flatMap((line) => (line.type === 'finding' ? [line.finding] : []))
  expect(told.map(({ id }) => id)).toEqual(['volumes.list.shows.tags:tags'])
  expect(told[0]?.steps.some(({ outcome }) => isError(outcome))).toBe(false)
  expect(shownAgain([firstLine(), ...lines], 'ts-t').findings).toEqual(['volumes.list.shows.tags:tags'])
})

const withoutTags = (outcome: Outcome): Outcome => {
  const body = bodyOf(outcome)
  if (!isObject(body) || !Array.isArray(body.data) || !('status' in outcome)) return outcome
  return { ...outcome, body: { ...body, data: body.data.map((one: object) => ({ ...one, tags: [] })) } }
}

/** How often a program with writes beside the one at fault is tried again, where nothing shows it again. */
const triesAgain = async (spentMs: number): Promise<number> => {
  let now = 0
  let isLeft = true
  const fault = spares('volumes.resize', 'only-up', () => {
    const was = isLeft
    isLeft = false
    return was
  })
  const { session, lines } = inProcess({ environment: embeddedEnvironment(), fault }, 'ts-t', (plain) => ({
    ...plain,
    clock: () => now,
  }))
  await session.memory.budget.during(
    () => now,
    async () => {
      now += spentMs
    },
  )
  const program = planProgram('a volume is made smaller beside others', session.context, (plan) => {
    const path = { volumeId: plan.make(volumes, { region: 'r1', size: 22 }).id }
    plan.check('volumes.update', { path, body: { label: plan.name() } })
    plan.check('volumes.list')
    plan.check('volumes.resize', { path, body: { size: 21 } })
  })
  await runProgram(session, program)
  const told = lines.flatMap((line) => (line.type === 'finding' ? [line.finding.confirmed] : []))
  expect(told).toEqual([false])
  return new Set(lines.flatMap((line) => (line.type === 'step' && line.phase === 'confirm' ? [line.trial] : []))).size
}

test('a finding is tried again in fewer ways, and told all the same, where much was spent on others', async () => {
  const [plain, spent] = [await triesAgain(0), await triesAgain(10 * 60_000)]
  expect(spent).toBe(2)
  expect(plain).toBeGreaterThan(spent)
})

/** What is told where so many refused creations of firewalls emit an event all the same, after five that were accepted. */
const loud = async (times: number): Promise<readonly string[]> => {
  let left = times
  const { session, lines } = inProcess({
    environment: embeddedEnvironment(),
    fault: {
      events: (events, { id }, accepted) => {
        if (accepted || id !== 'firewalls.create') return events
        left -= 1
        return left >= 0 ? ['firewall_create'] : events
      },
    },
  })
  const rules = { inbound: [], inbound_policy: 'DROP', outbound: [], outbound_policy: 'DROP' }
  const program = planProgram('firewalls are made, and one in vain', session.context, (plan) => {
    for (let n = 0; n < 5; n += 1) plan.make(firewalls, {})
    plan.check('firewalls.create', { body: { label: 'x', rules } })
  })
  await runProgram(session, program)
  return lines.flatMap((line) => (line.type === 'finding' ? [`${line.finding.level} ${line.finding.id}`] : []))
}

test('an event of a refused call that does not come again may be one that was delivered twice, and is a should', async () => {
  const alone = 'firewalls.create.emits.firewall_create.alone'
  expect([await loud(1), await loud(2)]).toEqual([[`should ${alone}:repeated`], [`should ${alone}:repeated`]])
  expect(await loud(Number.POSITIVE_INFINITY)).toEqual([`must ${alone}:loud`])
})
