// Tests of the embedded target as a whole, over HTTP.

import { describe, expect, test } from 'vitest'
import { operations } from '../../models/index.js'
import { wrongToken } from '../../models/language/access.js'
import { startEmbedded } from '../../reference/serve.js'
import { callOf, clientOf, list } from '../driver/hostile.js'
import { embeddedTarget } from './serving.js'

describe('the embedded target', () => {
  test.each(operations.map(({ id }) => id))('%s answers a draft in JSON and without a server error', async (id) => {
    const { baseUrl, secrets } = await embeddedTarget()
    const op = operations.find((one) => one.id === id)
    const path = Object.fromEntries(Object.keys(op?.params ?? {}).map((name) => [name, '601']))
    const outcome = await clientOf(baseUrl, { secrets }).send(callOf(id, { path, body: {} }), 1)
    expect(outcome).toMatchObject({
      status: expect.toSatisfy((status) => status < 500),
      contentType: 'application/json',
    })
  })

  test('unknown members, nulls, paging and repeated path parameters are tolerated', async () => {
    const { baseUrl, secrets } = await embeddedTarget()
    const client = clientOf(baseUrl, { secrets })
    const lenient = [
      callOf('volumes.create', { body: { label: 'a', region: 'r1', tags: null, node_id: null, colour: 'red' } }),
      callOf('volumes.view', { path: { volumeId: 602 }, query: { page: 1, page_size: 25 } }),
      callOf('volumes.update', { path: { volumeId: 602 }, body: { label: 'b', volumeId: 602, volume_id: 602 } }),
    ]
    for (const call of lenient) expect(await client.send(call, 1)).toMatchObject({ status: 200 })
  })

  test('each token of the environment has a secret of its own, and its own rights', async () => {
    const { baseUrl, environment, secrets } = await embeddedTarget()
    expect([...secrets.keys()]).toEqual(environment.tokens.map(({ name }) => name))
    expect(secrets.get('owner')).toBe('embedded-owner')
    expect(new Set(secrets.values()).size).toBe(secrets.size)
    const client = clientOf(baseUrl, { secrets })
    expect(await client.send(list, 1)).toMatchObject({ status: 200 })
    for (const as of ['without-volumes-read_only', null, wrongToken])
      expect(await client.send({ ...list, as }, 1)).toMatchObject({
        status: expect.toSatisfy((status) => status >= 400),
      })
  })

  test('the same seed gives the same replies, another one others', async () => {
    const replies = await Promise.all(
      [7, 7, 8].map(async (seed) => {
        const { baseUrl, secrets } = await embeddedTarget({ seed })
        return clientOf(baseUrl, { secrets }).send(list, 1)
      }),
    )
    expect(replies[1]).toEqual(replies[0])
    expect(replies[2]).not.toEqual(replies[0])
  })

  test('its hooks change what it answers', async () => {
    const { baseUrl, secrets, hooks } = await embeddedTarget()
    const client = clientOf(baseUrl, { secrets })
    const remove = callOf('volumes.delete', { path: { volumeId: 601 } })
    expect(await client.send(remove, 1)).toMatchObject({ status: 400 })
    await hooks.setVolumeMigrating?.(601, false)
    expect(await client.send(remove, 2)).toMatchObject({ status: 200 })
  })

  test('a port that is taken is named in the refusal', async () => {
    const { baseUrl } = await embeddedTarget()
    const port = Number(new URL(baseUrl).port)
    await expect(startEmbedded({ port })).rejects.toThrow(`cannot listen on 127.0.0.1:${port}: `)
  })

  test('a closed server ends although a connection is open', async () => {
    const { server, secrets } = await embeddedTarget()
    const client = clientOf(server.baseUrl, { secrets })
    await client.send(list, 1)
    await server.close()
    expect(await client.send(list, 2)).toMatchObject({ lost: expect.stringMatching(/refused|reset/) })
  })
})
