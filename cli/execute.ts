// Runs one command line to its exit code: reads it, and turns whatever goes wrong into one message.

import { Console } from 'node:console'
import type { Command } from 'commander'
import { endingOf, isDebugging, UsageError } from './errors.js'
import { misspeltVariables, tidyVariables } from './flags.js'
import { createProgram } from './program.js'

/**
 * @param args what follows `touchstone`
 * @returns the exit code: 0, 1, 2, 3 or 130
 */
export const execute = async (args: readonly string[]): Promise<number> => {
  let exitCode = 0
  const { console: before } = globalThis
  // What a target file or its hooks print is for who wrote them; standard output is the result's.
  globalThis.console = new Console(process.stderr, process.stderr)
  try {
    const unclear = tidyVariables(process.env)
    if (unclear !== undefined)
      throw new UsageError(
        `environment variable ${unclear}: expected 1, true, 0 or false; received ${JSON.stringify(process.env[unclear])}. Correct it or unset it.`,
      )
    const program = createProgram(commandText(args), (code) => {
      exitCode = code
    })
    for (const { name, meant } of misspeltVariables(process.env, program))
      process.stderr.write(
        `touchstone: warning: nothing reads the environment variable ${name}; did you mean ${meant}?\n`,
      )
    await program.parseAsync([...wordsOf(program, args)], { from: 'user' })
    return exitCode
  } catch (error) {
    const ending = endingOf(error, isDebugging())
    if (ending.message !== undefined) process.stderr.write(`${ending.message}\n`)
    return ending.exitCode
  } finally {
    globalThis.console = before
  }
}

/** The words of a command line. The name of a command that is not there stands alone: no help could be given for it. */
const wordsOf = ({ commands }: Command, args: readonly string[]): readonly string[] => {
  const name = args[0] === 'help' ? args[1] : args[0]
  const isUnknown = name !== undefined && /^(?!help$)\w/.test(name) && !commands.some((one) => one.name() === name)
  return isUnknown ? [name] : args
}

/** The command as typed, for the record; without the credentials that a URL may carry. */
const commandText = (args: readonly string[]): string =>
  ['touchstone', ...args]
    .map((arg) => arg.replace(/\/\/[^/@\s]*@/, '//…@'))
    .map((arg) => (/^[\w@%+=:,./…-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", "'\\''")}'`))
    .join(' ')
