// `--dry-run`: what a run would test on a target, and what it could not; nothing is sent.
import { probeFor } from '../arbitraries/probes.js'
import { loadTarget } from '../config/target-file.js'
import { tellingFirst, tellsOf } from '../driver/telling.js'
import { allClauses } from '../models/index.js'
import type { Clause } from '../models/language/derive.js'
import { embeddedEnvironment } from '../reference/environment.js'
import { count } from '../reports/index.js'
import { isSelected } from '../suites/filter.js'
import type { RunOptions } from '../suites/options.js'

type Rehearsed = RunOptions & { readonly json: boolean }

/** @returns the exit code */
export const rehearse = async (command: Rehearsed): Promise<number> => {
  const { environment, baseUrl } = await plannedTarget(command)
  const context = {
    environment,
    nonce: 'dry-run',
    next: counter(),
    certificate: () => ({ certificate: '', private_key: '' }),
  }
  const plans = allClauses()
    .filter((clause) => isSelected(command.filters, clause))
    .map((clause) => ({ clause, probe: probeFor(clause, context) }))
  const rows = inOrder(command, plans).flatMap(({ clause, probe }): readonly Row[] => {
    if (probe.kind === 'passive') return []
    if (probe.kind === 'none') return [{ clause: clause.id, calls: 0, untestable: probe.reason }]
    const { missing, steps } = probe.program
    return [
      missing.length === 0
        ? { clause: clause.id, calls: steps.length }
        : { clause: clause.id, calls: 0, untestable: `needs ${missing.join('; ')}` },
    ]
  })
  const calls = rows.reduce((sum, row) => sum + row.calls, 0)
  if (command.json)
    process.stdout.write(`${JSON.stringify({ target: { name: environment.name, baseUrl }, calls, programs: rows })}\n`)
  else {
    for (const row of rows) process.stdout.write(`${row.clause}  ${row.untestable ?? count(row.calls, 'call')}\n`)
    process.stdout.write(
      `${count(rows.filter((row) => row.calls > 0).length, 'program')} of ${count(calls, 'call')} against ${environment.name} at ${baseUrl}, and reads after every write; nothing was sent\n`,
    )
    if (command.maxRequests !== undefined)
      process.stdout.write(`they are begun in this order until ${command.maxRequests} requests are used up\n`)
  }
  return 0
}

interface Row {
  readonly clause: string
  readonly calls: number
  readonly untestable?: string
}

interface Planned {
  readonly clause: Clause
  readonly probe: ReturnType<typeof probeFor>
}

/** As they are listed, or as they come to run where not all may. */
const inOrder = ({ maxRequests }: Rehearsed, plans: readonly Planned[]): readonly Planned[] =>
  maxRequests === undefined
    ? plans
    : tellingFirst(plans, ({ clause, probe }) => ({
        least: probe.kind === 'program' ? probe.program.steps.length : 0,
        tells: tellsOf(clause),
        about: clause.operation,
      }))

const plannedTarget = async ({ target, cwd }: Rehearsed) => {
  const loaded = await loadTarget({ target, cwd, env: process.env, secrets: 'optional' })
  return loaded ?? { environment: embeddedEnvironment(), baseUrl: 'the embedded target' }
}

const counter = (): (() => number) => {
  let n = 0
  return () => n++
}
