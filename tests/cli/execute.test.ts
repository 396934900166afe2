// Exit codes and messages of the command line as a whole.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CommanderError } from 'commander'
import { afterEach, expect, test, vi } from 'vitest'
import { endingOf, UsageError } from '../../cli/errors.js'
import { createProgram } from '../../cli/program.js'
import { TargetError } from '../../config/target-file.js'
import { tooOldNode } from '../../config/version.js'
import { root } from '../sources.js'
import { callAsOwner, folder, invoke, served } from './invoke.js'

afterEach(() => {
  vi.unstubAllEnvs()
})

test.each([
  [['rnu'], 'Did you mean run?'],
  [['run', '--taget', 'x'], 'Did you mean --target?'],
  [['run', '--seed', 'seven'], 'whole number'],
  [['run', '--seed', '-1'], 'whole number'],
  [['run', '--level', 'may'], 'must, should'],
  [['run', '--shard', '5/4'], 'Expected a shard'],
  [['run', '--report', 'pdf'], 'html, junit, json, ctrf, sarif'],
  [['run', '--workers', '0'], 'from 1 to 64'],
  [['run', '--max-programs', '3'], 'unknown option'],
  [['run', 'volumes'], 'too many arguments'],
  [['run', '--out', ' '], 'Expected a value'],
  [['run', '--area', 'tags', '--operation', 'volumes.create'], 'select no clause'],
  [['run', '--expected-findings', '/nowhere.json'], 'cannot read /nowhere.json'],
  [['run', '--target', 'nowhere.json'], 'no such file'],
  [['help', 'rnu'], 'Did you mean run?'],
  [['rnu', '--help'], 'Did you mean run?'],
  [['replay'], "missing required argument 'finding'"],
  [['list'], "missing required argument 'kind': what to list, one of operations, clauses, choices, defects"],
  [['replay', 'x', '--out', '/nowhere'], 'there is no /nowhere/results.json'],
  [['serve', '--rest-after', 'soon'], 'a number of calls, a time such as 2s, or by-hand'],
  [['list', 'clause'], 'operations, clauses, choices, defects'],
  [['explain', 'volumes.resize.onlyup'], 'volumes.resize.only-up'],
  [['report', '/nowhere/results.json'], 'no such file'],
  [['run', '--seed', 'x'], 'touchstone run --help says more'],
  [['openapi', '--server', 'localhost:8080'], 'an http or https URL'],
  [['serve', '--variation', 'stirct'], 'Did you mean "strict"?'],
  [['serve', '--variation', 'dotted-fields,bracketed-fields'], 'differ about fieldStyle'],
  [['serve', '--fault', 'volumes.resize: drops volumes.resize.onlyup'], 'drops volumes.resize.only-up'],
  [['serve', '--host', ''], "'--host <address>' argument '' is invalid. Expected a value"],
  [['serve', '--fixtures', ' '], 'Expected a value'],
  [['guard', '--har', ''], 'Expected a value'],
  [['openapi', '--vocabulary', ''], 'Expected a value'],
  [['report', 'results.json', '--key', ''], 'Expected a value'],
  [['watch', '--start', ''], 'Expected a value'],
  [['run', '--seed', '1', '--seed', '2'], "'--seed <n>' argument '2' is invalid. It is there twice"],
  [['run', '--level', 'should', '--level', 'must'], 'It is there twice'],
  [['run', '--level', 'must', '--level', 'should'], 'It is there twice'],
  [['serve', '--target-file', 'served.yaml'], 'ends in .json'],
  [['run', '--target', 'ftp://host/v4'], 'touchstone: ftp://host/v4: expected a target file'],
  [['guard', '--target', 'http://127.0.0.1:1/v4', '--listen', '0', '--har', '/'], '/: it is a folder'],
  [
    ['fuzz', '--corpus', '/dev/null/x'],
    '--corpus: cannot make the folder /dev/null/x: a part of its path is no folder',
  ],
  [['judge', '--stdin', '--out', 'x', '--report', 'html'], 'expected no --out and --report with --stdin'],
  [['judge', '--stdin', '--expected-findings', 'x.json'], 'expected no --expected-findings with --stdin'],
  [['report', 'results.json', '--key', 'x.pem'], 'expected --attest or --verify with --key'],
  [['report', 'results.json', '--verify', 'x', '--out', 'y'], 'expected no --out with --verify'],
] as const)('touchstone %j ends with 2 and says why, without a stack', async (args, text) => {
  const { exitCode, err, out } = await invoke(...args)
  expect(err).toContain(text)
  expect(exitCode).toBe(2)
  expect(out).toBe('')
  expect(err).not.toMatch(/\n\s+at /)
})

test('a flag of one value that is there twice is told, and one of several adds up', () => {
  for (const command of createProgram('touchstone', () => undefined).commands)
    for (const option of command.options.filter(({ required }) => required)) {
      const where = `${command.name()} ${option.flags}`
      const takesSeveral = /<(globs|kinds|names|paths)>/.test(option.flags)
      const before: unknown = takesSeveral ? ['before'] : 'before'
      const read = (): unknown => option.parseArg?.(option.long === '--report' ? 'sarif' : 'tags*', before as never)
      if (takesSeveral) expect(read(), where).toContain('before')
      else expect(read, where).toThrow('It is there twice')
    }
})

test('a reader of messages that has seen enough changes no exit code', async () => {
  const child = spawn(process.execPath, [join(root, 'dist', 'cli', 'main.js'), 'rnu'])
  child.stderr.destroy()
  expect(await once(child, 'exit')).toEqual([2, null])
})

test.each([
  ['prints', 'console.log("a word")', 0, 'a word'],
  ['ends the process', 'process.exit(0)', 3, 'ended before the command was done'],
  ['ends the process as a run with findings would', 'process.exit(1)', 3, 'ended before the command was done'],
  ['lets a promise fail', 'Promise.reject(new Error("astray"))', 3, 'suite defect: astray'],
])('a target file that %s puts nothing into the output that a script reads', async (_, text, exitCode, told) => {
  const dir = folder()
  const file = { baseUrl: 'http://127.0.0.1:1/v4', tokens: [{ name: 'owner', scopes: '*', secret: 's3cret-of-owner' }] }
  writeFileSync(join(dir, 'touchstone.config.mjs'), `${text}\nexport default ${JSON.stringify(file)}`)
  const line = ['run', '--dry-run', '--json', '--area', 'tags']
  const child = spawnSync(process.execPath, [join(root, 'dist', 'cli', 'main.js'), ...line], {
    cwd: dir,
    encoding: 'utf8',
  })
  expect([child.status, child.stderr]).toEqual([exitCode, expect.stringContaining(told)])
  expect(child.stderr).not.toMatch(/\n\s+at /)
  expect(child.stdout).toMatch(exitCode === 0 ? /^\{.*\}\n$/ : /^$/)
})

test('a result that could not be written is an error, and that its reader has gone is none', async () => {
  const list = `'${process.execPath}' '${join(root, 'dist', 'cli', 'main.js')}' list clauses`
  const ended = async (line: string) => {
    const child = spawn('sh', ['-c', line])
    child.stdout.destroy()
    const said: string[] = []
    child.stderr.on('data', (text) => said.push(String(text)))
    return [...(await once(child, 'close')).slice(0, 1), said.join('')]
  }
  expect(await ended(list)).toEqual([0, ''])
  expect(await ended(`${list} > /dev/full`)).toEqual([3, expect.stringContaining('cannot write to standard output')])
})

/** A run of the command as it was built, that is sent these signals once it has begun to make things; what is left then. */
const interruptedBy = async (signals: readonly NodeJS.Signals[]) => {
  const { file, dir, target } = await served()
  const out = join(dir, 'out')
  const args = ['run', '--target', file, '--out', out, '--area', 'volumes', '--quiet', '--report', 'json']
  const child = spawn(process.execPath, [join(root, 'dist', 'cli', 'main.js'), ...args], { stdio: 'ignore' })
  const ended = once(child, 'exit')
  const ledger = join(out, 'ledger.ndjson')
  await vi.waitUntil(() => existsSync(ledger) && readFileSync(ledger, 'utf8').includes('"created"'), 300_000)
  for (const signal of signals) child.kill(signal)
  const [exitCode] = await ended
  const { body } = await callAsOwner(target, 'GET', '/volumes')
  const left = body.data.filter(({ label }: { readonly label: string }) => label.startsWith('ts-')).length
  return { exitCode, left, said: JSON.parse(readFileSync(join(out, 'results.json'), 'utf8')).troubles }
}

test('an interruption that comes twice at a time, from a terminal and from what started the run, is one: what was made is removed, and the report says what to do next', async () => {
  expect(await interruptedBy(['SIGINT', 'SIGTERM'])).toEqual({
    exitCode: 130,
    left: 0,
    said: [{ kind: 'cut-short', text: 'the run was interrupted; run it again' }],
  })
})

test.each([
  ['18.20.8', 'expected Node.js 20.19 or newer, received 18.20.8'],
  ['20.18.1', 'received 20.18.1'],
  ['20.19.0', undefined],
  ['22.0.0', undefined],
])('Node.js %s is told from one that is new enough', (version, text) => {
  const said = tooOldNode(version)
  if (text === undefined) expect(said).toBeUndefined()
  else expect(said).toContain(text)
})

test('where no id is alike, none is suggested', async () => {
  const { err } = await invoke('explain', 'nonsense')
  expect(err).toContain('nonsense')
  expect(err).not.toContain('Did you mean')
})

test('no command at all is bad usage, and prints the help', async () => {
  const { exitCode, err } = await invoke()
  expect([exitCode, err.includes('Usage: touchstone')]).toEqual([2, true])
})

test.each(['--help', '--version', '-v', 'help run', 'run --help'])('touchstone %s ends with 0', async (line) => {
  const { exitCode, err } = await invoke(...line.split(' '))
  expect([exitCode, err]).toEqual([0, ''])
})

test('a variable stands where no flag is given, and a flag above it', async () => {
  vi.stubEnv('TOUCHSTONE_OPERATION', 'tags.list')
  expect((await invoke('list', 'operations')).out).toMatch(/^tags\.list /)
  expect((await invoke('list', 'operations', '--operation', 'volumes.list')).out).toMatch(/^volumes\.list /)
})

test('a shard that has nothing to do prints JSON as every other shard does', async () => {
  const out = join(folder(), 'report')
  const selection = ['--operation', 'tags.list', '--clause', 'tags.list.token', '--json', '--quiet', '--out', out]
  const shards = [
    await invoke('run', '--shard', '1/2', ...selection),
    await invoke('run', '--shard', '2/2', ...selection),
  ]
  expect(shards.map(({ err }) => err)).toEqual(['', ''])
  expect(shards.map((one) => JSON.parse(one.out).requests > 0).sort()).toEqual([false, true])
})

test('a wrong value in a variable ends with 2 and names the variable', async () => {
  vi.stubEnv('TOUCHSTONE_SHARD', '3')
  const { exitCode, err } = await invoke('run')
  expect([exitCode, err.includes("env 'TOUCHSTONE_SHARD'")]).toEqual([2, true])
})

test('an empty variable counts as not set, and a switch can be switched off', async () => {
  vi.stubEnv('TOUCHSTONE_OPERATION', '')
  vi.stubEnv('TOUCHSTONE_JSON', 'false')
  expect((await invoke('list', 'operations')).out).toMatch(/^volumes\.list {2}/)
})

test('a switch that says neither on nor off is bad usage', async () => {
  vi.stubEnv('TOUCHSTONE_JSON', 'maybe')
  const { exitCode, err } = await invoke('list', 'operations')
  expect([exitCode, err.includes('TOUCHSTONE_JSON: expected 1, true, 0 or false')]).toEqual([2, true])
})

test.each([
  ['TOUCHSTONE_MAXTIME', 'TOUCHSTONE_MAX_TIME'],
  ['TOUCHSTONE_SETLE_MS', 'TOUCHSTONE_SETTLE_MS'],
  ['TOUCHSTONE_TRAGET', 'TOUCHSTONE_TARGET'],
])('%s, which nothing reads, is told as a slip of %s', async (name, meant) => {
  vi.stubEnv(name, '5')
  const { exitCode, err } = await invoke('list', 'choices')
  expect([exitCode, err]).toEqual([
    0,
    `touchstone: warning: nothing reads the environment variable ${name}; did you mean ${meant}?\n`,
  ])
})

test("a target file's own variables are no slips, nor are those of other commands", async () => {
  for (const name of ['TOUCHSTONE_TOKEN', 'TOUCHSTONE_TOKEN_RO', 'TOUCHSTONE_PORT', 'TOUCHSTONE_SIGNING_KEY'])
    vi.stubEnv(name, '5')
  expect((await invoke('list', 'choices')).err).toBe('')
})

test('a broken file of expected findings ends with 2 before anything is run', async () => {
  const file = join(folder(), 'expected.json')
  writeFileSync(file, '[{"name": "x"}]')
  const { exitCode, err } = await invoke('run', '--expected-findings', file)
  expect([exitCode, err.includes('/0/name')]).toEqual([2, true])
})

test('what nobody expected is a suite defect with 3, and shows its stack only where asked', () => {
  const error = new TypeError('x is not a function')
  expect(endingOf(error, false).exitCode).toBe(3)
  expect(endingOf(error, false).message).toMatch(/^suite defect: x is not a function\n/)
  expect(endingOf(error, false).message).not.toContain('.ts')
  expect(endingOf(error, true).message).toContain('execute.test.ts')
})

test('the user can mend what ends with 2, and cannot mend a full disk', () => {
  const system = (code: string) => Object.assign(new Error('x'), { code, syscall: 'open', path: '/a' })
  const ends = [
    new UsageError('x'),
    new TargetError('x'),
    system('EACCES'),
    system('ENOSPC'),
    new CommanderError(1, 'a', 'b'),
  ]
  expect(ends.map((error) => endingOf(error, false).exitCode)).toEqual([2, 2, 2, 3, 2])
})

test('no line of a help is wider than a narrow terminal', async () => {
  const commands = createProgram('', () => undefined).commands.map((one) => one.name())
  expect(commands).toContain('doctor')
  for (const args of [['--help'], ...commands.map((name) => [name, '--help'])]) {
    const { out } = await invoke(...args)
    expect(
      out.split('\n').filter((line) => line.length > 80),
      args[0],
    ).toEqual([])
  }
})
