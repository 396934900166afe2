// What refused calls leave as it was made is made once, and what comes to rest by itself is made together with others.
import { expect, test } from 'vitest'
import { restsOf } from '../../arbitraries/arranged.js'
import { planProgram } from '../../arbitraries/plan.js'
import { inARow } from '../../arbitraries/programs.js'
import type { Made, Plan, Step } from '../../models/language/plan.js'
import { volumes } from '../../models/volumes/record.js'
import { embeddedEnvironment } from '../../reference/environment.js'

const stepsOf = (write: (plan: Plan) => void): readonly Step[] => {
  let n = 0
  const certificate = () => ({ certificate: '', private_key: '' })
  const context = { environment: embeddedEnvironment(), nonce: 'ts-t', next: () => n++, certificate }
  return planProgram('program', context, write).steps
}

/** Roles and what each step names in its path, by the number of the step that made it. */
const planned = (write: (plan: Plan) => void): readonly string[] =>
  stepsOf(write).map((step) => {
    const named = 'operation' in step ? (step.path?.volumeId as { readonly $step: number } | undefined) : undefined
    return named ? `${step.role} ${named.$step}` : step.role
  })

const pathOf = (plan: Plan, body: Readonly<Record<string, unknown>> = {}) => ({ volumeId: plan.make(volumes, body).id })

test('what only refused calls have named is named again by the next, and by the first that is accepted', () => {
  const roles = planned((plan) => {
    for (const size of [1, 2]) plan.probe('volumes.resize', { path: pathOf(plan), body: { size } })
    for (const size of [30, 31]) plan.twin('volumes.resize', { path: pathOf(plan), body: { size } })
  })
  expect(roles).toEqual(['arrange', 'arrange', 'probe 0', 'probe 0', 'twin 0', 'twin 1'])
})

test.each<readonly [string, (plan: Plan) => void]>([
  [
    'is of another size',
    (plan) => {
      for (const size of [20, 21]) plan.probe('volumes.resize', { path: pathOf(plan, { size }), body: { size: 1 } })
    },
  ],
  [
    'takes a place on a node',
    (plan) => {
      for (const size of [1, 2])
        plan.probe('volumes.resize', { path: pathOf(plan, { region: undefined, node_id: 101 }), body: { size } })
    },
  ],
  [
    'has a name that comes up again',
    (plan) => {
      for (const name of [plan.name(), plan.name()])
        plan.probe('volumes.clone', { path: pathOf(plan, { label: name }), body: { label: name } })
    },
  ],
])('what %s is made by itself', (_, write) => {
  expect(planned(write).filter((role) => role === 'arrange')).toHaveLength(2)
})

test('what a refused call names before and after it was changed is made twice', () => {
  const roles = planned((plan) => {
    const path = pathOf(plan)
    plan.probe('volumes.resize', { path, body: { size: 1 } })
    plan.check('volumes.update', { path, body: { tags: [] } })
    plan.probe('volumes.resize', { path: pathOf(plan), body: { size: 1 } })
  })
  expect(roles).toEqual(['arrange', 'arrange', 'probe 0', 'check 0', 'probe 1'])
})

test('what updates have named is named again by the next one, and by nothing else', () => {
  const roles = planned((plan) => {
    for (const label of ['x', '']) plan.probe('volumes.update', { path: pathOf(plan), body: { label } })
    for (const label of ['a', 'b']) plan.twin('volumes.update', { path: pathOf(plan), body: { label } })
    plan.probe('volumes.update', { path: pathOf(plan), body: { label: '' } })
  })
  expect(roles).toEqual(['arrange', 'arrange', 'probe 0', 'probe 0', 'twin 0', 'twin 0', 'probe 1'])
})

const attached = (plan: Plan) => pathOf(plan, { region: undefined, node_id: 101 })

test('what comes to rest by itself is made before the first wait, and before a place on a node is taken', () => {
  const roles = planned((plan) => {
    plan.check('volumes.update', { path: attached(plan), body: { tags: [] } })
    plan.check('volumes.update', { path: pathOf(plan), body: { tags: [] } })
  })
  expect(roles).toEqual(['arrange', 'arrange', 'check 1', 'check 0'])
})

const rename = (plan: Plan, label: string) => plan.check('volumes.update', { path: pathOf(plan), body: { label } })

test.each<readonly [string, (plan: Plan, name: string) => void]>([
  [
    'is met before it has come to rest',
    (plan) => {
      rename(plan, 'renamed')
      plan.probe('volumes.resize', { path: pathOf(plan), body: { size: 1 }, unsettled: true })
    },
  ],
  [
    'has a name that an earlier step gives to something else',
    (plan, name) => {
      rename(plan, name)
      plan.check('volumes.view', { path: pathOf(plan, { label: name }) })
    },
  ],
  [
    'takes a place on a node',
    (plan) => {
      rename(plan, 'renamed')
      plan.check('volumes.view', { path: attached(plan) })
    },
  ],
])('what %s is made where it was', (_, write) => {
  const roles = planned((plan) => write(plan, plan.name())).map((role) => role.split(' ')[0])
  expect(roles).toEqual(['arrange', 'check', 'arrange', expect.stringMatching(/check|probe/)])
})

test('a copy of a copy is made after the copy', () => {
  const copied = (plan: Plan, { id }: Pick<Made, 'id'>): Made =>
    plan.call('volumes.clone', { path: { volumeId: id }, body: { label: plan.name() } })
  const roles = planned((plan) => copied(plan, copied(plan, copied(plan, plan.make(volumes)))))
  expect(roles).toEqual(['arrange', 'arrange 0', 'arrange 1', 'arrange 2'])
})

test('a program waits once for all that it changed before, and again for what it changes then', () => {
  const steps = stepsOf((plan) => {
    const [one, other] = [pathOf(plan), pathOf(plan)]
    plan.check('volumes.update', { path: one, body: { tags: [] } })
    plan.check('volumes.update', { path: other, body: { tags: [] } })
    plan.probe('volumes.resize', { path: one, body: { size: 1 } })
    plan.check('volumes.view', { path: one })
    plan.check('volumes.resize', { path: one, body: { size: 30 } })
    plan.check('volumes.view', { path: other })
    plan.check('volumes.view', { path: one, unsettled: true })
    plan.check('volumes.view', { path: one })
  })
  expect(restsOf(steps)).toBe(2)
})

test('programs in a row wait for what each of them made', () => {
  const view = stepsOf((plan) => plan.check('volumes.view', { path: pathOf(plan) }))
  const list = stepsOf((plan) => plan.check('volumes.list'))
  expect(restsOf(inARow([list, view, list, view]))).toBe(2)
})
