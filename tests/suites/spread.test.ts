// For how long programs hold the fixtures that they use, shown by which fixture the next program takes.
import { describe, expect, test } from 'vitest'
import type { CallStep, Ref } from '../../models/language/plan.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { inProcess } from '../../reference/in-process.js'
import { claimed, freestAt } from '../../suites/spread.js'

const attach = (volumeId: number | Ref, node: number): CallStep => ({
  role: 'check',
  operation: 'volumes.attach',
  path: { volumeId },
  body: { node_id: node },
})

/** What an earlier step has made, which is waited for. */
const madeBy = ($step: number): Ref => ({ $step })

const create: CallStep = { role: 'arrange', operation: 'volumes.create', body: { label: 'ts-t-1', region: 'r1' } }

interface Claim {
  readonly steps: readonly CallStep[]
  readonly cost: number
}

/** The node that the next program takes, of 101 and 102, after others have claimed theirs. */
const nextAfter = (...claims: readonly Claim[]): number => {
  const setting = { session: inProcess({ environment: embeddedEnvironment() }).session, width: 2 }
  for (const { steps, cost } of claims) claimed(setting, steps, cost)
  const nodeIn = (rotation = 0): number => (rotation % 2 === 0 ? 101 : 102)
  const context = freestAt(setting, 0, ({ rotation }) => [attach(7009, nodeIn(rotation))])
  return nodeIn(context.rotation)
}

describe('a program takes the node that the others need least', () => {
  test('which is the one that is used by none', () => {
    expect(nextAfter({ steps: [attach(7001, 101)], cost: 1 })).toBe(102)
    expect(nextAfter({ steps: [attach(7001, 102)], cost: 1 })).toBe(101)
  })

  test('where one that waits before its first use needs it from then on alone', () => {
    const waiting = { steps: [create, attach(madeBy(0), 101)], cost: 10 }
    expect(nextAfter(waiting, { steps: [attach(7002, 102)], cost: 8 })).toBe(101)
    expect(nextAfter(waiting, { steps: [attach(7002, 102)], cost: 2 })).toBe(102)
  })

  test('where one that waits after its first use needs it meanwhile as well', () => {
    const waiting = { steps: [attach(7001, 101), create, attach(madeBy(1), 101)], cost: 3 }
    expect(nextAfter(waiting, { steps: [attach(7003, 102)], cost: 30 })).toBe(102)
    expect(nextAfter(waiting, { steps: [attach(7003, 102)], cost: 300 })).toBe(101)
  })

  test('and one that waits before and after its first use needs it for the second wait', () => {
    const waiting = { steps: [create, attach(madeBy(0), 101), create, attach(madeBy(2), 101)], cost: 4 }
    expect(nextAfter(waiting, { steps: [attach(7003, 102)], cost: 30 })).toBe(102)
  })
})
