// Takes, of several ways to read the same recordings, the one that leaves the fewest findings, and says what it assumes. Judges nothing.

import type { Reading, Recording } from '../history/recording.js'
import { clock } from './explanations/clock.js'
import { clocks } from './explanations/clocks.js'
import { isAllowed, traceOf } from './explanations/explanation.js'
import { origins } from './explanations/origins.js'
import type { JudgedHistory } from './found.js'

interface JudgedReading extends Pick<Reading, 'supposes'> {
  readonly parts: readonly { readonly recording: Recording; readonly judged: JudgedHistory }[]
}

type Supposed = Reading['supposes'][number]

const explanations = { clock, clocks, origins }

const traces: Readonly<Record<Supposed['name'], (of: string) => string>> = {
  clock: (of) => traceOf(clock, 'of', of),
  clocks: (of) => traceOf(clocks, 'of', of),
  origins: (of) => traceOf(origins, of),
}

/** The reading that leaves the fewest findings, of those that suppose nothing that the target file refuses; the first where several do. */
export const likeliest = <T extends JudgedReading>(readings: readonly [T, ...T[]]): T => {
  const [first, ...others] = readings
  return others.filter(mayBe).reduce((best, one) => (faultsIn(one) < faultsIn(best) ? one : best), first)
}

const mayBe = ({ supposes, parts }: JudgedReading): boolean =>
  parts.every(({ recording: { environment } }) =>
    supposes.every(({ name }) => isAllowed(environment, explanations[name])),
  )

const faultsIn = ({ parts }: JudgedReading): number =>
  parts.flatMap(({ judged: { found } }) => found).filter(({ deviation }) => deviation.level !== 'choice').length

/** What a reading supposes, as assumed from its first step on. */
export const assumedIn = ({ supposes, parts }: JudgedReading): JudgedHistory['assumed'] => {
  const n = parts[0]?.judged.steps[0]?.n ?? 0
  return supposes.map(({ name, of }) => ({ n, assumed: traces[name](of) }))
}
