import { createWriteStream } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fold, REPORT_KINDS, readRecordFile, resultsFrom, writeReports } from '../../reports/index.js'
import { clean, hostile, hostileFinding, onlyUp, sample, start } from './sample.js'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'touchstone-reports-'))
})
afterEach(() => rm(folder, { recursive: true }))

const files = async (): Promise<string[]> =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    .sort()

describe('writing reports', () => {
  it('writes the kinds that were asked for, and the files of each finding', async () => {
    await writeReports(folder, clean, ['json'])
    expect(await files()).toEqual(['results.json'])
    await writeReports(folder, sample, REPORT_KINDS)
    expect(await files()).toEqual([
      'ctrf.json',
      'junit.xml',
      'report.html',
      'results.json',
      'sarif.json',
      'volumes.create.not-json.curl.sh',
      'volumes.create.not-json.json',
      'volumes.resize.only-up.curl.sh',
      'volumes.resize.only-up.json',
    ])
  })

  it('writes a finding so that it can be replayed, and its script so that it can be run', async () => {
    await writeReports(folder, sample, [], [onlyUp.id])
    const path = join(folder, 'findings', 'volumes.resize.only-up')
    expect(JSON.parse(await readFile(`${path}.json`, 'utf8'))).toEqual({
      format: 1,
      interface: '4.175.0',
      target: start.target,
      finding: onlyUp,
    })
    expect((await stat(`${path}.curl.sh`)).mode & 0o111).not.toBe(0)
  })

  it('writes nothing outside its folder, whatever the id of a finding', async () => {
    const finding = { ...hostileFinding, id: '../../escaped/../x' }
    await writeReports(join(folder, 'a', 'b'), [...hostile.slice(0, -1), { type: 'finding', finding }], REPORT_KINDS)
    expect(await readdir(folder)).toEqual(['a'])
    expect(await readdir(join(folder, 'a'))).toEqual(['b'])
  })

  it('gives the results that it wrote, from a file that is read bit by bit', async () => {
    const path = join(folder, 'run.ndjson')
    const stream = createWriteStream(path)
    for (const line of hostile) stream.write(`${JSON.stringify(line)}\n`)
    stream.write('{"type":"exercis')
    await finished(stream.end())
    const results = await writeReports(folder, readRecordFile(path), ['json'])
    expect(results).toEqual(JSON.parse(JSON.stringify(fold(hostile))))
    const json = JSON.parse(await readFile(join(folder, 'results.json'), 'utf8'))
    expect(resultsFrom(json, 'results.json')).toEqual(results)
  })

  it.each([
    [{ format: 1 }, /^results\.json: expected a results\.json of format 1, .*must have required property/],
    [{ ...fold(sample), requests: 'two' }, /must be integer at \/requests; name a/],
    [null, /must be object; name a/],
  ])('takes no other JSON for a results.json: case %#', (json, message) => {
    expect(() => resultsFrom(json, 'results.json')).toThrow(message)
  })

  it('reads a results.json that a later version wrote more into', () => {
    expect(resultsFrom({ ...fold(sample), later: true }, 'results.json')).toMatchObject({ verdict: 'nonconforming' })
  })
})
