// A finding in the form that the terminal, JUnit and HTML share: a head, then labelled rows.
import type { Finding } from '../history/record.js'
import type { Outcome, WireCall } from '../history/wire.js'
import { clip, visible, visibleJson, visibleLine } from './visible.js'

/** Label and text; the text may have several lines. */
export type Row = readonly [label: string, text: string]

const LABEL_WIDTH = 11

/** `volumes.resize.only-up  (must; States / Volume status)` */
export const findingHead = (finding: Finding): string =>
  visibleLine(`${finding.clause}  (${finding.level}; ${finding.source})`)

/** The rows below the head; no text is longer than `limit` characters. */
export function findingRows(finding: Finding, limit = 4_000): Row[] {
  const last = finding.steps.at(-1)
  const rows: Row[] = [
    ['requires', finding.requires],
    ['sent', last === undefined ? 'nothing' : `${sentLine(last.call, limit)}${asWhom(last.call)}`],
    ['expected', finding.expected],
    ['received', finding.received],
    ['because', finding.because.join('\n')],
    ['program', programText(finding, limit)],
    ['replay', finding.replay],
  ]
  return rows.filter(([, text]) => text !== '').map(([label, text]) => [label, visible(clip(text, limit))])
}

/** Head and rows as plain text, the labels in one column. */
export function findingText(finding: Finding, limit?: number): string {
  return [findingHead(finding), ...findingRows(finding, limit).map(rowText)].join('\n')
}

/** One row as text, its further lines indented below the first. */
export const rowText = ([label, text]: Row): string =>
  `  ${label.padEnd(LABEL_WIDTH)}${text.replaceAll('\n', `\n${' '.repeat(LABEL_WIDTH + 2)}`)}`

/** `POST /volumes/7/resize {"size":10}` */
export function sentLine(call: WireCall, limit = 4_000): string {
  const line = visibleLine(`${call.method} ${call.url}`)
  if (call.file !== undefined)
    return `${line} ${visibleLine(call.file.field)}=@${visibleLine(call.file.name)} (${call.file.bytes} bytes)`
  return call.body === undefined ? line : `${line} ${clip(visibleJson(call.body), limit)}`
}

/** `200 {"id":7,…}`, or why no reply came. */
export function outcomeLine(outcome: Outcome, limit = 4_000): string {
  if ('lost' in outcome)
    return visibleLine(`no reply (${outcome.lost}${outcome.detail === undefined ? '' : `: ${outcome.detail}`})`)
  if (outcome.body !== undefined) return `${outcome.status} ${clip(visibleJson(outcome.body), limit)}`
  if (outcome.text === undefined || outcome.text === '') return `${outcome.status} without a body`
  return `${outcome.status} ${clip(visibleLine(outcome.text), limit)}`
}

/** `owner`, or what stands for the absence of a name. */
export const tokenName = ({ as }: Pick<WireCall, 'as'>): string => {
  if (as === null) return 'nobody (no token)'
  const [, how = '', token = ''] = /^!(\w+) ?(.*)$/.exec(as) ?? []
  return visibleLine(CREDENTIALS[as] ?? CREDENTIALS[how]?.replace('…', token) ?? as)
}

/** Credentials that are no token of the target file, by what a record calls them. */
const CREDENTIALS: Readonly<Record<string, string>> = {
  '?': 'an unknown token',
  wrong: 'a made-up token',
  doubled: '… (its secret twice)',
  prefixed: '… (an x before its secret)',
  basic: '… (as Basic, not Bearer)',
  token: '… (as Token, not Bearer)',
  bare: '… (without the word Bearer)',
}

const asWhom = (call: WireCall): string => `   as ${tokenName(call)}`

/** A step a line, then how many they are. */
function programText(finding: Finding, limit: number): string {
  const lines = finding.steps.map((step, index) => `${index + 1}. ${visibleLine(step.line)}`).join('\n')
  const size =
    finding.shrunkFrom > finding.steps.length
      ? `${finding.steps.length} of ${finding.shrunkFrom} steps left after shrinking`
      : finding.steps.length === 1
        ? '1 step'
        : `${finding.steps.length} steps`
  // Three-valued: confirmed, tried and not shown again, or never tried.
  const again = finding.confirmed === false ? '; not shown again when tried once more' : ''
  return `${clip(lines, limit)}\n(${size}${again})`
}
