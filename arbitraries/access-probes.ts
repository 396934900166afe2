// Programs that show clauses about who calls: without a token, under another scheme, without a scope, as a restricted user.

import { operations } from '../models/index.js'
import { damagedToken, damages, schemes, wrongToken } from '../models/language/access.js'
import type { Operation } from '../models/language/operation.js'
import type { Write } from './body-probes.js'
import { mainToken } from './plan-tokens.js'

/** The call without a token, with a wrong one and with a damaged one. */
export const tokenProbe =
  (op: Operation): Write =>
  (plan) => {
    const args = plan.draft(op.id)
    plan.probe(op.id, { ...args, as: null })
    plan.probe(op.id, { ...args, as: wrongToken })
    // Half of the operations get one of them, half the other.
    const how = damages[operations.indexOf(op) % damages.length]
    const main = mainToken(plan.environment)
    if (how && main) plan.probe(op.id, { ...args, as: damagedToken(how, main.name) })
    plan.twin(op.id, args)
  }

/** The token under one of several wrong schemes, by turns. A lower-case bearer would be the right scheme. */
export const schemeProbe =
  (op: Operation): Write =>
  (plan) => {
    const args = plan.draft(op.id)
    const how = schemes[operations.indexOf(op) % schemes.length]
    const main = mainToken(plan.environment)
    if (how && main) plan.probe(op.id, { ...args, as: damagedToken(how, main.name) })
    plan.twin(op.id, args)
  }

/** The call by tokens that lack one scope. */
export const scopeProbe =
  (op: Operation, scope: string): Write =>
  (plan) => {
    const args = plan.draft(op.id)
    const others = (op.scopes ?? []).filter((other) => other !== scope)
    const lacking = plan.token({ lacks: scope, has: others })
    plan.probe(op.id, { ...args, as: lacking })
    // A target may check the scopes of a similar operation instead.
    for (const as of plan.furtherTokens(op.id, scope, lacking)) plan.probe(op.id, { ...args, as })
    // No further scope is asked for. The one counterpart shows it: a second call may ask for what the first has done.
    const narrow = plan.narrowToken(op.id)
    plan.twin(op.id, { ...args, ...(narrow !== undefined && { as: narrow }) })
  }

/** The call by a restricted user. */
export const unrestrictedProbe =
  (op: Operation): Write =>
  (plan) => {
    const args = plan.draft(op.id)
    plan.probe(op.id, { ...args, as: plan.token({ restricted: true, has: op.scopes ?? [] }) })
    plan.twin(op.id, args)
  }
