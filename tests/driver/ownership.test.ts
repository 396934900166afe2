// What may be written to: what is lent, and what a read has shown to bear what the run sent.
import { describe, expect, it } from 'vitest'
import { createOwnership } from '../../driver/ownership.js'
import { buildCall, recorded } from '../../history/calls.js'
import type { Outcome } from '../../history/wire.js'
import { operationById } from '../../models/index.js'
import type { Operation } from '../../models/language/operation.js'
import type { Args } from '../../models/language/plan.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { inProcess } from '../../reference/in-process.js'

const nonce = 'ts-00abc7l'
const op = (id: string): Operation => operationById(id) as Operation
const call = (id: string, args: Args = {}) => buildCall(op(id), { as: 'owner', ...args })
const ok = (body: unknown): Outcome => ({ status: 200, body })
const none: Outcome = { status: 404, body: { errors: [{ reason: 'none' }] } }
const page = (...data: object[]): Outcome => ok({ data, page: 1, pages: 1, results: data.length })

/** An ownership that meets a target which shows these records by URL; what is not among them is not there. */
const meeting = (shown: Record<string, Outcome>, exclusive = false) => {
  const asked: string[] = []
  const proven: string[] = []
  const ownership = createOwnership({
    environment: { ...embeddedEnvironment(), exclusive },
    nonce,
    send: async ({ url }) => {
      asked.push(url)
      return shown[url] ?? (url.includes('/', 1) && /\d$/.test(url) ? none : page())
    },
    onProven: ({ name }, id) => void proven.push(`${name} ${id}`),
  })
  const create = async (id: string, body: Record<string, unknown>, outcome: Outcome): Promise<void> => {
    const sent = call(id, { body })
    ownership.hear(op(id), sent, outcome, await ownership.begin(op(id), sent))
  }
  const bars = (id: string, path: Args['path'], body?: Record<string, unknown>) =>
    ownership.bars(op(id), call(id, { ...(path && { path }), ...(body && { body }) }))
  return { ownership, asked, proven, create, bars }
}

const label = `${nonce}-1`

describe('on a target that others use', () => {
  it('a volume whose view bears the name that was sent may be changed', async () => {
    const { create, bars, proven } = meeting({ '/volumes/7': ok({ id: 7, label }) })
    await create('volumes.create', { label }, ok({ id: 7, label }))
    expect(await bars('volumes.delete', { volumeId: 7 })).toBeUndefined()
    expect(proven).toEqual(['volumes 7'])
  })

  it('an id that a reply told wrongly is left alone, in paths and in bodies', async () => {
    const { create, bars } = meeting({ '/volumes/7': ok({ id: 7, label: 'production' }) })
    await create('volumes.create', { label }, ok({ id: 7, label }))
    const text = "nothing shows that volumes 7 is of this run's making"
    expect(await bars('volumes.delete', { volumeId: 7 })).toBe(text)
    expect(await bars('tags.create', undefined, { label: `${nonce}-2`, volumes: [7] })).toBe(text)
  })

  it('a look-alike that was there before is not taken for what was made, although it bears the values that were sent', async () => {
    const before = page({ id: 7, label: 'f' })
    const { create, bars } = meeting({ '/volumes': before, '/volumes/7': ok({ id: 7, label: 'f' }) })
    await create('volumes.create', { label: 'f' }, ok({ id: 7, label: 'f' }))
    expect(await bars('volumes.delete', { volumeId: 7 })).toMatch(/^nothing shows/)
  })

  it('what shows no names is proven by what was not there before, and by the values that it shows', async () => {
    const { create, bars } = meeting({
      '/managed/contacts/7': ok({ id: 7 }),
      '/managed/contacts/8': ok({ id: 8, group: 'x' }),
    })
    const body = { name: label, email: 'a@example.org', group: 'g' }
    await create('managed-contacts.create', body, ok({ id: 7 }))
    expect(await bars('managed-contacts.delete', { contactId: 7 })).toBeUndefined()
    await create('managed-contacts.create', body, ok({ id: 8 }))
    expect(await bars('managed-contacts.delete', { contactId: 8 })).toMatch(/^nothing shows/)
  })

  it('what a view shows without its names is proven by the list', async () => {
    const shown: Record<string, Outcome> = {
      '/managed/contacts': page({ id: 1, name: 'theirs' }),
      '/managed/contacts/7': ok({ id: 7 }),
      '/managed/contacts/8': ok({ id: 8 }),
    }
    const { create, bars } = meeting(shown)
    const made = async (name: string, id: number) => {
      await create('managed-contacts.create', { name }, ok({ id, name }))
      shown['/managed/contacts'] = page({ id: 1, name: 'theirs' }, { id: 7, name: label }, { id: 8, name: 'theirs' })
      return bars('managed-contacts.delete', { contactId: id })
    }
    expect(await made(label, 7)).toBeUndefined()
    expect(await made(`${nonce}-2`, 8)).toMatch(/^nothing shows/)
  })

  it('a range is proven by a list without it before, and one with it after', async () => {
    const shown: Record<string, Outcome> = { '/networking/ipv6/ranges': page({ range: '2001:db8:1::' }) }
    const { create, bars } = meeting(shown)
    await create('ipv6-ranges.create', { prefix_length: 64, node_id: 101 }, ok({ range: '2001:db8:2::' }))
    shown['/networking/ipv6/ranges/2001:db8:2::'] = ok({ range: '2001:db8:2::' })
    expect(await bars('ipv6-ranges.delete', { range: '2001:db8:2::' })).toBeUndefined()
    await create('ipv6-ranges.create', { prefix_length: 64, node_id: 101 }, ok({ range: '2001:db8:1::' }))
    shown['/networking/ipv6/ranges/2001:db8:1::'] = ok({ range: '2001:db8:1::' })
    expect(await bars('ipv6-ranges.delete', { range: '2001:db8:1::' })).toMatch(/^nothing shows/)
  })

  it('what a record spells in another way is what was sent all the same', async () => {
    const record = { range: '2001:db8:2::', route_target: '2001:db8::1' }
    const { create, bars } = meeting({ '/networking/ipv6/ranges/2001:db8:2::': ok(record) })
    await create('ipv6-ranges.create', { prefix_length: 64, route_target: '2001:DB8:0::1' }, ok(record))
    expect(await bars('ipv6-ranges.delete', { range: '2001:db8:2::' })).toBeUndefined()
  })

  it('of creations that tell no id, each may have made what is then first seen, and none has made two things', async () => {
    const shown: Record<string, Outcome> = { '/managed/credentials': page() }
    const { ownership, create, bars } = meeting(shown)
    const list = op('managed-credentials.list')
    const show = (...all: readonly { readonly id: number; readonly label: string }[]): void => {
      shown['/managed/credentials'] = page(...all)
      for (const one of all) shown[`/managed/credentials/${one.id}`] = ok(one)
      ownership.hear(list, call(list.id), page(...all))
    }
    const make = (name: string) => create('managed-credentials.create', { label: name, password: label }, ok({}))
    const revoke = (credentialId: number) => bars('managed-credentials.revoke', { credentialId })
    await make(label)
    await make('kg')
    show({ id: 7, label }, { id: 8, label: 'kg' })
    await bars('managed-credentials.update', { credentialId: 7 })
    expect(await revoke(8)).toBeUndefined()
    show({ id: 7, label }, { id: 8, label: 'kg' }, { id: 9, label: 'kg' })
    expect(await revoke(9)).toMatch(/^nothing shows/)
  })

  it('of creations that tell no id, the latest before something was first seen has made it', async () => {
    const [one, other] = [
      { range: '2001:db8:1::', prefix: 64 },
      { range: '2001:db8:2::', prefix: 56 },
    ]
    const shown: Record<string, Outcome> = { '/networking/ipv6/ranges': page() }
    const { ownership, create, bars } = meeting(shown)
    const list = op('ipv6-ranges.list')
    const make = async (...all: readonly { readonly range: string }[]): Promise<void> => {
      await create('ipv6-ranges.create', { prefix_length: 64, node_id: 101 }, ok({}))
      shown['/networking/ipv6/ranges'] = page(...all)
      for (const range of all) shown[`/networking/ipv6/ranges/${range.range}`] = ok(range)
      ownership.hear(list, call(list.id), page(...all))
    }
    await make(one)
    await make(one, other)
    expect(await bars('ipv6-ranges.delete', { range: other.range })).toBeUndefined()
    expect(await bars('ipv6-ranges.delete', { range: one.range })).toBeUndefined()
  })

  it('an id that was removed, or never was, may be named while nothing is there, and not once somebody has it', async () => {
    const shown: Record<string, Outcome> = { '/volumes/7': ok({ id: 7, label }) }
    const { ownership, create, bars } = meeting(shown)
    await create('volumes.create', { label }, ok({ id: 7, label }))
    ownership.hear(op('volumes.delete'), call('volumes.delete', { path: { volumeId: 7 } }), ok({}))
    delete shown['/volumes/7']
    expect([await bars('volumes.delete', { volumeId: 7 }), await bars('volumes.delete', { volumeId: 9 })]).toEqual([
      undefined,
      undefined,
    ])
    shown['/volumes/7'] = ok({ id: 7, label: 'production' })
    expect(await bars('volumes.delete', { volumeId: 7 })).toMatch(/^nothing shows/)
  })

  it('an id that a creation told is left alone where no look shows who has it', async () => {
    const { create, bars } = meeting({})
    await create('volumes.create', { label }, ok({ id: 7, label }))
    expect(await bars('volumes.delete', { volumeId: 7 })).toMatch(/^nothing shows/)
  })

  it('what was seen before a creation that told no id is not what that has made, however often it is seen', async () => {
    const theirs = { id: 6, label: 'kg' }
    const shown = { '/managed/credentials': page(theirs), '/managed/credentials/6': ok(theirs) }
    const { ownership, create, bars } = meeting(shown)
    const list = op('managed-credentials.list')
    await create('managed-credentials.create', { label: 'kg', password: label }, ok({}))
    ownership.hear(list, call(list.id), page(theirs))
    expect(await bars('managed-credentials.revoke', { credentialId: 6 })).toMatch(/^nothing shows/)
  })

  it('names of the run and what the target file lends need no look', async () => {
    const { bars, asked } = meeting({})
    expect(await bars('tags.delete', { tagLabel: label })).toBeUndefined()
    expect(
      await bars('volumes.delete', { volumeId: embeddedEnvironment().fixtures.volumes?.[0]?.id ?? 0 }),
    ).toBeUndefined()
    expect(asked).toEqual([])
  })
})

describe('on an exclusive target', () => {
  it('what was seen before the creation is not the run’s, and all else that it tells is, without a look', async () => {
    const { ownership, create, bars, asked } = meeting({}, true)
    ownership.hear(op('volumes.list'), call('volumes.list'), page({ id: 7, label: 'theirs' }))
    await create('volumes.create', { label }, ok({ id: 8, label }))
    await create('volumes.create', { label }, ok({ id: 7, label }))
    expect(await bars('volumes.delete', { volumeId: 8 })).toBeUndefined()
    expect(await bars('volumes.delete', { volumeId: 7 })).toBe('volumes 7 was there before this run')
    expect(asked).toEqual([])
  })
})

describe('in a session', () => {
  it('what a look has shown before is not written to, whoever names it', async () => {
    const { session, embedded } = inProcess({ environment: embeddedEnvironment() }, nonce)
    const wire = call('volumes.create', { body: { label: 'theirs', region: 'r1' } })
    const made = embedded.handle(recorded(wire)) as { readonly body: { readonly id: number } }
    const origin = session.originOf('test')
    const path = { volumeId: made.body.id }
    await session.send(origin, op('volumes.view'), { path, as: 'owner' }, 'read')
    const { outcome } = await session.send(origin, op('volumes.update'), { path, body: { label }, as: 'owner' }, 'read')
    expect(outcome).toEqual({ lost: 'refused', detail: `not sent: volumes ${made.body.id} was there before this run` })
  })
})
