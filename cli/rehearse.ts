// `--dry-run`: what a run would test on a target, and what it could not; nothing is sent.
import { probeFor } from '../arbitraries/probes.js'
import { loadTarget } from '../config/target-file.js'
import { allClauses } from '../models/index.js'
import { embeddedEnvironment } from '../reference/environment.js'
import { isSelected } from '../suites/filter.js'
import type { RunCommand } from './run.js'

/** @returns the exit code */
export const rehearse = async (command: RunCommand): Promise<number> => {
  const { environment, baseUrl } = await plannedTarget(command)
  const context = {
    environment,
    nonce: 'dry-run',
    next: counter(),
    certificate: () => ({ certificate: '', private_key: '' }),
  }
  const plans = allClauses()
    .filter((clause) => isSelected(command.filters, clause))
    .map((clause) => ({ clause: clause.id, probe: probeFor(clause, context) }))
  const rows = plans.flatMap(({ clause, probe }) => {
    if (probe.kind === 'passive') return []
    if (probe.kind === 'none') return [{ clause, calls: 0, untestable: probe.reason }]
    const { missing, steps } = probe.program
    return [
      missing.length === 0
        ? { clause, calls: steps.length }
        : { clause, calls: 0, untestable: `needs ${missing.join('; ')}` },
    ]
  })
  const calls = rows.reduce((sum, row) => sum + row.calls, 0)
  if (command.json)
    process.stdout.write(`${JSON.stringify({ target: { name: environment.name, baseUrl }, calls, programs: rows })}\n`)
  else {
    for (const row of rows) process.stdout.write(`${row.clause}  ${row.untestable ?? `${row.calls} calls`}\n`)
    process.stdout.write(
      `${rows.length} programs of ${calls} calls against ${environment.name} at ${baseUrl}, and reads after every write; nothing was sent\n`,
    )
  }
  return 0
}

const plannedTarget = async ({ target, cwd }: RunCommand) => {
  const loaded = await loadTarget({
    ...(target !== undefined && { target }),
    cwd,
    env: process.env,
    secrets: 'optional',
  })
  return loaded ?? { environment: embeddedEnvironment(), baseUrl: 'the embedded target' }
}

const counter = (): (() => number) => {
  let n = 0
  return () => n++
}
