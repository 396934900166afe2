// Addresses of a recording are names of one target, and not targets by themselves that take the same tokens.

import type { Explanation } from './explanation.js'

export const origins: Explanation = {
  name: 'origins',
  refutes: 'nothing does: an address does not tell what stands behind it',
  bound: 'addresses at which callers show the same token; of both readings the one that leaves the fewest findings',
}
