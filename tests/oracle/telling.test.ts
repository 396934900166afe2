import { expect, test } from 'vitest'
import { buildCall, recorded } from '../../history/calls.js'
import { operationById } from '../../models/index.js'
import type { Operation } from '../../models/language/operation.js'
import { startWorld } from '../../models/start.js'
import { believe } from '../../oracle/belief.js'
import { observe } from '../../oracle/observe.js'
import { embeddedEnvironment } from '../../reference/environment.js'

const environment = embeddedEnvironment()

/** The clauses that a reply to a view breaks. */
const brokenBy = (id: string, path: Readonly<Record<string, number>>, body: object): readonly string[] => {
  const op = operationById(id) as Operation
  const call = recorded(buildCall(op, { as: 'owner', path }))
  const observed = observe(believe(startWorld(environment)), { op, call, outcome: { status: 200, body }, n: 1 })
  return observed.judgement.deviations.map(({ clause }) => clause)
}

const issueId = environment.fixtures.managedIssues?.[0]?.id ?? 0
const nodeId = environment.fixtures.nodes?.[0]?.id ?? 0
const ssh = { access: true, ip: 'any', port: null, user: null }

test('the id of something that a record refers to is not taken for that of the record', () => {
  expect(
    brokenBy('managed-issues.view', { issueId }, { uid: issueId, entity: { type: 'ticket', id: issueId + 1 } }),
  ).toEqual([])
})

test('a record with its id beside other fields is read where it stands within another object', () => {
  const settings = (id: number) => ({ settings: { id, ssh } })
  expect(brokenBy('managed-node-settings.view', { nodeId }, settings(nodeId))).toEqual([])
  expect(brokenBy('managed-node-settings.view', { nodeId }, settings(nodeId + 1))).not.toEqual([])
})
