// `--dry-run`: what a run would test on a target, how much that takes, and what it could not; nothing is sent.

import { probeFor } from '../arbitraries/probes.js'
import { loadTarget, type Target } from '../config/target-file.js'
import { tellingFirst, tellsOf } from '../driver/telling.js'
import { allClauses, operationById, operations } from '../models/index.js'
import type { Clause } from '../models/language/derive.js'
import { saying } from '../models/language/needs.js'
import { lackingFor, type Operation } from '../models/language/operation.js'
import { embeddedEnvironment } from '../reference/environment.js'
import { count, durationText, figure } from '../reports/index.js'
import { isOperationSelected, isSelected } from '../suites/filter.js'
import { refuseUnknownNames } from '../suites/names.js'
import type { RunOptions } from '../suites/options.js'
import { acrossAreas, type Outlook, outlookOn } from '../suites/outlook.js'
import { aligned } from './table.js'

export type Rehearsed = RunOptions & { readonly json: boolean; readonly verbose?: boolean }

/** @returns the exit code */
export const rehearse = async (command: Rehearsed): Promise<number> => {
  const target = await plannedTarget(command)
  process.stdout.write(`${command.fuzz ? nightText(command, target) : runText(command, target)}\n`)
  return 0
}

const runText = (command: Rehearsed, target: Planned): string => {
  const rows = rowsOf(command, target)
  const outlook = outlookOn(target.environment, target.hooks, command)
  return command.json ? jsonOf(target, rows, outlook) : textOf(command, target, rows, outlook)
}

/** What is known of random programs before they are sent: what they may call. */
const nightText = ({ filters, json }: Rehearsed, target: Planned): string => {
  const selected = operations.filter((op) => isOperationSelected(filters, op)).length
  return json
    ? JSON.stringify({ target: namedIn(target), operations: selected })
    : `random programs over ${count(selected, 'operation')} of ${whereIs(target)}; nothing was sent`
}

const namedIn = ({ environment: { name }, baseUrl }: Planned) => ({ name, baseUrl })

const whereIs = ({ environment: { name }, baseUrl, pace }: Planned): string =>
  pace === undefined ? baseUrl : `${name} at ${baseUrl}`

interface Row {
  readonly clause: string
  readonly area: string
  readonly calls: number
  readonly untestable?: string
}

/** The clauses that have a program of their own, as they are listed, or as they come to run where not all may. */
const rowsOf = (command: Rehearsed, { environment }: Planned): readonly Row[] => {
  const context = {
    environment,
    nonce: 'dry-run',
    next: counter(),
    certificate: () => ({ certificate: '', private_key: '' }),
  }
  const plans = allClauses()
    .filter((clause) => isSelected(command.filters, clause))
    .map((clause) => ({ clause, probe: probeFor(clause, context) }))
  return inOrder(command, plans).flatMap(({ clause: { id: clause, area, operation }, probe }): readonly Row[] => {
    if (probe.kind === 'passive') {
      const lacking = lackingFor(operationById(operation) as Operation, environment)
      return lacking.length === 0 ? [] : [{ clause, area, calls: 0, untestable: `needs ${saying(lacking)}` }]
    }
    if (probe.kind === 'none') return [{ clause, area, calls: 0, untestable: probe.reason }]
    const { missing, steps } = probe.program
    const lack = missing.length === 0 ? undefined : `needs ${saying(missing)}`
    return [lack === undefined ? { clause, area, calls: steps.length } : { clause, area, calls: 0, untestable: lack }]
  })
}

const jsonOf = (target: Planned, rows: readonly Row[], areas: readonly Outlook[]): string =>
  JSON.stringify({
    target: namedIn(target),
    calls: rows.reduce((sum, { calls }) => sum + calls, 0),
    requests: requestsIn(areas),
    areas,
    programs: rows.map(({ area: _, ...row }) => row),
  })

const textOf = (command: Rehearsed, target: Planned, rows: readonly Row[], outlook: readonly Outlook[]): string => {
  const lost = rows.filter(({ untestable }) => untestable !== undefined).length
  return [
    ...(command.verbose
      ? [...rows.map((row) => `${row.clause}  ${row.untestable ?? count(row.calls, 'call')}`), '']
      : []),
    areasText(command, outlook),
    '',
    ...(lost === 0 ? [] : [`${count(lost, 'clause')} can't be tested on this target; touchstone doctor says why`]),
    ...(command.verbose ? [] : ['--verbose lists the clauses, each with its program']),
    ...timeLines(command, target, requestsIn(outlook)),
    `nothing was sent to ${whereIs(target)}`,
  ].join('\n')
}

const areasText = ({ filters }: Rehearsed, outlook: readonly Outlook[]): string => {
  const selected = allClauses().filter((clause) => isSelected(filters, clause))
  const lines = outlook.map(({ area, programs, requests }) => {
    const clauses = selected.filter((clause) => clause.area === area).length
    return [area, area === acrossAreas ? '' : figure(clauses), figure(programs), `about ${figure(requests)}`]
  })
  const programs = outlook.reduce((sum, one) => sum + one.programs, 0)
  const all = ['all', figure(selected.length), figure(programs), `about ${figure(requestsIn(outlook))}`]
  const rows = [['', 'clauses', 'programs', 'requests'], ...lines, all]
  const widths = rows.reduce((most, row) => row.map((cell, at) => Math.max(most[at] ?? 0, cell.length)), [] as number[])
  return aligned(rows.map((row) => row.map((cell, at) => (at === 0 ? cell : cell.padStart(widths[at] ?? 0)))))
}

/** How long a reply is taken to be on its way where nothing is known of the target. */
const replyMs = 50

const timeLines = (
  { maxRequests, maxTimeMs, perSecond, workers }: Rehearsed,
  { pace }: Planned,
  all: number,
): readonly string[] => {
  const requests = Math.min(all, maxRequests ?? all)
  const rate = perSecond ?? pace?.perSecond
  const width = workers ?? pace?.concurrency ?? 1
  const atOnce = (requests * replyMs) / width
  const takes =
    rate !== undefined && requests / rate > atOnce / 1000
      ? `at ${figure(rate)} requests a second that takes at least ${durationText((requests / rate) * 1000)}`
      : `where a reply takes ${replyMs} ms, and ${width} go at a time, that takes at least ${durationText(atOnce)}`
  return [
    ...(maxRequests === undefined
      ? []
      : [`of these, ${figure(maxRequests)} requests are sent, those first that tell most (--max-requests)`]),
    ...(pace === undefined ? [] : [takes]),
    ...(maxTimeMs === undefined ? [] : [`it ends after ${durationText(maxTimeMs)} at the latest (--max-time)`]),
  ]
}

const requestsIn = (outlook: readonly Outlook[]): number => outlook.reduce((sum, { requests }) => sum + requests, 0)

interface Probed {
  readonly clause: Clause
  readonly probe: ReturnType<typeof probeFor>
}

const inOrder = ({ maxRequests }: Rehearsed, plans: readonly Probed[]): readonly Probed[] =>
  maxRequests === undefined
    ? plans
    : tellingFirst(plans, ({ clause, probe }) => ({
        least: probe.kind === 'program' ? probe.program.steps.length : 0,
        tells: tellsOf(clause),
        about: clause.operation,
      }))

/** The embedded target has neither hooks nor a pace of its own. */
type Planned = Pick<Target, 'environment' | 'baseUrl'> & Partial<Pick<Target, 'hooks' | 'pace'>>

const plannedTarget = async ({ target, cwd }: Rehearsed): Promise<Planned> => {
  const loaded = await loadTarget({ target, cwd, env: process.env, secrets: 'optional' })
  if (loaded) refuseUnknownNames(loaded)
  return loaded ?? { environment: embeddedEnvironment(), baseUrl: 'the embedded target' }
}

const counter = (): (() => number) => {
  let n = 0
  return () => n++
}
