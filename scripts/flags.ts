// What the scripts share of reading their arguments: a usage for --help, and a clear word for what is not known; it runs nothing.
import { type ParseArgsConfig, parseArgs } from 'node:util'

type Flags = NonNullable<ParseArgsConfig['options']>

/** Ends the process with 2 and says what was wrong with its arguments. */
type Refuse = (text: string) => never

/**
 * Reads the arguments of a script. Asked for help it prints the usage and ends with 0; for a flag that is not known, or an argument
 * too many, it ends with 2.
 * @param most how many arguments besides flags it takes
 */
export const readFlags = <const F extends Flags>(usage: string, options: F, most: number) => {
  const refuse: Refuse = (text) => {
    process.stderr.write(`${text}\n\n${usage}\n`)
    process.exit(2)
  }
  const parsed = parsedOr(refuse, options)
  if (parsed.values.help === true) {
    process.stdout.write(`${usage}\n`)
    process.exit(0)
  }
  const { [most]: surplus } = parsed.positionals
  if (surplus !== undefined) refuse(`${JSON.stringify(surplus)} is one argument too many`)
  return {
    values: parsed.values as ReturnType<typeof parseArgs<{ options: F }>>['values'],
    positionals: parsed.positionals,
    refuse,
  }
}

const parsedOr = <F extends Flags>(refuse: Refuse, options: F) => {
  try {
    return parseArgs({
      options: { ...options, help: { type: 'boolean', short: 'h' } } as Flags,
      allowPositionals: true,
    })
  } catch (error) {
    // What follows the first sentence of Node.js tells how to pass such a flag as an argument.
    return refuse((error as Error).message.split('. ')[0] as string)
  }
}

/** A whole number from 0 up. */
export const wholeNumber = (text: string, what: string, refuse: Refuse): number =>
  /^\d+$/.test(text) ? Number(text) : refuse(`${what}: expected a whole number, received ${JSON.stringify(text)}`)

/** A whole number from 1 up, as of what is counted or divided by. */
export const positiveNumber = (text: string, what: string, refuse: Refuse): number =>
  wholeNumber(text, what, refuse) || refuse(`${what}: expected 1 or more, received ${text}`)

/** One of so many, such as 3/10: which, counted from 0, and of how many. */
export const shareOf = (text: string, what: string, refuse: Refuse): readonly [number, number] => {
  const [, at, of] =
    /^(\d+)\/([1-9]\d*)$/.exec(text) ?? refuse(`${what}: expected such as 3/10, received ${JSON.stringify(text)}`)
  return [Number(at), Number(of)]
}
