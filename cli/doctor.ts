// `touchstone doctor`: has the target file and the target checked, and says what can't be tested and why.

import type { Target } from '../config/target-file.js'
import { openAccess } from '../driver/target-access.js'
import { allClauses } from '../models/index.js'
import { count, rankNeeds } from '../reports/index.js'
import { awaitTarget } from '../suites/await-target.js'
import { checkFixtures, checkTokens } from '../suites/checkup.js'
import { checkNames } from '../suites/names.js'
import { untestableOn } from '../suites/untestable.js'
import { type Diagnosis, diagnosisText } from './doctor-text.js'
import { planningFor } from './planning.js'
import { tell } from './print.js'
import { loadForUpkeep } from './sweep.js'

export interface DoctorCommand {
  readonly target?: string | undefined
  readonly cwd: string
  readonly perSecond?: number | undefined
  readonly waitMs?: number | undefined
  readonly json: boolean
  readonly quiet: boolean
  /** Every check and every need, and not only a screenful. */
  readonly verbose: boolean
}

/**
 * @returns 0; 2 where the target file is wrong about the target; 3 where the target is not reachable
 * @throws TargetError, UsageError where there is no target file, or it is no good by itself
 */
export const doctor = async (command: DoctorCommand): Promise<number> => {
  const target = await loadForUpkeep(command, 'doctor')
  await awaitTarget(target, { waitMs: command.waitMs, say: (text) => tell(command, text) })
  const diagnosis = await diagnose(target, command)
  const text = command.json ? JSON.stringify(jsonOf(diagnosis), null, 1) : diagnosisText(diagnosis, command.verbose)
  process.stdout.write(`${text}\n`)
  return exitCodeOf(diagnosis)
}

const exitCodeOf = ({ checks }: Diagnosis): number => {
  if (checks.some(({ result }) => result === 'unreachable')) return 3
  return checks.some(({ result }) => result === 'wrong') ? 2 : 0
}

const diagnose = async (target: Target, command: DoctorCommand): Promise<Diagnosis> => {
  const access = openAccess(target, `${target.environment.safety.prefix}-doctor`)
  try {
    tell(command, `trying ${count(target.environment.tokens.length, 'token')} on ${target.baseUrl}`)
    const tokens = await checkTokens(target, access)
    const isReachable = !tokens.some(({ what, result }) => result === 'unreachable' || what === 'baseUrl')
    if (isReachable) tell(command, 'looking at the fixtures')
    const fixtures = isReachable ? await checkFixtures(target, access) : []
    return {
      target,
      checks: [...checkNames(target), ...tokens, ...fixtures],
      untestable: untestableOn(planningFor(target.environment), Object.keys(target.hooks)),
      clauses: allClauses().length,
    }
  } finally {
    await access.close()
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
