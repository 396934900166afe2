// Reads run.ndjson line by line; what a crash left of the last line is forgiven, anything else that is broken is not.
import type { RecordLine } from '../history/record.js'

/** Members that a line of each type can't do without, with the JSON type of each. */
const NEEDED: Readonly<Record<RecordLine['type'], Readonly<Record<string, 'string' | 'number' | 'object'>>>> = {
  start: {
    format: 'number',
    suite: 'object',
    interface: 'string',
    target: 'object',
    startedAt: 'string',
    setting: 'object',
    clauses: 'object',
    operations: 'object',
    choices: 'object',
    defects: 'object',
  },
  step: { n: 'number', at: 'number', ms: 'number', call: 'object', outcome: 'object', verdict: 'string' },
  exercised: { clause: 'string', step: 'number' },
  untestable: { clause: 'string', reason: 'string' },
  untested: { clause: 'string', reason: 'string' },
  choice: { id: 'string', value: 'string' },
  finding: { finding: 'object' },
  trouble: { kind: 'string', text: 'string' },
  hook: { n: 'number', program: 'string', hook: 'string', args: 'object' },
  surveyed: { account: 'string' },
  events: { n: 'number', further: 'object' },
  walked: { instance: 'number', walks: 'object' },
  ended: { program: 'string', instance: 'number' },
  assumed: { n: 'number', assumed: 'string' },
  left: { kind: 'string', key: 'string', reason: 'string' },
  end: { durationMs: 'number', verdict: 'string' },
}

/**
 * The lines of a run record that arrives in chunks, such as a file's read stream; `file` is named in errors.
 * Throws with file and line at a line that is not one of the record's, unless it is the last and was cut off.
 */
export async function* readRecord(
  chunks: AsyncIterable<Uint8Array | string>,
  file: string,
): AsyncGenerator<RecordLine, void, undefined> {
  const decoder = new TextDecoder()
  let rest = ''
  let number = 0
  for await (const chunk of chunks) {
    const texts = (rest + (typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true }))).split('\n')
    rest = texts.pop() ?? ''
    for (const text of texts) {
      number += 1
      if (text.trim() !== '') yield parseLine(text, file, number)
    }
  }
  const last = parseLast(rest + decoder.decode(), file, number + 1)
  if (last !== undefined) yield last
}

/** The same for a record that is in memory. */
export function* parseRecord(text: string, file: string): Generator<RecordLine, void, undefined> {
  const texts = text.split('\n')
  const rest = texts.pop() ?? ''
  for (const [index, line] of texts.entries()) if (line.trim() !== '') yield parseLine(line, file, index + 1)
  const last = parseLast(rest, file, texts.length + 1)
  if (last !== undefined) yield last
}

/** The last line has no line feed after it: a crash may have cut it off anywhere. */
function parseLast(text: string, file: string, number: number): RecordLine | undefined {
  try {
    JSON.parse(text)
  } catch {
    return undefined
  }
  return parseLine(text, file, number)
}

function parseLine(text: string, file: string, number: number): RecordLine {
  const where = `${file}:${number}`
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`${where}: expected a line of a run record, received text that is not JSON (${reason})`)
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw new Error(`${where}: expected an object with a "type", received ${text.slice(0, 60)}`)
  const line = json as Record<string, unknown>
  const needed = NEEDED[line.type as RecordLine['type']]
  if (needed === undefined || !Object.hasOwn(NEEDED, String(line.type)))
    throw new Error(
      `${where}: expected "type" to be one of ${Object.keys(NEEDED).join(', ')}, received ${JSON.stringify(line.type) ?? 'none'}; was this written by a newer version?`,
    )
  for (const [member, kind] of Object.entries(needed)) {
    const value = line[member]
    if (typeof value !== kind || value === null)
      throw new Error(
        `${where}: /${member} of a "${String(line.type)}" line: expected ${kind}, received ${JSON.stringify(value)?.slice(0, 60) ?? 'nothing'}`,
      )
  }
  if (line.type === 'start' && line.format !== 1)
    throw new Error(`${where}: /format: expected 1, received ${JSON.stringify(line.format)}; use a newer version`)
  return json as RecordLine
}
