// Calls the hooks of a target file, which are the user's code: with a time limit, a check of the result, and errors named as the hook's.

import type { Hooks } from '../config/target-file.js'

/** An error of a hook, told to its author. */
export class HookError extends Error {
  override readonly name = 'HookError'
}

/** Asked of all events of a run after each of its writes. */
const isEvents = (result: unknown): boolean =>
  Array.isArray(result) && result.every((one) => typeof one?.action === 'string' && one.action !== '')

/** The same hooks; every error in one becomes a HookError. */
export const guardHooks = (hooks: Hooks, limitMs: number): Hooks =>
  Object.fromEntries(
    Object.entries(hooks).map(([name, hook]) => [
      name,
      async (...args: never[]): Promise<unknown> => {
        const result = await within(limitMs, name, hook as (...args: never[]) => unknown, args)
        if (name === 'readEvents' && !isEvents(result))
          throw new HookError(
            `hook readEvents returned ${shown(result)}: expected an array of objects, each with the kind of event as text in "action"`,
          )
        return result
      },
    ]),
  )

/** Why a hook failed; undefined if it did not. */
export const hookFailure = (called: Promise<void>): Promise<string | undefined> =>
  called.then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof HookError) return error.message
      throw error
    },
  )

const within = async (
  limitMs: number,
  name: string,
  hook: (...args: never[]) => unknown,
  args: never[],
): Promise<unknown> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new HookError(`hook ${name} did not end within ${limitMs} ms: mend it, or raise pace.hooks`)),
      limitMs,
    )
  })
  try {
    return await Promise.race([(async () => hook(...args))(), late])
  } catch (error) {
    if (error instanceof HookError) throw error
    throw new HookError(`hook ${name} failed: ${error instanceof Error ? error.message : String(error)}`)
  } finally {
    clearTimeout(timer)
  }
}

const shown = (value: unknown): string => (JSON.stringify(value) ?? String(value)).slice(0, 100)
