// The command line as commander knows it: the commands, their flags and help; what they do is in files of their own.

import { Command, Help, type Option } from 'commander'
import { packageVersion } from '../config/version.js'
import { interfaceVersion } from '../models/index.js'
import { fileCommands } from './commands-files.js'
import { registryCommands } from './commands-registry.js'
import { runCommands } from './commands-run.js'
import { targetCommands } from './commands-target.js'
import { notEmpty, once } from './values.js'

/** @param finish is told the exit code of the command that ran */
export const createProgram = (command: string, finish: (exitCode: number) => void): Command => {
  const program = new Command('touchstone')
    .description(
      `Holds an implementation of the cloud account interface ${interfaceVersion} against its document, and names the sentence that was broken.`,
    )
    .version(packageVersion(), '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .configureHelp({ sortSubcommands: false, optionDescription: describeOption })
    .showHelpAfterError('(touchstone --help says more)')
    .showSuggestionAfterError()
    .exitOverride()
    .addHelpText('after', epilogue)
  for (const add of [runCommands, fileCommands, targetCommands, registryCommands]) add(program, { command, finish })
  for (const one of [program, ...program.commands])
    one.configureOutput({ outputError: (text, write) => write(errorText(text, one)) })
  for (const { options } of program.commands) for (const option of options) readsText(option)
  return program
}

/** A missing argument is told with what it is. */
const errorText = (text: string, { registeredArguments }: Command): string =>
  text.replace(/^error: /, 'touchstone: ').replace(/(?<=missing required argument )'(.+)'/, (quoted, name) => {
    const missing = registeredArguments.find((one) => one.name() === name)
    const choices = missing?.argChoices ? `, one of ${missing.argChoices.join(', ')}` : ''
    return missing ? `${quoted}: ${missing.description}${choices}` : quoted
  })

/** A flag with a value and no reader of its own takes any text but an empty one, as a script passes for a variable that is not set. */
const readsText = (option: Option): void => {
  if (option.required && !option.parseArg) once(option, notEmpty)
}

/** That a switch is off by default goes without saying. */
const describeOption = (option: Option): string =>
  new Help().optionDescription(option).replace('default: false, ', '').replace(' (default: false)', '')

const epilogue = `
Start here:
  $ touchstone run                  try it on the embedded target
  $ touchstone init                 write a target file and a CI workflow
  $ touchstone doctor               see what can be tested on your target
  $ touchstone run --area volumes   run a part of it

Environment variables named in the help of a command stand above the target
file, flags above both.
Exit codes: 0 conforms, 1 nonconforming, 2 bad usage or target file,
3 inconclusive, 130 interrupted.`
