// Judges the record of a run again: feeds its history to the judge of the run itself.

import type { CallEntry, Entry, Remark } from '../history/entry.js'
import type { Recording } from '../history/recording.js'
import { observe } from './belief.js'
import { open, type Spotted } from './fold.js'
import { createFinder, isOthersDoing, type JudgedHistory, judgedAs, verdictOf } from './found.js'
import type { Judged } from './judgement.js'
import { findingIdOf } from './shrink.js'

/** Judges a run whose calls were sent one after another, but where it raced some. */
export const judgeRun = ({ environment, nonce, events }: Recording): JudgedHistory => {
  const fold = open(environment, { nonce })
  const steps: Judged[] = []
  const held: { readonly clause: string; readonly step: number }[] = []
  const spotted: (Spotted & { readonly instance: number })[] = []
  const confirmations = createConfirmed()
  const under = new Set<number>()
  for (const entries of together(events)) {
    const [entry] = entries
    if (!entry) continue
    if ('instance' in entry && entry.instance !== undefined && !('beside' in entry)) under.add(entry.instance)
    if (entry.kind === 'call') {
      const taken = entry.group === undefined ? [fold.take(entry)] : fold.takeTogether(entries as readonly CallEntry[])
      for (const one of taken) confirmations.hear(one)
      steps.push(...taken)
    } else if (entry.kind === 'hook') fold.hook(entry)
    else if (entry.kind === 'surveyed') fold.surveyed(entry)
    else if (entry.kind === 'events') {
      const heard = fold.heard(entry)
      if (heard) confirmations.hear(heard)
    } else if (entry.kind === 'walked') {
      const step = entry.walks.at(-1)?.at(-1) ?? 0
      held.push(...fold.walked(entry).map((clause) => ({ clause, step })))
    } else if (entry.kind === 'ended') {
      const { instance } = entry
      under.delete(instance)
      const conclusion = fold.end(entry)
      held.push(...conclusion.held.map((clause) => ({ clause, step: conclusion.last })))
      spotted.push(...conclusion.spotted.map((one) => ({ ...one, instance })))
    }
  }
  // What a run that was cut short had under way counts as far as it got.
  for (const instance of under) spotted.push(...fold.spottedIn(instance).map((one) => ({ ...one, instance })))
  const finder = createFinder()
  for (const { deviation, start, calls, isWhole, instance } of spotted) {
    const isConfirmed = confirmations.isConfirmed(instance, findingIdOf(judgedAs(deviation, calls.at(-1))))
    const trailOf = () => ({ start, steps: calls, look: observe, ...(isWhole && { isWhole }) })
    const keeps = (some: readonly Judged[]): boolean => !isOthersDoing(environment, deviation, isConfirmed, some)
    finder.add([deviation], trailOf, { keeps })
  }
  const judged = steps.map((one) => ({ ...one, verdict: verdictOf(one) })).sort((a, b) => a.n - b.n)
  return { steps: judged, found: finder.all(), held, unordered: [] }
}

/** Which findings were shown again when they were tried once more; one that was not tried counts as if it were. */
const createConfirmed = () => {
  const shown = new Map<string, boolean>()
  return {
    hear: ({ instance, phase, confirms, role, judgement }: Judged): void => {
      if (phase !== 'confirm' || confirms === undefined || role === 'clean') return
      const key = `${instance} ${confirms}`
      const isShown = judgement.deviations.some((one) => findingIdOf(one) === confirms)
      shown.set(key, shown.get(key) === true || isShown)
    },
    isConfirmed: (instance: number, id: string): boolean => shown.get(`${instance} ${id}`) ?? true,
  }
}

/** Calls that were sent at the same time go together. */
const together = (events: readonly (Entry | Remark)[]): readonly (readonly (Entry | Remark)[])[] => {
  const groups: (Entry | Remark)[][] = []
  for (const event of events) {
    const last = groups.at(-1)
    const [first] = last ?? []
    const isRaced = event.kind === 'call' && event.group !== undefined
    if (isRaced && first?.kind === 'call' && first.group === event.group && first.instance === event.instance)
      last?.push(event)
    else groups.push([event])
  }
  return groups
}
