// `npm run hostile [part of a name]`: a run against each hostile kind of target, and what went wrong; not a test.

import { kinds } from '../tests/targets/hostile/kinds.js'
import { tryKind } from '../tests/targets/hostile/trial.js'
import { readFlags } from './flags.js'

const usage = `usage: npm run hostile -- [part] [-- flags of touchstone run]
  part  only the kinds whose name has it`

const { positionals, refuse } = readFlags(usage, {}, Number.POSITIVE_INFINITY)
const [part = '', ...args] = positionals
const meant = kinds.filter(({ name }) => name.includes(part))
if (meant.length === 0) refuse(`no kind has ${JSON.stringify(part)} in its name`)
let failures = 0
for (const kind of meant) {
  const { code, seconds, isLate, calls, peakMiB, results, wrong: told } = await tryKind(kind, { args })
  const wrong = [...told, ...(isLate ? ['it took too long'] : [])]
  failures += wrong.length
  const passed = results?.clauses.filter(({ verdict }) => verdict === 'pass').length ?? 0
  process.stdout.write(
    `${wrong.length === 0 ? 'ok   ' : 'WRONG'} ${String(code).padStart(4)} ${seconds.toFixed(1).padStart(6)} s ${String(calls).padStart(6)} calls ${String(peakMiB).padStart(5)} MiB ${String(passed).padStart(5)} passed ${String(results?.findings.length ?? 0).padStart(4)} findings ${String(results?.causes?.length ?? 0).padStart(4)} causes  ${kind.name}\n`,
  )
  for (const text of wrong) process.stdout.write(`      WRONG ${text}\n`)
  for (const { kind: what, text } of results?.troubles ?? [])
    process.stdout.write(`      ${what}: ${text.slice(0, 200)}\n`)
}
process.exit(failures === 0 ? 0 : 1)
