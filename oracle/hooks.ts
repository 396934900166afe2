// Keeps back what rests on a hook of the target file until the hook has been seen to do something: an idle one accuses nobody.

import type { Spotted } from './episode.js'

/** What was kept back to the end, since the hook showed in nothing at all. */
export interface Idle {
  readonly hook: string
  /** Clauses that nothing decides without it. */
  readonly clauses: readonly string[]
}

export interface HookWatch {
  /** A program calls a hook. */
  readonly called: (instance: number, hook: string) => void
  /** What a hook brought about, or read, has been seen. */
  readonly prove: (hook: string) => void
  /** A program has shown its clause, and so that the hooks that it called do what they say. */
  readonly showed: (instance: number) => void
  /** Those that can be told now, and those kept back until now that can be told since. */
  readonly tellable: (spotted: readonly Spotted[]) => readonly Spotted[]
  /** What is left when all is over: several operations that take no notice of a hook tell of the hook, a single one of itself. */
  readonly rest: () => { readonly spotted: readonly Spotted[]; readonly idle: readonly Idle[] }
}

export const createHookWatch = (): HookWatch => {
  const callers = new Map<number, Set<string>>()
  const proven = new Set<string>()
  const kept = new Map<string, Spotted[]>()
  /** The hook that a deviation rests on: the one that reads events, or the one that the program of its clause calls. */
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
    called: (instance, hook) => void callers.set(instance, new Set([...(callers.get(instance) ?? []), hook])),
    prove: (hook) => void proven.add(hook),
    showed: (instance) => {
      for (const hook of callers.get(instance) ?? []) proven.add(hook)
    },
    tellable: (spotted) => {
      const now = spotted.filter((one) => {
        const hook = hookBehind(one)
        if (hook === undefined || proven.has(hook)) return true
        kept.set(hook, [...(kept.get(hook) ?? []), one])
        return false
      })
      return [...release(), ...now]
    },
    rest: () => {
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
