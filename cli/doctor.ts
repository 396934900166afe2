// `touchstone doctor`: has the target file and the target checked, and says what can't be tested and why.

import pc from 'picocolors'
import { proxyText } from '../config/proxy.js'
import type { Target } from '../config/target-file.js'
import { reachTarget } from '../driver/reach.js'
import { allClauses } from '../models/index.js'
import { count, figure, rankNeeds, visibleLine } from '../reports/index.js'
import { awaitTarget } from '../suites/await-target.js'
import { type Check, checkFixtures, checkNames, checkTokens } from '../suites/checkup.js'
import { type Untestable, untestableOn } from '../suites/untestable.js'
import { planningFor } from './planning.js'
import { hasColor, tell } from './print.js'
import { loadForUpkeep } from './sweep.js'

export interface DoctorCommand {
  readonly target?: string | undefined
  readonly cwd: string
  readonly perSecond?: number | undefined
  readonly waitMs?: number | undefined
  readonly json: boolean
  readonly quiet: boolean
}

interface Diagnosis {
  readonly target: Target
  readonly checks: readonly Check[]
  readonly untestable: readonly Untestable[]
  readonly clauses: number
}

/**
 * @returns 0; 2 where the target file is wrong about the target; 3 where the target is not reachable
 * @throws TargetError, UsageError where there is no target file, or it is no good by itself
 */
export const doctor = async (command: DoctorCommand): Promise<number> => {
  const target = await loadForUpkeep(command, 'doctor')
  await awaitTarget(target, { waitMs: command.waitMs, say: (text) => tell(command, text) })
  const diagnosis = await diagnose(target, command)
  process.stdout.write(command.json ? `${JSON.stringify(jsonOf(diagnosis), null, 1)}\n` : `${textOf(diagnosis)}\n`)
  return exitCodeOf(diagnosis)
}

const exitCodeOf = ({ checks }: Diagnosis): number => {
  if (checks.some(({ result }) => result === 'unreachable')) return 3
  return checks.some(({ result }) => result === 'wrong') ? 2 : 0
}

const diagnose = async (target: Target, command: DoctorCommand): Promise<Diagnosis> => {
  const reach = reachTarget(target, `${target.environment.safety.prefix}-doctor`)
  try {
    tell(command, `trying ${count(target.environment.tokens.length, 'token')} on ${target.baseUrl}`)
    const tokens = await checkTokens(target, reach)
    const isReachable = !tokens.some(({ what, result }) => result === 'unreachable' || what === 'baseUrl')
    if (isReachable) tell(command, 'looking at the fixtures')
    const fixtures = isReachable ? await checkFixtures(target, reach) : []
    return {
      target,
      checks: [...checkNames(target), ...tokens, ...fixtures],
      untestable: untestableOn(planningFor(target.environment), Object.keys(target.hooks)),
      clauses: allClauses().length,
    }
  } finally {
    await reach.close()
  }
}

const jsonOf = (diagnosis: Diagnosis) => ({
  targetFile: diagnosis.target.path ?? null,
  target: { name: diagnosis.target.environment.name, baseUrl: diagnosis.target.baseUrl },
  checks: diagnosis.checks,
  needs: rankNeeds(diagnosis.untestable),
  untestable: diagnosis.untestable,
  clauses: diagnosis.clauses,
  exitCode: exitCodeOf(diagnosis),
})

const textOf = (diagnosis: Diagnosis): string => {
  const { target, checks } = diagnosis
  const colors = pc.createColors(hasColor())
  const marks = {
    good: colors.green('ok     '),
    wrong: colors.red('wrong  '),
    unclear: colors.yellow('unclear'),
    unreachable: colors.red('no answer'),
  }
  const bad = checks.filter(({ result }) => result !== 'good').length
  return [
    `target file  ${target.path ?? 'none; the target was given by its URL'}`,
    `target       ${target.environment.name} at ${target.baseUrl}${proxyText(target.proxy)}`,
    '',
    ...checks.map(({ what, result, text }) => `${marks[result]}  ${visibleLine(`${what}: ${text}`)}`),
    bad === 0
      ? `${count(checks.length, 'check')}, all of them good`
      : `${bad} of ${count(checks.length, 'check')} not good`,
    '',
    ...untestableText(diagnosis),
  ].join('\n')
}

/** So many ids are named for each need, and for so many needs what to put into the target file. */
const named = 3
const spelledOut = 5

const untestableText = ({ untestable, clauses }: Diagnosis): readonly string[] => {
  const needs = rankNeeds(untestable)
  const fixed = new Set(untestable.filter(({ remedy }) => remedy === undefined).flatMap((group) => group.clauses))
  const lost = new Set(needs.flatMap((need) => need.clauses))
  const lines = needs.map(({ what, clauses: ids, opens, snippet }, index) => {
    const more = ids.length > named ? ` and ${ids.length - named} more` : ''
    const alone =
      opens === ids.length ? '' : opens === 0 ? ' (and something else each)' : ` (${opens} of them need nothing else)`
    const paste = snippet === undefined || index >= spelledOut ? '' : `\n${snippet.replaceAll(/^/gm, '          ')}`
    return `  ${String(ids.length).padStart(4)}  ${visibleLine(what)}${alone}\n        ${ids.slice(0, named).join(', ')}${more}${paste}`
  })
  return [
    ...(lost.size === 0
      ? [`Nothing in the target file keeps any of the ${count(clauses, 'clause')} from being tested.`]
      : [
          `${figure(lost.size)} of ${count(clauses, 'clause')} can't be tested with this target file. They need, what opens the most first:`,
          ...lines,
        ]),
    ...(fixed.size === 0
      ? []
      : [`${count(fixed.size, 'clause')} no program can show on any target; \`touchstone explain\` says why.`]),
  ]
}
