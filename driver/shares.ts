// The shares of locks in use by programs side by side, and who waits for some; sends nothing.

import type { Lock } from './locks.js'

/** Locks that a program takes when it first needs one of them. */
export interface LateLocks {
  /** Waits until they are taken, the first time that it is called. */
  readonly take: () => Promise<void>
  readonly areTaken: () => boolean
  /** Whether they were asked for and are not taken yet. */
  readonly areAwaited: () => boolean
  /** Gives them back, if they were asked for. */
  readonly give: () => void
}

interface Waiting {
  readonly locks: readonly Lock[]
  readonly rank: number
  readonly enter: () => void
}

/** The shares in use, by key. */
export const createShares = () => {
  const taken = new Map<string, number>()
  const waiting: Waiting[] = []

  const add = (locks: readonly Lock[], sign: 1 | -1): void => {
    for (const { key, amount } of locks) taken.set(key, (taken.get(key) ?? 0) + sign * amount)
  }
  const areFree = (locks: readonly Lock[]): boolean =>
    locks.every(({ key, amount, capacity }) => (taken.get(key) ?? 0) + amount <= capacity)

  /**
   * Keys that are not to be taken before a unit that needs them whole: those that one other has whole, and only when there are none,
   * all that it needs whole, since those who have a share of them are soon done if nobody follows.
   */
  const awaited = (locks: readonly Lock[]): readonly string[] => {
    const alone = locks.filter(({ amount, capacity }) => amount === capacity)
    if (areFree(alone)) return []
    const full = alone.filter(({ key, capacity }) => (taken.get(key) ?? 0) >= capacity)
    return (full.length > 0 ? full : alone).map(({ key }) => key)
  }

  /** Lets in who may go, of higher rank first; who has a lower rank leaves to others what they need alone. */
  const advance = (): void => {
    const kept = new Set<string>()
    for (const one of waiting.toSorted((a, b) => b.rank - a.rank)) {
      if (!areFree(one.locks) || one.locks.some(({ key }) => kept.has(key))) {
        for (const key of awaited(one.locks)) kept.add(key)
        continue
      }
      waiting.splice(waiting.indexOf(one), 1)
      add(one.locks, 1)
      one.enter()
    }
  }

  const wait = (one: Waiting): void => {
    waiting.push(one)
    advance()
  }

  const give = (locks: readonly Lock[]): void => {
    add(locks, -1)
    advance()
  }

  return {
    take: (locks: readonly Lock[]) => add(locks, 1),
    give,
    areFree,
    awaited,
    /**
     * They are taken all at once, and who has them waits for no further locks, so no two wait for each other. Of those that wait, who
     * has the higher rank goes first.
     */
    late: (locks: readonly Lock[], rank: number): LateLocks => {
      let entered: Promise<void> | undefined
      let areTaken = false
      return {
        take: () => {
          entered ??= new Promise((resolve) => {
            const enter = (): void => {
              areTaken = true
              resolve()
            }
            wait({ locks, rank, enter })
          })
          return entered
        },
        areTaken: () => areTaken,
        areAwaited: () => entered !== undefined && !areTaken,
        // A program may have ended in an error while one of its calls still waited.
        give: () => void entered?.then(() => give(locks)),
      }
    },
  }
}
