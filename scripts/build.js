// Builds dist from scratch: compiles the sources, and puts the published schemas beside them. Plain JavaScript, as it runs before the build.

import { execFileSync } from 'node:child_process'
import { copyFileSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const schemas = [
  'config/target.schema.json',
  'history/run.schema.json',
  'library/exchange.schema.json',
  'reports/results.schema.json',
]

// A suite that is no longer there must not be run from an old build.
rmSync(`${root}/dist`, { recursive: true, force: true })

try {
  execFileSync(process.execPath, [`${root}/node_modules/typescript/bin/tsc`, '-p', 'tsconfig.build.json'], {
    cwd: root,
    stdio: 'inherit',
  })
} catch {
  // The compiler has said what is wrong.
  process.exit(1)
}
for (const schema of schemas) copyFileSync(`${root}/${schema}`, `${root}/dist/${schema}`)
