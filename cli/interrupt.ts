// How a command is told to end: the first signal lets it finish and write what it has, a later one ends it at once.

/** A terminal and a supervisor may both pass on one Ctrl-C: signals within this time are one. */
const onceMs = 1000

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** @returns whether it was told to end */
export const onInterrupt = (end: () => void): (() => boolean) => {
  let first: number | undefined
  const handle = (): void => {
    const now = performance.now()
    if (first !== undefined && now - first < onceMs) return
    if (first !== undefined) process.exit(130)
    first = now
    end()
  }
  for (const signal of signals) process.on(signal, handle)
  return () => first !== undefined
}

/** Waits until the command is told to end. */
export const interrupted = (): Promise<void> => new Promise((resolve) => void onInterrupt(resolve))
