import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Finding, RecordedStep } from '../../history/record.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { curlScript } from '../../reports/curl.js'
import { shellQuote } from '../../reports/curl-parts.js'
import type { Results } from '../../reports/results-schema.js'
import { startLine } from '../../suites/start-line.js'
import { created, HOSTILE, hostileFinding, onlyUp, resized } from './sample.js'

const target = { baseUrl: 'https://api.example/v4' }

/** The operations as a run tells them. */
const ofRegistry: Results['operations'] = startLine(
  { options: { seed: 1, command: '', level: 'must' }, startedAt: 0 },
  { environment: embeddedEnvironment(), baseUrl: '' },
).operations.map((one) => ({ ...one, requests: 0, replies: {}, totalMs: 0, slowestMs: 0 }))

let folder = ''

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'touchstone-curl-'))
  // Stands in for curl: notes its arguments and standard input, and replies with a record whose id is 99.
  const fake = `#!/bin/sh\nfor a in "$@"; do printf '%s\\0' "$a"; done >>"$CALLS"\nprintf '\\0' >>"$CALLS"\n[ -p /dev/stdin ] && wc -c >>"$CALLS.stdin"\nprintf '{"id": 99, "size": 20}\\n200\\n'\n`
  writeFileSync(join(folder, 'curl'), fake, { mode: 0o755 })
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Runs the script with a stand-in for curl; returns the arguments of each call. */
function run(finding: Finding, env: Record<string, string> = {}, operations: Results['operations'] = []) {
  const calls = join(folder, 'calls')
  for (const file of [calls, `${calls}.stdin`]) rmSync(file, { force: true })
  const done = spawnSync('/bin/sh', ['-c', curlScript(finding, target, operations)], {
    env: { PATH: `${folder}:${process.env.PATH}`, CALLS: calls, TOKEN_OWNER: 's3cret', ...env },
    encoding: 'utf8',
    input: '',
  })
  const noted = existsSync(calls) ? readFileSync(calls, 'utf8') : ''
  const sent = noted
    .split('\u0000\u0000')
    .filter((call) => call !== '')
    .map((call) => call.split('\u0000'))
  const stdin = existsSync(`${calls}.stdin`) ? readFileSync(`${calls}.stdin`, 'utf8').trim() : ''
  return { ...done, sent, stdin }
}

/** The values of an option in the arguments of a call. */
const optionOf = (call: readonly string[] | undefined, name: string): string[] =>
  (call ?? []).flatMap((argument, index) => (argument === name ? [call?.[index + 1] ?? ''] : []))

const withSteps = (...steps: RecordedStep[]): Finding => ({ ...onlyUp, steps })

describe('the script of a finding', () => {
  it('sends each step, with the secret of its token and the id that an earlier reply gave', () => {
    const { sent, status, stdout } = run(onlyUp)
    expect(status).toBe(1)
    expect(stdout).toMatch(/\nreproduced: yes\n$/)
    expect(sent).toHaveLength(2)
    expect(sent[0]?.at(-1)).toBe('https://api.example/v4/volumes')
    expect(optionOf(sent[0], '--data-raw')).toEqual(['{"label":"a","size":20}'])
    expect(sent[1]?.at(-1)).toBe('https://api.example/v4/volumes/99/resize')
    expect(optionOf(sent[1], '--request')).toEqual(['POST'])
    expect(optionOf(sent[1], '--header')).toEqual(['Authorization: Bearer s3cret', 'Content-Type: application/json'])
    expect(stdout).toContain('{"id": 99, "size": 20}\n200\n')
  })

  it('holds no secret, and stops when none is given', () => {
    expect(curlScript(onlyUp, target)).toContain('"Authorization: Bearer $TOKEN_OWNER"')
    const { status, stderr, sent } = run(onlyUp, { TOKEN_OWNER: '' })
    // 1 would say that the finding shows.
    expect(status).toBe(3)
    expect(stderr).toContain('set TOKEN_OWNER')
    expect(sent).toEqual([])
  })

  it('can be pointed at another target', () => {
    expect(run(onlyUp, { BASE_URL: 'https://other' }).sent[0]?.at(-1)).toBe('https://other/volumes')
  })

  it('keeps ids that no earlier reply gave, or that are of another resource', () => {
    const path = { nodeId: '7' }
    const call = { ...resized.call, url: '/nodes/7/x?page=7', path }
    const { sent } = run(withSteps({ ...created, line: 'a' }, { ...resized, call, line: 'b' }))
    expect(sent[1]?.at(-1)).toBe('https://api.example/v4/nodes/7/x?page=7')
  })

  it('stops where the id for a later step does not come', () => {
    const script = curlScript(onlyUp, target).replace('send() {', 'send() { return 0')
    const done = spawnSync('/bin/sh', ['-c', script], {
      env: { PATH: process.env.PATH ?? '', TOKEN_OWNER: 'x' },
      encoding: 'utf8',
    })
    expect(done.status).toBe(3)
    expect(done.stderr).toContain('the reply has no id')
  })

  it('is not reproduced where the status is the one that was expected', () => {
    const refused = {
      ...onlyUp,
      expected: '2xx',
      steps: [
        { ...created, line: 'a' },
        { ...resized, line: 'b', outcome: { status: 400, text: '' } },
      ],
    }
    const { status, stdout } = run(refused)
    expect([status, stdout.trimEnd().split('\n').at(-1)]).toEqual([0, 'reproduced: no'])
  })

  it('removes what it made, latest first, and leaves its exit code alone', () => {
    const { status, sent } = run(onlyUp, {}, ofRegistry)
    expect(status).toBe(1)
    expect(sent).toHaveLength(3)
    expect(optionOf(sent[2], '--request')).toEqual(['DELETE'])
    expect(sent[2]?.at(-1)).toBe('https://api.example/v4/volumes/99')
  })

  it('removes what has a name of the run by it, as it was sent, and what is revoked by that', () => {
    const made = (operation: string, url: string, body: object): RecordedStep => ({
      ...created,
      line: operation,
      call: { operation, method: 'POST', url, as: 'owner', path: {}, query: {}, body },
    })
    const finding = withSteps(
      made('tags.create', '/tags', { label: 'ts-1x a/b' }),
      made('buckets.create', '/object-storage/buckets', { cluster: 'c1', label: 'lent' }),
      made('buckets.create', '/object-storage/buckets', { cluster: 'c1', label: 'ts-1x-a' }),
      made('managed-credentials.create', '/managed/credentials', { label: 'x' }),
      { ...resized, line: 'last' },
    )
    const { sent } = run({ ...finding, nonce: 'ts-1x' }, {}, ofRegistry)
    expect(sent.slice(5).map((call) => [optionOf(call, '--request')[0], call.at(-1)])).toEqual([
      ['POST', 'https://api.example/v4/managed/credentials/99/revoke'],
      ['DELETE', 'https://api.example/v4/object-storage/buckets/c1/ts-1x-a'],
      ['DELETE', 'https://api.example/v4/tags/ts-1x%20a%2Fb'],
    ])
  })

  it('removes last the tags of the run that came to be with what carries them, and no others', () => {
    const tagged = (tags: readonly string[]): RecordedStep => ({
      ...created,
      line: 'made',
      call: { ...created.call, body: { label: 'ts-1x-a', size: 20, tags } },
    })
    const finding = withSteps(tagged(['ts-1x-t', 'everybodys']), tagged(['ts-1x-t', 'ts-1x u']), {
      ...resized,
      line: 'last',
    })
    const { sent } = run({ ...finding, nonce: 'ts-1x' }, {}, ofRegistry)
    expect(sent.slice(3).map((call) => [optionOf(call, '--request')[0], call.at(-1)])).toEqual([
      ['DELETE', 'https://api.example/v4/volumes/99'],
      ['DELETE', 'https://api.example/v4/tags/ts-1x-t'],
      ['DELETE', 'https://api.example/v4/tags/ts-1x%20u'],
    ])
  })

  it('waits for a status that the program waited for, and no longer than it is told', () => {
    const { body: _, ...call } = { ...created.call, method: 'GET', url: '/volumes' }
    const looked: RecordedStep = {
      ...created,
      call,
      line: 'x',
      outcome: { status: 200, text: '', body: { status: 'active' } },
    }
    const finding = withSteps(looked, { ...created, line: 'y' })
    expect(run(finding, { WAIT: '0' }).sent).toHaveLength(2)
    expect(curlScript(finding, target)).toContain("send_until active --request 'GET'")
  })

  it('waits for what it made to come to rest, unless the program did not, or saw it at rest', () => {
    const creating = { ...created, outcome: { status: 200, text: '', body: { id: 7, status: 'creating' } }, line: 'a' }
    const resizing = { ...resized, line: 'b' }
    const waits = (...steps: RecordedStep[]): boolean =>
      curlScript(withSteps(...steps), target, ofRegistry).includes(`"$BASE_URL"'/volumes/'"$id_1" >/dev/null`)
    const { sent } = run(withSteps(creating, resizing), { WAIT: '0' }, ofRegistry)
    expect(sent.map((call) => call.at(-1)).slice(1, 3)).toEqual(
      ['', '/resize'].map((end) => `https://api.example/v4/volumes/99${end}`),
    )
    expect(waits(creating, resizing)).toBe(true)
    expect(waits(creating, { ...resizing, unsettled: true })).toBe(false)
    expect(waits({ ...created, line: 'a' }, resizing)).toBe(false)
    const removal = {
      ...resizing,
      call: { ...resized.call, operation: 'volumes.delete', method: 'DELETE', url: '/volumes/7' },
    }
    expect(waits(creating, { ...removal, unsettled: true }, resizing)).toBe(false)
  })

  it('sends no credential where the step had none, and no body where it had none', () => {
    const { body: _, ...call } = { ...created.call, as: null }
    const { sent } = run(withSteps({ ...created, call, line: 'a' }))
    expect(optionOf(sent[0], '--header')).toEqual([])
    expect(optionOf(sent[0], '--data-raw')).toEqual([])
  })

  it('gives tokens variables of their own, although their names differ only in punctuation', () => {
    const step = (as: string): RecordedStep => ({ ...created, line: 'x', call: { ...created.call, as } })
    const { sent } = run(withSteps(step('a-b'), step('a_b'), step('?')), {
      TOKEN_A_B: '1',
      TOKEN_A_B__2: '2',
      TOKEN: '3',
    })
    expect(sent.map((call) => optionOf(call, '--header')[0])).toEqual(
      [1, 2, 3].map((secret) => `Authorization: Bearer ${secret}`),
    )
  })

  it('sends a file of the same length in a form', () => {
    const { body: _, ...call } = created.call
    const file = { field: 'file', name: 'a "b"\\c.txt', bytes: 1_234 }
    const { sent, stdin } = run(withSteps({ ...created, line: 'x', call: { ...call, file } }))
    expect(optionOf(sent[0], '--form')).toEqual(['file=@-;filename="a \\"b\\"\\\\c.txt"'])
    expect(stdin).toBe('1234')
  })

  it('lets the names of the recorded run be changed', () => {
    const call = { ...created.call, url: '/buckets/c1/ts-k3x9-a', body: { label: "ts-k3x9-it's" } }
    const finding = { ...withSteps({ ...created, line: 'x', call }), nonce: 'k3x9' }
    expect(run(finding).sent[0]?.at(-1)).toBe('https://api.example/v4/buckets/c1/ts-k3x9-a')
    const { sent } = run(finding, { NONCE: 'zzzz' })
    expect(sent[0]?.at(-1)).toBe('https://api.example/v4/buckets/c1/ts-zzzz-a')
    expect(optionOf(sent[0], '--data-raw')).toEqual([`{"label":"ts-zzzz-it's"}`])
  })

  it('runs nothing that a target or its owner wrote', () => {
    const marker = join(folder, 'owned')
    const evil = `${HOSTILE}'; touch ${marker}; echo '$(touch ${marker})\`touch ${marker}\`"\n touch ${marker} \n`
    const step: RecordedStep = {
      n: 1,
      call: { ...created.call, url: `/volumes/${evil}`, body: { [evil]: evil }, method: evil },
      outcome: { status: 200, text: evil },
      line: evil,
    }
    const finding = { ...hostileFinding, clause: evil, source: evil, requires: evil, expected: evil, steps: [step] }
    const script = curlScript(finding, { baseUrl: evil })
    const done = spawnSync('/bin/sh', ['-c', script], {
      env: { PATH: `${folder}:${process.env.PATH}`, CALLS: join(folder, 'c'), TOKEN_OWNER: 'x' },
    })
    expect(done.status).toBe(3)
    expect(existsSync(marker)).toBe(false)
    expect(script).not.toMatch(/[^\P{C}\n]/u)
  })

  it('sends a hostile body as the very JSON value of the step', () => {
    const call = { ...created.call, body: { label: HOSTILE, list: [HOSTILE, null, 1.5] } }
    const [sent] = optionOf(run(withSteps({ ...created, line: 'x', call })).sent[0], '--data-raw')
    expect(JSON.parse(sent ?? '')).toEqual(JSON.parse(JSON.stringify(call.body)))
  })
})

describe('shell quoting', () => {
  it('gives back any text', () => {
    const texts = fc.sample(
      fc.oneof(
        fc.string({ unit: 'grapheme' }),
        fc.string({ unit: fc.constantFrom("'", '"', '\\', '$', '`', '!', '\n', ' ', '*', '~', '#', 'a') }),
      ),
      {
        numRuns: 300,
        seed: 5,
      },
    )
    const printed = execFileSync('/bin/sh', ['-c', `printf '%s\\0' ${texts.map(shellQuote).join(' ')}`], {
      encoding: 'utf8',
    })
    expect(printed.split('\u0000').slice(0, -1)).toEqual(texts)
  })
})
