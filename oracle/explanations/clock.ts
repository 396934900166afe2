// A file of recorded traffic tells its times by several clocks: the recorder's was set back, or it was put together of several files.

import type { Explanation } from './explanation.js'

export const clock: Explanation = {
  name: 'clock',
  refutes: 'nothing does: no reply of the recording is dated, or servers may have several clocks as well',
  bound:
    'recordings without a dated reply in which times go back now and then, by a few seconds, and those whose replies are dated by up to four clocks; of both readings the one that leaves the fewest findings',
}
