// Turns deviations into findings: shrunk on what was recorded, then shown again on the target; one finding an id.

import type { Finding } from '../history/record.js'
import { operationById } from '../models/index.js'
import { idIn } from '../models/language/world.js'
import { interference } from '../oracle/explanations/interference.js'
import type { Spotted } from '../oracle/fold.js'
import { findingOf, isOthersDoing, judgedAs } from '../oracle/found.js'
import type { Judged } from '../oracle/judgement.js'
import { findingIdOf, shrink } from '../oracle/shrink.js'
import { replay } from './replay.js'
import type { Running } from './running.js'

/** Records a finding for every deviation whose like has not been reported in this run. */
export const report = async (running: Running, spotted: readonly Spotted[]): Promise<readonly Finding[]> => {
  const { session } = running
  const findings: Finding[] = []
  for (const one of spotted) {
    const id = findingIdOf(one.deviation)
    if (session.found.has(id)) continue
    session.found.add(id)
    const { deviation, calls, isWhole } = one
    const shown = isWhole ? { steps: calls, isConfirmed: true } : await showAgain(running, one)
    if (isOthersDoing(session.options.environment, deviation, shown.isConfirmed, shown.steps)) {
      session.found.delete(id)
      const { n } = calls.at(-1) as Judged
      session.options.emit({ type: 'assumed', n, assumed: `${interference.name} ${id}` })
      continue
    }
    const finding = findingOf(deviation, shown.steps, {
      shrunkFrom: calls.length,
      confirmed: shown.isConfirmed,
      replay: session.options.replayLine(id),
      nonce: session.options.nonce,
    })
    findings.push(finding)
    session.options.emit({ type: 'finding', finding })
  }
  return findings
}

interface Shown {
  readonly steps: readonly Judged[]
  readonly isConfirmed: boolean
}

/** The fewest calls that show a deviation, and whether they show it again on the target. */
const showAgain = async ({ session, origin }: Running, { deviation, start, calls: all }: Spotted): Promise<Shown> => {
  const at = all.length - 1
  // A deviation that was blamed on another clause than the judge's is looked for under the judge's.
  const id = findingIdOf(judgedAs(deviation, all.at(-1)))
  const steps = shrink(start, all, id, operationById)
  const confirming = { ...origin, phase: 'confirm', confirms: id } as const
  const again = (some: readonly Judged[]): Promise<boolean> => replay(session, confirming, some, id)
  if (await again(steps)) return { steps, isConfirmed: true }
  // What the target's own state brought about is not in the model, and may need a write that judging could do without.
  const writes = all.filter(({ op, role }, i) => i === at || (op.method !== 'GET' && role !== 'clean'))
  for (const more of [writes, all])
    if (more.length > steps.length && more.length <= longestReplay && (await again(more)))
      return { steps: await leaner(more, again), isConfirmed: true }
  // What a call was refused for is not in the model either: short of showing it again, all that went before is told.
  const told = deviation.kind.startsWith('refused') && writes.length <= longestReplay ? writes : steps
  if (deviation.because.some((line) => line.includes('(hook '))) return { steps: about(all), isConfirmed: false }
  return { steps: told, isConfirmed: false }
}

/** The most steps that are sent again in one piece. */
const longestReplay = 24

/** The steps on what the last one names: a change that no call made can be told no shorter, as calls alone never show it. */
const about = (all: readonly Judged[]): readonly Judged[] => {
  const named = Object.values(all.at(-1)?.call.path ?? {})
  const isAbout = ({ call, judgement: { made } }: Judged): boolean =>
    named.some((key) => Object.values(call.path).includes(key) || (made !== undefined && idIn(made) === key))
  return named.length === 0 ? all : all.filter(isAbout)
}

/** Whether a step names something by its key. */
const isNamedBy = (key: string | undefined, { call }: Judged): boolean =>
  key !== undefined &&
  (Object.values(call.path).includes(idIn(key)) || JSON.stringify(call.body ?? '').includes(idIn(key)))

/** The steps without those that the target does not need to show it again; what a step names stays made by another. */
const leaner = async (
  steps: readonly Judged[],
  again: (some: readonly Judged[]) => Promise<boolean>,
): Promise<readonly Judged[]> => {
  let kept = steps
  for (const one of steps.slice(0, -1)) {
    const without = kept.filter((other) => other !== one)
    const isNeeded = without.some((other) => isNamedBy(one.judgement.made, other))
    if (!isNeeded && (await again(without))) kept = without
  }
  return kept
}
