import { describe, expect, test } from 'vitest'
import { slimmed } from '../../driver/slim.js'
import { isObject } from '../../models/language/objects.js'
import type { Fault } from '../../reference/handler.js'
import { instead, outcomeOf } from '../models/faulty.js'

describe('a body', () => {
  const body = { label: 'ts-1', rules: { inbound: [{ ports: '1' }, { ports: '2' }], policy: 'DROP' }, tags: ['a', 'b'] }

  test('keeps what is needed, at any depth', async () => {
    const shows = async (some: unknown) => JSON.stringify(some).includes('"ports":"2"')
    expect(await slimmed(body, () => true, shows)).toEqual({ rules: { inbound: [{ ports: '2' }] } })
  })

  test('keeps what may not go', async () => {
    expect(
      await slimmed(
        body,
        ({ at }) => at !== '/label',
        async () => true,
      ),
    ).toEqual({ label: 'ts-1' })
  })

  test('stays as far as it came where the search is ended', async () => {
    let tries = 0
    const shows = async () => {
      tries += 1
      return tries > 1 ? undefined : true
    }
    expect(await slimmed(body, () => true, shows)).toEqual({ label: 'ts-1', tags: ['a', 'b'] })
  })
})

test('a call that is refused for one member is told with that member and little else', async () => {
  const refused: Fault = instead('firewalls.create', (op) => ({
    refusals: [
      ...(op.refusals ?? []),
      {
        id: 'firewalls.create.fault',
        source: '',
        text: 'no',
        when: (({ body }: { body: { tags?: unknown } }) => body.tags !== undefined) as never,
      },
    ],
  }))
  const { findings } = await outcomeOf('firewalls.create.accepts', refused)
  const told = findings.find(({ clause }) => clause === 'firewalls.create.accepts')
  const body = told?.steps.at(-1)?.call.body
  expect(isObject(body) && Object.keys(body).sort()).toEqual(['label', 'rules', 'tags'])
  expect(isObject(body) && body.tags).toEqual([])
})
