// The clock of a recorder was set back while it recorded: calls that seem to be side by side came one after another.

import type { Explanation } from './explanation.js'

export const clock: Explanation = {
  name: 'clock',
  refutes: 'nothing does: no reply of the recording is dated',
  bound:
    'recordings without a dated reply in which times go back now and then, by a few seconds; of both readings the one that leaves the fewest findings',
}
