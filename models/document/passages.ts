// The document taken apart: every sentence and every cell of a table, each with an anchor of its own; what holds it stands elsewhere.
import { documentText } from './text.js'

export interface Passage {
  /** `limits/4/2`: section, then the item or the row and column, then the sentence. Fixed with the document's version. */
  readonly anchor: string
  /** Title of the section, with those above it that are no chapter: `Endpoints / Volumes`. */
  readonly section: string
  /** Name of the table, where it has one: `Volume create body`. */
  readonly table?: string
  /** What the row is about: `label`, `POST /volumes`. */
  readonly row?: string
  readonly column?: string
  /** Word for word. */
  readonly text: string
}

const slug = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, '-')
    .replace(/^-|-$/g, '')

/** Sentences, and what semicolons part, without them; not what stands in parentheses. */
const sentencesOf = (text: string): readonly string[] => {
  const found: string[] = []
  let depth = 0
  let from = 0
  for (let i = 0; i < text.length; i += 1) {
    if (text[i] === '(') depth += 1
    if (text[i] === ')') depth -= 1
    const ends = depth === 0 && (text[i] === '.' || text[i] === ';') && text[i + 1] === ' '
    if (!ends || (text[i] === '.' && /(?:\b(?:e\.g|i\.e)|(?:^|\s)\.\w*)$/.test(text.slice(from, i)))) continue
    found.push(text.slice(from, text[i] === ';' ? i : i + 1).trim())
    from = i + 1
  }
  return [...found, text.slice(from).trim()].filter((one) => one !== '')
}

interface Reader {
  readonly chapter: string
  readonly section: string
  /** The last line that ended in a colon, which names what follows. */
  readonly lead: string | undefined
}

/** What a title says besides, in parentheses, is a passage of its own. */
const titleOf = ({ chapter, section }: Reader): string => {
  const own = section.replace(/ \(.*\)$/, '')
  if (own === '') return chapter.includes(':') ? 'Preamble' : chapter
  return chapter === 'Endpoints' ? `${chapter} / ${own}` : own
}

const cellsOf = (line: string): readonly string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())

/** A table's rows, each cell of each row a passage or several. */
const ofTable = (lines: readonly string[], reader: Reader): readonly Passage[] => {
  const [head = '', , ...rows] = lines
  const columns = cellsOf(head)
  const isOfCalls = columns[0] === 'Method'
  const table = reader.lead
  const base = [slug(titleOf(reader)), ...(table === undefined ? [] : [slug(table)])].join('/')
  return rows.flatMap((line) => {
    const cells = cellsOf(line)
    // Rows of states are told apart by their triggers.
    const row = isOfCalls ? `${cells[0]} ${cells[1]}` : ((columns[1] === 'Trigger' ? cells[1] : cells[0]) ?? '')
    const own = isOfCalls ? ['', row, ...cells.slice(2)] : cells
    return own.flatMap((cell, i) => {
      const column = columns[i] ?? ''
      return sentencesOf(cell).map((text, n, all) => ({
        anchor: `${base}/${slug(row)}/${slug(column)}${all.length > 1 ? `/${n + 1}` : ''}`,
        section: titleOf(reader),
        ...(table !== undefined && { table }),
        row,
        column,
        text,
      }))
    })
  })
}

const isTable = (line: string | undefined): boolean => line?.startsWith('|') === true

/** Lines one by one, those of a table together. */
const blocksOf = (lines: readonly string[]): readonly (readonly string[])[] => {
  const blocks: string[][] = []
  for (const line of lines)
    if (isTable(line) && isTable(blocks.at(-1)?.[0])) blocks.at(-1)?.push(line)
    else blocks.push([line])
  return blocks
}

/** The reader behind a heading, undefined for any other line. */
const behindHeading = (line: string, { chapter }: Reader): Reader | undefined => {
  const [, level = '', title = ''] = /^(#+) (.*)$/.exec(line) ?? []
  if (level === '') return undefined
  return level.length < 3
    ? { chapter: title, section: '', lead: undefined }
    : { chapter, section: title, lead: undefined }
}

/** A title may say something by itself. */
const ofTitle = (reader: Reader): readonly Passage[] => {
  const text = reader.section || reader.chapter
  return /\(.*\)/.test(text) ? [{ anchor: `${slug(titleOf(reader))}/title`, section: titleOf(reader), text }] : []
}

/** The sentences of a paragraph or an item, the n-th of its section. */
const ofLine = (line: string, reader: Reader, n: number): readonly Passage[] => {
  const section = titleOf(reader)
  const whole = line.replace(/^- /, '')
  const named = /^([A-Z][\w /-]{2,38}): /.exec(whole)
  return sentencesOf(whole).map((text, at, all) => ({
    ...(reader.lead !== undefined && { table: reader.lead }),
    anchor: `${slug(section)}/${n}${all.length > 1 ? `/${at + 1}` : ''}`,
    section,
    ...(named?.[1] !== undefined && { row: named[1] }),
    text,
  }))
}

const read = (text: string): readonly Passage[] => {
  const passages: Passage[] = []
  const counts = new Map<string, number>()
  const count = (section: string): number => {
    const n = (counts.get(section) ?? 0) + 1
    counts.set(section, n)
    return n
  }
  let reader: Reader = { chapter: '', section: '', lead: undefined }
  const blocks = blocksOf(text.split('\n'))
  for (const [i, block] of blocks.entries()) {
    const [line = ''] = block
    const behind = behindHeading(line, reader)
    if (behind) {
      reader = behind
      passages.push(...ofTitle(reader))
    } else if (isTable(line)) {
      passages.push(...ofTable(block, reader))
      reader = { ...reader, lead: undefined }
    } else if (/:$/.test(line) && /^(?:\||- )/.test(blocks[i + 2]?.[0] ?? '') && line.length < 40)
      reader = { ...reader, lead: line.slice(0, -1) }
    else if (line.trim() !== '') passages.push(...ofLine(line, reader, count(titleOf(reader))))
  }
  return passages
}

/** Every passage, in the document's order. */
export const passages: readonly Passage[] = read(documentText)
