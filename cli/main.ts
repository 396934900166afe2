#!/usr/bin/env node
// The command `touchstone`: hands the command line over, and ends the process with the exit code.

import { execute } from './execute.js'

// A reader that has seen enough (`| head`) is no error, and must not change the exit code.
process.stdout.on('error', () => undefined)
const exitCode = await execute(process.argv.slice(2))
// What still holds the process open by then (idle connections) is not waited for; what was written is.
process.stdout.write('', () => process.stderr.write('', () => process.exit(exitCode)))
