// Calls that differ in their names alone name the same things, which are made once.
import { expect, test } from 'vitest'
import { draftsAlike } from '../../arbitraries/alike.js'
import { planProgram } from '../../arbitraries/plan.js'
import { operationById } from '../../models/index.js'
import type { Operation } from '../../models/language/operation.js'
import type { Args } from '../../models/language/plan.js'
import { embeddedEnvironment } from '../../reference/environment.js'

const planned = (operation: string, makes: boolean) => {
  const op = operationById(operation) as Operation
  let n = 0
  const certificate = () => ({ certificate: '', private_key: '' })
  const context = { environment: embeddedEnvironment(), nonce: 'ts-t', next: () => n++, certificate }
  const drafts: Args[] = []
  const { steps } = planProgram('program', context, (plan) => {
    const next = draftsAlike(plan, (one) => op.full?.(one) ?? op.draft(one), makes)
    for (let i = 0; i < 3; i += 1) {
      drafts.push(next())
      plan.check(op.id, drafts.at(-1))
    }
  })
  const made = steps.flatMap((step) => ('operation' in step && step.role === 'arrange' ? [step] : []))
  return { made, bodies: drafts.map(({ body }) => body as Readonly<Record<string, unknown>>) }
}

test('creations have names of their own, and share what they name', () => {
  const { made, bodies } = planned('managed-services.create', true)
  expect(made.map(({ operation }) => operation).sort()).toEqual([
    'managed-contacts.create',
    'managed-credentials.create',
    'managed-credentials.create',
  ])
  const [{ group }] = made.flatMap(({ body }) => (body && 'group' in body ? [body] : [])) as [{ group: unknown }]
  expect(bodies.map((body) => body.consultation_group)).toEqual([group, group, group])
  expect(new Set(bodies.map((body) => JSON.stringify(body.credentials))).size).toBe(1)
  expect(new Set(bodies.map(({ label }) => label)).size).toBe(3)
})

test('updates are of the same resource', () => {
  const { made, bodies } = planned('firewalls.update', false)
  expect(made.map(({ operation }) => operation)).toEqual(['firewalls.create'])
  expect(new Set(bodies.map(({ label }) => label)).size).toBe(1)
})
