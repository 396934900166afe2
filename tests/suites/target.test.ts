// What a run makes of its target file where it is narrowed, a shard or a night.
import { expect, test } from 'vitest'
import { embeddedTarget } from '../../reference/target.js'
import { defaultOptions } from '../../suites/defaults.js'
import type { RunOptions } from '../../suites/options.js'
import { targetOf } from '../../suites/target.js'

const allowedIn = async (more: Partial<RunOptions['filters']>, fuzz = false): Promise<readonly string[]> => {
  const target = embeddedTarget({ baseUrl: 'http://127.0.0.1:9/v4', secrets: [] })
  const { environment } = target
  const safety = { ...environment.safety, allow: ['tickets.create', 'object-storage.cancel'] }
  const given = { ...target, environment: { ...environment, safety } }
  const options = defaultOptions('touchstone run')
  const filters = { ...options.filters, ...more }
  const context = { options: { ...options, fuzz, given, filters }, nonce: 'ts-t', startedAt: 0, stopFile: '.stop' }
  return (await targetOf(context)).environment.safety.allow
}

test('a run may cancel only where it is narrowed to nothing or to that area, and may always create', async () => {
  const both = ['tickets.create', 'object-storage.cancel']
  expect(await allowedIn({})).toEqual(both)
  expect(await allowedIn({ areas: ['object-storage'] })).toEqual(both)
  expect(await allowedIn({ operations: ['buckets.*'] })).toEqual(['tickets.create'])
  expect(await allowedIn({ clauses: ['buckets.delete.empty-first'] })).toEqual(['tickets.create'])
  expect(await allowedIn({}, true)).toEqual(['tickets.create'])
})
