// What the target file lends is like before after a run, whatever a program took for that.
import { expect, test } from 'vitest'
import { giveBack } from '../../driver/giving-back.js'
import { createLentBook } from '../../driver/lent.js'
import type { LedgerLine } from '../../driver/session.js'
import type { TargetAccess } from '../../driver/target-access.js'
import { buildCall, recorded } from '../../history/calls.js'
import type { Outcome } from '../../history/wire.js'
import { operationById } from '../../models/index.js'
import type { Operation } from '../../models/language/operation.js'
import { embeddedEnvironment } from '../../reference/environment.js'

const environment = embeddedEnvironment()
const update = operationById('managed-node-settings.update') as Operation
const own = { access: false, ip: '203.0.113.7', port: 2222, user: 'support' }

const settingsShown = { id: 101, label: 'a', ssh: { ...own, more: 1 }, acl: 'public-read', acl_xml: 'x' }

/** What a run sends and writes down before it sends these calls, where every look shows this record. */
const noted = async (
  calls: readonly (readonly [op: string, args: object])[],
  { isLent = true, as = 'limited', record = settingsShown as object } = {},
) => {
  const lines: LedgerLine[] = []
  const sent: string[] = []
  const { before: note } = createLentBook({
    environment,
    sleep: async () => undefined,
    isLent: () => isLent,
    send: async ({ method, url, as }) => {
      sent.push(`${method} ${url} as ${as}`)
      return { status: 200, body: record }
    },
    ledger: (line) => lines.push(line),
  })
  for (const [id, args] of calls) {
    const op = operationById(id) as Operation
    await note(op, recorded(buildCall(op, { as, ...args })), 7)
  }
  return { sent, lines }
}

const path = { nodeId: '101' }
const settings = ['managed-node-settings.update', { path, body: { ssh: { port: 22 } } }] as const

const thing = {
  step: 7,
  kind: 'managed-node-settings',
  operation: 'managed-node-settings.update',
  key: '/managed/linode-settings/101',
  account: 'main',
  url: '/managed/linode-settings/101',
}

test('before the first update of a lent thing what it may change is written down, as the owner sees it', async () => {
  const { sent, lines } = await noted([settings, settings])
  expect(sent).toEqual(['GET /managed/linode-settings/101 as owner'])
  expect(lines).toEqual([
    { ...thing, event: 'lent', body: { ssh: own } },
    { ...thing, event: 'changing', body: { ssh: { port: 22 } } },
    { ...thing, event: 'changing', body: { ssh: { port: 22 } } },
  ])
})

test('an object of a bucket is told by its name, and what names none is not looked at', async () => {
  const path = { clusterId: 'c1', bucket: 'photos' }
  const { sent, lines } = await noted([
    ['object-acl.update', { path, body: { acl: 'private', name: 'a' } }],
    ['object-acl.update', { path, body: { acl: 'private' } }],
  ])
  expect(sent).toEqual(['GET /object-storage/buckets/c1/photos/object-acl?name=a as owner'])
  expect(lines.map(({ body }) => body)).toEqual([
    { acl: 'public-read', name: 'a' },
    { acl: 'private', name: 'a' },
  ])
})

test('nothing is looked at before an update of what the run made, or before another call', async () => {
  expect(await noted([settings], { isLent: false })).toEqual({ sent: [], lines: [] })
  const disable = ['managed-services.disable', { path: { serviceId: '1' } }] as const
  expect(await noted([disable])).toEqual({ sent: [], lines: [] })
})

test.each([
  ['five times, so that it is sent again', 5, [undefined, undefined], 6, [{ ssh: own }]],
  ['at all, so that the update is not sent, and no more looks are', 6, Array(2).fill(expect.anything()), 6, []],
])('a look at a lent thing has no reply %s', async (_, losses, told, looks, bodies) => {
  const [op, lines] = [update, [] as LedgerLine[]]
  let sent = 0
  const { before: note } = createLentBook({
    environment,
    isLent: () => true,
    sleep: async () => undefined,
    send: async () => {
      sent += 1
      return sent <= losses ? { lost: 'timeout' } : { status: 200, body: { ssh: own } }
    },
    ledger: (line) => lines.push(line),
  })
  const call = recorded(buildCall(op, { as: 'owner', ...settings[1] }))
  expect([await note(op, call, 7), await note(op, call, 8)]).toEqual(told)
  const noted = lines.filter(({ event }) => event === 'lent')
  expect([sent, noted.map(({ body }) => body)]).toEqual([looks, bodies])
})

test.each<[string, Outcome]>([
  ['sent once what it was like is written down', { status: 200, body: { ssh: own } }],
  ['not sent where nothing tells that', { lost: 'timeout' }],
])('two updates of a lent thing at the same time are both %s', async (_, outcome) => {
  const happened: string[] = []
  const { before: note } = createLentBook({
    environment,
    isLent: () => true,
    sleep: async () => undefined,
    send: async () => {
      await new Promise((resolved) => setImmediate(resolved))
      return outcome
    },
    ledger: ({ event }) => happened.push(event),
  })
  const call = recorded(buildCall(update, { as: 'owner', ...settings[1] }))
  const sending = async (step: number) => happened.push((await note(update, call, step)) ? 'not sent' : 'sent')
  await Promise.all([sending(7), sending(8)])
  expect(happened).toEqual(
    'lost' in outcome ? ['not sent', 'not sent'] : ['lent', 'changing', 'changing', 'sent', 'sent'],
  )
})

/** What becomes of a node that shows these settings, where an update is answered like that. */
const given = async (ssh: object, answer: Outcome, dryRun = false) => {
  const [line, changing] = (await noted([['managed-node-settings.update', { path, body: { ssh } }]])).lines
  const puts: unknown[] = []
  let now = ssh
  const access = {
    call: async (op: Operation, { body }: { readonly body?: { readonly ssh?: object } }) => {
      if (op === update) puts.push(body)
      if (op === update && 'status' in answer && answer.status === 200) now = body?.ssh ?? now
      return op === update ? answer : { status: 200, body: { id: 101, ssh: now } }
    },
    sleep: async () => undefined,
  } as unknown as TargetAccess
  const later: LedgerLine = { ...(line as LedgerLine), step: 9, body: { ssh } }
  const ledger = [line, changing, later] as LedgerLine[]
  return {
    told: await giveBack({ environment, access, ledger, dryRun, endsNodes: false }),
    puts,
  }
}

const defaults = { access: true, ip: 'any', port: null, user: null }

test('what has changed is given back as it was before the first run, and what has not is left alone', async () => {
  const { told, puts } = await given(defaults, { status: 200, body: {} })
  expect(puts).toEqual([{ ssh: own }])
  expect(told.map(({ key, result, reason }) => [key, result, reason])).toEqual([
    ['/managed/linode-settings/101', 'returned', expect.stringMatching(/^it had .*2222.* before the run/)],
  ])
  expect(await given(own, { status: 200, body: {} })).toEqual({ told: [], puts: [] })
})

test('where it cannot be given back, or is not to be, it is told what it had and what it has', async () => {
  const { told } = await given(defaults, { status: 400, body: { errors: [{ reason: 'No' }] } })
  expect(told).toMatchObject([{ result: 'failed', reason: expect.stringMatching(/"port":2222.*"port":null.*400: No/) }])
  const dry = await given(defaults, { status: 200, body: {} }, true)
  expect([dry.told.map(({ result }) => result), dry.puts]).toEqual([['away'], []])
})

const notFound: Outcome = { status: 404, body: { errors: [{ reason: 'Not found' }] } }

test('what the target file allows to end with all of its area is not asked for when it is gone', async () => {
  const path = { clusterId: 'c1', bucket: 'photos' }
  const { lines } = await noted([['object-acl.update', { path, body: { acl: 'private', name: 'a' } }]])
  let absent: Outcome = notFound
  const access = {
    call: async () => absent,
    sleep: async () => undefined,
  } as unknown as TargetAccess
  const toldWhere = async (allow: readonly string[]) => {
    const safety = { ...environment.safety, allow }
    return giveBack({ environment: { ...environment, safety }, access, ledger: lines, dryRun: false, endsNodes: false })
  }
  expect(await toldWhere(['object-storage.cancel'])).toEqual([])
  expect(await toldWhere([])).toMatchObject([{ result: 'failed', reason: expect.stringContaining('is not known') }])
  absent = { lost: 'timeout' }
  expect(await toldWhere(['object-storage.cancel'])).toMatchObject([{ result: 'failed' }])
})

test('what has gone with a node that the run deletes at its end is not asked for', async () => {
  const { lines } = await noted([settings])
  const path = { clusterId: 'c1', bucket: 'photos' }
  const others = (await noted([['object-acl.update', { path, body: { acl: 'private', name: 'a' } }]])).lines
  let absent: Outcome = notFound
  const access = {
    call: async () => absent,
    sleep: async () => undefined,
  } as unknown as TargetAccess
  const safety = { ...environment.safety, allow: [] }
  const toldWhere = (endsNodes: boolean, ledger = lines) =>
    giveBack({ environment: { ...environment, safety }, access, ledger, dryRun: false, endsNodes })
  expect(await toldWhere(true)).toEqual([])
  expect(await toldWhere(false)).toMatchObject([{ result: 'failed' }])
  expect(await toldWhere(true, others)).toMatchObject([{ result: 'failed' }])
  absent = { status: 503, body: {} }
  expect(await toldWhere(true)).toMatchObject([{ result: 'failed' }])
})

const assign = (...moves: readonly (readonly [string, number])[]) =>
  [
    'ips.assign',
    { body: { assignments: moves.map(([address, node_id]) => ({ address, node_id })), region: 'r1' } },
  ] as const

/** What is sent to bring back, and what is told, where things are there now; the target does what it is asked. */
const broughtBack = async (
  lines: readonly LedgerLine[],
  places: Record<string, object>,
  {
    dryRun = false,
    absent = notFound,
    busyFor = 0,
    barred,
    lent = environment,
  }: {
    readonly dryRun?: boolean
    readonly absent?: Outcome
    readonly busyFor?: number
    /** An address that no call moves, nor others with it. */
    readonly barred?: string
    readonly lent?: typeof environment
  } = {},
) => {
  const sent: unknown[] = []
  const access = {
    call: async (
      op: Operation,
      { path, body }: { readonly path?: object; readonly body?: Record<string, unknown> },
    ) => {
      const [key = ''] = Object.values(path ?? {}).map(String)
      if (op.method === 'GET') return key in places ? { status: 200, body: places[key] } : absent
      sent.push([op.id, ...(path ? [path] : []), ...(body ? [body] : [])])
      const assignments = (body?.assignments ?? []) as readonly { address: string; node_id: number }[]
      if (sent.length <= busyFor || assignments.some(({ address }) => address === barred))
        return { status: 400, body: { errors: [{ field: 'x', reason: 'No' }] } }
      if (op.id === 'volumes.detach') places[key] = { node_id: null }
      for (const { address, node_id } of assignments) places[address] = { ...places[address], node_id }
      return { status: 200, body: {} }
    },
    sleep: async () => undefined,
  } as unknown as TargetAccess
  return { told: await giveBack({ environment: lent, access, ledger: lines, dryRun, endsNodes: false }), sent }
}

/** What a run writes down before these calls, where things are there. */
const notedPlaces = async (calls: readonly (readonly [op: string, args: object])[], record: object) =>
  (await noted(calls, { as: 'owner', record })).lines

test('addresses that nodes have exchanged go back in one call, and one that is where it was is left alone', async () => {
  // Their records need not show the region, which the call that moves them takes.
  const before = { node_id: 101, rdns: 'x' }
  const lines = await notedPlaces([assign(['203.0.113.7', 102], ['203.0.113.17', 102], ['203.0.113.9', 102])], before)
  expect(lines.map(({ event, kind, operation, body }) => [event, kind, operation, body])).toEqual(
    Array(3)
      .fill([
        ['lent', 'ips', 'ips.assign', { node_id: 101 }],
        ['changing', 'ips', 'ips.assign', { node_id: 102 }],
      ])
      .flat(),
  )
  const away = { node_id: 102 }
  const { told, sent } = await broughtBack(lines, {
    '203.0.113.7': away,
    '203.0.113.17': away,
    '203.0.113.9': { ...before, rdns: 'y' },
  })
  expect(sent).toEqual([['ips.assign', assign(['203.0.113.7', 101], ['203.0.113.17', 101])[1].body]])
  expect(told.map(({ result, reason }) => [result, reason])).toEqual(
    Array(2).fill(['returned', expect.stringMatching(/^it was at .*101.* before the run, and is at .*102.* now$/)]),
  )
})

test('a volume that is lent is on no node after a run that attached it, unless it is gone, or nothing is to be done', async () => {
  const detach = ['volumes.detach', { path: { volumeId: '602' } }] as const
  const attach = ['volumes.attach', { path: { volumeId: '602' }, body: { node_id: 101 } }] as const
  const lines = await notedPlaces([attach, detach, attach], { id: 602, node_id: null, label: 'a' })
  expect(lines.map(({ event, body }) => [event, body])).toEqual([
    ['lent', { node_id: null }],
    ['changing', { node_id: 101 }],
    ['changing', { node_id: null }],
    ['changing', { node_id: 101 }],
  ])
  const { told, sent } = await broughtBack(lines, { 602: { node_id: 101 } })
  expect([sent, told.map(({ result }) => result)]).toEqual([[['volumes.detach', { volumeId: '602' }]], ['returned']])
  expect(await broughtBack(lines, {})).toEqual({ told: [], sent: [] })
  const dry = await broughtBack(lines, { 602: { node_id: 101 } }, { dryRun: true })
  expect([dry.sent, dry.told.map(({ result }) => result)]).toEqual([[], ['away']])
})

test('addresses go back one by one where one of them keeps all from going back together', async () => {
  const lines = await notedPlaces([assign(['203.0.113.7', 102], ['203.0.113.17', 102], ['203.0.113.9', 102])], {
    node_id: 101,
  })
  const away = { node_id: 102 }
  const places = { '203.0.113.7': away, '203.0.113.17': away, '203.0.113.9': away }
  const { told } = await broughtBack(lines, places, { barred: '203.0.113.17' })
  expect(told.map(({ result, reason }) => [result, reason])).toEqual([
    ['returned', expect.anything()],
    ['failed', expect.stringMatching(/is at .*102.*ips\.assign: 400: No/)],
    ['returned', expect.anything()],
  ])
})

test('what was at a node that is not lent any more is told, and everything else goes back all the same', async () => {
  const lines = [
    ...(await notedPlaces([assign(['203.0.113.7', 102])], { node_id: 999 })),
    ...(await notedPlaces([assign(['203.0.113.17', 102])], { node_id: 101 })),
  ]
  const away = { node_id: 102 }
  const { told } = await broughtBack(lines, { '203.0.113.7': away, '203.0.113.17': away })
  expect(told.map(({ result, reason }) => [result, reason])).toEqual([
    ['failed', expect.stringContaining('the target file does not tell of what it was at')],
    ['returned', expect.anything()],
  ])
})

test('what is refused for a moment is brought back when that is over', async () => {
  const lines = await notedPlaces([['volumes.attach', { path: { volumeId: '602' }, body: { node_id: 101 } }]], {
    node_id: null,
  })
  const { told, sent } = await broughtBack(lines, { 602: { node_id: 101 } }, { busyFor: 3 })
  expect([told.map(({ result }) => result), sent.length]).toEqual([['returned'], 4])
  const never = await broughtBack(lines, { 602: { node_id: 101 } }, { busyFor: 100 })
  expect(never.told).toMatchObject([{ result: 'failed', reason: expect.stringMatching(/is at .*101.*detach: .*400/) }])
})

test('a volume that is lent on a node stays there, for no reply shows the profile in which it is put back', async () => {
  const lines: LedgerLine[] = []
  const { before } = createLentBook({
    environment,
    sleep: async () => undefined,
    isLent: () => true,
    send: async () => ({ status: 200, body: { id: 602, node_id: 101, label: 'a' } }),
    ledger: (line) => lines.push(line),
  })
  const ask = (id: string, body = {}) => {
    const op = operationById(id) as Operation
    return before(op, recorded(buildCall(op, { as: 'owner', path: { volumeId: '602' }, body })), 7)
  }
  const reason = expect.stringContaining('on node 101, where no reply shows its configuration profile')
  expect([await ask('volumes.detach'), await ask('volumes.attach', { node_id: 102 })]).toEqual([reason, reason])
  expect([await ask('volumes.update', { label: 'b' }), lines.map(({ event }) => event)]).toEqual([
    undefined,
    ['lent', 'changing'],
  ])
})

test('a thing is not taken for gone because a look at it had no reply of the target', async () => {
  const lines = await notedPlaces([assign(['203.0.113.7', 102])], { node_id: 101 })
  const forbidden = { status: 403, body: { errors: [{ reason: 'Unauthorized' }] } }
  for (const absent of [
    { lost: 'timeout' },
    { status: 503, body: {} },
    { status: 200, body: [] },
    { status: 404, text: '<h1>Not found</h1>', contentType: 'text/html' },
    forbidden,
  ] as const) {
    const { told, sent } = await broughtBack(lines, {}, { absent })
    expect([told, sent]).toMatchObject([[{ result: 'failed', reason: expect.stringContaining('"node_id":101') }], []])
  }
})

test('what people have moved since the run, or lend no more, is left where it is, and told', async () => {
  const before = { node_id: 101 }
  const lines = await notedPlaces([assign(['203.0.113.7', 102])], before)
  const { told, sent } = await broughtBack(lines, { '203.0.113.7': { node_id: 104, region: 'r1' } })
  expect(sent).toEqual([])
  expect(told).toMatchObject([{ result: 'moved', reason: expect.stringContaining('no run has put it there') }])
  const nodes = (environment.fixtures.nodes ?? []).filter(({ id }) => id !== 101)
  const lent = { ...environment, fixtures: { ...environment.fixtures, nodes } }
  const later = await broughtBack(lines, { '203.0.113.7': { node_id: 102, region: 'r1' } }, { lent })
  expect(later.sent).toEqual([])
  expect(later.told).toMatchObject([{ result: 'stays', reason: expect.stringContaining('does not lend it any more') }])
})

test('a move that names no node tells of no place that a run has put it at', async () => {
  const unnamed = ['ips.assign', { body: { assignments: [{ address: '203.0.113.7' }], region: 'r1' } }] as const
  const lines = await notedPlaces([unnamed], { node_id: 101, region: 'r1' })
  const read = lines.map((line) => JSON.parse(JSON.stringify(line)) as LedgerLine)
  const { told, sent } = await broughtBack(read, { '203.0.113.7': { node_id: 102, region: 'r1' } })
  expect([sent, told.map(({ result }) => result)]).toEqual([[], ['moved']])
})

/** The ledger of a run that is killed after these updates of the settings of a node, each with what a look shows then, if one was had. */
const killedAfter = async (
  updates: readonly (readonly [ssh: object, seen?: object | undefined, reply?: Outcome])[],
) => {
  const lines: LedgerLine[] = []
  const { before, after } = createLentBook({
    environment,
    sleep: async () => undefined,
    isLent: () => true,
    send: async () => ({ status: 200, body: { id: 101, ssh: own } }),
    ledger: (line) => lines.push(line),
  })
  const view = operationById('managed-node-settings.view') as Operation
  for (const [at, [ssh, seen, reply = { status: 200, body: {} }]] of updates.entries()) {
    const call = recorded(buildCall(update, { as: 'owner', path, body: { ssh } }))
    await before(update, call, at)
    after(update, call, at, reply)
    const look = recorded(buildCall(view, { as: 'owner', path }))
    if (seen) after(view, look, at, { status: 200, body: { id: 101, ssh: seen } })
  }
  return lines
}

/** What a sweep makes of a node that has these settings after that. */
const sweptAfter = async (updates: Parameters<typeof killedAfter>[0], ssh: object) => {
  let now = ssh
  const access = {
    call: async (op: Operation, { body }: { readonly body?: { readonly ssh?: object } }) => {
      now = body?.ssh ?? now
      return { status: 200, body: op === update ? {} : { id: 101, ssh: now } }
    },
    sleep: async () => undefined,
  } as unknown as TargetAccess
  const ledger = await killedAfter(updates)
  const [told] = await giveBack({ environment, access, ledger, dryRun: false, endsNodes: false })
  return [told?.result, now]
}

test('settings that nobody can look at are told, and written by nobody', async () => {
  const ledger = await killedAfter([[{ port: 5555 }, own]])
  const sent: string[] = []
  const access = {
    call: async ({ method }: Operation) => {
      sent.push(method)
      return { status: 503, body: '' }
    },
    sleep: async () => undefined,
  } as unknown as TargetAccess
  const swept = (within: typeof environment) =>
    giveBack({ environment: within, access, ledger, dryRun: false, endsNodes: false })
  expect(await swept(environment)).toMatchObject([
    { result: 'failed', reason: expect.stringContaining('what it has now is not known') },
  ])
  const restricted = { ...environment, tokens: environment.tokens.filter(({ scopes }) => scopes !== '*') }
  expect(await swept(restricted)).toMatchObject([
    { result: 'failed', reason: expect.stringContaining('has no token of an unrestricted user of main') },
  ])
  expect(sent).toEqual(['GET'])
})

test('settings of a node that is not lent any more are left as they are', async () => {
  const ledger = await killedAfter([[{ port: 5555 }, own]])
  const left = { ...own, port: 5555 }
  const sent: string[] = []
  const access = {
    call: async ({ method }: Operation) => {
      sent.push(method)
      return { status: 200, body: { id: 101, ssh: left } }
    },
    sleep: async () => undefined,
  } as unknown as TargetAccess
  const fixtures = { ...environment.fixtures, nodes: environment.fixtures.nodes?.filter(({ id }) => id !== 101) ?? [] }
  const told = await giveBack({
    environment: { ...environment, fixtures },
    access,
    ledger,
    dryRun: false,
    endsNodes: false,
  })
  expect([told.map(({ result }) => result), sent]).toEqual([['stays'], ['GET']])
})

test('settings that people have changed since a run was killed are theirs, and those that it left are given back', async () => {
  const left = { ...own, port: 4444 }
  const theirs = { ...own, port: 22 }
  expect(await sweptAfter([[{ port: 4444 }, left]], left)).toEqual(['returned', own])
  expect(await sweptAfter([[{ port: 4444 }, left]], theirs)).toEqual(['moved', theirs])
  expect(await sweptAfter([[{ port: 4444 }]], left)).toEqual(['returned', own])
  expect(await sweptAfter([[{ port: 4444 }]], theirs)).toEqual(['moved', theirs])
  expect(
    await sweptAfter(
      [
        [{ port: 22 }, theirs],
        [{ port: 4444 }, left],
      ],
      theirs,
    ),
  ).toEqual(['moved', theirs])
  expect(await sweptAfter([[{ port: 4444 }, left]], { ...left, user: 'root' })).toEqual([
    'moved',
    { ...left, user: 'root' },
  ])
})

test('what a run saw of settings, what null may come to, and what may have come late count as what it left', async () => {
  const shown = { ...own, port: 4444, user: 'else' }
  expect(await sweptAfter([[{ port: 4444 }, shown]], shown)).toEqual(['returned', own])
  const standard = { ...own, port: 22 }
  expect(await sweptAfter([[{ port: null }]], standard)).toEqual(['returned', own])
  expect(await sweptAfter([[{ port: null }, { ...own, port: null }]], standard)).toEqual(['moved', standard])
  const late = { ...own, port: 5555 }
  const other = { ...own, port: 3333 }
  for (const reply of [{ lost: 'timeout' }, { status: 504, body: '' }] as const)
    expect(
      await sweptAfter(
        [
          [{ port: 5555 }, own, reply],
          [{ port: 3333 }, other],
        ],
        late,
      ),
    ).toEqual(['returned', own])
  expect(await sweptAfter([[{ port: 5555 }, own]], late)).toEqual(['returned', own])
  expect(
    await sweptAfter(
      [
        [{ port: 5555 }, own],
        [{ port: 3333 }, other],
      ],
      late,
    ),
  ).toEqual(['moved', late])
})

test('settings that name an address are written down before it is moved, which resets them, and given back after it', async () => {
  const lines: LedgerLine[] = []
  const named = (ip: string) => ({ ssh: { ...own, ip } })
  const { before } = createLentBook({
    environment,
    sleep: async () => undefined,
    isLent: () => true,
    send: async ({ url }) => ({
      status: 200,
      body: url.startsWith('/managed') ? named('203.0.113.7') : { node_id: 101 },
    }),
    ledger: (line) => lines.push(line),
  })
  const op = operationById('ips.assign') as Operation
  const moving = (address: string) => recorded(buildCall(op, { as: 'owner', ...assign([address, 102])[1] }))
  await before(op, moving('203.0.113.7'), 3)
  await before(op, moving('203.0.113.17'), 4)
  const nulls = { ssh: { access: null, ip: null, port: null, user: null } }
  expect(lines.flatMap(({ event, kind, body }) => (kind === 'managed-node-settings' ? [[event, body]] : []))).toEqual([
    ['lent', named('203.0.113.7')],
    ['changing', nulls],
  ])
  const places: Record<string, object> = {
    '203.0.113.7': { node_id: 102 },
    '203.0.113.17': { node_id: 101 },
    101: { ssh: defaults },
  }
  const { told, sent } = await broughtBack(lines, places)
  expect(told.map(({ kind }) => kind)).toEqual(['ips', 'managed-node-settings'])
  expect(sent.at(-1)).toEqual(['managed-node-settings.update', { nodeId: '101' }, named('203.0.113.7')])
})
