// Counts programs that showed nothing because the target itself gave no reply, and says when they are too many to call it conforming.

/** More programs than one in so many are too many. */
const fewDisturbed = 10

export const createDisturbances = () => {
  const byOperation = new Map<string, { all: number; disturbed: number }>()
  return {
    note: (operation: string, isAmiss: boolean): void => {
      const count = byOperation.get(operation) ?? { all: 0, disturbed: 0 }
      byOperation.set(operation, { all: count.all + 1, disturbed: count.disturbed + (isAmiss ? 1 : 0) })
    },
    /** Why the target can't be called conforming; undefined if it can. */
    tell: (): string | undefined => {
      const counts = [...byOperation]
      const [all, disturbed] = (['all', 'disturbed'] as const).map((name) =>
        counts.reduce((sum, [, count]) => sum + count[name], 0),
      ) as [number, number]
      const bare = counts.flatMap(([operation, count]) => (count.disturbed === count.all ? [operation] : []))
      if (bare.length === 0 && disturbed * fewDisturbed <= all) return undefined
      const where = bare.length > 0 ? `, among them all of ${bare.join(', ')}` : ''
      return `${disturbed} of ${all} programs showed nothing${where}: no reply came, or what stands before the target answered in its place; see why, or send less with pace.rate and pace.concurrency`
    },
  }
}
