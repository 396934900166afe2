// Reads run.ndjson line by line; what a crash left of the last line is forgiven, anything else that is broken is not.
import { faultOfLine } from '../history/lines.js'
import type { RecordLine } from '../history/record.js'

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
  const fault = faultOfLine(json)
  if (fault !== undefined) throw new Error(`${where}: ${fault}`)
  return json as RecordLine
}
