// Counts programs that showed nothing because the target itself gave no reply, and says when they are too many to call it conforming.

/** More programs than one in so many are too many. */
const fewDisturbed = 10

/** What kept a program from showing anything: nothing, what may be otherwise the next time, or what is answered so each time. */
type Amiss = 'nothing' | 'disturbed' | 'barred'

export const createDisturbances = () => {
  const byOperation = new Map<string, { readonly [Kind in Amiss]: number }>()
  return {
    note: (operation: string, amiss: Amiss): void => {
      const count = byOperation.get(operation) ?? { nothing: 0, disturbed: 0, barred: 0 }
      byOperation.set(operation, { ...count, [amiss]: count[amiss] + 1 })
    },
    /** Why the target can't be called conforming; undefined if it can. Some calls may be barred each time, but not all of an operation. */
    tell: (): string | undefined => {
      const counts = [...byOperation]
      const [nothing, disturbed, barred] = (['nothing', 'disturbed', 'barred'] as const).map((name) =>
        counts.reduce((sum, [, count]) => sum + count[name], 0),
      ) as [number, number, number]
      const all = nothing + disturbed + barred
      const bare = counts.flatMap(([operation, count]) => (count.nothing === 0 ? [operation] : []))
      if (bare.length === 0 && disturbed * fewDisturbed <= all) return undefined
      const where = bare.length > 0 ? `, among them all of ${bare.join(', ')}` : ''
      return `${disturbed + barred} of ${all} programs showed nothing${where}: no reply came, or what stands before the target answered in its place; see why, or send less with pace.rate and pace.concurrency`
    },
  }
}
