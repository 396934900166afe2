// Lays each deviation of a call where it belongs: to the write that it looks after, to a race, to a clause whose twin it is, or aside while a quota may explain it.

import type { CallEntry } from '../history/entry.js'
import { isAbsent } from '../history/outcomes.js'
import { purposeOf } from '../history/phases.js'
import type { Clause } from '../models/language/derive.js'
import { idIn } from '../models/language/world.js'
import { worldOf } from './belief.js'
import { withinClause } from './blame.js'
import { clauseNamed } from './clauses.js'
import { because, type Episode, type Laid, layToWrite } from './episode.js'
import { isAllowed, traceOf } from './explanations/explanation.js'
import { mostFollowed } from './explanations/followed.js'
import { mayBeQuota, quota } from './explanations/quota.js'
import { awaitEvents, type State } from './fold-state.js'
import { assuming, type Deviation, type Judged, type Judgement } from './judgement.js'

/** Takes in a judged call: what deviates is laid to the call that caused it, and the watches hear of it. */
export const receive = (state: State, entry: CallEntry, judgement: Judgement, episode: Episode | undefined): Judged => {
  const { deviations, verdict } = judgement
  const judged: Laid = { ...entry, judgement, deviations, verdict, held: judgement.held }
  const muted = state.mutes.hear(judged)
  // What may be late is sent again, and teaches nothing until then. A write may have done something all the same, which looks show.
  if (judgement.late) {
    if (entry.op.method !== 'GET') episode?.steps.push(judged)
    state.events.note(judged)
    return judged
  }
  awaitEvents(state, judged)
  if (episode) layIn(state, episode, judged)
  else if (entry.trial !== undefined) noteTrial(state, judged)
  state.quotas.noteMade(judged)
  state.confirmations.hear(judged)
  if (muted) state.proven.push({ deviation: muted, start: state.belief, calls: [judged], isWhole: true })
  proveRemovals(state, judged)
  state.events.note(judged)
  for (const id of judged.held) state.held.add(id)
  return judged
}

/** Keeps each removal that was refused although what it names may be there, with the calls that made that: once three are known to have removed nothing, the last of them is told. */
const proveRemovals = (state: State, judged: Judged): void => {
  const { resent, removals, episodes, proven } = state
  if (judged.op.removes !== undefined && judged.judgement.expects !== 'refuse' && isAbsent(judged.outcome)) {
    const { steps = [] } = episodes.get(judged.instance ?? 0) ?? {}
    const names = Object.values(judged.call.path)
    const isMaker = ({ judgement: { made } }: Judged): boolean => made !== undefined && names.includes(idIn(made))
    removals.set(judged.n, [...steps.filter(isMaker), judged])
    const [oldest] = removals.keys()
    if (removals.size > mostFollowed && oldest !== undefined) removals.delete(oldest)
  }
  const { n = 0, refusal } = resent.proven() ?? {}
  const calls = removals.get(n)
  if (refusal && calls) proven.push({ deviation: refusal, start: state.belief, calls, isWhole: true })
}

/** Notes the outcome of a trial: that of its last creation. */
const noteTrial = ({ quotas, suspects }: State, judged: Judged): void => {
  const { after, trial, phase, role, op, judgement } = judged
  if (role === 'clean' || op.method === 'GET' || after === undefined || trial === undefined) return
  if (phase === 'trial') quotas.note(judged)
  suspects.get(after)?.suspicion.tried(trial, judgement.accepted === true)
}

const layIn = (state: State, episode: Episode, judged: Laid): void => {
  episode.steps.push(judged)
  layToRemoval(episode, judged)
  if (judged.phase === 'look' && judged.after !== undefined) layToWrite(episode, judged)
  else if (judged.group !== undefined) layToRace(state, judged)
  else if (judged.phase === 'look' && episode.isRaced)
    because(judged, 'it follows from no order of the overlapping calls before')
  else if (purposeOf(judged.phase).isLaidToItself) layToCall(state, episode, judged)
}

/** A removal that was passed over deviates itself where its own program shows what it was to remove. */
const layToRemoval = ({ steps }: Episode, judged: Laid): void => {
  for (const one of judged.deviations) {
    const { from, ...refusal } = one
    const removal = steps.findLast(({ n, op }) => op.id === one.operation && one.facts?.some(({ step }) => step === n))
    if (from?.kind !== 'deleted' || one.kind !== 'refused' || !removal) continue
    judged.deviations = judged.deviations.filter((other) => other !== one)
    judged.judgement = { ...judged.judgement, deviations: judged.deviations }
    removal.deviations = [...removal.deviations, refusal]
  }
}

/** No trial can tell whether a quota refused one of several calls at the same time. */
const layToRace = ({ environment }: State, judged: Laid): void => {
  because(judged, 'no order of the overlapping calls explains it')
  if (judged.judgement.suspect !== true || !isAllowed(environment, quota)) return
  judged.judgement = assuming(judged.judgement, traceOf(quota, judged.op.id))
  judged.deviations = judged.deviations.filter((one) => !mayBeQuota(one))
}

const layToCall = (state: State, episode: Episode, judged: Laid): void => {
  const { environment, quotas, suspects, belief } = state
  if (judged.deviations.length > 0) judged.deviations = withinProgram(state, episode, judged)
  // While other programs create and remove, the fate of a creation tells nothing about a quota.
  if (judged.beside || judged.role === 'read' || judged.role === undefined) return
  quotas.note(judged)
  const mayBe = judged.judgement.suspect === true && isAllowed(environment, quota)
  const heldBack = mayBe ? judged.deviations.filter(mayBeQuota) : []
  if (heldBack.length === 0) return
  judged.judgement = assuming(judged.judgement, traceOf(quota, judged.op.id))
  const suspected = { suspicion: quotas.suspect(judged, worldOf(belief)), sent: judged, heldBack }
  episode.suspicions.set(judged.n, suspected)
  suspects.set(judged.n, suspected)
  judged.deviations = judged.deviations.filter((one) => !heldBack.includes(one))
}

/** A refused twin is blamed on the clause whose twin it is, unless any plain call is refused in the same way. */
const withinProgram = (state: State, episode: Episode, judged: Judged): readonly Deviation[] => {
  const { op, judgement, beside } = judged
  const clause = clauseShownBy(state, episode, judged)
  return judgement.deviations.map((one) => {
    if (one.clause !== `${op.id}.accepts`) return one
    const refusal = `${op.id} ${one.received}`
    if (clause && !state.refusals.has(refusal)) return withinClause(one, clause)
    if (!beside) state.refusals.add(refusal)
    return one
  })
}

/** The clause that a call is there to show, if a refusal of the call contradicts that clause. */
const clauseShownBy = (state: State, episode: Episode, judged: Judged): Clause | undefined => {
  const { role, judgement, phase } = judged
  const clause = phase === undefined ? clauseNamed(judged.clause) : undefined
  if (!clause || clause.kind === 'general' || clause.kind === 'token' || clause.kind === 'scheme') return undefined
  if (judgement.accepted !== false || judgement.expects !== 'accept') return undefined
  const isShown = role === 'twin' || (role === 'check' && isAbout(state, episode, judged, clause))
  return isShown ? clause : undefined
}

/** If plain calls are accepted, a refusal of a call that a statement is about is blamed on that statement. */
const isAbout = ({ held }: State, { steps }: Episode, { op }: Judged, clause: Clause): boolean =>
  (clause.kind === 'statement' || clause.kind === 'effect') &&
  clause.level === 'must' &&
  held.has(`${op.id}.accepts`) &&
  (clause.operation === op.id || steps.some((one) => one.op.id === clause.operation && one.judgement.accepted === true))
