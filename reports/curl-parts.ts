// What the shell script of a finding is written from: what is known while it is, and texts quoted for a shell; no command.
import type { Finding, RecordedStep, Rests, Undo } from '../history/record.js'

/** Shell variable that holds an id from an earlier reply, by the id and the resource it is of. */
export interface Captured {
  readonly variable: string
  readonly resource: string
  readonly value: string
  /** Whether a later step cannot do without it. */
  readonly used: boolean
}

/** How what a step made is removed, and where it is looked at until it has come to rest; undefined where nothing does. */
export interface Ways {
  readonly undoOf: (step: RecordedStep) => Undo | undefined
  readonly restsOf: (step: RecordedStep) => Rests | undefined
  /** How a tag is removed that came to be by being given to something. */
  readonly untag: Undo | undefined
}

/** What a script knows while its commands are written. */
export interface Context extends Ways {
  readonly finding: Finding
  /** Environment variable of each token. */
  readonly tokens: ReadonlyMap<string, string>
  /** By the index of the step whose reply has it. */
  readonly captures: ReadonlyMap<number, Captured>
  /** Text of the recorded run that `$NONCE` stands for. */
  readonly nonce: string | undefined
}

/** Quotes a text for a POSIX shell: nothing but a single quote is special between single quotes. */
export const shellQuote = (text: string): string => `'${text.replaceAll('\u0000', '').replaceAll("'", "'\\''")}'`

export const capturedIn = (earlier: readonly Captured[], name: string, value: string): Captured | undefined =>
  earlier.findLast((candidate) => candidate.value === value && isOf(name, candidate.resource))

/** Literal parts quoted together, variables between them. */
export function joinParts(
  parts: readonly { readonly text: string; readonly variable?: string }[],
  quote: (text: string) => string,
): string {
  let joined = ''
  let literal = ''
  for (const { text, variable } of parts) {
    literal += text
    if (variable !== undefined) {
      joined += `${literal === '' ? '' : quote(urlSafe(literal))}"$${variable}"`
      literal = ''
    }
  }
  return literal === '' ? joined : joined + quote(urlSafe(literal))
}

/** The text quoted, with the variable in place of the recorded run's nonce. */
export const withNonce = ({ nonce }: Context, text: string): string =>
  nonce === undefined ? shellQuote(text) : text.split(nonce).map(shellQuote).join('"$NONCE"')

/** Whether a path parameter such as `volumeId` names a record of a resource such as `volumes`. */
export const isOf = (parameter: string, resource: string): boolean => {
  const word = parameter.replace(/_?id$/i, '').toLowerCase()
  return word.length > 2 && resource.toLowerCase().includes(word)
}

/** Characters that can't stand in a URL, percent-encoded; what is encoded already stays. */
const urlSafe = (text: string): string =>
  text.replace(/\p{Cs}/gu, '\ufffd').replace(/[^\x21-\x7e]/gu, (character) => encodeURIComponent(character))
