// A secret that expires in the middle of a run, and what stands before a target and forgets one for a moment.
import { expect, test } from 'vitest'
import { watchSecrets } from '../../driver/expiry.js'
import { buildCall } from '../../history/calls.js'
import type { Outcome } from '../../history/record.js'
import { operationById } from '../../models/index.js'
import type { Operation } from '../../models/language/operation.js'

const callOf = (id: string, args = {}) => buildCall(operationById(id) as Operation, { as: 'owner', ...args })
const list = callOf('volumes.list')
const create = callOf('volumes.create', { body: { label: 'a' } })
const envelope = { errors: [{ reason: 'no' }] }

/** What a call comes to behind these replies, what was sent meanwhile, and how long was waited. */
const sendBehind = async (call: typeof list, ...replies: readonly Outcome[]) => {
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
    { refusedWith: 401, reads: { owner: 'volumes.list' } },
    {
      sleep: async (ms) => {
        waitedMs += ms
      },
      assume: (step, status) => assumed.push([step, status]),
    },
  )
  return { outcome: await send(call, 1), sent, expired: expired(), waitedMs, assumed }
}

const fine: Outcome = { status: 200, body: {} }

test('a target that refuses a call by the status of an unknown secret, and no other call, is taken at its word', async () => {
  const refused: Outcome = { status: 401, body: envelope }
  const { outcome, sent, expired } = await sendBehind(create, refused, fine)
  expect([outcome, sent, expired]).toEqual([refused, ['POST /volumes', 'GET /volumes'], undefined])
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
