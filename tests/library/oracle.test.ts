// The oracle as a library: exchanges of a client with the reference go in, and what is wrong with them comes out.
import { describe, expect, onTestFinished, test } from 'vitest'
import { type History, type HistoryOptions, openHistory } from '../../library/oracle.js'
import { type ReferenceOptions, startReference } from '../../library/reference.js'

/** A client of the reference whose every exchange goes into a history, one after another. */
const recording = async (options: ReferenceOptions = {}, known: HistoryOptions = {}) => {
  const reference = await startReference({ listen: false, restAfter: 0, ...options })
  onTestFinished(reference.close)
  const history = await openHistory(known)
  let time = 0
  const tick = (): number => {
    time += 1
    return time
  }
  const call = async (method: string, url: string, body?: object, secret = reference.secrets.owner) => {
    const authorization = `Bearer ${secret}`
    const reply = await reference.fetch(url, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const shown = await reply.json()
    history.add({
      request: { method, url: `/v4${url}`, authorization, ...(body && { body }) },
      reply: { status: reply.status, body: shown },
      startedAt: tick(),
      endedAt: tick(),
    })
    return shown as { readonly id: number }
  }
  return { history, call, reference }
}

const use = async (call: Awaited<ReturnType<typeof recording>>['call']): Promise<void> => {
  const { id } = await call('POST', '/volumes', { label: 'data', size: 30, region: 'r1' })
  await call('GET', `/volumes/${id}`)
  await call('POST', `/volumes/${id}/resize`, { size: 20 })
  await call('GET', `/volumes/${id}`)
}

const ids = (history: History): readonly string[] => history.judge().findings.map(({ id }) => id)

describe('a history', () => {
  test('of a conforming target has no finding, and tells what each call decided', async () => {
    const { history, call } = await recording()
    await use(call)
    const { calls, findings, causes, undecided } = history.judge()
    expect({ findings, causes, undecided }).toEqual({ findings: [], causes: [], undecided: [] })
    expect(calls.map(({ n, operation, expects }) => [n, operation, expects])).toEqual([
      [1, 'volumes.create', 'either'],
      [2, 'volumes.view', expect.any(String)],
      [3, 'volumes.resize', 'refuse'],
      [4, 'volumes.view', expect.any(String)],
    ])
  })

  test('takes in no exchange that is none, and says what is wrong with it', async () => {
    const { history } = await recording()
    const request = { method: 'GET', url: '/v4/tags' }
    const wrong = () => history.add({ request, reply: { status: 'good' } } as never)
    expect(wrong).toThrow('add(exchange) reply: expected a reply, as a status with body or text')
    expect(wrong).toThrow('add(exchange) startedAt: expected a number; received nothing. Add startedAt.')
    expect(history.size()).toBe(0)
    const more = { ...request, operation: 'tags.list', path: {}, query: {} }
    expect(history.add({ request: more, reply: { status: 200, body: {} }, startedAt: 0, endedAt: 1 })).toBe(1)
    await expect(openHistory({ targets: 1 } as never)).rejects.toThrow('Did you mean "target"?')
  })

  test('of a broken target names the clause, with the shortest program', async () => {
    const { history, call } = await recording({ fault: 'volumes.resize: drops volumes.resize.only-up' })
    await use(call)
    expect(ids(history)).toEqual(['volumes.resize.only-up:accepted'])
    const [cause] = history.judge().causes
    expect(cause).toMatchObject({
      findings: ['volumes.resize.only-up:accepted'],
      operations: ['volumes.resize'],
    })
    expect(cause?.program.map((line) => line.split('(')[0])).toEqual(['volumes.view', 'volumes.resize'])
  })

  test('is judged anew after each call', async () => {
    const { history, call } = await recording({ fault: 'volumes.create: shows a wrong label' })
    expect(ids(history)).toEqual([])
    await call('POST', '/volumes', { label: 'data', region: 'r1' })
    expect(ids(history)).toContain('volumes.create.shows.label:label')
  })

  test('knows more with a target file: a token that lacks a scope is refused', async () => {
    const fixtures = {
      tokens: [{ name: 'reader', scopes: ['volumes:read_only'], secret: 'r3ader' }],
      fixtures: { regions: [{ id: 'r1' }] },
    }
    const fault = 'volumes.create: drops volumes.create.scope.volumes-read_write'
    const seen = async (known: HistoryOptions) => {
      const { history, call } = await recording({ fixtures, fault }, known)
      await call('POST', '/volumes', { label: 'data', region: 'r1' }, 'r3ader')
      return ids(history)
    }
    expect(await seen({})).toEqual([])
    expect(await seen({ target: fixtures })).toEqual(['volumes.create.scope.volumes-read_write:accepted'])
  })

  test('tells what is believed to exist', async () => {
    const { history, call } = await recording()
    await use(call)
    expect(history.world().volumes).toEqual([expect.objectContaining({ label: 'data', size: 30 })])
  })

  test('leaves out what is no call of the interface, and keeps no secret', async () => {
    const { history, call, reference } = await recording()
    await call('GET', '/regions')
    await use(call)
    expect(history.size()).toBe(4)
    expect(JSON.stringify(history.judge())).not.toContain(reference.secrets.owner)
  })

  test('takes a reply that was lost for what it is: the call may have taken effect', async () => {
    const history = await openHistory()
    const request = { method: 'POST', url: '/volumes', as: 'me', body: { label: 'data', region: 'r1' } }
    history.add({ request, reply: { lost: 'timeout' }, startedAt: 0, endedAt: 5 })
    expect(history.judge()).toMatchObject({ calls: [{ verdict: 'inconclusive' }], findings: [] })
  })
})
