import { expect, test } from 'vitest'
import { damageOf, isMisplaced } from '../../models/language/access.js'
import { findingsOf, outcomeOf, refuses } from '../models/faulty.js'

test.each(['volumes.list', 'volumes.create'])(
  'a target that looks at a part of the token is caught by %s',
  async (id) => {
    const fault = {
      call: (call: { readonly as: string | null }) => ({ ...call, as: damageOf(call.as ?? '')?.token ?? call.as }),
    }
    expect(await findingsOf(`${id}.token`, fault as never)).toEqual([`${id}.token`])
  },
)

test.each(['volumes.list', 'volumes.create', 'volumes.view'])(
  'a target that takes a token under any scheme is caught by %s',
  async (id) => {
    const fault = {
      call: (call: { readonly as: string | null }) => ({
        ...call,
        as: isMisplaced(call.as) ? (damageOf(call.as ?? '')?.token ?? null) : call.as,
      }),
    }
    const { findings } = await outcomeOf(`${id}.token.scheme`, fault as never)
    expect(findings.map(({ level, clause }) => `${level} ${clause}`)).toEqual([`should ${id}.token.scheme`])
    expect(await findingsOf(`${id}.token`, fault as never)).toEqual([])
  },
)

test.each([
  'tags.create.body.label.minLength',
  'managed-services.create.body.label.minLength',
  'firewalls.create.body.rules.inbound[].label.minLength',
])('a target that counts bytes is caught by %s', async (id) => {
  const inBytes = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value ?? null).replaceAll(/[^ -~]/g, (letter) => 'x'.repeat(Buffer.byteLength(letter))))
  const fault = {
    call: (call: { readonly body?: unknown }) => ({
      ...call,
      ...(call.body !== undefined && { body: inBytes(call.body) }),
    }),
  }
  expect(await findingsOf(id, fault as never)).toEqual([id])
})

type Body = Readonly<Record<string, unknown>>

const shortened = (most: number) => (body: Body) => ({ ...body, label: String(body.label).slice(0, most) })

test.each([
  ['tags.create.body.label.maxLength', 'nodes', shortened(50)],
  ['volumes.create.body.label.maxLength', 'tags', shortened(32)],
  [
    'managed-credentials.update-password.body.password.required',
    'username',
    (body: Body) => ({ password: 'ts-some-password', ...body }),
  ],
] as const)('a target that applies it to plain calls alone is caught by %s', async (id, member, mend) => {
  const fault = {
    call: (call: { readonly body?: Body }) =>
      call.body && member in call.body ? { ...call, body: mend(call.body) } : call,
  }
  expect(await findingsOf(id, fault as never)).toEqual([id])
})

test('a target that applies a bound to the first call alone is caught', async () => {
  let replies = 0
  const fault = {
    call: (call: { readonly operation: string; readonly body?: Body }) => {
      if (call.operation !== 'ticket-replies.create' || call.body?.description === undefined) return call
      const isLenient = replies > 0
      if (call.body.description !== '') replies += 1
      return isLenient ? { ...call, body: { description: call.body.description || 'ts' } } : call
    },
  }
  const id = 'ticket-replies.create.body.description.minLength'
  expect(await findingsOf(id, fault as never)).toEqual([id])
})

const told = async (id: string, when: (facts: { readonly body: Record<string, never> }) => boolean) =>
  (await outcomeOf(id, refuses(id.split('.').slice(0, 2).join('.'), when))).findings.map(
    ({ clause, level }) => `${level} ${clause}`,
  )

test.each(['managed-contacts.create', 'managed-contacts.update'])(
  '%s must take a telephone number in some spelling',
  async (id) => {
    const spelled = (facts: { readonly body: { readonly phone?: { readonly primary?: string | null } } }): string =>
      facts.body.phone?.primary ?? ''
    expect(await told(`${id}.numbers`, (facts) => spelled(facts as never) !== '')).toEqual([
      `should ${id}.numbers.some`,
    ])
    expect(await told(`${id}.numbers`, (facts) => /^\+/.test(spelled(facts as never)))).toEqual([])
  },
)

test.each(['managed-services.create', 'managed-services.update'])(
  '%s must take tcp with an address in some spelling',
  async (id) => {
    interface Tcp {
      readonly body: { readonly service_type?: string; readonly address?: string }
    }
    const isTcp = (facts: unknown): boolean => (facts as Tcp).body.service_type === 'tcp'
    expect(await told(`${id}.tcp-address`, isTcp)).toEqual([`should ${id}.tcp-address.some`])
    expect(
      await told(
        `${id}.tcp-address`,
        (facts) => isTcp(facts) && /:\/\//.test((facts as unknown as Tcp).body.address ?? ''),
      ),
    ).toEqual([])
  },
)
