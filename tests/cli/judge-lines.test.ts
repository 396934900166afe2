// `touchstone judge --stdin`: lines of JSON in, lines of JSON out.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { judgeLines } from '../../cli/judge-lines.js'
import { root } from '../sources.js'
import { folder } from './invoke.js'

const example = readFileSync(join(root, 'examples/exchanges.ndjson'), 'utf8')

interface Line {
  readonly type: string
  readonly id?: string
  readonly n?: number
  readonly verdict?: string
}

const judged = async (text: string | readonly string[]) => {
  const lines: Line[] = []
  const input = Readable.from(typeof text === 'string' ? [text] : text)
  const options = { cwd: folder(), level: 'must' } as const
  const exitCode = await judgeLines(input, options, (line) => lines.push(JSON.parse(line) as Line))
  return { exitCode, lines, of: (type: string) => lines.filter((line) => line.type === type) }
}

/** Views of one contact, one after another, each with the name that it is shown to have. */
const views = (names: readonly string[], from = 0): string =>
  names
    .map((name, i) => {
      const body = { id: 5, name, email: 'a@b.test', group: null, phone: { primary: null, secondary: null } }
      const request = { method: 'GET', url: '/v4/managed/contacts/5', authorization: 'Bearer example-token-1' }
      const startedAt = 1000 + (from + i) * 20
      return `${JSON.stringify({ request, reply: { status: 200, body }, startedAt, endedAt: startedAt + 9 })}\n`
    })
    .join('')

const [created = ''] = example.split('\n')
const names = (much: number, name = 'ann'): readonly string[] => Array.from({ length: much }, () => name)

describe('exchanges on standard input', () => {
  test('of the example conform, and every call is told in its turn', async () => {
    const { exitCode, of } = await judged(example)
    expect(of('call').map(({ n }) => n)).toEqual([1, 2, 3, 4, 5])
    expect(of('end')).toEqual([
      { type: 'end', verdict: 'conforms', calls: 5, findings: 0, causes: 0, undecided: 0, ignored: 0 },
    ])
    expect(exitCode).toBe(0)
  })

  test('may begin with a byte order mark and end their lines as Windows does', async () => {
    const { exitCode, of } = await judged(`\ufeff${example.replaceAll('\n', '\r\n')}`)
    expect([exitCode, of('call').length]).toEqual([0, 5])
  })

  test('are judged while more come, and a finding far behind the beginning is still one about the beginning', async () => {
    const seen: number[] = []
    const lines: string[] = []
    const parts = async function* () {
      yield `${created}\n`
      for (let i = 0; i < 60; i += 1) {
        yield views(['ann'], i)
        await new Promise(setImmediate)
        seen.push(lines.filter((line) => line.startsWith('{"type":"call"')).length)
      }
      yield views(['bob'], 60)
    }
    const exitCode = await judgeLines(Readable.from(parts()), { cwd: folder(), level: 'must' }, (line) =>
      lines.push(line),
    )
    expect(seen.at(-1)).toBeGreaterThan(20)
    expect(lines.filter((line) => line.startsWith('{"type":"call"'))).toHaveLength(62)
    expect(lines.filter((line) => line.startsWith('{"type":"finding"')).join()).toContain(
      'managed-contacts.view.shows.name:name',
    )
    expect(exitCode).toBe(1)
  })

  test('that come late are judged with those that they met, and no call is told twice', async () => {
    const late = example.split('\n')[2]?.replace('"startedAt":40,"endedAt":49', '"startedAt":1050,"endedAt":1075') ?? ''
    const { exitCode, of } = await judged(`${created}\n${views(names(2))}${views(names(50, 'bob'), 4)}${late}\n`)
    expect(of('finding')).toEqual([])
    expect(of('call')).toHaveLength(54)
    expect(exitCode).toBe(0)
  })

  test('of which none is a call of the interface decide nothing', async () => {
    const { exitCode, of } = await judged(`${created.replace('/v4/managed/contacts', '/elsewhere')}\n\n`)
    expect(of('end')).toMatchObject([{ verdict: 'inconclusive', calls: 0, ignored: 1 }])
    expect(exitCode).toBe(3)
  })

  test.each([
    ['no JSON', 'nonsense', /line 2: expected an exchange as JSON, received nonsense/],
    [
      'no reply',
      '{"request":{"method":"GET","url":"/v4/tags"},"startedAt":1,"endedAt":2}',
      /line 2 reply: expected a reply, .*; received nothing/,
    ],
    [
      'a number as the token',
      '{"request":{"method":"GET","url":"/v4/tags","as":7},"reply":{"status":200},"startedAt":1,"endedAt":2}',
      /line 2 request\.as: expected the name of a token, or null; received 7/,
    ],
    ['a status in words', created.replace('"status":200', '"status":"ok"'), /line 2 reply: expected a reply/],
  ])('with %s are refused by their line', async (_, line, message) => {
    await expect(judged(`${created}\n${line}\n`)).rejects.toThrow(message)
  })
})
