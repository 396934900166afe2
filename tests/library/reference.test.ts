// The reference as a library: state, time, disturbances, journal, worlds and words, without a socket unless it says so.
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { targetFrom } from '../../config/target-file.js'
import { type Reference, type ReferenceOptions, startReference } from '../../library/reference.js'
import { embeddedEnvironment } from '../../reference/environment.js'

const start = async (options: ReferenceOptions = {}): Promise<Reference> => {
  const reference = await startReference({ listen: false, ...options })
  onTestFinished(reference.close)
  return reference
}

const caller =
  ({ fetch, secrets }: Reference, secret = secrets.owner) =>
  async (method: string, url: string, body?: unknown) => {
    const reply = await fetch(url, {
      method,
      headers: { authorization: `Bearer ${secret}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await reply.text()
    return { status: reply.status, headers: reply.headers, body: text === '' ? undefined : JSON.parse(text) }
  }

const volume = { label: 'data', region: 'r1' }

const labels = async (call: ReturnType<typeof caller>): Promise<readonly string[]> =>
  (await call('GET', '/volumes')).body.data.map(({ label }: { readonly label: string }) => label)

describe('what no compiler has seen', () => {
  test.each<[string, object, string]>([
    ['an unknown option', { variation: [] }, 'Did you mean "variations"?'],
    [
      'a fault among the disturbances',
      { faults: ['volumes.resize: loses its effect'] },
      'faults[0]: expected an object',
    ],
    ['an unknown disturbance', { faults: [{ kind: '500' }] }, 'faults[0].kind: expected one of 429, 503, reset, lost'],
    ['an operation that there is not', { faults: [{ kind: '503', operation: 'volume.*' }] }, 'an id like volume.*; '],
    [
      'a time to rest that is none',
      { restAfter: 'soon' },
      'restAfter: expected a number of calls, { ms } or "by-hand"; received "soon"',
    ],
    ['a negative latency', { latency: { ms: -1 } }, 'latency.ms: expected a number of at least 0; received -1'],
  ])('%s is refused with its place and what was expected', async (_, options, message) => {
    await expect(startReference({ listen: false, ...options })).rejects.toThrow(message)
  })

  test('what is said at a later moment is checked as well', async () => {
    const { disturb, setLatency, setRestAfter, advance, restore } = await start()
    expect(() => disturb({ kind: '503', operation: 'volume.*' })).toThrow('no operation has an id like volume.*; ')
    expect(() => setRestAfter(-1)).toThrow('setRestAfter(rest): expected a number of calls, { ms } or "by-hand"')
    expect(() => advance({ m: 1 } as never)).toThrow('advance(by) m: expected one of the keys calls, ms')
    expect(() => restore({} as never)).toThrow('restore(snapshot) worlds: expected')
    expect(() => disturb({ kind: 'gone' } as never)).toThrow('disturb(disturbance) kind: expected one of')
    expect(() => setLatency(5 as never)).toThrow('setLatency(latency): expected an object; received 5')
  })
})

describe('without a socket', () => {
  test('fetch reaches it as a client would over HTTP, and only while it is open', async () => {
    const reference = await startReference({ listen: false })
    const call = caller(reference)
    expect((await call('POST', '/volumes', volume)).body).toMatchObject({ label: 'data', status: 'creating' })
    expect(await labels(call)).toContain('data')
    await reference.close()
    await expect(call('GET', '/volumes')).rejects.toThrow()
  })

  test('a URL of any origin leads to it', async () => {
    const reference = await start()
    const reply = await reference.fetch('https://api.example.com/v4/volumes', {
      headers: { authorization: `Bearer ${reference.secrets.owner}` },
    })
    expect(reply.status).toBe(200)
  })

  test('it answers one call after another while the timers of a test are fake', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const call = caller(await start())
    expect((await call('POST', '/volumes', volume)).status).toBe(200)
    expect(await labels(call)).toContain('data')
    expect((await call('GET', '/tags')).status).toBe(200)
  })

  test('it listens where it is told to', async () => {
    const reference = await startReference()
    onTestFinished(reference.close)
    const reply = await fetch(`${reference.baseUrl}/volumes`)
    expect([new URL(reference.baseUrl).hostname, reply.status]).toEqual(['127.0.0.1', 401])
  })
})

describe('state', () => {
  test('a tag that is created after a volume was given its label is listed once', async () => {
    const call = caller(await start())
    await call('POST', '/volumes', { ...volume, tags: ['prod env'] })
    await call('POST', '/tags', { label: 'prod env' })
    expect((await call('GET', '/tags')).body.data).toEqual([{ label: 'prod env' }])
  })

  test('a reset brings back what there was, with the same ids to come', async () => {
    const reference = await start()
    const call = caller(reference)
    const first = await call('POST', '/volumes', volume)
    reference.reset()
    expect(await labels(call)).not.toContain('data')
    expect((await call('POST', '/volumes', volume)).body).toEqual(first.body)
  })

  test('a snapshot is restored as often as one likes', async () => {
    const reference = await start()
    const call = caller(reference)
    await call('POST', '/volumes', volume)
    const kept = reference.snapshot()
    for (let times = 0; times < 2; times += 1) {
      await call('POST', '/volumes', { ...volume, label: 'more' })
      expect(await labels(call)).toContain('more')
      reference.restore(kept)
      expect(await labels(call)).toEqual(expect.arrayContaining(['data']))
      expect(await labels(call)).not.toContain('more')
    }
  })

  test('each token has a world, and SECRET@NAME another token in it', async () => {
    const reference = await start({ worldPerToken: true })
    const [a, b] = [caller(reference, 'test-a'), caller(reference, 'test-b')]
    await a('POST', '/volumes', volume)
    expect([await labels(a), await labels(b)]).toEqual([
      expect.arrayContaining(['data']),
      expect.not.arrayContaining(['data']),
    ])
    const limited = caller(reference, `${reference.secrets.limited}@test-a`)
    expect((await limited('GET', '/managed/contacts')).status).toBe(403)
  })

  test('fixtures are those of a target file, with its tokens', async () => {
    const reference = await start({
      fixtures: {
        tokens: [{ name: 'me', scopes: '*', secret: 'mine' }],
        fixtures: { regions: [{ id: 'north' }], nodes: [{ id: 7, region: 'north', label: 'web' }] },
      },
    })
    const call = caller(reference, 'mine')
    expect((await call('POST', '/volumes', { label: 'a', node_id: 7 })).body).toMatchObject({
      region: 'north',
      node_label: 'web',
    })
    expect((await call('POST', '/volumes', volume)).body.errors[0]).toEqual({
      field: 'region',
      reason: 'region not found',
    })
  })

  test('fixtures that are ill-formed are refused by their path', async () => {
    await expect(start({ fixtures: { fixtures: { nodes: [{ id: 'x' }] } } as never })).rejects.toThrow(
      'fixtures.nodes[0]',
    )
  })
})

describe('time', () => {
  const status = async (call: ReturnType<typeof caller>, id: number) =>
    (await call('GET', `/volumes/${id}`)).body.status

  test('things come to rest by hand', async () => {
    const reference = await start({ restAfter: 'by-hand' })
    const call = caller(reference)
    const { id } = (await call('POST', '/volumes', volume)).body
    for (let times = 0; times < 10; times += 1) expect(await status(call, id)).toBe('creating')
    reference.advance()
    expect(await status(call, id)).toBe('active')
  })

  test('things come to rest by the clock that is given', async () => {
    let now = Date.UTC(2030, 0, 1)
    const reference = await start({ restAfter: { ms: 2000 }, clock: () => now })
    const call = caller(reference)
    const { id, created } = (await call('POST', '/volumes', volume)).body
    expect(created).toBe('2030-01-01T00:00:00')
    now += 1999
    expect(await status(call, id)).toBe('creating')
    reference.advance({ ms: 1 })
    expect(await status(call, id)).toBe('active')
  })
})

describe('disturbances', () => {
  test('a refusal of a gateway has no effect, and is met as often as told', async () => {
    const reference = await start({ faults: [{ kind: '429', operation: 'volumes.c*', times: 2, retryAfter: 3 }] })
    const call = caller(reference)
    for (let times = 0; times < 2; times += 1) {
      const reply = await call('POST', '/volumes', volume)
      expect([reply.status, reply.headers.get('retry-after')]).toEqual([429, '3'])
    }
    expect(await labels(call)).not.toContain('data')
    expect((await call('POST', '/volumes', volume)).status).toBe(200)
  })

  test.each([
    ['reset', false],
    ['lost', true],
  ] as const)('a connection that is %s leaves the effect %s', async (kind, isDone) => {
    const reference = await start()
    const call = caller(reference)
    reference.disturb({ kind, times: 1 })
    await expect(call('POST', '/volumes', volume)).rejects.toThrow()
    expect((await labels(call)).includes('data')).toBe(isDone)
  })

  test('a share of calls is met', async () => {
    const reference = await start()
    const call = caller(reference)
    reference.disturb({ kind: '503', share: 0.5 })
    const statuses = new Set<number>()
    for (let times = 0; times < 40; times += 1) statuses.add((await call('GET', '/volumes')).status)
    expect([...statuses].sort()).toEqual([200, 503])
    reference.clearDisturbances()
    expect((await call('GET', '/volumes')).status).toBe(200)
  })
})

test('the journal holds calls with their replies, and no secret', async () => {
  const reference = await start()
  const call = caller(reference)
  await call('POST', '/managed/credentials', { label: 'ssh', password: 'hunter2' })
  reference.disturb({ kind: 'lost', times: 1 })
  await call('GET', '/volumes').catch(() => undefined)
  const journal = reference.journal()
  expect(journal).toMatchObject([
    { n: 1, world: 'main', call: { operation: 'managed-credentials.create', as: 'owner' }, outcome: { status: 200 } },
    { n: 2, call: { operation: 'volumes.list' }, outcome: { lost: 'reset' }, disturbed: 'lost' },
  ])
  expect(JSON.stringify(journal)).not.toContain('hunter2')
})

test('a secret that was minted or sent stands nowhere in the journal, wherever a later call puts it', async () => {
  const reference = await start()
  const call = caller(reference)
  const minted = await call('POST', '/object-storage/keys', { label: 'key' })
  const { secret_key: secret } = minted.body as { secret_key: string }
  expect(secret.length).toBeGreaterThan(8)
  await call('POST', '/tags', { label: `of ${secret}` })
  await call('GET', `/tags?of=${secret}&by=${reference.secrets.owner}`)
  const journal = JSON.stringify(reference.journal())
  expect(journal).toContain('tags.create')
  expect(journal).not.toContain(secret)
  expect(journal).not.toContain(reference.secrets.owner)
})

test('variations and faults are switched while it runs, and names that are unknown are refused', async () => {
  const reference = await start()
  const call = caller(reference)
  const create = async () => (await call('POST', '/volumes', { ...volume, label: 'x'.repeat(33) })).status
  expect(await create()).toBe(400)
  reference.setVariations(['all-422'])
  expect(await create()).toBe(422)
  reference.setFault('volumes.create: drops volumes.create.body.label.maxLength')
  expect(await create()).toBe(200)
  reference.setFault(undefined)
  expect(await create()).toBe(422)
  expect(() => reference.setVariations(['all-42' as never])).toThrow('Did you mean "all-422"?')
  expect(() => reference.setFault('volumes.create: sings')).toThrow('no mutant')
})

describe('words of a target', () => {
  const vocabulary = {
    node_id: 'instance_id',
    node: 'instance',
    segments: { node: 'compute', volumes: 'disks' },
    values: { status: { creating: 'booting' } },
    parts: { filesystem_path: { scsi0: 'x', 'scsi-0Node_': 'scsi-0Acme_' } },
  }

  test('are those that clients send and receive', async () => {
    const call = caller(await start({ vocabulary }))
    const { status, body } = await call('POST', '/disks', { label: 'data', instance_id: 101 })
    expect([status, body]).toMatchObject([
      200,
      { instance_id: 101, status: 'booting', filesystem_path: '/dev/disk/by-id/scsi-0Acme_Volume_data' },
    ])
    expect((await call('POST', '/disks', { label: 'b', instance_id: 'x' })).body.errors[0].field).toBe('instance_id')
  })

  test('stand in its target file, by which it is judged in them', async () => {
    const scopes = { 'nodes:read_only': 'instances:read_only', 'nodes:read_write': 'instances:read_write' }
    const { target } = await start({ vocabulary: { ...vocabulary, scopes } })
    expect(target.tokens?.flatMap((token) => token.scopes)).toContain('instances:read_write')
    const read = await targetFrom(target, process.cwd())
    expect(read.vocabulary).toEqual({ ...vocabulary, scopes })
    expect(read.environment.tokens).toEqual(embeddedEnvironment().tokens)
  })

  test('are those of what clients ask beside the interface, too', async () => {
    const call = caller(await start({ vocabulary }))
    expect((await call('GET', '/compute/instances/101')).body).toMatchObject({ id: 101, region: 'r1' })
  })
})

describe('what clients ask first', () => {
  test.each(['/regions', '/regions/r1', '/account', '/profile', '/node/instances', '/node/types'])(
    '%s is answered, and marked as no part of the interface',
    async (path) => {
      const reply = await caller(await start())('GET', path)
      expect([reply.status, reply.headers.get('x-touchstone-aid')]).toEqual([200, 'not part of the interface'])
    },
  )

  test('needs a credential but for regions and types, and shows nothing of other accounts', async () => {
    const reference = await start()
    expect((await reference.fetch('/account')).status).toBe(401)
    expect((await reference.fetch('/regions')).status).toBe(200)
    const { data } = (await caller(reference, reference.secrets.other)('GET', '/node/instances')).body
    expect(data.map(({ id }: { readonly id: number }) => id)).toEqual([201])
  })
})
