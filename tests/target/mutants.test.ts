import { expect, test } from 'vitest'
import { operations } from '../../models/index.js'
import { tryMutant } from '../../target/mutation.js'
import { mutantsOf } from '../../target/mutants.js'

test.runIf(process.env.MUT)('survivors', async () => {
  const t0 = Date.now(); let n=0; const out: string[] = []
  for (const op of operations.filter(({ id }) => id.startsWith(process.env.MUT ?? '')))
    for (const mutant of mutantsOf(op)) {
      n++
      const result = await tryMutant(mutant)
      if (result.verdict !== 'caught') out.push(`${result.verdict} (${result.activations}) ${mutant.id} ${result.findings}`)
      else if (mutant.clause && !result.findings.some(f => f.startsWith(mutant.clause + ':'))) out.push(`  named otherwise: ${mutant.id} -> ${result.findings}`)
    }
  console.log(out.join('\n'), n, Date.now() - t0)
  expect(true).toBe(true)
}, 1_000_000)
