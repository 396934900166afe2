// Aligned columns of text for the terminal; it knows nothing of what they hold.

import { visibleLine } from '../reports/index.js'

/** Rows as lines whose columns line up; the last column is not padded. */
export const aligned = (rows: readonly (readonly string[])[], indent = ''): string => {
  const clean = rows.map((row) => row.map(visibleLine))
  const widths = (clean[0] ?? []).map((_, column) => Math.max(...clean.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]): string =>
    row.map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0))).join('  ')
  return clean.map((row) => (indent + line(row)).trimEnd()).join('\n')
}
