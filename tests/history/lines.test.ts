import { Ajv } from 'ajv'
import { describe, expect, it } from 'vitest'
import { faultOfLine, lineSchema } from '../../history/lines.js'
import type { RecordLine } from '../../history/record.js'
import { linesOf } from '../oracle/traffic.js'
import { closed } from '../reports/closed.js'
import { hostile, resized, sample } from '../reports/sample.js'

const ajv = new Ajv({ strict: false, discriminator: true })
const whole = { ...lineSchema, type: 'object', required: ['type'], discriminator: { propertyName: 'type' } }
const validate = ajv.compile(closed(JSON.parse(JSON.stringify(whole))) as object)
const isLine = (line: unknown): boolean => validate(line)

describe('the schema of run.ndjson', () => {
  it('knows every member of every line that a run writes', async () => {
    const lines = [...(await linesOf({ programs: 2, races: 2 })), ...sample, ...hostile]
    const faults = (JSON.parse(JSON.stringify(lines)) as readonly RecordLine[]).flatMap((line) =>
      isLine(line)
        ? []
        : (validate.errors ?? []).map(({ instancePath, message, params }) => [
            line.type,
            instancePath,
            message,
            params,
          ]),
    )
    expect(faults).toEqual([])
  })

  it('is the one that is published', async () => {
    await expect(`${JSON.stringify(lineSchema, null, 2)}\n`).toMatchFileSnapshot('../../history/run.schema.json')
  })
})

describe('a line that is broken', () => {
  it.each<[string, unknown, string]>([
    ['no object', 7, 'expected an object with a "type", received 7'],
    ['a text for a number', { ...resized, n: 'two' }, '/n of a "step" line: expected a whole number, received "two"'],
    [
      'an unknown verdict',
      { ...resized, verdict: 'good' },
      '/verdict of a "step" line: expected one of pass, finding, inconclusive, received "good"',
    ],
    [
      'no outcome',
      { ...resized, outcome: {} },
      '/outcome of a "step" line: expected a reply, as a status with body or text, or "lost" with the reason, received {}',
    ],
    [
      'a number in a path',
      { ...resized, call: { ...resized.call, path: { volumeId: 7 } } },
      '/call/path/volumeId of a "step" line: expected a text, received 7',
    ],
    ['a later format', { ...sample[0], format: 2 }, '/format: expected 1, received 2; use a newer version'],
  ])('is told with its place, what was expected and what was received: %s', (_, line, told) => {
    expect(faultOfLine(line)).toBe(told)
  })

  it('is one that is not broken where members are not known', () => {
    expect(faultOfLine({ ...resized, later: true })).toBeUndefined()
  })
})
