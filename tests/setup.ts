// What is said when the project's own tests have ended, so that a failure can be had again; sets up nothing.

import { seed } from './seed.js'

export default () => (): void => {
  process.stdout.write(`\nThe tests drew with TOUCHSTONE_SEED=${seed}; so set, they draw the same again.\n`)
}
