// The cause that lies before a target: replies to reads that were meant for another token, as of a cache that keeps them apart by address alone.

import isEqual from 'fast-deep-equal'
import { bodyOf, isAccepted } from '../../history/outcomes.js'
import type { RecordedStep } from '../../history/record.js'
import { operations } from '../../models/index.js'
import { type Clause, clausesOf } from '../../models/language/derive.js'
import type { Symptom } from './symptom.js'
import { directly, likely } from './weights.js'

/** What is checked of who calls, and of the token alone. */
const ofToken: ReadonlySet<Clause['kind']> = new Set(['token', 'scheme', 'scope', 'unrestricted'])
const ofCaller: ReadonlySet<Clause['kind']> = new Set([...ofToken, 'exists', 'owned'])

/** Whether a thing is there and whether it is the caller's is one check: a target that does not keep accounts apart fails both. */
const checkOf = (kind: Clause['kind']): Clause['kind'] => (kind === 'owned' ? 'exists' : kind)

/** What a list shows that belongs to another account, or does not show because it is that of another. */
const ofAccount: ReadonlySet<string> = new Set(['foreign', 'unknown', 'missing'])

/** So many checks of a caller have to be passed by: one by itself may be missing. */
const fewestChecks = 2

/**
 * The symptoms of replies that are served across tokens, with their weights; undefined where that is not shown. It takes two reads of one
 * address by two tokens, of which the second was answered with what the first was; reads, and no writes, that let in whom they had to
 * refuse, for several reasons, of which one is the token itself; and reads of the same area that refused for one of these reasons, so that
 * the target does check it.
 */
export const crossing = (
  symptoms: readonly Symptom[],
  passed: ReadonlySet<string>,
): ReadonlyMap<Symptom, number> | undefined => {
  const letIn = symptoms.filter(isLetIn)
  const crossed = symptoms.filter(isCrossed)
  const kinds = letIn.flatMap(({ clause }) => clause?.kind ?? [])
  const isMissed = new Set(kinds.map(checkOf)).size >= fewestChecks && kinds.some((kind) => ofToken.has(kind))
  const areReads = letIn.every(({ op }) => op.method === 'GET')
  if (crossed.length === 0 || !isMissed || !areReads || !areChecked(letIn, passed)) return undefined
  return new Map([
    ...symptoms.filter(isOfAnother).map((one) => [one, likely] as const),
    ...[...letIn, ...crossed].map((one) => [one, directly] as const),
  ])
}

const isLetIn = ({ clause, kind }: Symptom): boolean =>
  kind === 'accepted' && clause !== undefined && ofCaller.has(clause.kind)

const isOfAnother = ({ kind, op }: Symptom): boolean => op.method === 'GET' && ofAccount.has(kind)

/** Whether the last reply is one that another token was given before, at the same address. */
const isCrossed = (symptom: Symptom): boolean => {
  const { last, finding, kind } = symptom
  if (last?.call.method !== 'GET' || !(isOfAnother(symptom) || kind === 'changed')) return false
  const isSource = ({ call, outcome }: RecordedStep): boolean =>
    call.method === 'GET' &&
    call.url === last.call.url &&
    call.as !== last.call.as &&
    isAccepted(outcome) &&
    isEqual(bodyOf(outcome), bodyOf(last.outcome))
  return finding.steps.slice(0, -1).some(isSource)
}

/** Whether other reads of the same area refused for one of the reasons for which these had to. */
const areChecked = (letIn: readonly Symptom[], passed: ReadonlySet<string>): boolean =>
  letIn.some(({ op, clause }) =>
    operations.some(
      (other) =>
        other.method === 'GET' &&
        other.area === op.area &&
        clausesOf(other).some(({ id, kind }) => kind === clause?.kind && passed.has(id)),
    ),
  )
