// Makes a program that shows a finding plainer by sending it again with fewer calls, about fewer resources, and with fewer members.

import type { Origin } from '../history/entry.js'
import { isObject } from '../models/language/objects.js'
import { type Deviation, findingIdOf, type Judged } from '../oracle/judgement.js'
import { replay, withKey } from './replay.js'
import type { Session } from './session.js'
import { type Part, slimmed } from './slim.js'

/** The longest program that is made plainer. */
const longestSteps = 8

interface Shortening {
  readonly steps: readonly Judged[]
  /** Of the finding that the last step shows. */
  readonly id: string
  /** Whether the body of the last step stays as it is. */
  readonly isLastFixed: boolean
}

/** The steps as they were sent last, and the deviation of the last of them; nothing where the program takes all that it has. */
export const shortened = async (
  session: Session,
  originOf: () => Origin,
  { steps, id, isLastFixed }: Shortening,
): Promise<{ readonly steps: readonly Judged[]; readonly deviation: Deviation } | undefined> => {
  // What a read shows may be late: that it shows again at once tells little.
  if (steps.length > longestSteps || steps.at(-1)?.op.method === 'GET') return undefined
  let best = steps
  const shows = showing(session, originOf, id, (sent) => {
    best = sent
  })
  for (let at = best.length - 2; at >= 0; at -= 1) {
    const fewer = without(best, at)
    if (fewer) await shows(fewer)
  }
  // A name tells that what is made is the run's.
  const mayGo = ({ at, value }: Part): boolean =>
    at.lastIndexOf('/') > 0 || typeof value !== 'string' || !value.includes(session.options.nonce)
  for (let at = best.length - (isLastFixed ? 2 : 1); at >= 0; at -= 1) {
    const { call } = best[at] as Judged
    const showsWith = (body: unknown) =>
      shows(best.map((one, i) => (i === at ? { ...one, call: { ...one.call, body } } : one)))
    if (isObject(call.body)) await slimmed(call.body, mayGo, showsWith)
  }
  const deviation = best.at(-1)?.judgement.deviations.find((one) => findingIdOf(one) === id)
  return best !== steps && deviation ? { steps: best, deviation } : undefined
}

/** Whether a program may be sent once more to make a finding plainer, which then counts as sent. */
export const triesOf = ({ memory, isOver, options }: Session): (() => boolean) => {
  const isLeft = memory.budget.tries(options.clock)
  return () => !isOver() && isLeft()
}

/** Sends a program again, and tells whether it shows the finding; undefined where no more may be sent. */
const showing = (session: Session, originOf: () => Origin, id: string, onShown: (sent: readonly Judged[]) => void) => {
  const mayTry = triesOf(session)
  return async (program: readonly Judged[]): Promise<boolean | undefined> => {
    if (!mayTry()) return undefined
    const { shown } = await replay(session, originOf(), program, id)
    if (shown) onShown(shown)
    return shown !== undefined
  }
}

/** The steps without one; in the place of what that one made stands the first of its kind. */
const without = (steps: readonly Judged[], at: number): readonly Judged[] | undefined => {
  const { op, judgement } = steps[at] as Judged
  const { made } = judgement
  const first = steps.slice(0, at).find((one) => one.op.makes && one.op.makes === op.makes)?.judgement.made
  if (made !== undefined && first === undefined) return undefined
  const named = ({ call }: Judged) =>
    made === undefined || first === undefined ? call : withKey(call, op.makes?.name, made, first)
  return steps.flatMap((one, i) => (i === at ? [] : [{ ...one, call: named(one) }]))
}
