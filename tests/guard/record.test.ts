// A record of a guard is judged again as what the guard knew: with gaps where it was behind, and calls that never ended.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { judgeFiles } from '../../cli/judge.js'
import { createJudging } from '../../guard/judging.js'
import type { Ended, Passed, PassedRequest, Passing, UnderWay } from '../../guard/traffic.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { folder, heard } from '../cli/invoke.js'
import { named, volume } from '../oracle/traffic.js'

const environment = { ...embeddedEnvironment(), explanations: { gap: false, interference: false, lag: false } }
const secrets = new Map(environment.tokens.map(({ name }) => [name, `${name}-5ecret`]))
const baseUrl = 'http://127.0.0.1:1/v4'
const target = { environment, baseUrl, secrets, vocabulary: {}, listLagMs: 0 }

const passed = (value?: object): Passed => {
  const body = Buffer.from(value === undefined ? '' : JSON.stringify(value))
  return {
    headers: ['Content-Type', 'application/json', 'Authorization', 'Bearer owner-5ecret'],
    size: body.length,
    body,
  }
}
const request = (method: string, url: string, body?: object): PassedRequest => ({
  method,
  url: `/v4${url}`,
  httpVersion: 'HTTP/1.1',
  ...passed(body),
})
const begun = (n: number, ...sent: Parameters<typeof request>): UnderWay => ({
  kind: 'under way',
  n,
  startedAt: n * 100,
  request: request(...sent),
})
const ended = (status: number, reply: object, { n, ...rest }: UnderWay): Ended => ({
  ...rest,
  n,
  kind: 'ended',
  endedAt: n * 100 + 50,
  reply: { status, statusText: 'said', httpVersion: 'HTTP/1.1', ...passed(reply) },
})

const disk = '/volumes/7'
const created = ended(200, volume(), begun(1, 'POST', '/volumes', { label: 'disk', region: 'r1' }))
const seen = ended(200, volume(), begun(2, 'GET', disk))
const gone = ended(404, { errors: [{ reason: 'Not found', field: 'volumeId' }] }, begun(9, 'GET', disk))
const renamed = begun(3, 'PUT', disk, { label: 'b' })
const cutOff: Passing = { ...ended(200, {}, renamed), reply: undefined, broken: 'the connection broke' }
const shows = (n: number, label: string): Passing => ended(200, named(label), begun(n, 'GET', disk))
const missed: Passing = { kind: 'missed', count: 1, until: 700 }

describe('the record of a guard', () => {
  test.each<[string, readonly Passing[], boolean?]>([
    ['that missed nothing', [created, seen, gone], true],
    ['that missed a removal', [created, seen, missed, gone]],
    ['that missed a removal, and told of it at both ends', [created, seen, { ...missed, count: 0 }, missed, gone]],
    ['where a removal never ended', [created, seen, begun(3, 'DELETE', disk), gone]],
    [
      'where an update without a reply took effect after others were missed',
      [created, cutOff, missed, shows(8, 'disk'), shows(9, 'b')],
    ],
    ['where nothing was under way when others were missed', [created, missed, shows(8, 'disk'), shows(9, 'b')], true],
    ['where a removal ended after others were missed', [created, seen, begun(3, 'DELETE', disk), gone, missed]],
  ])('%s is judged again as it was', async (_, passing, isFound = false) => {
    const out = folder()
    const options = {
      target,
      out,
      level: 'must',
      reports: ['json'],
      command: 'touchstone guard',
      startedAt: 0,
    } as const
    const found: string[] = []
    const judging = createJudging(options, ({ id }) => void found.push(id))
    judging.take(passing)
    await judging.close(1000)
    const again = await heard(() =>
      judgeFiles([join(out, 'run.ndjson')], {
        level: 'must',
        reports: ['json'],
        cwd: out,
        out: join(out, 'again'),
        json: false,
      }),
    )
    const { findings } = JSON.parse(readFileSync(join(out, 'again', 'results.json'), 'utf8'))
    expect(findings.map(({ id }: { readonly id: string }) => id)).toEqual(found)
    expect([found.length > 0, again.result]).toEqual(isFound ? [true, 1] : [false, 0])
  })
})
