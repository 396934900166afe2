// What a sweep takes for gone: what the target says it has removed, and what its list shows no more.
import { expect, test } from 'vitest'
import type { Reach } from '../../driver/reach.js'
import type { LedgerLine } from '../../driver/session.js'
import { sweepTarget } from '../../driver/sweep.js'
import type { Outcome } from '../../history/wire.js'
import { embeddedTarget } from '../../reference/target.js'

const label = 'ts-00abc7l-tag'
const refused: Outcome = { status: 400, body: { errors: [{ reason: 'There is nothing of that name' }] } }
const page = (...data: readonly object[]): Outcome => ({
  status: 200,
  body: { data, page: 1, pages: 1, results: data.length },
})

/** A sweep of a tag on a target that shows every tag, unknown ones as an empty collection, and refuses to remove this one. */
const sweptWhere = async (isListed: boolean): Promise<readonly string[]> => {
  const reach: Reach = {
    call: async ({ id }) =>
      id === 'tags.delete' ? refused : id === 'tags.list' && isListed ? page({ label }) : page(),
    sleep: async () => undefined,
    clock: () => 0,
    requests: () => 0,
    close: async () => undefined,
  }
  const made: LedgerLine = {
    event: 'created',
    step: 1,
    kind: 'tags',
    operation: 'tags.create',
    key: `main/${label}`,
    body: { label },
  }
  const target = embeddedTarget({ baseUrl: 'http://127.0.0.1:1/v4', secrets: [] })
  const swept = await sweepTarget({ target, reach, ledger: [made], dryRun: false, kinds: new Set() })
  return swept.map(({ result, account }) => `${result} of ${account}`)
}

test('what its list shows no more is gone, although its removal is refused', async () => {
  expect(await sweptWhere(false)).toEqual(['removed of main'])
})

test('what its list still shows has failed to go', async () => {
  expect(await sweptWhere(true)).toEqual(['failed of main'])
})
