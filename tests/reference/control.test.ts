// Tests of the way in beside the interface: hooks and events over HTTP.

import { describe, expect, test } from 'vitest'
import { callOf, clientOf } from '../driver/hostile.js'
import { embeddedTarget } from './serving.js'

describe('control', () => {
  const controlled = async () => {
    const target = await embeddedTarget({ control: true })
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
})
