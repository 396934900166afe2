// Holds back findings that depend on a hook of the target file until that hook has been seen to work; nothing is judged here.

import type { Spotted } from './episode.js'

/** A hook that had no visible effect in the whole run. */
export interface Idle {
  readonly hook: string
  /** Clauses that depend on it and were not decided. */
  readonly clauses: readonly string[]
}

export type HookWatch = ReturnType<typeof createHookWatch>

export const createHookWatch = () => {
  const callers = new Map<number, Set<string>>()
  const proven = new Set<string>()
  const kept = new Map<string, Spotted[]>()
  /** The hook that a deviation depends on: the one that reads events, or the one that the program of its clause calls. */
  const hookBehind = ({ deviation: { kind, clause }, calls }: Spotted): string | undefined => {
    const last = calls.at(-1)
    if (kind === 'silent') return 'readEvents'
    return last?.clause === clause ? [...(callers.get(last.instance ?? 0) ?? [])][0] : undefined
  }
  const release = (): readonly Spotted[] =>
    [...kept].flatMap(([hook, spotted]) => {
      if (!proven.has(hook)) return []
      kept.delete(hook)
      return spotted
    })
  return {
    /** A program calls a hook. */
    called: (instance: number, hook: string): void =>
      void callers.set(instance, new Set([...(callers.get(instance) ?? []), hook])),
    /** The hook has been seen to work. */
    prove: (hook: string): void => void proven.add(hook),
    /** A program has shown its clause, so the hooks that it called work. */
    showed: (instance: number): void => {
      for (const hook of callers.get(instance) ?? []) proven.add(hook)
    },
    /** The deviations that depend on no hook or on one that works, with those held back for such a hook before. */
    tellable: (spotted: readonly Spotted[]): readonly Spotted[] => {
      const now = spotted.filter((one) => {
        const hook = hookBehind(one)
        if (hook === undefined || proven.has(hook)) return true
        kept.set(hook, [...(kept.get(hook) ?? []), one])
        return false
      })
      return [...release(), ...now]
    },
    /** At the end of the run: a hook that several operations ignore counts as idle; what a single operation ignores is a finding. */
    rest: (): { readonly spotted: readonly Spotted[]; readonly idle: readonly Idle[] } => {
      const left = [...kept].map(([hook, spotted]) => {
        const accused = new Set(spotted.map(({ deviation: { operation } }) => operation))
        const clauses = [...new Set(spotted.map(({ deviation: { clause } }) => clause))]
        return { hook, spotted, clauses, isIdle: accused.size > 1 }
      })
      kept.clear()
      return {
        spotted: left.flatMap(({ spotted, isIdle }) => (isIdle ? [] : spotted)),
        idle: left.flatMap(({ hook, clauses, isIdle }) => (isIdle ? [{ hook, clauses }] : [])),
      }
    },
  }
}
