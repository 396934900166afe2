// Which rows of docs/readings a clause or choice is named in: how a sentence that can be read in two ways is read.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { matchesGlob } from '../models/language/glob.js'

export interface Reading {
  /** What the document says. */
  readonly says: string
  readonly possible: string
  readonly taken: string
}

/** Beside the sources, or one folder above the compiled code. */
const places = ['../docs/readings/', '../../docs/readings/'].map((place) => new URL(place, import.meta.url))

interface Row extends Reading {
  /** Ids that the row names, `*` standing for any text. */
  readonly names: readonly string[]
}

let known: readonly Row[] | undefined

const rows = (): readonly Row[] => {
  const place = places.find((one) => existsSync(one))
  known ??= place ? readdirSync(place).flatMap((page) => rowsOf(readFileSync(new URL(page, place), 'utf8'))) : []
  return known
}

/** Rows of four or five columns: what it says, perhaps where, the readings, the one that is taken, its effect. */
const rowsOf = (text: string): readonly Row[] =>
  text.split('\n').flatMap((line) => {
    const cells = line.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'))
    const [effect, taken, possible] = cells.slice(1, -1).reverse()
    const says = cells[1]
    if (!effect || !taken || !possible || !says || cells.length < 6 || /^-+$/.test(says)) return []
    const names = [...effect.matchAll(/`([^`]+)`/g)].map(([, name]) => name as string)
    return [{ says, possible, taken, names }]
  })

export const readingsFor = (id: string): readonly Reading[] =>
  rows().flatMap(({ names, ...reading }) => (names.some((name) => matchesGlob(name, id)) ? [reading] : []))
