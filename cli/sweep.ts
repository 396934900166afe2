// `touchstone sweep`: gathers the ledgers, has the target swept, and says what became of each item.

import { existsSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { loadTarget, type Target, TargetError } from '../config/target-file.js'
import { linesAbout, othersIn, outstanding } from '../driver/ledger.js'
import type { Swept } from '../driver/leftovers.js'
import type { LedgerLine } from '../driver/session.js'
import { sweepTarget } from '../driver/sweep.js'
import { openAccess } from '../driver/target-access.js'
import { ownerTokens } from '../models/language/access.js'
import { count } from '../reports/index.js'
import { claimFolder, type Free } from '../suites/claim.js'
import { settleLedger } from '../suites/ledger.js'
import { preflight } from '../suites/preflight.js'
import { UsageError } from './errors.js'
import { readLedger, targetOfLedger } from './ledger.js'
import { tell } from './print.js'

export interface SweepCommand {
  readonly target?: string | undefined
  readonly cwd: string
  /** Folder whose ledger.ndjson is read, where there is one. */
  readonly out: string
  /** Further ledgers; each must exist. */
  readonly ledgers: readonly string[]
  readonly dryRun: boolean
  readonly perSecond?: number | undefined
  readonly json: boolean
  readonly quiet: boolean
}

/**
 * @returns 0, or 3 where something should have been removed and could not be
 * @throws TargetError, UsageError where there is no target, a ledger is none, or a run writes to its folder
 */
export const sweep = async (command: SweepCommand): Promise<number> => {
  const target = await loadForUpkeep(command, 'sweep')
  if (ownerTokens(target.environment).length === 0)
    throw new UsageError(
      'sweep needs a token with the scopes "*" of an unrestricted user, to see and delete what was made; add one to the target file.',
    )
  const unreachable = await checkTarget(target)
  if (unreachable !== undefined) return giveUp(command, await ledgersOf(command, target), unreachable)
  const free = command.dryRun ? () => undefined : await claimAll([command.out, ...command.ledgers.map(dirname)])
  const access = openAccess(target, `${target.environment.safety.prefix}-sweep`, { isLenient: true })
  try {
    const ledger = await ledgersOf(command, target)
    const options = { target, access, ledger, dryRun: command.dryRun }
    const swept = await sweepTarget({
      ...options,
      ...(!command.json && { onSwept: (one: Swept) => print(lineOf(one)) }),
    })
    if (!command.dryRun)
      settleLedger(join(command.out, 'ledger.ndjson'), swept, ({ baseUrl }) => baseUrl === target.baseUrl)
    if (command.json) print(JSON.stringify(swept))
    tell(command, totals(swept, command.dryRun))
    return swept.some(({ result }) => result === 'failed') ? 3 : 0
  } finally {
    free()
    await access.close()
  }
}

/** Claims each folder that is there. */
const claimAll = async (folders: readonly string[]): Promise<Free> => {
  const claimed: Free[] = []
  const freeAll = (): void => {
    for (const free of claimed) free()
  }
  try {
    for (const folder of new Set(folders.filter((one) => existsSync(one)).map((one) => realpathSync(one))))
      claimed.push(await claimFolder(folder))
    return freeAll
  } catch (error) {
    freeAll()
    throw error
  }
}

/** A target that is not ready is not waited for, beyond what each read is: a sweep can be done at another time. */
const timesAskedAgain = 0

/**
 * @returns why the target answers nothing now; undefined where it does
 * @throws TargetError where nothing that a sweep sends would be answered, for what the target file has wrong
 */
const checkTarget = async (target: Target): Promise<string | undefined> => {
  const owners = new Set(ownerTokens(target.environment).map(({ token }) => token))
  const tokens = target.environment.tokens.filter(({ name }) => owners.has(name))
  const asked = { ...target, environment: { ...target.environment, tokens } }
  const { wrong, unreachable } = await preflight(asked, new Set(), { times: timesAskedAgain })
  if (wrong !== undefined) throw new TargetError(wrong)
  return unreachable
}

/** Sends nothing, and says what may be left by the ledgers. */
const giveUp = (command: SweepCommand, ledger: readonly LedgerLine[], reason: string): number => {
  const left = outstanding(ledger).filter(({ event }) => event === 'created' || event === 'creating')
  if (command.json)
    print(
      JSON.stringify(
        left.map(({ kind, key = '', account = '' }): Swept => ({ kind, key, account, result: 'failed', reason })),
      ),
    )
  const kinds = [...new Set(left.map(({ kind }) => kind))]
  const counts = kinds.map((one) => `${left.filter(({ kind }) => kind === one).length} ${one}`)
  const known = counts.length > 0 ? `by the ledger these may be left: ${counts.join(', ')}` : 'no ledger names anything'
  tell(command, `nothing was swept: ${reason.replace('then run again', 'then sweep again')}; ${known}`)
  return 3
}

/** The target of a command that makes no sense without one. */
export const loadForUpkeep = async (
  { target: named, cwd, perSecond }: Pick<SweepCommand, 'target' | 'cwd' | 'perSecond'>,
  name: string,
): Promise<Target> => {
  const target = await loadTarget({ target: named, cwd, env: process.env })
  if (!target)
    throw new UsageError(
      `${name}: no target file in ${cwd} or above it. Name one with --target, or write one with \`touchstone init\`; the embedded target needs none and keeps nothing.`,
    )
  return perSecond === undefined ? target : { ...target, pace: { ...target.pace, perSecond } }
}

const print = (text: string): void => void process.stdout.write(`${text}\n`)

/** A ledger of another target names ids that mean something else here, so it is not read. */
const ledgersOf = async (command: SweepCommand, target: Target): Promise<readonly LedgerLine[]> => {
  const own = join(command.out, 'ledger.ndjson')
  const lines: LedgerLine[] = []
  for (const file of [...(existsSync(own) ? [own] : []), ...command.ledgers]) {
    const about = await targetOfLedger(file)
    const all = await readLedger(file)
    const own = linesAbout(all, target.baseUrl, about)
    lines.push(...own)
    if (own.length === all.length) continue
    const others = othersIn(all, target.baseUrl)
    tell(
      command,
      `${file} is of ${(others.length > 0 ? others : [about]).join(', ')}, not of ${target.baseUrl}: not read`,
    )
  }
  return lines
}

/** What became of a thing, in one line. */
export const lineOf = ({ kind, key, name, account, result, reason }: Swept): string => {
  const what = [kind, key, ...(name === undefined || name === key ? [] : [JSON.stringify(name)])]
    .filter(Boolean)
    .join(' ')
  return `${words[result].padEnd(dryWidth)} ${what} of ${account}${reason === undefined ? '' : `: ${reason}`}`
}

const words = {
  removed: 'removed',
  returned: 'given back',
  moved: 'changed since',
  listed: 'would remove',
  away: 'would give back',
  stays: 'stays',
  failed: 'failed',
}

const dryWidth = 'would give back'.length

const totals = (swept: readonly Swept[], dryRun: boolean): string => {
  const times = (result: Swept['result']): number => swept.filter((one) => one.result === result).length
  const failed = times('failed')
  return [
    dryRun ? `${count(times('listed'), 'thing')} would be removed` : `${count(times('removed'), 'thing')} removed`,
    ...(times('away') > 0 ? [`${count(times('away'), 'lent thing')} would be given back`] : []),
    ...(times('returned') > 0 ? [`${count(times('returned'), 'lent thing')} given back`] : []),
    ...(times('moved') > 0 ? [`${count(times('moved'), 'lent thing')} that others have changed since`] : []),
    ...(times('stays') > 0 ? [`${times('stays')} that stay where they are`] : []),
    ...(failed > 0 ? [`${failed} failed; correct what is said of them and sweep again`] : []),
  ].join(', ')
}
