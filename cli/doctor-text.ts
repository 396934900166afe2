// What `touchstone doctor` has found, for people: what would open the most, what is wrong, and last of all the result.

import { basename, extname } from 'node:path'
import pc from 'picocolors'
import { proxyText } from '../config/proxy.js'
import type { Target } from '../config/target-file.js'
import { count, figure, type RankedNeed, rankNeeds, visibleLine } from '../reports/index.js'
import type { Check } from '../suites/names.js'
import type { Untestable } from '../suites/untestable.js'
import { hasColor } from './print.js'

export interface Diagnosis {
  readonly target: Target
  readonly checks: readonly Check[]
  readonly untestable: readonly Untestable[]
  readonly clauses: number
}

/** @param isWhole whether every check and every need is told, and not only a screenful */
export const diagnosisText = (diagnosis: Diagnosis, isWhole: boolean): string =>
  [
    headLine(diagnosis),
    '',
    ...untestableLines(diagnosis, isWhole),
    ...checkLines(diagnosis.checks, isWhole),
    resultLine(diagnosis),
  ].join('\n')

const headLine = ({ target: { path, environment, baseUrl, proxy } }: Diagnosis): string =>
  `${environment.name} at ${baseUrl}${proxyText(proxy)}${path === undefined ? '' : `, as ${basename(path)} has it`}`

/** Of a screenful: so many needs, with what to put into the target file, and so many checks that are not good. */
const firstNeeds = 5
const firstChecks = 8

/** So many clauses are named for each need. */
const named = 3

const untestableLines = ({ target, untestable, clauses, checks }: Diagnosis, isWhole: boolean): readonly string[] => {
  const needs = rankNeeds(untestable)
  const lost = new Set(needs.flatMap((need) => need.clauses)).size
  const fixed = new Set(untestable.filter(({ remedy }) => remedy === undefined).flatMap((group) => group.clauses)).size
  // What is wrong comes first.
  const first = isSound(checks) ? firstNeeds : 0
  const shown = isWhole ? needs : needs.slice(0, first)
  const left = needs.length - shown.length
  return [
    lost === 0
      ? `Nothing in the target file keeps any of the ${count(clauses, 'clause')} from being tested.`
      : `${figure(lost)} of ${count(clauses, 'clause')} can't be tested with this target file${shown.length > 0 ? '. What would open the most:' : ''}`,
    ...shown.flatMap((need) => needLines(need, isWhole)),
    ...hookLines(target, shown),
    ...(left === 0
      ? []
      : [`  and ${count(left, shown.length > 0 ? 'further need' : 'need')}: --verbose lists them all`]),
    ...(fixed === 0
      ? []
      : [`${count(fixed, 'clause')} no program can show on any target; \`touchstone explain\` says why.`]),
    '',
  ]
}

/** A file of data has no place for a hook that it lacks. */
const hookLines = ({ path = '' }: Target, shown: readonly RankedNeed[]): readonly string[] => {
  const [ending, name] = [extname(path), basename(path)]
  if (ending !== '.json' || !shown.some(({ snippet }) => snippet?.includes('hooks: {'))) return []
  const better = `${basename(path, ending)}.ts`
  return [
    `  Hooks are functions, for which JSON has no place: call ${name} ${better}, and write \`export default\` before its {.`,
  ]
}

const needLines = ({ what, alike, clauses, opens, snippet }: RankedNeed, isWhole: boolean): readonly string[] => {
  const head = `${figure(opens).padStart(7)}  ${visibleLine(what)}`
  const paste = snippet === undefined ? [] : [snippet.replaceAll(/\s*\n\s*/g, ' ')]
  if (!isWhole) return [head, ...indented(paste)]
  const others = clauses.length - opens
  const more = clauses.length > named ? ` and ${clauses.length - named} more` : ''
  return [
    `${head}${others > 0 ? ` (and ${count(others, 'clause')} with something else)` : ''}`,
    ...indented([
      ...alike.map((other) => `or: ${visibleLine(other)}`),
      ...paste,
      `${clauses.slice(0, named).join(', ')}${more}`,
    ]),
  ]
}

const indented = (lines: readonly string[]): readonly string[] => lines.map((line) => `${' '.repeat(9)}${line}`)

const isSound = (checks: readonly Check[]): boolean =>
  checks.every(({ result }) => result === 'good' || result === 'unclear')

const checkLines = (checks: readonly Check[], isWhole: boolean): readonly string[] => {
  const colors = pc.createColors(hasColor())
  const marks = {
    good: colors.green('ok     '),
    wrong: colors.red('wrong  '),
    unclear: colors.yellow('unclear'),
    unreachable: colors.red('no answer'),
  }
  const bad = checks.filter(({ result }) => result !== 'good')
  const shown = isWhole ? checks : bad.slice(0, firstChecks)
  const left = isWhole ? 0 : bad.length - shown.length
  return [
    ...shown.map(({ what, result, text }) => `${marks[result]}  ${visibleLine(`${what}: ${text}`)}`),
    ...(left === 0 ? [] : [`  and ${count(left, 'further check')} not good: --verbose lists them all`]),
  ]
}

const resultLine = ({ checks, untestable, clauses }: Diagnosis): string => {
  const colors = pc.createColors(hasColor())
  const times = (result: Check['result']): number => checks.filter((check) => check.result === result).length
  if (times('unreachable') > 0) return `${colors.red('not reachable')}: nothing else could be checked`
  const all = count(checks.length, 'check')
  if (times('wrong') > 0) return `${colors.red('not ready')}: ${times('wrong')} of ${all} found something wrong`
  const good =
    times('unclear') === 0 ? `${all}, all of them good` : `${all}, ${times('unclear')} unclear, the others good`
  const testable = clauses - new Set(untestable.flatMap((group) => group.clauses)).size
  return `${colors.green('ready')}: ${good}; touchstone run can test ${figure(testable)} of ${count(clauses, 'clause')}`
}
