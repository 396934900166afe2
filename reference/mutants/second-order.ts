// Broken targets of the second order, derived from the registry: right when used once and alone, wrong in what follows from it.
import type { Operation } from '../../models/language/operation.js'
import type { Mutant } from './mutants.js'
import { wrongRepliesOf } from './second-order-replies.js'
import { wrongRulesOf } from './second-order-rules.js'
import { wrongWritesOf } from './second-order-writes.js'

/** Every mutant of the second order of an operation. */
export const secondOrderOf = (op: Operation): readonly Mutant[] => [
  ...wrongWritesOf(op),
  ...wrongRulesOf(op),
  ...wrongRepliesOf(op),
]
