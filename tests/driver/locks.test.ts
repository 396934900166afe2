// What programs need alone or a share of, and from when on.
import { expect, test } from 'vitest'
import { locksOf } from '../../driver/locks.js'
import type { CallStep } from '../../models/language/plan.js'
import { embeddedEnvironment } from '../../reference/environment.js'

const attach = (volumeId: number, node: number): CallStep => ({
  role: 'check',
  operation: 'volumes.attach',
  path: { volumeId },
  body: { node_id: node },
})

const create: CallStep = { role: 'arrange', operation: 'volumes.create', body: { label: 'ts-t-1', region: 'r1' } }

/** What part of what there is each lock takes, and whether only from the first use of a fixture on. */
const sharesOf = (...steps: readonly CallStep[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    locksOf(steps, embeddedEnvironment()).map(({ key, amount, capacity, isLate }) => [
      key,
      `${amount}/${capacity}${isLate ? ' late' : ''}`,
    ]),
  )

test('Each volume takes one of seven places on a node, however often it is attached there', () => {
  const steps = [attach(7001, 101), attach(7001, 101), attach(7002, 101)]
  expect(sharesOf(...steps)).toMatchObject({ 'volumes on 101': '2/7' })
})

test('A volume that is made on a node takes one place there, and none more when it is attached there again', () => {
  const made: CallStep = { ...create, body: { label: 'ts-t-1', node_id: 101 } }
  const again: CallStep = { ...attach(0, 101), path: { volumeId: { $step: 0 } } }
  expect(sharesOf(made, again, again)).toMatchObject({ 'volumes on 101': '1/7' })
  expect(sharesOf(made, made, again)).toMatchObject({ 'volumes on 101': '2/7' })
})

test('What attaches a shared volume needs it alone', () => {
  expect(sharesOf(attach(602, 101))).toMatchObject({ 'place of 602': '1000/1000' })
})

test('Who waits for a volume before it is attached needs the node from then on', () => {
  expect(sharesOf(create, attach(7001, 101))).toMatchObject({
    'live volumes': '1/300',
    'use of 101': '1/1000 late',
    'volumes on 101': '1/7 late',
  })
})

test('Who uses a node before it waits for a volume needs the node from the start', () => {
  expect(sharesOf(attach(7001, 101), create, attach(7002, 101))).toMatchObject({ 'volumes on 101': '2/7' })
})

test('What is given tags takes room for each of them', () => {
  const tagged: CallStep = { ...create, body: { ...create.body, tags: ['ts-a', 'ts-b', 'ts-b', 'ts-c'] } }
  expect(sharesOf(tagged, create)).toMatchObject({ 'live volumes': '2/300', 'live tags': '3/300' })
})
