import { test } from 'vitest'
import { operations } from '../../models/index.js'
import { mutantsOf } from '../../target/mutants.js'
import { tryMutant } from '../../target/mutation.js'

const mine = /^(firewall-|firewalls.(view|update|delete))/
test('mutants', async () => {
  for (const op of operations.filter(({ id }) => mine.test(id)))
    for (const mutant of mutantsOf(op)) {
      const result = await tryMutant(mutant, 6)
      if (result.verdict !== 'caught' && !mutant.id.endsWith('.type')) console.log(result.verdict, '|', mutant.id, '|', result.activations, result.findings.slice(0, 3).join(' '))
    }
}, 500_000)
