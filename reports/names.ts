// Names of what a run writes into its folder; those of a finding's files are safe on any file system, and different for different ids.
import { hash } from 'node:crypto'
import { join } from 'node:path'
import { shellQuote } from './curl-parts.js'

/** The file of each kind of report. */
export const reportNames = {
  html: 'report.html',
  junit: 'junit.xml',
  json: 'results.json',
  ctrf: 'ctrf.json',
  sarif: 'sarif.json',
} as const

export type ReportKind = keyof typeof reportNames

/** What a run or a judgement writes into its folder, and clears before it begins; the ledger stays. */
export const outputNames: readonly string[] = ['run.ndjson', 'findings', ...Object.values(reportNames)]

const LONGEST = 100

/** The id as a file name; what had to be changed to make it one is made up for by a few digits of its hash. */
export function fileSlug(id: string): string {
  const slug = id
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/\.{2,}/g, '.')
    .replace(/^[.-]+|[.-]+$/g, '')
    .slice(0, LONGEST)
  // Some file systems do not tell upper from lower case, and Windows keeps names such as "con" for itself.
  if (slug !== '' && slug === id && slug === slug.toLowerCase() && !/^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/.test(slug))
    return slug
  return `${slug === '' ? 'finding' : slug}-${hash('sha256', id).slice(0, 8)}`
}

/** Path of the replayable file, relative to the output folder, with forward slashes. */
export const findingFile = (id: string): string => `findings/${fileSlug(id)}.json`

/**
 * The command that sends a finding's program again.
 * @param folder of the run, from where the command is given; that one when left out
 * @param target as a run was given it by its flag; without it a replay finds the target file by itself
 */
export const replayCommand = (id: string, folder = '', target?: string): string =>
  ['touchstone replay', shellWord(join(folder, findingFile(id))), ...targetFlag(target)].join(' ')

/** Two words of a command line, or none. */
export const targetFlag = (target: string | undefined): readonly string[] =>
  target === undefined ? [] : ['--target', shellWord(target)]

/** Quoted where a shell would read more into it. */
export const shellWord = (text: string): string => (/^[\w./:@%+=,-]+$/.test(text) ? text : shellQuote(text))

/** Path of the shell script beside it. */
export const curlFile = (id: string): string => `findings/${fileSlug(id)}.curl.sh`
