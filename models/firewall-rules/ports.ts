// Port strings as the document's limits describe them, read three-valued; not which protocols take them.
import type { Ternary } from '../language/clause.js'

/** Which rules of a port string a text breaks; undefined where the document does not tell. */
export interface PortFaults {
  /** It is no port, no range and no comma-separated list of these. */
  readonly form: Ternary
  /** A space stands elsewhere than after a comma. */
  readonly spaces: boolean
  /** A port is not in 1..65535. */
  readonly bounds: boolean
  readonly leadingZero: boolean
  /** A range does not end above its start. */
  readonly descending: boolean
  /** It has more than 15 pieces. */
  readonly tooMany: boolean
  /** A port stands in it twice; nothing is said of that. */
  readonly repeats: boolean
}

type Interval = readonly [from: number, to: number]

const largestPort = 65535
const mostPieces = 15
const none = { spaces: false, bounds: false, leadingZero: false, descending: false, tooMany: false, repeats: false }

/** One space may follow a comma; that none may stand elsewhere is an inference. */
const hasPlainSpaces = (text: string): boolean => /^\S+(?: \S+)*$/.test(text) && !/[^,] /.test(text)

const numbersOf = (piece: string): readonly string[] | undefined =>
  /^(\d+)(?:\s*-\s*(\d+))?$/.exec(piece)?.slice(1).filter(Boolean)

const piecesOf = (text: string): readonly (readonly string[] | undefined)[] =>
  text.split(',').map((piece) => numbersOf(piece.trim()))

const intervalOf = ([from, to = from]: readonly string[]): Interval => [Number(from), Number(to)]

const overlap = (intervals: readonly Interval[]): boolean => {
  const sorted = [...intervals].sort(([a], [b]) => a - b)
  return sorted.some(([from], i) => i > 0 && from <= (sorted[i - 1] as Interval)[1])
}

/** Reads a port string. An empty one may stand for none, so it stays undecided. */
export const readPorts = (text: string): PortFaults => {
  if (text.trim() === '') return { ...none, form: undefined }
  const pieces = piecesOf(text)
  if (pieces.includes(undefined)) return { ...none, form: true }
  const numbers = pieces as readonly (readonly string[])[]
  const intervals = numbers.map(intervalOf)
  return {
    form: false,
    spaces: !hasPlainSpaces(text),
    bounds: intervals.flat().some((port) => port < 1 || port > largestPort),
    leadingZero: numbers.flat().some((digits) => /^0\d/.test(digits)),
    descending: numbers.some(
      (piece, i) => piece.length === 2 && (intervals[i] as Interval)[1] <= (intervals[i] as Interval)[0],
    ),
    tooMany: numbers.flat().length > mostPieces,
    repeats: overlap(intervals),
  }
}

/** Ascending intervals, those that touch made one. */
const join = (sorted: readonly Interval[]): readonly Interval[] => {
  const joined: Interval[] = []
  for (const [from, to] of sorted) {
    const last = joined.at(-1)
    if (last && from <= last[1] + 1) joined[joined.length - 1] = [last[0], Math.max(last[1], to)]
    else joined.push([from, to])
  }
  return joined
}

/** The ports that a text stands for, in one spelling; undefined where it is no port string. */
export const canonicalPorts = (text: string): string | undefined => {
  const pieces = piecesOf(text)
  if (pieces.includes(undefined)) return undefined
  const sorted = (pieces as readonly (readonly string[])[]).map(intervalOf).sort(([a], [b]) => a - b)
  return join(sorted)
    .map(([from, to]) => `${from}-${to}`)
    .join(',')
}

/** The spelling of all ports, which is what an unset port string stands for. */
export const allPorts = `1-${largestPort}`
