// The clocks of recorders that were at work at the same time differ, so that nothing orders the calls of one among those of another.

import type { Explanation } from './explanation.js'

export const clocks: Explanation = {
  name: 'clocks',
  refutes: 'nothing does: not all of the files have dated replies',
  bound:
    'files of the same time and host that are not all dated, read one by one; of all readings the one that leaves the fewest findings',
}
