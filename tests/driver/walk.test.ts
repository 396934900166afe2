import { describe, expect, it } from 'vitest'
import type { Sent } from '../../driver/session.js'
import { survey } from '../../driver/survey.js'
import { type Walk, walkAsItIs, walkList } from '../../driver/walk.js'
import { operationById } from '../../models/index.js'
import { isObject } from '../../models/language/objects.js'
import type { Operation } from '../../models/language/operation.js'
import { createAfar } from '../../reference/afar.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { inProcess } from '../../reference/in-process.js'
import { instead } from '../models/faulty.js'

/** Walks a list on a target that passes over the parameters of that list, or heeds them. */
const walkLong = async (operation: string, length: Omit<Walk, 'op'>, how: 'passed over' | 'heeded' = 'passed over') => {
  const { session } = inProcess({ environment: embeddedEnvironment() })
  const { transport } = session.options
  const { send } = transport
  Object.assign(transport, {
    send: (call: Parameters<typeof send>[0], step: number) =>
      send(how === 'passed over' && call.operation === operation ? { ...call, query: {} } : call, step),
  })
  await survey(session)
  const op = operationById(operation) as Operation
  const { findings, sent } = await walkList(session, { op, ...length })
  return { found: findings.map(({ id, level }) => `${level} ${id}`), most: Math.max(...sent.map(resultsOf)) }
}

const resultsOf = ({ outcome }: Sent): number =>
  'body' in outcome ? Number((outcome.body as { readonly results?: number }).results ?? 0) : 0

describe('a list whose parameters are passed over', () => {
  const long = { records: 102, pageSizes: [undefined] }

  it('breaks nothing where the document does not list them for it', async () => {
    expect(await walkLong('tags.list', long)).toMatchObject({ found: [] })
  })

  it('breaks what the document says where it does', async () => {
    const { found } = await walkLong('firewalls.list', long)
    expect(found).toContain('must firewalls.list.page:page')
  })

  it('is made longer where it comes as one page', async () => {
    const length = { records: 27, pageSizes: [25], orElse: 102 }
    const { most } = await walkLong('tags.list', length)
    const { most: least } = await walkLong('tags.list', length, 'heeded')
    expect(most).toBeGreaterThanOrEqual(102)
    expect(least).toBeLessThan(102)
  })
})

it('shows a page under the number of another, though it is only called paginated', async () => {
  const { session } = inProcess({ environment: embeddedEnvironment() })
  const { transport } = session.options
  const { send } = transport
  Object.assign(transport, {
    send: async (call: Parameters<typeof send>[0], step: number) => {
      const outcome = await send(call, step)
      const body = call.operation === 'tags.list' && 'body' in outcome ? outcome.body : undefined
      return isObject(body) ? { ...outcome, body: { ...body, page: 1 } } : outcome
    },
  })
  await survey(session)
  const op = operationById('tags.list') as Operation
  const { findings } = await walkList(session, { op, records: 27, pageSizes: [25] })
  expect(findings.map(({ id, level }) => `${level} ${id}`)).toEqual(['must tags.list.page:page-over-pages'])
})

/** Walks a list on a shared target to which another client adds a record, or takes one from, after every page. */
const walkBesideOthers = async (fault: 'none' | 'results') => {
  const { session, embedded } = inProcess({ environment: { ...embeddedEnvironment(), exclusive: false } })
  const { transport } = session.options
  const { send } = transport
  const as = session.mainToken
  const theirs: string[] = []
  let made = 0
  const act = (): void => {
    const path = {}
    if (theirs.length < 3) {
      made += 1
      const body = { label: `others-${made}` }
      const reply = embedded.handle({
        operation: 'tags.create',
        method: 'POST',
        url: '/tags',
        as,
        path,
        query: {},
        body,
      })
      if ('body' in reply) theirs.push(body.label)
    } else {
      const [tagLabel = ''] = theirs.splice(0, 1)
      const call = { operation: 'tags.delete', method: 'DELETE' as const, url: `/tags/${tagLabel}`, as, query: {} }
      embedded.handle({ ...call, path: { tagLabel } })
    }
  }
  let pages = 0
  Object.assign(transport, {
    send: async (call: Parameters<typeof send>[0], step: number) => {
      const outcome = await send(call, step)
      if (call.operation !== 'tags.list' || !('body' in outcome)) return outcome
      pages += 1
      if (fault === 'none') act()
      const body = outcome.body as { readonly results: number }
      return fault === 'results' ? { ...outcome, body: { ...body, results: body.results + 1 } } : outcome
    },
  })
  const op = operationById('tags.list') as Operation
  const { findings } = await walkList(session, { op, records: 27, pageSizes: [25] })
  return { pages, findings: findings.map(({ clause }) => clause) }
}

describe('a list on a target that others use too', () => {
  it('is walked again while they change it, and then left alone', async () => {
    const { pages, findings } = await walkBesideOthers('none')
    expect(findings).toEqual([])
    expect(pages).toBeGreaterThan(6)
  })

  it('is found out where nobody does', async () => {
    expect((await walkBesideOthers('results')).findings).toContain('tags.list.results')
  })
})

type Body = { readonly data: readonly object[]; readonly results: number; readonly pages: number }

/** A session whose target answers some pages of a list otherwise. */
const sessionOn = (
  operation: string,
  change: (body: Body, page: number) => object,
  options: Partial<Parameters<typeof inProcess>[0]> = {},
) => {
  const { session } = inProcess({ environment: embeddedEnvironment(), ...options })
  const { transport } = session.options
  const { send } = transport
  Object.assign(transport, {
    send: async (call: Parameters<typeof send>[0], step: number) => {
      const outcome = await send(call, step)
      if (call.operation !== operation || !('body' in outcome)) return outcome
      return { ...outcome, body: change(outcome.body as Body, Number(call.query?.page ?? 1)) }
    },
  })
  return session
}

describe('a list that counts its pages wrongly at some totals alone', () => {
  it.each([0, 1])('is found where their remainder by two is %i', async (remainder) => {
    const session = sessionOn('managed-contacts.list', (body) =>
      body.pages > 1 && body.results % 2 === remainder ? { ...body, pages: body.pages + 1 } : body,
    )
    await survey(session)
    const op = operationById('managed-contacts.list') as Operation
    const { findings } = await walkList(session, { op, records: 102, pageSizes: [undefined, 25] })
    expect(findings.map(({ clause }) => clause)).toContain('managed-contacts.list.pages')
  })
})

describe('a list that goes astray on its later pages', () => {
  it.each(['volumes.list', 'managed-contacts.list'])('is found, as %s is', async (operation) => {
    const plain = (record: object) => ({ ...record, ...('tags' in record ? { tags: [] } : { group: null }) })
    const session = sessionOn(operation, (body, page) => (page === 2 ? { ...body, data: body.data.map(plain) } : body))
    await survey(session)
    const op = operationById(operation) as Operation
    const { findings } = await walkList(session, { op, records: 27, pageSizes: [25] })
    expect(findings.map(({ clause }) => clause)).toEqual([
      `${operation}.shows.${operation === 'volumes.list' ? 'tags' : 'group'}`,
    ])
  })
})

it('is filled beyond its first page where no operation removes what it lists', async () => {
  const { session, lines } = inProcess({ environment: embeddedEnvironment() })
  await survey(session)
  await walkList(session, { op: operationById('ticket-replies.list') as Operation, records: 27, pageSizes: [25] })
  const urls = lines.flatMap((line) => (line.type === 'step' ? [line.call.url] : []))
  expect(urls).toContainEqual(expect.stringMatching(/replies\?page_size=25&page=2$/))
})

describe('a list that has an order', () => {
  it('is found where only each of its pages has that order', async () => {
    const fault = instead('tickets.list', () => ({ sort: undefined }) as never)
    const isClosed = (record: object): boolean => 'status' in record && record.status === 'closed'
    const closedLast = ({ data, ...body }: Body) => ({
      ...body,
      data: [...data.filter((one) => !isClosed(one)), ...data.filter(isClosed)],
    })
    const session = sessionOn('tickets.list', closedLast, { fault })
    await survey(session)
    const op = operationById('tickets.list') as Operation
    const { findings } = await walkList(session, { op, records: 27, pageSizes: [25] })
    expect(findings.map(({ clause }) => clause)).toContain('tickets.list.open-first')
  })
})

/** Walks a list as it is, on a target that answers one of its pages otherwise. */
const walkStanding = async (
  operation: string,
  page: number,
  change: (data: readonly object[]) => readonly object[],
) => {
  const session = sessionOn(operation, (body, at) => (at === page ? { ...body, data: change(body.data) } : body))
  const op = operationById(operation) as Operation
  const { findings } = await walkAsItIs(session, op, 25)
  return findings.map(({ clause }) => clause)
}

describe('a list that only the target file fills', () => {
  const lists = ['vlans.list', 'managed-issues.list']

  it.each(lists)('is found clean where it is, as %s is', async (operation) => {
    expect(await walkStanding(operation, 2, (data) => data)).toEqual([])
  })

  it.each(lists)('is found out where its second page repeats the first, as that of %s is', async (operation) => {
    let first: readonly object[] = []
    const clauses = [
      ...(await walkStanding(operation, 1, (data) => {
        first = data
        return data
      })),
      ...(await walkStanding(operation, 2, (data) => first.slice(0, data.length))),
    ]
    expect(clauses).toContain(`${operation}.no-duplicates`)
  })
})

describe('a count that is kept for a while', () => {
  /** Walks contacts of which `results` is what it was before the latest two were made, for so long. */
  const walkWithin = async (keptMs: number) => {
    const afar = createAfar(() => 1)
    let writtenAt = 0
    const { session } = inProcess({ environment: embeddedEnvironment() }, 'ts-t', (plain) => {
      const far = afar.adapt({ ...plain, settleMs: 10_000 })
      const send: typeof far.transport.send = async (call, step) => {
        const outcome = await far.transport.send(call, step)
        if (call.method !== 'GET') writtenAt = afar.now()
        const isKept = call.operation === 'managed-contacts.list' && afar.now() - writtenAt < keptMs
        if (!isKept || !('body' in outcome) || call.query.page !== undefined) return outcome
        const body = outcome.body as { readonly results: number }
        return { ...outcome, body: { ...body, results: body.results - 2 } }
      }
      return { ...far, transport: { send } }
    })
    await survey(session)
    const op = operationById('managed-contacts.list') as Operation
    const { findings } = await walkList(session, { op, records: 104, pageSizes: [undefined] })
    return { findings: findings.map(({ id }) => id), isHeld: session.isHeld('managed-contacts.list.results') }
  }

  it('is no finding, for the list is walked again until it is right', async () => {
    expect(await walkWithin(900)).toEqual({ findings: [], isHeld: true })
  })
})
