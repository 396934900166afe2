// Keeps which findings may be the doing of something besides the target, so that they hold no more once that is seen; decides on none of them.

import type { RecordLine } from '../history/record.js'

/** What may stand behind findings without being a fault of the target. */
export type Beside = 'several targets' | 'swapped replies' | 'lost bodies' | 'no writes' | 'silent writes'

export const createWithdrawals = () => {
  const told = new Map<Beside, Set<string>>()
  const seen = new Set<Beside>()
  return {
    /** Notes a finding that is about to be told; whether what may stand behind it was seen, so that it is none. */
    bars: (finding: string, reasons: readonly Beside[]): boolean => {
      for (const reason of reasons) told.set(reason, (told.get(reason) ?? new Set()).add(finding))
      return reasons.some((reason) => seen.has(reason))
    },
    /** Notes that it was seen; the findings that hold no more. */
    see: (reason: Beside): readonly string[] => {
      seen.add(reason)
      const findings = [...(told.get(reason) ?? [])]
      told.delete(reason)
      return findings
    },
  }
}

/** Takes back the findings that this may be the reason of. */
export const withdraw = (
  withdrawals: ReturnType<typeof createWithdrawals>,
  emit: (line: RecordLine) => void,
  reason: Beside,
): void => {
  for (const finding of withdrawals.see(reason)) emit({ type: 'withdrawn', finding })
}
