// Sends trial creations that tell whether a quota refused another one; the oracle decides what they tell.
import { refsIn } from '../arbitraries/likeness.js'
import { planProgram } from '../arbitraries/plan.js'
import type { Origin } from '../history/entry.js'
import { redactOutcome } from '../history/masking.js'
import { operationById, operations, removerOf } from '../models/index.js'
import type { Operation } from '../models/language/operation.js'
import type { Args, CallStep, Plan } from '../models/language/plan.js'
import { live } from '../models/language/world.js'
import type { Trial } from '../oracle/explanations/quota.js'
import type { Judged } from '../oracle/judgement.js'
import { clean } from './clean-up.js'
import { accountOf, tokenFor } from './paths.js'
import { resend } from './replay.js'
import { settle } from './rest.js'
import { concrete, type Running, subjectOf } from './running.js'
import type { Sent, Session } from './session.js'
import { outcomeText } from './target-access.js'

/** Reports once for each operation that creations are refused, and what would help. */
export const reportQuota = (session: Session, op: Operation, { n, outcome, call }: Sent): void => {
  const { said, options } = session
  const id = `${op.id}:quota`
  if (said.has(id)) return
  said.add(id)
  const there = aliveIn(session, op, call)
  const held = `${there === 0 ? 'none' : there} of this run's ${op.makes?.name} ${there === 1 ? 'was' : 'were'} there`
  const reason = outcomeText(redactOutcome(outcome))
  const text = `${op.id} was refused at step ${n} ("${reason}") while ${held}, as plain creations then were: a quota may be the reason`
  const isRemovable = op.makes !== undefined && removerOf(op.makes) !== undefined
  const remedy = isRemovable
    ? `if it is, set safety.maxLive.${op.makes?.name} below it`
    : 'nothing in the interface removes them, so ask the target for more room'
  options.emit({ type: 'trouble', kind: 'inconclusive', text: `${text}; ${remedy}` })
}

/** How many of what an operation makes there are of the run's making, in the account of a call. */
const aliveIn = (session: Session, { makes }: Operation, call: Sent['call']): number => {
  if (!makes) return 0
  const makers = new Set(operations.flatMap((one) => (one.makes === makes ? [one.id] : [])))
  const all = live(session.world(), makes, accountOf(session, call))
  return all.filter(({ since = {} }) => Object.values(since).some(({ by }) => makers.has(by))).length
}

/** Runs the trials for a refused creation; true if a quota remains the likelier reason. */
export const tryQuota = async (running: Running, sent: Sent, step: CallStep): Promise<boolean> => {
  const { fold } = running.session
  for (let wanted = fold.wanted(sent.n); wanted; ) {
    const { k, trial } = wanted
    const phase = trial.kind === 'again' ? 'again' : 'trial'
    await tryOne({ ...running, origin: { ...running.origin, phase, after: sent.n, trial: k } }, sent, step, trial)
    fold.tried(sent.n, k)
    wanted = fold.wanted(sent.n)
  }
  return fold.isHeldBack(sent.n)
}

const tryOne = async (running: Running, sent: Sent, step: CallStep, trial: Trial): Promise<void> => {
  switch (trial.kind) {
    case 'again':
      return createAgain(running, trial.before)
    case 'now':
      return create(running, sent, sent.op, () => concrete(running, step))
    default: {
      const draft = trial.kind === 'full' ? trial.op.full : trial.op.draft
      return draft && create(running, sent, trial.op, draft)
    }
  }
}

/** Repeats an earlier creation under new names, and removes the result. */
const createAgain = async ({ session, origin }: Running, before: Judged): Promise<void> => {
  const from = session.creations.length
  await resend(session, origin, [before], session.options.nonce)
  await clean(session, origin, from)
}

/** Creates something in the account of the refused call, and removes it. */
const create = async (running: Running, by: Sent, op: Operation, draft: (plan: Plan) => Args): Promise<void> => {
  const { session, origin } = running
  const account = accountOf(session, by.call)
  const from = session.creations.length
  const { steps } = planProgram('a creation to compare with', session.context, (plan) => {
    const other = account === session.options.environment.accounts[0]?.name ? null : tokenFor(session, account)
    if (other !== null) plan.as(other)
    plan.call(op.id, draft(plan))
  })
  const trial: Running = { ...running, sent: [], subjects: [] }
  for (const step of steps) if (!('hook' in step)) await sendTrial(trial, step, origin)
  await clean(session, origin, from)
}

const sendTrial = async (trial: Running, step: CallStep, origin: Origin): Promise<void> => {
  const { session } = trial
  const op = operationById(step.operation)
  if (!op) return
  for (const { $step } of refsIn([step.path, step.body])) {
    const subject = trial.subjects[$step]
    if (subject) await settle(session, origin, subject.table, subject.key(), subject.path)
  }
  const sent = await session.send(origin, op, concrete(trial, step), 'read')
  trial.sent.push(sent)
  trial.subjects.push(subjectOf(trial, op, sent))
}
