// `npm run kills [times] [seed]`: kills runs at random, sweeps after them, and asks whether all of theirs is gone and all that is foreign untouched; not a test.

import { killOnce } from '../tests/targets/kill.js'
import { positiveNumber, readFlags, wholeNumber } from './flags.js'

const usage = `usage: npm run kills -- [times] [seed]
  times  how many runs are killed (10)
  seed   what decides when; by default another each time`

const { positionals, refuse } = readFlags(usage, {}, 2)
const [timesText = '10', seedText = `${Date.now() % 1_000_000}`] = positionals
const times = positiveNumber(timesText, 'times', refuse)
const seed = wholeNumber(seedText, 'seed', refuse)

process.stdout.write(`${times} runs to kill, seed ${seed}\n`)
let failures = 0
for (let n = 0; n < times; n += 1) {
  const { told, wrong } = await killOnce(seed, n)
  failures += wrong.length
  process.stdout.write(`${n + 1}. ${told}${wrong.map((text) => `\n   WRONG ${text}`).join('')}\n`)
}
process.stdout.write(failures === 0 ? 'nothing of ours left, nothing foreign touched\n' : `${failures} things wrong\n`)
process.exit(failures === 0 ? 0 : 1)
