import { describe, expect, test } from 'vitest'
import { buildCall, recorded } from '../../history/calls.js'
import { operationById } from '../../models/index.js'
import type { Operation } from '../../models/language/operation.js'
import { startWorld } from '../../models/start.js'
import { believe, observe } from '../../oracle/belief.js'
import { caughtUp, noPast, stillLate } from '../../oracle/late.js'
import { embeddedEnvironment } from '../../reference/environment.js'

/** A view that is answered with something else than the document's record. */
const view = (body: object) => {
  const op = operationById('managed-issues.view') as Operation
  const call = recorded(buildCall(op, { as: 'owner', path: { issueId: 901 } }))
  return { op, call, outcome: { status: 200, body }, n: 1 }
}
const judged = (body: object) =>
  observe(believe(startWorld(embeddedEnvironment())), view(body), operationById).judgement

describe('what was taken for late', () => {
  const wrong = judged({ id: 902 })
  const late = { by: 'tags.create', changedAt: 0, ageMs: 700, hidden: wrong.deviations }
  const past = stillLate(noPast, view({}), late)

  test('shows how long changes take once it is right', () => {
    expect(caughtUp(past, view({}), judged({ id: 901 }))).toMatchObject({ longestMs: 700, open: new Map() })
  })

  test('shows nothing of that where it is as wrong as before', () => {
    expect(wrong.deviations).not.toEqual([])
    expect(caughtUp(past, view({}), wrong)).toMatchObject({ longestMs: 0, open: new Map() })
  })
})
