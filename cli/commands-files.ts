// The commands that read what was recorded, `replay`, `judge` and `report`: their arguments and flags.

import type { Command } from 'commander'
import { type AddCommands, declare, refuseBeside } from './command.js'
import { UsageError } from './errors.js'
import { expectedIn } from './expected-findings.js'
import type { SharedFlags } from './flags.js'

export const fileCommands: AddCommands = (program, context) => {
  for (const add of [addReplay, addJudge, addReport]) add(program, context)
}

const addReplay: AddCommands = (program, { finish }) => {
  declare(program, {
    name: 'replay',
    summary: 'replay a finding, showing then and now',
    description:
      'Sends the program of a finding again, waiting as a run does for what comes to rest, and shows it step by step: what came back then, and now. What it makes is removed. Without a target file the embedded target is asked, if it has shown the finding. Ends with whether it was reproduced: exit code 1 where it was, 0 where it was not, 3 where it could not be told.',
    flags: ['target', 'out', 'json', 'quiet'],
    examples: [
      ['replay volumes.resize.only-up:accepted', 'a finding of the last run, against the nearest target file'],
      ['replay touchstone-report/findings/volumes.resize.only-up.json', 'the same by its file'],
      ['replay finding.json --target staging.json', 'against another target'],
    ],
  })
    .argument(
      '<finding>',
      'the id of a finding, cause or broken clause of the run in --out, or a file of its folder findings',
    )
    .action(async (finding: string, given: Pick<SharedFlags, 'target' | 'out' | 'json'>) => {
      const { replayFinding } = await import('./replay.js')
      const { target, out, json } = given
      finish(await replayFinding(finding, { target, cwd: process.cwd(), out, json }))
    })
}

const addJudge: AddCommands = (program, { finish }) => {
  declare(program, {
    name: 'judge',
    summary: 'judge recorded traffic; sends nothing',
    description:
      'Judges what was recorded, by a run (run.ndjson) or by a browser or proxy (HAR), with the model of this version. A HAR is taken to hold every client that changes or removes what its calls have made; only what the document lets change by itself, or by other means, may change beside them. A target file with explanations: { gap: false, interference: false } says that the files hold every call to its accounts: then what one missing call would explain is told as well. HARs of the same target are judged as one history: their clocks are set by the Date of the replies, and must agree where that was not recorded; any other file is judged by itself. Without --level, the record of a run or guard is held to the level by which it was judged before. With --stdin, exchanges are read from standard input, a line of JSON each, in the order in which they ended; judgements are written as lines of JSON as they stand, then findings, causes and the verdict, and no file.',
    flags: ['target', 'out', 'level', 'report', 'expectedFindings', 'json', 'quiet'],
    examples: [
      ['judge touchstone-report/run.ndjson --out again', 'a run once more, with a newer model'],
      ['judge traffic.har --target staging.json', 'traffic of clients of that target'],
      ['judge ann.har bob.har', 'what two clients of one target did, as one history'],
      ['judge --stdin < exchanges.ndjson', 'what a test in any language hands over, line by line'],
    ],
  })
    .argument('[file...]', 'run.ndjson or HAR files, in the order in which they were recorded')
    .option('--stdin', 'read exchanges from standard input, and write judgements to standard output', false)
    .action(async (files: readonly string[], given: SharedFlags & { readonly stdin: boolean }, self: Command) => {
      if (given.stdin === files.length > 0)
        throw new UsageError(
          `judge: expected files or --stdin, received ${given.stdin ? 'both' : 'neither'}. Name a run.ndjson or a HAR, or give --stdin alone.`,
        )
      if (given.stdin) {
        const why = 'which writes its judgements to standard output alone'
        refuseBeside(self, '--stdin', why, ['--out', '--report', '--expected-findings'])
        const { judgeLines } = await import('./judge-lines.js')
        const print = (line: string): void => void process.stdout.write(`${line}\n`)
        finish(await judgeLines(process.stdin, { target: given.target, cwd: process.cwd(), level: given.level }, print))
        return
      }
      const { target, out, json, report: reports } = given
      const level = self.getOptionValueSource('level') === 'default' ? undefined : given.level
      const expected = await expectedIn(given.expectedFindings)
      const { judgeFiles } = await import('./judge.js')
      finish(await judgeFiles(files, { target, expected, cwd: process.cwd(), out, json, level, reports }))
    })
}

const addReport: AddCommands = (program, { finish }) => {
  declare(program, {
    name: 'report',
    summary: 'render, merge or compare run records',
    description:
      'One file is rendered anew. Several are compared (nights of a target, or implementations), or with --merge put together (the shards of one run). The exit code is that of what was rendered or merged; a comparison exits with 1 where the last run has findings that the first had not.',
    flags: ['out', 'report', 'expectedFindings', 'json', 'quiet'],
    examples: [
      ['report touchstone-report/run.ndjson --report sarif', 'a report that was not asked for then'],
      ['report --merge shard-*/results.json --out all', 'one result of all shards'],
      ['report monday/results.json tuesday/results.json', 'what is new, fixed or flaky'],
      ['report results.json --badge badge.svg', 'the verdict as a picture'],
      ['report results.json --attest result.dsse.json --key private.pem', 'a signed summary, to be cited'],
      ['report results.json --verify result.dsse.json --key public.pem', 'whether it is good, and of that file'],
    ],
  })
    .argument('<file...>', 'run.ndjson or results.json files')
    .option('--merge', 'the files are shards of one run', false)
    .option('--badge <file>', 'draw the verdict into this file, as SVG')
    .option('--attest <file>', 'sign a summary of the one file into this one: in-toto in DSSE')
    .option('--verify <file>', 'check such a summary of the one file instead; exit code 1 where it is not good')
    .option('--key <file>', 'Ed25519 key in PEM; by default what TOUCHSTONE_SIGNING_KEY holds')
    .action(async (files: readonly string[], given: SharedFlags & ReportFlags, self: Command) => {
      const { out, json, quiet, merge, report: reports, badge, attest, verify, key } = given
      if (key !== undefined && attest === undefined && verify === undefined)
        throw new UsageError('report: expected --attest or --verify with --key. Add one of them, or leave --key out.')
      const unused = ['--out', '--report', '--expected-findings', '--json']
      if (verify !== undefined) refuseBeside(self, '--verify', 'which only checks', unused)
      const expected = await expectedIn(given.expectedFindings)
      const { report } = await import('./report.js')
      finish(await report(files, { expected, out, json, quiet, merge, reports, badge, attest, verify, key }))
    })
}

interface ReportFlags {
  readonly merge: boolean
  readonly badge?: string
  readonly attest?: string
  readonly verify?: string
  readonly key?: string
}
