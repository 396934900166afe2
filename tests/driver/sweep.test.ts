// What a sweep takes for gone: what the target says it has removed, and what its list shows no more.
import { expect, test } from 'vitest'
import { nameOfRun } from '../../arbitraries/serial.js'
import type { LedgerLine } from '../../driver/session.js'
import { sweepTarget } from '../../driver/sweep.js'
import { openAccess, type TargetAccess } from '../../driver/target-access.js'
import type { Outcome } from '../../history/wire.js'
import { operationById } from '../../models/index.js'
import type { Operation } from '../../models/language/operation.js'
import { embeddedTarget } from '../../reference/target.js'
import { jsonReply, rawTarget, secrets } from './hostile.js'

const label = 'ts-00abc7l-tag-a4q9'
const refused: Outcome = { status: 400, body: { errors: [{ reason: 'There is nothing of that name' }] } }
const absent: Outcome = { status: 404, body: { errors: [{ reason: 'Not found' }] } }
const page = (...data: readonly object[]): Outcome => ({
  status: 200,
  body: { data, page: 1, pages: 1, results: data.length },
})

const answering = (answer: (operation: string) => Outcome): TargetAccess => ({
  call: async ({ id }) => answer(id),
  sleep: async () => undefined,
  clock: () => 0,
  requests: () => 0,
  close: async () => undefined,
})

const createdBy = (kind: string, operation: string, key: string, body: object): LedgerLine => ({
  event: 'created',
  step: 1,
  kind,
  operation,
  key,
  body,
})

/** A sweep of a tag on a target that shows every tag, unknown ones as an empty collection, and refuses to remove this one. */
const sweptWhere = async (isListed: boolean, refusal = refused): Promise<readonly string[]> => {
  const access = answering((id) =>
    id === 'tags.delete' ? refusal : id === 'tags.list' && isListed ? page({ label }) : page(),
  )
  const made = createdBy('tags', 'tags.create', `main/${label}`, { label })
  const target = embeddedTarget({ baseUrl: 'http://127.0.0.1:1/v4', secrets: [] })
  const swept = await sweepTarget({ target, access, ledger: [made], dryRun: false, kinds: new Set() })
  return swept.map(({ result, account }) => `${result} of ${account}`)
}

test('what its list shows no more is gone, although its removal is refused', async () => {
  expect(await sweptWhere(false)).toEqual(['removed of main'])
})

test('what its list still shows has failed to go', async () => {
  expect(await sweptWhere(true)).toEqual(['failed of main'])
})

test('what a creation without an id made, and could not be removed, is told as left for as long as it is shown', async () => {
  const credential = { id: 7, label: 'kg' }
  const of = { step: 1, kind: 'managed-credentials', operation: 'managed-credentials.create' }
  const ledger: readonly LedgerLine[] = [
    { ...of, event: 'created', key: '?made by call 1', account: 'main', body: { label: 'kg' } },
    { ...of, event: 'left', key: '7' },
  ]
  const sweptIf = async (isShown: boolean): Promise<readonly string[]> => {
    const access = answering((id) =>
      id === 'managed-credentials.view' ? (isShown ? { status: 200, body: credential } : absent) : page(),
    )
    const target = embeddedTarget({ baseUrl: 'http://127.0.0.1:1/v4', secrets: [] })
    const swept = await sweepTarget({ target, access, ledger, dryRun: false, kinds: new Set() })
    return [...new Set(swept.map(({ kind, key, result }) => `${kind} ${key} ${result}`))]
  }
  expect(await sweptIf(true)).toEqual(['managed-credentials 7 failed'])
  expect(await sweptIf(false)).toEqual([])
})

test('what its list shows is not gone because the reply to its removal, which may name something else on its way, says so', async () => {
  expect([await sweptWhere(true, absent), await sweptWhere(false, absent)]).toEqual([
    ['failed of main'],
    ['removed of main'],
  ])
})

/**
 * A sweep of a volume that a late list still shows attached to a node, on a target that answers its view, detachment and removal so; its
 * removal by one after the other.
 */
const sweptVolume = async (view: Outcome, detach: Outcome, ...removals: Outcome[]): Promise<readonly unknown[]> => {
  const named = 'ts-00abc7l-b305'
  const volume = { id: 7, label: named, status: 'active', node_id: 101, tags: [] }
  const answers: Readonly<Record<string, Outcome>> = {
    'volumes.list': page(volume),
    'volumes.view': view,
    'volumes.detach': detach,
  }
  const answer = (id: string): Outcome | undefined =>
    id === 'volumes.delete' ? (removals.length > 1 ? removals.shift() : removals[0]) : answers[id]
  const access: TargetAccess = {
    ...answering(() => page()),
    call: async ({ id }, { as }) => (as === 'owner' && answer(id)) || page(),
  }
  const isMade = (name: string): boolean => name === named
  const target = embeddedTarget({ baseUrl: 'http://127.0.0.1:1/v4', secrets: [] })
  const swept = await sweepTarget({ target, access, ledger: [], dryRun: false, isMade, kinds: new Set(['volumes']) })
  return swept.map(({ result, reason }) => [result, reason])
}

test('what a late list shows is gone if its removal says that it is not there, whatever it could not be released from', async () => {
  expect(await sweptVolume(absent, absent, absent)).toEqual([['removed', undefined]])
  expect(await sweptVolume(absent, absent, { status: 200, body: {} })).toEqual([['removed', undefined]])
})

test('what is not released and not removed either has failed to go, and the release says why', async () => {
  const migrating: Outcome = { status: 400, body: { errors: [{ reason: 'Migrating' }] } }
  expect(
    await sweptVolume({ status: 200, body: { id: 7, label: 'ts-00abc7l-b305', status: 'active' } }, migrating, refused),
  ).toEqual([['failed', 'volumes.detach: 400: Migrating']])
})

test('what a late replica forbids to remove is removed once more, although it was not released either', async () => {
  const shown = { status: 200, body: { id: 7, label: 'ts-00abc7l-b305', status: 'active' } }
  const forbidden: Outcome = { status: 403, body: { errors: [{ reason: 'Unauthorized' }] } }
  expect(await sweptVolume(shown, refused, forbidden, { status: 200, body: {} })).toEqual([['removed', undefined]])
  expect(await sweptVolume(shown, refused, forbidden)).toEqual([['failed', 'volumes.delete: 403: Unauthorized']])
})

test('before a gateway that passes on strictly every other call, what is left is removed', async () => {
  const named = 'ts-00abc7l-b305'
  const volume = { id: 7, label: named, status: 'active', node_id: null, tags: [] }
  let sent = 0
  let isThere = true
  const answerOnce = ({ id }: Operation, as: string): Outcome => {
    if (as !== 'owner') return page()
    sent += 1
    if (sent % 2 === 0) return { status: 502, text: '<h1>502</h1>', contentType: 'text/html' }
    if (id === 'volumes.list') return isThere ? page(volume) : page()
    if (id === 'volumes.delete') isThere = false
    return isThere ? { status: 200, body: volume } : id === 'volumes.delete' ? { status: 200, body: {} } : absent
  }
  const access: TargetAccess = {
    ...answering(() => page()),
    call: async (op, { as }, times) => {
      const outcome = answerOnce(op, as)
      const isAgain = op.method === 'GET' && times !== 'once' && 'status' in outcome && outcome.status === 502
      return isAgain ? answerOnce(op, as) : outcome
    },
  }
  const isMade = (name: string): boolean => name === named
  const target = embeddedTarget({ baseUrl: 'http://127.0.0.1:1/v4', secrets: [] })
  const swept = await sweepTarget({ target, access, ledger: [], dryRun: false, isMade, kinds: new Set(['volumes']) })
  expect([swept.map(({ result }) => result), isThere]).toEqual([['removed'], false])
})

test('what a proxy says in its own words of an address is not said to be gone', async () => {
  const notFound: Outcome = { status: 404, text: '<h1>Not Found</h1>', contentType: 'text/html' }
  expect(await sweptWhere(true, notFound)).toEqual(['failed of main'])
})

test('what is turned away again and again is tried for two seconds', async () => {
  let now = 0
  let removals = 0
  const access: TargetAccess = {
    ...answering((id) => (id === 'tags.list' ? page({ label }) : page())),
    clock: () => now,
    sleep: async (ms) => {
      now += ms
    },
  }
  const call: TargetAccess['call'] = async (op, args) => {
    if (op.id !== 'tags.delete') return access.call(op, args)
    removals += 1
    return now < 2000 ? { status: 503, text: '<h1>503</h1>', contentType: 'text/html' } : { status: 200, body: {} }
  }
  const made = createdBy('tags', 'tags.create', `main/${label}`, { label })
  const target = embeddedTarget({ baseUrl: 'http://127.0.0.1:1/v4', secrets: [] })
  const options = { target, access: { ...access, call }, ledger: [made], dryRun: false, kinds: new Set<string>() }
  const swept = await sweepTarget(options)
  expect([swept.map(({ result }) => result), removals]).toEqual([['removed'], 4])
})

/** A sweep of so many tags, each of which is removed by a certain try: how many are gone, how often that was tried, and how long it took. */
const sweptTags = async (many: number, triesNeeded: number): Promise<readonly number[]> => {
  const tries = new Map(Array.from({ length: many }, (_, at) => [nameOfRun('ts-00abc7l', at), 0]))
  const isLeft = ([, tried]: readonly [string, number]): boolean => tried < triesNeeded
  let waitedMs = 0
  const access: TargetAccess = {
    ...answering(() => page(...[...tries].filter(isLeft).map(([label]) => ({ label })))),
    sleep: async (ms) => {
      waitedMs += ms
    },
  }
  const call: TargetAccess['call'] = async (op, args) => {
    if (op.id !== 'tags.delete') return access.call(op, args)
    const named = String(args.path?.tagLabel)
    tries.set(named, (tries.get(named) ?? 0) + 1)
    return isLeft([named, tries.get(named) ?? 0]) ? { status: 503, text: '', contentType: 'text/html' } : page()
  }
  const ledger = [...tries.keys()].map((one) => createdBy('tags', 'tags.create', `main/${one}`, { label: one }))
  const target = embeddedTarget({ baseUrl: 'http://127.0.0.1:1/v4', secrets: [] })
  const swept = await sweepTarget({ target, access: { ...access, call }, ledger, dryRun: false, kinds: new Set() })
  const removals = [...tries.values()].reduce((sum, tried) => sum + tried, 0)
  return [swept.filter(({ result }) => result === 'removed').length, removals, waitedMs]
}

test('where nothing can be removed, each is tried only once as soon as ten seconds were waited', async () => {
  const [removed, removals = 0, waitedMs] = await sweptTags(40, Number.POSITIVE_INFINITY)
  expect([removed, waitedMs]).toEqual([0, 10_000])
  const [, ofTwice = 0] = await sweptTags(80, Number.POSITIVE_INFINITY)
  expect(ofTwice - removals).toBe(40)
})

test('where each is removed the second time, all are, however many there are', async () => {
  expect(await sweptTags(200, 2)).toEqual([200, 400, 20_000])
})

test('a list that an account without Managed is refused tells nothing of what was left', async () => {
  const accounts = ['main', 'debtor']
  const failed = async (refusal: Outcome): Promise<readonly string[]> => {
    const access = answering((id) => (id === 'managed-contacts.list' ? refusal : page()))
    const plain = embeddedTarget({ baseUrl: 'http://127.0.0.1:1/v4', secrets: [] })
    const environment = {
      ...plain.environment,
      accounts: plain.environment.accounts.filter(({ name }) => accounts.includes(name)),
    }
    const swept = await sweepTarget({ target: { ...plain, environment }, access, ledger: [], dryRun: false })
    return swept.map(({ result, kind, account }) => `${result}: ${kind} of ${account}`)
  }
  expect(await failed(refused)).toEqual(['failed: managed-contacts of main'])
  expect(await failed({ status: 502, body: '' })).toEqual(accounts.map((name) => `failed: managed-contacts of ${name}`))
})

/** A sweep of a tag whose name has no prefix, for which the list alone tells whether it is there. */
const sweptShort = async (list: Outcome, ...more: readonly LedgerLine['event'][]): Promise<readonly unknown[]> => {
  const access = answering((id) => (id === 'tags.list' ? list : { status: 200, body: {} }))
  const made = { ...createdBy('tags', 'tags.create', 'main/ylb', { label: 'ylb' }), account: 'main' }
  const target = embeddedTarget({ baseUrl: 'http://127.0.0.1:1/v4', secrets: [] })
  const ledger = [made, ...more.map((event) => ({ ...made, event }))]
  const swept = await sweepTarget({ target, access, ledger, dryRun: false, kinds: new Set() })
  return swept.map(({ result }) => result)
}

test('what only its list shows is removed if a run has seen that it made it, and is not said to be gone before it was looked for', async () => {
  const shown = page({ label: 'ylb' })
  expect(await sweptShort(shown, 'proven')).toEqual(['removed'])
  expect(await sweptShort(shown)).toEqual(['failed'])
  expect(await sweptShort(page(), 'proven')).toEqual([])
  expect(await sweptShort({ lost: 'reset' }, 'proven')).toEqual(['failed'])
})

/** A sweep of a volume whose removal has no reply the first time; what it looks like after that, and how often it was removed. */
const sweptAfterLoss = async (
  shown: Outcome,
  loss: Outcome = { lost: 'reset' },
): Promise<readonly [result: string | undefined, removals: number]> => {
  const volume = { id: 7, label: 'ts-00abc7l-b305', status: 'active', node_id: null }
  let removals = 0
  const access = answering((id) => {
    if (id === 'volumes.delete') removals += 1
    if (id === 'volumes.delete') return removals === 1 ? loss : { status: 200, body: {} }
    return removals === 0 ? { status: 200, body: volume } : shown
  })
  const made = createdBy('volumes', 'volumes.create', '7', { label: volume.label })
  const target = embeddedTarget({ baseUrl: 'http://127.0.0.1:1/v4', secrets: [] })
  const environment = { ...target.environment, accounts: target.environment.accounts.slice(0, 1) }
  const options = {
    target: { ...target, environment },
    access,
    ledger: [made],
    dryRun: false,
    kinds: new Set<string>(),
  }
  const [swept] = await sweepTarget(options)
  return [swept?.result, removals]
}

test('what had no reply to its removal is looked at, and removed once more if it is there still and ours', async () => {
  const record = (label: string): Outcome => ({ status: 200, body: { id: 7, label, status: 'active', node_id: null } })
  expect(await sweptAfterLoss({ status: 404, body: { errors: [{ reason: 'Not found' }] } })).toEqual(['removed', 1])
  expect(await sweptAfterLoss(record('ts-00abc7l-b305'))).toEqual(['removed', 2])
  expect(await sweptAfterLoss(record('of-others'))).toEqual(['failed', 1])
})

test('what a gateway would not pass on at that moment is removed once more', async () => {
  const there: Outcome = { status: 200, body: { id: 7, label: 'ts-00abc7l-b305', status: 'active', node_id: null } }
  expect(await sweptAfterLoss(there, { status: 421, body: undefined, text: '<h1>421</h1>' })).toEqual(['removed', 2])
})

test.each<readonly [string, Outcome]>([
  ['its token is known no more', { status: 401, body: { errors: [{ reason: 'Invalid token' }] } }],
  ['a gateway answers in a page of its own', { status: 403, text: '<h1>403</h1>', contentType: 'text/html' }],
])('what cannot be looked at is not said to be gone, where %s', async (_, shown) => {
  expect(await sweptAfterLoss(shown)).toEqual(['failed', 1])
})

/** A sweep of a device, a kind without a list of its own, where each account is answered in its own way. */
const sweptOfTwo = async (
  answers: Readonly<Record<string, Outcome>>,
  account?: string,
): Promise<readonly [results: readonly string[], asked: readonly string[]]> => {
  const asked: string[] = []
  const access: TargetAccess = {
    ...answering(() => refused),
    call: async ({ id }, { as }) => {
      if (id === 'firewall-devices.view' || id === 'firewall-devices.delete') asked.push(as)
      return id === 'firewall-devices.delete' ? { status: 200, body: {} } : (answers[as] ?? refused)
    },
  }
  const made = {
    ...createdBy('firewall-devices', 'firewall-devices.create', '7', { id: 101, type: 'node' }),
    url: '/networking/firewalls/5/devices',
    ...(account !== undefined && { account }),
  }
  const proven: LedgerLine = { ...made, event: 'proven' }
  const target = embeddedTarget({ baseUrl: 'http://127.0.0.1:1/v4', secrets: [] })
  const options = { target, access, ledger: [made, proven], dryRun: false, kinds: new Set<string>() }
  const swept = await sweepTarget(options)
  return [swept.map(({ result, account: of }) => `${result} of ${of}`), [...new Set(asked)]]
}

const forbidden: Outcome = { status: 403, body: { errors: [{ reason: 'Unauthorized' }] } }
const device: Outcome = { status: 200, body: { id: 7, entity: { id: 101, type: 'node' } } }

test('only the account that made a thing is asked for it, and is not told by a 403 that it is gone', async () => {
  expect(await sweptOfTwo({ owner: device }, 'main')).toEqual([['removed of main'], ['owner']])
  expect(await sweptOfTwo({ owner: absent }, 'main')).toEqual([[], ['owner']])
  expect(await sweptOfTwo({ owner: forbidden, other: absent }, 'main')).toEqual([['failed of main'], ['owner']])
})

test('of a ledger that tells no account every account is asked, and a 403 is the word for what another one has', async () => {
  expect(await sweptOfTwo({ owner: device, other: forbidden, debtor: forbidden })).toEqual([
    ['removed of main'],
    ['owner', 'debtor', 'other'],
  ])
})

/** A sweep of a ticket: what becomes of it, and what was called. */
const sweptTicket = async (closing: Outcome): Promise<readonly unknown[]> => {
  const called: string[] = []
  const summary = 'ts-00abc7l-b305'
  const access = answering((id) => {
    called.push(id)
    return id === 'tickets.close' ? closing : { status: 200, body: { id: 7, summary } }
  })
  const made = { ...createdBy('tickets', 'tickets.create', '7', { summary }), account: 'main' }
  const target = embeddedTarget({ baseUrl: 'http://127.0.0.1:1/v4', secrets: [] })
  const swept = await sweepTarget({ target, access, ledger: [made], dryRun: false, kinds: new Set<string>() })
  return [swept.map(({ result }) => result), called.filter((id) => id === 'tickets.close').length]
}

test('a ticket that a run has opened is closed, and one that cannot be closed has not failed: it may be closed already', async () => {
  expect(await sweptTicket({ status: 200, body: {} })).toEqual([['removed'], 1])
  expect(await sweptTicket(refused)).toEqual([['stays'], 1])
})

test('a service that says it is disabled is removed: it may be monitored no more and there all the same', async () => {
  const service = { id: 7, label: 'ts-00abc7l-b305', status: 'disabled' }
  const called: string[] = []
  const access = answering((id) => {
    called.push(id)
    return { status: 200, body: id === 'managed-services.delete' ? {} : service }
  })
  const made = createdBy('managed-services', 'managed-services.create', '7', { label: service.label })
  const target = embeddedTarget({ baseUrl: 'http://127.0.0.1:1/v4', secrets: [] })
  await sweepTarget({ target, access, ledger: [made], dryRun: false, kinds: new Set<string>() })
  expect(called).toContain('managed-services.delete')
})

test('a list that is forbidden once is read again, and one that stays forbidden soon is not', async () => {
  for (const [times, read] of [
    [1, 200],
    [9, 403],
  ] as const) {
    let requests = 0
    const reply = jsonReply('{"errors":[{"field":"","reason":"Unauthorized"}]}').replace('200 OK', '403 Forbidden')
    const baseUrl = await rawTarget((socket) => {
      requests += 1
      socket.end(requests > times ? jsonReply('{}') : reply)
    })
    const access = openAccess(embeddedTarget({ baseUrl, secrets: [...secrets] }), 'ts-t')
    expect(await access.call(operationById('tags.list') as Operation, { as: 'owner' })).toMatchObject({ status: read })
    expect(requests).toBe(2)
    await access.close()
  }
})

test('a read without a reply is sent again, a write is not', async () => {
  let requests = 0
  const baseUrl = await rawTarget((socket) => {
    requests += 1
    if (requests % 3 === 0) socket.end(jsonReply('{}'))
    else socket.destroy()
  })
  const access = openAccess(embeddedTarget({ baseUrl, secrets: [...secrets] }), 'ts-t')
  const ask = (id: string) => access.call(operationById(id) as Operation, { as: 'owner', path: { volumeId: 7 } })
  expect(await ask('volumes.list')).toMatchObject({ status: 200 })
  expect(requests).toBe(3)
  expect(await ask('volumes.delete')).toMatchObject({ lost: 'reset' })
  expect(requests).toBe(4)
  await access.close()
})

test('nothing is waited for at a target that gives no reply any more', async () => {
  const access = openAccess(embeddedTarget({ baseUrl: 'http://127.0.0.1:1/v4', secrets: [...secrets] }), 'ts-t')
  const remove = operationById('volumes.delete') as Operation
  for (let time = 0; time < 3; time += 1) await access.call(remove, { as: 'owner', path: { volumeId: 7 } })
  await expect(access.sleep(600_000)).resolves.toBeUndefined()
  await access.close()
})

test.each([
  ['is given back where the ledger tells how it was called', true, ['returned /volumes/33'], 'kept'],
  ['stays where no ledger tells of it', false, ['stays 33'], 'ts-00abc7l-b305'],
])('a lent volume that a run has renamed is never deleted: it %s', async (_, hasLedger, told, name) => {
  const volume = { id: 33, label: 'ts-00abc7l-b305', status: 'active', tags: [] as readonly string[] }
  const removed: string[] = []
  const access: TargetAccess = {
    ...answering(() => page()),
    call: async ({ id, area }, { body, as }) => {
      if (id === 'volumes.delete') removed.push(id)
      if (id === 'volumes.update') Object.assign(volume, body)
      if (id === 'volumes.list') return as === 'owner' ? page({ ...volume }) : page()
      return area === 'volumes' ? { status: 200, body: { ...volume } } : page()
    },
  }
  const plain = embeddedTarget({ baseUrl: 'http://127.0.0.1:1/v4', secrets: [] })
  const { environment } = plain
  const volumes = [...(environment.fixtures.volumes ?? []), { id: 33, region: 'r1', account: 'main' }]
  const target = { ...plain, environment: { ...environment, fixtures: { ...environment.fixtures, volumes } } }
  const of = { step: 1, kind: 'volumes', operation: 'volumes.update', key: '/volumes/33', account: 'main' } as const
  const lent: readonly LedgerLine[] = [
    { ...of, event: 'lent', url: '/volumes/33', body: { label: 'kept', tags: [] } },
    { ...of, event: 'changing', url: '/volumes/33', body: { label: 'ts-00abc7l-b305' } },
  ]
  const swept = await sweepTarget({ target, access, ledger: hasLedger ? lent : [], dryRun: false })
  expect(swept.filter(({ kind }) => kind === 'volumes').map(({ result, key }) => `${result} ${key}`)).toEqual(told)
  expect([removed, volume.label]).toEqual([[], name])
})

test('a call for which there is no time left is not told as one without a reply', async () => {
  let requests = 0
  const baseUrl = await rawTarget((socket) => {
    requests += 1
    socket.end(jsonReply('{}'))
  })
  const access = openAccess(embeddedTarget({ baseUrl, secrets: [...secrets] }), 'ts-t', { withinMs: -1 })
  const ask = (id: string) => access.call(operationById(id) as Operation, { as: 'owner', path: { volumeId: 7 } })
  for (const id of ['volumes.list', 'volumes.delete', 'volumes.view', 'volumes.delete', 'volumes.list'])
    expect(await ask(id)).toMatchObject({ detail: expect.stringMatching(/time.*nothing was sent/) })
  await expect(access.sleep(600_000)).resolves.toBeUndefined()
  expect(requests).toBe(0)
  await access.close()
})

test.each(['list', 'ledger'])(
  'a service that a run has disabled is enabled and deleted where the %s tells of it',
  async (from) => {
    const name = 'ts-00abc7l-b305'
    const service = { id: 7, label: name, service_type: 'url', address: 'https://example.org/', timeout: 10 }
    let status = 'disabled'
    let isThere = true
    const access = answering((id) => {
      if (id === 'managed-services.enable') status = 'ok'
      if (id === 'managed-services.delete' && status === 'disabled') return refused
      if (id === 'managed-services.delete') isThere = false
      if (id === 'managed-services.view') return isThere ? { status: 200, body: { ...service, status } } : absent
      return id === 'managed-services.list' && isThere ? page({ ...service, status }) : page()
    })
    const ledger = from === 'list' ? [] : [createdBy('managed-services', 'managed-services.create', '7', service)]
    const target = embeddedTarget({ baseUrl: 'http://127.0.0.1:1/v4', secrets: [] })
    const kinds = new Set(['managed-services'])
    const swept = await sweepTarget({ target, access, ledger, dryRun: false, kinds, isMade: (one) => one === name })
    // Each of the accounts sees it here.
    expect([isThere, new Set(swept.map(({ result, key }) => `${result} ${key}`))]).toEqual([
      false,
      new Set(['removed 7']),
    ])
  },
)

/** A sweep of what such lines tell, at a target that shows what was made so. */
const sweptAs = async (
  shown: object,
  kind: string,
  ledger: readonly LedgerLine[],
  isMade?: (name: string) => boolean,
) => {
  const sent: string[] = []
  const access = answering((id) => {
    sent.push(id)
    return id === `${kind}.list` ? page(shown) : id === `${kind}.view` ? { status: 200, body: shown } : page()
  })
  const plain = embeddedTarget({ baseUrl: 'http://127.0.0.1:1/v4', secrets: [] })
  const environment = {
    ...plain.environment,
    accounts: plain.environment.accounts.filter(({ name }) => name === 'main'),
  }
  const kinds = new Set(isMade ? [kind] : [])
  const target = { ...plain, environment }
  const swept = await sweepTarget({ target, access, ledger, dryRun: false, kinds, ...(isMade && { isMade }) })
  return { results: swept.map(({ result, key }) => `${result} ${key}`), isRemoved: sent.includes(`${kind}.delete`) }
}

test.each([
  ['and bears a name of people since, is theirs', 'production', ['failed 7'], false],
  ['and bears the name that it was given, is removed', 'ylb', ['removed 7'], true],
])('what a run has seen that it made, %s', async (_, label, results, isRemoved) => {
  const made = createdBy('volumes', 'volumes.create', '7', { label: 'ylb' })
  const shown = { id: 7, label, status: 'active', node_id: null, tags: [] }
  expect(await sweptAs(shown, 'volumes', [made, { ...made, event: 'proven' }])).toEqual({ results, isRemoved })
})

test.each([
  ['enabled', ['removed 7'], true],
  ['deleted', [], false],
])('a firewall that its list shows as %s is removed only if it is not gone', async (status, results, isRemoved) => {
  const shown = { id: 7, label: 'ts-00abc7l-1', status, tags: [] }
  expect(await sweptAs(shown, 'firewalls', [], (name) => name === shown.label)).toEqual({ results, isRemoved })
})
