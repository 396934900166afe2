// Targets on which an operation asks for a scope beyond those that the document lists for it: the probes of its scopes tell.
import { expect, test } from 'vitest'
import { operations } from '../../models/index.js'
import { clausesOf } from '../../models/language/derive.js'
import { instead, outcomeOf } from './faulty.js'

const scoped = operations.flatMap((op) => {
  const clause = clausesOf(op).find(({ kind }) => kind === 'scope')
  return clause && op.guarded === undefined ? [[op.id, clause.id] as const] : []
})

test.each(scoped)('%s may ask for no further scope', async (id, clause) => {
  const demanding = instead(id, ({ scopes = [] }) => ({ scopes: [...scopes, 'other:read_only'] }))
  const { findings } = await outcomeOf(clause, demanding)
  expect(findings.map((one) => one.clause)).toContain(clause)
})
