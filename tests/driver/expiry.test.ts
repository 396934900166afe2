// A secret that expires in the middle of a run, and what stands before a target and forgets one for a moment.
import { expect, test } from 'vitest'
import { watchSecrets } from '../../driver/expiry.js'
import { buildCall } from '../../history/calls.js'
import type { Outcome } from '../../history/wire.js'
import { operationById } from '../../models/index.js'
import type { Operation } from '../../models/language/operation.js'

const callOf = (id: string, args = {}) => buildCall(operationById(id) as Operation, { as: 'owner', ...args })
const list = callOf('volumes.list')
const create = callOf('volumes.create', { body: { label: 'a' } })
const envelope = { errors: [{ reason: 'no' }] }

/** What a call comes to behind these replies, what was sent meanwhile, and how long was waited. */
const sendBehind = async (call: typeof list, ...replies: readonly Outcome[]) => sendThrough({}, call, ...replies)

const sendThrough = async (
  given: { readonly isShielded?: boolean },
  call: typeof list,
  ...replies: readonly Outcome[]
) => {
  const sent: string[] = []
  let waitedMs = 0
  const assumed: (readonly [step: number, status: number])[] = []
  const transport = {
    send: async ({ method, url }: typeof list) => {
      sent.push(`${method} ${url}`)
      return replies[sent.length - 1] ?? (replies.at(-1) as Outcome)
    },
  }
  const { send, expired } = watchSecrets(
    transport,
    { refusedWith: 401, inEnvelope: true, reads: { owner: 'volumes.list' } },
    {
      sleep: async (ms) => {
        waitedMs += ms
      },
      assume: (step, status) => assumed.push([step, status]),
      ...given,
    },
  )
  return { outcome: await send(call, 1), sent, expired: expired(), waitedMs, assumed }
}

const fine: Outcome = { status: 200, body: {} }

const unknownToken: Outcome = { status: 401, body: envelope }

test('a target that refuses a call twice by the status of an unknown secret, and no other call, is taken at its word', async () => {
  const { outcome, sent, expired, assumed } = await sendBehind(create, unknownToken, fine, fine, unknownToken)
  expect([outcome, sent, expired, assumed]).toEqual([
    unknownToken,
    ['POST /volumes', 'GET /volumes', 'GET /volumes', 'POST /volumes'],
    undefined,
    [],
  ])
})

test('a token that is not known once, and is by the next call, was forgotten by what stands before the target', async () => {
  const { outcome, sent, assumed } = await sendBehind(create, unknownToken, fine, fine, {
    status: 200,
    body: { id: 7 },
  })
  expect([outcome, sent, assumed]).toEqual([
    { status: 200, body: { id: 7 } },
    ['POST /volumes', 'GET /volumes', 'GET /volumes', 'POST /volumes'],
    [[1, 401]],
  ])
})

test('a token that is known by some of the calls only is waited for, for some seconds', async () => {
  const mixed = [unknownToken, unknownToken, fine, unknownToken, unknownToken, unknownToken]
  const { outcome, waitedMs } = await sendBehind(list, ...mixed, { status: 200, body: { data: [] } })
  expect([outcome, waitedMs]).toEqual([{ status: 200, body: { data: [] } }, 1000])
  const refused = await sendBehind(list, unknownToken, unknownToken, fine, unknownToken)
  expect([refused.outcome, refused.waitedMs]).toEqual([unknownToken, 8000])
})

test('a write that may have been done although it was answered 401 is looked for, and not sent twice', async () => {
  const made: Outcome = { status: 200, body: { data: [{ id: 7, label: 'a' }], page: 1, pages: 1, results: 1 } }
  const named = await sendBehind(create, unknownToken, fine, made)
  expect([named.outcome, named.sent]).toEqual([unknownToken, ['POST /volumes', 'GET /volumes', 'GET /volumes']])
  for (const [id, path] of [
    ['volumes.attach', { volumeId: 7 }],
    ['firewall-devices.create', { firewallId: 7 }],
  ] as const) {
    const { outcome, sent } = await sendBehind(callOf(id, { path, body: { node_id: 1 } }), unknownToken, fine)
    expect([outcome, sent.filter((one) => one.startsWith('POST'))]).toEqual([unknownToken, [expect.anything()]])
  }
  const removal = callOf('volumes.delete', { path: { volumeId: 7 } })
  expect((await sendBehind(removal, unknownToken, fine)).sent).toHaveLength(3)
})

test.each([
  [401, undefined],
  [401, envelope],
  [403, { message: 'Forbidden' }],
])(
  'a call that was turned away with %i while nothing else was let through is sent again when that is over',
  async (status, body) => {
    const away: Outcome = { status, body }
    const { outcome, sent, expired, waitedMs, assumed } = await sendBehind(create, away, away, away, fine, {
      status: 201,
      body: {},
    })
    expect([outcome, expired]).toEqual([{ status: 201, body: {} }, undefined])
    expect(sent).toEqual(['POST /volumes', 'GET /volumes', 'GET /volumes', 'GET /volumes', 'POST /volumes'])
    expect(waitedMs).toBeGreaterThan(0)
    expect(assumed).toEqual([[1, status]])
  },
)

test.each([
  [401, undefined],
  [403, { message: 'Rate exceeded' }],
  [403, undefined],
])(
  'what is answered %i in another form than an unknown token is waited for longer than a minute, as limits are',
  async (status, body) => {
    const away: Outcome = { status, body }
    const { expired, waitedMs } = await sendBehind(list, away)
    expect(expired).toContain(
      `GET /volumes was accepted before, and is answered ${status} since step 1, but not as an unknown token is`,
    )
    expect(expired).not.toContain('was revoked')
    expect(waitedMs).toBeGreaterThan(60_000)
    const known = await sendBehind(list, { status: 401, body: envelope })
    expect(known.waitedMs).toBeLessThan(10_000)
  },
)

test('a secret that stays unknown has expired', async () => {
  const { outcome, expired } = await sendBehind(list, { status: 401, body: envelope })
  expect(outcome).toMatchObject({ lost: 'refused' })
  expect(expired).toContain('token owner was accepted before, and is answered 401')
})

test('a refusal in the envelope of the interface is nobody else’s', async () => {
  const refused: Outcome = { status: 403, body: envelope }
  const { outcome, sent } = await sendBehind(create, refused)
  expect([outcome, sent]).toEqual([refused, ['POST /volumes']])
})

const page = (status: number): Outcome => ({ status, text: '<h1>no</h1>', contentType: 'text/html' })

test.each([302, 400, 403, 404])(
  'a write that was answered %i by a page, while others are let through, is sent again until it is answered otherwise',
  async (status) => {
    const made: Outcome = { status: 201, body: {} }
    const { outcome, sent, assumed } = await sendBehind(create, page(status), fine, page(status), made)
    expect([outcome, sent.slice(2), assumed]).toEqual([made, ['POST /volumes', 'POST /volumes'], [[1, status]]])
  },
)

test('a refusal by a page that comes each time is the target’s own', async () => {
  const { outcome, assumed } = await sendBehind(create, page(404), fine, page(404))
  expect([outcome, assumed]).toEqual([page(404), []])
})

test.each([408, 413, 499, 502])('what was answered %i may have been done, and is not sent again', async (status) => {
  const { outcome, sent } = await sendBehind(create, page(status), fine)
  expect([outcome, sent]).toEqual([page(status), ['POST /volumes']])
})

test('a target that answers nothing but pages for half a minute is no more', async () => {
  const { expired, waitedMs } = await sendBehind(list, page(404))
  expect(expired).toContain('GET /volumes was accepted before, and is answered 404')
  expect(waitedMs).toBeGreaterThan(20_000)
})

test('where no gateway may be supposed, nothing is waited for: neither a token that is forgotten nor a page', async () => {
  const shut = await sendThrough({ isShielded: false }, list, { status: 401, body: envelope })
  expect([shut.waitedMs, shut.sent.length, shut.expired]).toEqual([0, 2, expect.stringContaining('has expired')])
  const alone = await sendThrough({ isShielded: false }, create, page(404), fine, { status: 201, body: {} })
  expect([alone.outcome, alone.sent.length]).toEqual([page(404), 2])
})
