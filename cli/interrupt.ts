// How a command is told to end: the first signal lets it finish and write what it has, a later one ends it at once.

/** A terminal and a supervisor may both pass on one Ctrl-C: signals within this time are one. */
const onceMs = 1000

/** Where a command is run without a terminal to lose, as under nohup, SIGHUP is ignored: a handler would undo that. */
const always = ['SIGINT', 'SIGTERM']

export interface Interrupt {
  /** Whether it was told to end. */
  readonly came: () => boolean
  /** Gives the signals back, when the command has ended. */
  readonly release: () => void
}

interface Surroundings {
  readonly hangUp?: boolean
  readonly source?: Pick<NodeJS.Process, 'on' | 'off'>
  readonly now?: () => number
  readonly exit?: (code: number) => void
}

/** `hangUp`: the command ends when its terminal goes, too, for what it has made is to be removed. */
export const onInterrupt = (
  end: () => void,
  { hangUp = false, source = process, now = () => performance.now(), exit = process.exit }: Surroundings = {},
): Interrupt => {
  const signals = hangUp ? [...always, 'SIGHUP'] : always
  let first: number | undefined
  const handle = (): void => {
    if (first === undefined) {
      first = now()
      end()
    } else if (now() - first >= onceMs) exit(130)
  }
  for (const signal of signals) source.on(signal, handle)
  return {
    came: () => first !== undefined,
    release: () => {
      for (const signal of signals) source.off(signal, handle)
    },
  }
}

/** Waits until the command is told to end. What it then has left to do may be ended at once, so the signals are kept as long as the process. */
export const interrupted = (): Promise<void> => new Promise((resolve) => void onInterrupt(resolve))
