// What commands print: results on standard output, what they are doing on standard error.

import { type ReportKind, summary } from '../reports/index.js'
import { reportNames } from '../reports/names.js'
import type { Results } from '../reports/results-schema.js'

export const hasColor = (): boolean => process.stdout.isTTY === true && !process.env.NO_COLOR

/** The results as a summary, with a line after it where one is given, or as JSON. */
export const printResults = (results: Results, json: boolean, after?: string): void => {
  const text = json
    ? JSON.stringify(results)
    : [summary(results, { color: hasColor() }), ...(after ? [after] : [])].join('\n')
  process.stdout.write(`${text}\n`)
}

/** Where the reports are, and with which to begin. */
export const reportsLine = (out: string, kinds: readonly ReportKind[]): string =>
  `reports in ${out}${kinds.includes('html') ? `; begin with ${reportNames.html}` : ''}`

/** What a command does, for whoever waits for it. */
export const tell = ({ quiet }: { readonly quiet: boolean }, text: string): void =>
  void (quiet || process.stderr.write(`touchstone: ${text}\n`))
