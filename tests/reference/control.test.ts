// Tests of the way in beside the interface: hooks and events over HTTP.

import { validate } from '@readme/openapi-parser'
import { describe, expect, test } from 'vitest'
import { callOf, clientOf, list } from '../driver/hostile.js'
import { embeddedTarget } from './serving.js'

describe('control', () => {
  const controlled = async () => {
    const target = await embeddedTarget({ control: true, journal: true })
    const hook = (body: unknown) =>
      fetch(`${target.server.controlUrl}/hook`, { method: 'POST', body: JSON.stringify(body) })
    return { ...target, hook }
  }

  test('a hook that is called changes what the target answers', async () => {
    const { baseUrl, secrets, hook } = await controlled()
    const remove = callOf('volumes.delete', { path: { volumeId: 601 } })
    const client = clientOf(baseUrl, { secrets })
    expect(await client.send(remove, 1)).toMatchObject({ status: 400 })
    expect((await hook({ name: 'setVolumeMigrating', args: [601, false] })).status).toBe(200)
    expect(await client.send(remove, 2)).toMatchObject({ status: 200 })
  })

  test('events are listed in their order', async () => {
    const { baseUrl, secrets, server } = await controlled()
    const client = clientOf(baseUrl, { secrets })
    for (const label of ['a', 'b']) await client.send(callOf('object-keys.create', { body: { label } }), 1)
    expect(await (await fetch(`${server.controlUrl}/events`)).json()).toMatchObject([
      { action: 'obj_access_key_create' },
      { action: 'obj_access_key_create' },
    ])
  })

  test.each([
    ['a hook that there is not', { name: 'reboot', args: [] }, 'name'],
    ['a name of every object', { name: 'constructor', args: [] }, 'name'],
    ['arguments that are no array', { name: 'deleteNode', args: 7 }, 'args'],
    ['no object', null, 'name'],
  ])('%s is refused', async (_, body, field) => {
    const { hook } = await controlled()
    const reply = await hook(body)
    expect([reply.status, await reply.json()]).toMatchObject([400, { errors: [{ field }] }])
  })

  test('it stands outside the version segment, and nowhere unless asked for', async () => {
    const { server } = await controlled()
    expect(server.controlUrl).toBe(`${new URL(server.baseUrl).origin}/_control`)
    const without = await embeddedTarget()
    expect((await fetch(`${without.server.controlUrl}/events`)).status).toBe(404)
  })

  const ask = async (target: Awaited<ReturnType<typeof controlled>>, method: string, path: string, body?: unknown) => {
    const reply = await fetch(`${target.server.controlUrl}${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return [reply.status, (await reply.json()) as { readonly id?: string; readonly paths?: object }] as const
  }

  test('state is kept, restored and reset over HTTP', async () => {
    const target = await controlled()
    const client = clientOf(target.baseUrl, { secrets: target.secrets })
    const count = async () => {
      const outcome = await client.send(list, 1)
      return 'status' in outcome ? (outcome.body as { readonly results: number }).results : undefined
    }
    const before = await count()
    const create = callOf('volumes.create', { body: { label: 'kept', region: 'r1' } })
    await client.send(create, 1)
    const [status, { id }] = await ask(target, 'POST', '/snapshots')
    expect(status).toBe(201)
    await client.send({ ...create, body: { label: 'more', region: 'r1' } }, 1)
    expect(await ask(target, 'POST', `/snapshots/${id}/restore`)).toEqual([200, {}])
    expect(await count()).toBe((before ?? 0) + 1)
    expect(await ask(target, 'POST', '/reset')).toEqual([200, {}])
    expect(await count()).toBe(before)
  })

  test('the journal lists calls by an operation, or by a part of its id with *', async () => {
    const target = await controlled()
    const client = clientOf(target.baseUrl, { secrets: target.secrets })
    for (const id of ['volumes.list', 'tags.list']) await client.send(callOf(id), 1)
    const listed = async (query: string) => {
      const [, entries] = await ask(target, 'GET', `/journal${query}`)
      return (entries as unknown as readonly { readonly call: { readonly operation: string } }[]).map(
        ({ call }) => call.operation,
      )
    }
    expect(await listed('')).toEqual(['volumes.list', 'tags.list'])
    expect(await listed('?operation=volumes.list')).toEqual(['volumes.list'])
    expect(await listed('?operation=volumes.*')).toEqual(['volumes.list'])
  })

  test('settings are switched, and shown as they are then', async () => {
    const target = await controlled()
    await ask(target, 'PUT', '/latency', { ms: 1, spreadMs: 1 })
    await ask(target, 'PUT', '/rest', { byHand: true })
    await ask(target, 'PUT', '/variations', { names: ['created-201'] })
    await ask(target, 'PUT', '/fault', { id: 'volumes.resize: drops volumes.resize.only-up' })
    const [status, shown] = await ask(target, 'POST', '/disturbances', { kind: '503', times: 2 })
    expect([status, shown]).toMatchObject([
      200,
      {
        worlds: ['main'],
        variations: ['created-201'],
        fault: 'volumes.resize: drops volumes.resize.only-up',
        restAfter: 'by-hand',
        latency: { ms: 1, spreadMs: 1 },
        disturbances: [{ kind: '503', times: 2 }],
      },
    ])
  })

  test.each([
    ['POST', '/snapshots/7/restore', undefined, 404, 'id'],
    ['POST', '/reset?world=nowhere', undefined, 404, 'world'],
    ['POST', '/reset?wold=main', undefined, 400, 'wold'],
    ['POST', '/advance', { ms: -1 }, 400, 'ms'],
    ['POST', '/advance', { seconds: 1 }, 400, 'seconds'],
    ['PUT', '/latency', {}, 400, 'ms'],
    ['PUT', '/variations', { names: ['all-42'] }, 400, 'names'],
    ['PUT', '/fault', { id: 'volumes.resize: sings' }, 400, 'id'],
    ['POST', '/disturbances', { kind: '418' }, 400, 'kind'],
    ['POST', '/disturbances', { kind: '503', operation: 'volume.*' }, 400, 'operation'],
    ['POST', '/disturbances', { kind: '503', share: 0 }, 400, 'share'],
    ['GET', '/journal?since=x', undefined, 400, 'since'],
    ['GET', '/journal?operation=volume.*', undefined, 400, 'operation'],
    ['GET', '/nowhere', undefined, 404, ''],
    ['DELETE', '/reset', undefined, 405, ''],
  ])('%s %s with %j is refused with %i', async (method, path, body, status, field) => {
    const target = await controlled()
    expect(await ask(target, method, path, body)).toMatchObject([status, { errors: [{ field }] }])
  })

  test.each([
    ['POST', '/disturbances', { kind: '418' }, 'Expected one of "429", "503", "reset", "lost", received "418". '],
    ['POST', '/advance', { ms: -1 }, 'Expected number to be greater or equal to 0, received -1. '],
    ['PUT', '/latency', {}, 'Expected required property, received nothing. '],
  ])('%s %s with %j is told what was expected and received', async (method, path, body, reason) => {
    const [, reply] = await ask(await controlled(), method, path, body)
    expect(reply).toMatchObject({ errors: [{ reason: expect.stringContaining(reason) }] })
  })

  test('it describes itself, path by path', async () => {
    const target = await controlled()
    const [, { paths }] = await ask(target, 'GET', '/openapi.json')
    expect(Object.keys(paths ?? {})).toEqual(
      expect.arrayContaining(['/_control/reset', '/_control/snapshots/{id}/restore']),
    )
    expect((await validate((await ask(target, 'GET', '/openapi.json'))[1] as never)).valid).toBe(true)
  })
})
