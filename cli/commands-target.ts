// The commands about a target, `serve`, `guard`, `doctor` and `sweep`: their arguments and flags.

import { Option } from 'commander'
import { type AddCommands, declare } from './command.js'
import { expectedIn } from './expected-findings.js'
import type { SharedFlags } from './flags.js'
import type { ServeCommand } from './serve.js'
import { integerBetween, jsonFile, type Listen, latency, list, listen, once, restAfter } from './values.js'

export const targetCommands: AddCommands = (program, context) => {
  for (const add of [addServe, addGuard, addDoctor, addSweep]) add(program, context)
}

const addServe: AddCommands = (program, { finish }) => {
  const serving = declare(program, {
    name: 'serve',
    summary: 'the embedded target as a server of its own',
    description:
      'Serves the reference implementation until it is interrupted, for trying out the suite and for developing clients. It holds everything in memory. A variation is a legal way to be different; a fault is a way to be wrong. For clients on the same machine, a control interface resets it, saves and restores its state, lets time pass, disturbs calls, and lists the requests (docs/for-client-developers.md).',
    flags: ['seed', 'json'],
    examples: [
      ['serve --port 8080', 'on a port of your choice'],
      ['serve --variation slow-rest,descending', 'slower, and with lists the other way round'],
      ['serve --fixtures fixtures.json --world-per-token', 'with what your tests need, and a world for each of them'],
      ['serve --rest-after 2s --latency 50ms±20', 'as slow as a real one'],
      ["serve --fault 'volumes.resize: drops volumes.resize.only-up'", 'with one rule broken'],
      ['serve --target-file served.json', 'for run --target served.json'],
    ],
  })
  for (const option of serveOptions()) serving.addOption(option)
  serving.action(async (given: ServeCommand) => {
    const { serve } = await import('./serve.js')
    finish(await serve(given))
  })
}

const addGuard: AddCommands = (program, { command, finish }) => {
  declare(program, {
    name: 'guard',
    summary: 'a proxy that judges what passes between clients and the target',
    description:
      'Passes on to the target whatever clients send, and back what it replies, unchanged and as it comes; judges it meanwhile and prints each finding once. Interrupted, or after --max-time, it writes the reports. All clients that change or remove what others of them made should go through one guard (docs/guard.md).',
    flags: ['target', 'out', 'level', 'maxTime', 'report', 'expectedFindings', 'json', 'quiet'],
    examples: [
      ['guard --target https://api.staging.example/v4', 'then point clients at http://127.0.0.1:8080/v4'],
      ['guard --target staging.json --listen 0.0.0.0:80', 'knowing tokens and fixtures, for clients elsewhere'],
      ['guard --max-time 30m --har night.har', 'for half an hour, and with what passed as a HAR'],
    ],
  })
    .addOption(
      once(
        new Option('--listen <address>', 'port, or address and port; a port alone is for clients on this machine'),
        listen,
      )
        .env('TOUCHSTONE_LISTEN')
        .default({ host: '127.0.0.1', port: 8080 }, ':8080'),
    )
    .addOption(new Option('--har <file>', 'writes what passes as a HAR, without its secrets').env('TOUCHSTONE_HAR'))
    .action(async (given: SharedFlags & { readonly listen: Listen; readonly har?: string }) => {
      const { target, out, json, quiet, level, report: reports, listen: address, har, maxTime: maxTimeMs } = given
      const expected = await expectedIn(given.expectedFindings)
      const { guard } = await import('./guard.js')
      const options = { target, expected, out, json, quiet, level, reports, command, har, maxTimeMs }
      finish(await guard({ ...options, cwd: process.cwd(), listen: address }))
    })
}

const addDoctor: AddCommands = (program, { finish }) => {
  declare(program, {
    name: 'doctor',
    summary: 'check the target file and the target',
    description:
      "Checks that the target is reachable, that its tokens work and that its fixtures exist, by reading alone; lists what can't be tested and what would make it testable. Exit code 2 where the target file is wrong, 3 where the target is not reachable.",
    flags: ['target', 'wait', 'rate', 'json', 'quiet'],
    examples: [
      ['doctor', 'the nearest target file'],
      ['doctor --verbose', 'with every check, and everything that would make more testable'],
      ['doctor --wait 60s', 'of a target that was started just now'],
      ['doctor --target staging.json --json', 'another one, for a script'],
    ],
  })
    .addOption(
      new Option('--verbose', 'every check, and everything that would make more testable')
        .env('TOUCHSTONE_VERBOSE')
        .default(false),
    )
    .action(async (given: SharedFlags) => {
      const { doctor } = await import('./doctor.js')
      const { target, json, quiet, verbose, rate: perSecond, wait: waitMs } = given
      finish(await doctor({ target, perSecond, waitMs, cwd: process.cwd(), json, quiet, verbose }))
    })
}

const addSweep: AddCommands = (program, { finish }) => {
  declare(program, {
    name: 'sweep',
    summary: 'delete what earlier runs left, and give back what is lent',
    description:
      "Deletes what the ledgers of earlier runs name as created and not removed, and whatever has a name that only a run gives: the target file's safety.prefix, a time and a check of both. Gives back what the target file lends, where it is still as a run left it. Nothing else is touched.",
    flags: ['target', 'out', 'rate', 'dryRun', 'json', 'quiet'],
    examples: [
      ['sweep --dry-run', 'what it would delete and give back'],
      ['sweep old/ledger.ndjson', 'what that run left, too'],
    ],
  })
    .argument('[ledger...]', 'further ledger.ndjson files, beside that of --out')
    .action(async (ledgers: readonly string[], given: SharedFlags) => {
      const { sweep } = await import('./sweep.js')
      const { target, out, json, quiet, dryRun, rate: perSecond } = given
      finish(await sweep({ target, perSecond, cwd: process.cwd(), out, ledgers, dryRun, json, quiet }))
    })
}

const serveOptions = (): readonly Option[] => [
  once(new Option('--port <n>', 'port to listen on; 0 for any that is free'), integerBetween(0, 65_535))
    .env('TOUCHSTONE_PORT')
    .default(0),
  new Option('--host <address>', 'address to listen on').env('TOUCHSTONE_HOST').default('127.0.0.1'),
  once(
    new Option(
      '--rest-after <when>',
      'when something that was changed comes to rest: after a number of calls, after a time such as 2s, or by-hand',
    ),
    restAfter,
  ),
  once(new Option('--latency <time>', 'how long replies are held back: 50ms, or 50ms±20'), latency),
  new Option('--fixtures <file>', 'a target file, or a part of one: what there is at the beginning, and the tokens'),
  new Option('--vocabulary <file>', "a target's words in JSON, or a target file that has them"),
  new Option('--world-per-token', 'a world for each token, so that parallel tests do not meet').default(false),
  once(
    new Option(
      '--target-file <file>',
      'writes a target file (its name ends in .json) for this server, with all of its tokens and fixtures, over one that is there',
    ),
    jsonFile,
  ),
  new Option('--random-ids', 'ids with gaps between them').default(false),
  new Option('--variation <names>', 'legal variations; `touchstone serve --variation list` shows them')
    .argParser(list(() => undefined))
    .default([], 'none of them'),
  new Option('--fault <mutant>', 'a fault by its id; `--fault list` shows them'),
]
