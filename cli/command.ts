// Small helpers by which commands are declared alike; no command.

import type { Command } from 'commander'
import { UsageError } from './errors.js'
import { type FlagName, flags } from './flags.js'

/** What the actions of all commands share. */
export interface Surroundings {
  /** The command as typed, for the record. */
  readonly command: string
  readonly finish: (exitCode: number) => void
}

/** Adds a group of commands. */
export type AddCommands = (program: Command, surroundings: Surroundings) => void

export interface Declaration {
  readonly name: string
  readonly summary: string
  /** More than the summary, as sentences. */
  readonly description: string
  readonly flags: readonly FlagName[]
  /** Command lines without `touchstone`, each with what it does. */
  readonly examples: readonly (readonly [string, string])[]
}

/** A command with its shared flags and examples; the caller adds arguments, further options and the action. */
export const declare = (
  program: Command,
  { name, summary, description, flags: names, examples }: Declaration,
): Command => {
  const command = program
    .command(name)
    .summary(summary)
    .description(description)
    .showHelpAfterError(`(touchstone ${name} --help says more)`)
  for (const option of flags(...names)) command.addOption(option)
  return command.addHelpText('after', `\nExamples:\n${examplesText(examples)}`)
}

/** @throws UsageError where flags were typed that have no effect beside another; variables are meant for every command */
export const refuseBeside = (command: Command, flag: string, why: string, long: readonly string[]): void => {
  const typed = command.options
    .filter((option) => command.getOptionValueSource(option.attributeName()) === 'cli')
    .flatMap((option) => long.filter((name) => name === option.long))
  if (typed.length > 0)
    throw new UsageError(
      `${command.name()}: expected no ${typed.join(' and ')} with ${flag}, ${why}. Leave out ${flag}, or what is beside it.`,
    )
}

/** The width that a terminal has at least. */
const narrowest = 80

/** In two columns, where these fit; otherwise what an example does stands below it. */
const examplesText = (examples: Declaration['examples']): string => {
  const commands = examples.map(([line, does]) => ({ line: `  $ touchstone ${line}`, does }))
  const widest = Math.max(...commands.map(({ line }) => line.length))
  const columns = commands.map(({ line, does }) => `${line.padEnd(widest)}   ${does}`)
  return columns.every((one) => one.length <= narrowest)
    ? columns.join('\n')
    : commands.map(({ line, does }) => `${line}\n      ${does}`).join('\n')
}
