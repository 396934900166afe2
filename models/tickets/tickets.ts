// The operations on support tickets themselves: sections "Endpoints / Support" and "Limits" of the document.

import { firewalls } from '../firewalls/record.js'
import { patch, put } from '../language/changes.js'
import { known, type Ternary } from '../language/clause.js'
import { byId } from '../language/facts.js'
import { isObject } from '../language/objects.js'
import { anything, operation, page, record, ref } from '../language/operation.js'
import { inferredPaging } from '../language/pagination.js'
import type { Plan } from '../language/plan.js'
import { hasOddCharacters } from '../language/promises.js'
import { itself, type Partition, related } from '../language/reach.js'
import { boolean, integer, object, optional, text } from '../language/schema.js'
import { type Entity, exists, find, isOurs, keyIn, type WireRecord, type World } from '../language/world.js'
import { volumes } from '../volumes/record.js'
import {
  changeSilences,
  plainMembers,
  restrictedUse,
  type Subject,
  subjects,
  type Ticket,
  tableOf,
  tickets,
} from './record.js'

const endpoints = 'Endpoints / Support'
const openBody = `${endpoints}, "Ticket open body"`
const ticketId = { ticketId: ref(tickets, { type: 'any' }) }
const rights = ['account:read_write']

type Named = Partial<Readonly<Record<Subject, number>>>

const namedIn = (body: Named): readonly Subject[] => subjects.filter((name) => body[name] !== undefined)

/** Whether a subject may be none of the account's: what the document has no operations for is never sure to be there. */
const isUnsure = (world: World, account: string | undefined, name: Subject, key: number | undefined): Ternary => {
  const table = tableOf[name]
  if (!table) return true
  return find(world, table, key)?.stub || account === undefined ? undefined : false
}

const isVlan = (world: World, account: string | undefined, label: string, region: string | undefined): boolean =>
  (world.environment.fixtures.vlans ?? []).some(
    (vlan) =>
      vlan.label === label &&
      vlan.region === region &&
      (vlan.account ?? world.environment.accounts[0]?.name) === account,
  )

/** Whether the account has a ticket of the same words. */
const isRepeated = (
  world: World,
  account: string | undefined,
  { summary, description }: { readonly summary: string; readonly description: string },
): Ternary =>
  exists(
    world,
    tickets,
    account,
    (ticket) =>
      known(ticket.summary, summary, (a, b) => a === b) === false ||
      known(ticket.description, description, (a, b) => a === b) === false
        ? false
        : known(ticket.summary, ticket.description, () => true),
    isOurs(world, summary) ? summary : description,
  )

const words = (plan: Plan) => ({ summary: plan.text(64), description: plan.text(65_000) })

/** Subjects that the plan can give: what it makes, what the target file names, and ids of what no operation shows. */
const subjectsOf = (plan: Plan): readonly (readonly [Subject, unknown])[] => [
  ['volume_id', plan.make(volumes).id],
  ['firewall_id', plan.make(firewalls).id],
  ...(plan.environment.fixtures.nodes?.length ? [['node_id', plan.node().id] as const] : []),
  ...(plan.environment.fixtures.nodebalancers?.length ? [['nodebalancer_id', plan.nodebalancer().id] as const] : []),
  ...(plan.environment.fixtures.domains?.length ? [['domain_id', plan.domain().id] as const] : []),
  ['database_id', 1],
  ['lkecluster_id', 1],
  ['longviewclient_id', 1],
  ['vpc_id', 1],
]

interface Listed {
  readonly record: WireRecord
  readonly ticket: Entity<Ticket> | undefined
}

/** Whether two records tell the same state. */
const isAlike = (one: WireRecord, other: WireRecord): boolean =>
  ['status', 'state'].some((name) => one[name] !== undefined && one[name] === other[name])

/** Members that tell the state, however they are called: those of a closed ticket that are no longer as they were when it was opened. */
const tellingOf = ({ record, ticket }: Listed): readonly string[] =>
  Object.entries(ticket?.opened ?? {}).flatMap(([name, value]) =>
    record[name] !== undefined && record[name] !== value ? [name] : [],
  )

/** Whether a ticket that was seen as closed tells the same as then: it may be opened again by other ways than calls. */
const isStillSo = ({ record, ticket }: Listed): boolean =>
  Object.entries(ticket?.shut ?? {}).every(([name, value]) => record[name] === undefined || record[name] === value)

/** Of tickets that no call closed, those that are open: one may come to be closed by itself, as its record may tell. */
const openAmong = (unclosed: readonly Listed[], closed: Listed): readonly Listed[] => {
  const telling = tellingOf(closed)
  if (telling.length > 0)
    return unclosed.filter(({ record, ticket }) =>
      telling.some((name) => record[name] === ticket?.opened?.[name] && record[name] !== closed.record[name]),
    )
  const surely = unclosed.filter(({ record }) => !isAlike(record, closed.record))
  // All tell the same: either the closing was lost, or they were closed by themselves since they were opened.
  return surely.length > 0 ? surely : unclosed.filter(({ record, ticket }) => isAlike(record, ticket?.opened ?? {}))
}

export const listTickets = operation({
  id: 'tickets.list',
  area: 'support',
  method: 'GET',
  path: '/support/tickets',
  reach: { in: 'support', alone: false, lent: false },
  source: endpoints,
  summary: 'Lists the tickets of the account, open ones first.',
  scopes: ['account:read_only'],
  params: {},
  query: inferredPaging,
  reply: page(tickets, 'not-shown'),
  sort: (entities: readonly Entity<Ticket>[]) => [
    ...entities.filter(({ closed }) => closed !== true),
    ...entities.filter(({ closed }) => closed === true),
  ],
  // By turns, so that each page has open and closed ones, in whatever order they were opened.
  fill: (plan, records) => {
    for (let opened = 0; opened < records; opened += 1) {
      const { id } = plan.make(tickets, undefined, { unwatched: true })
      if (opened % 2 === 1) plan.check('tickets.close', { path: { ticketId: id }, unwatched: true })
    }
    return {}
  },
  draft: () => ({}),
  silences: [restrictedUse('tickets.list')],
  statements: [
    {
      id: 'tickets.list.open-first',
      overPages: true,
      source: `${endpoints}, GET /support/tickets`,
      text: 'Open tickets come before those that are closed.',
      holds: ({ world, reply, account }) => {
        const { data } = (reply ?? {}) as { readonly data?: unknown }
        if (!Array.isArray(data)) return undefined
        const listed: readonly Listed[] = data
          .map((entry) => (entry ?? {}) as WireRecord)
          .map((record) => ({
            record,
            ticket: find(world, tickets, keyIn(world, tickets, byId(record) ?? '', account)),
          }))
          .filter((one) => one.ticket?.closed !== undefined && isStillSo(one))
        const first = listed.findIndex(({ ticket }) => ticket?.closed === true)
        const closed = listed[first]
        if (!closed) return undefined
        const unclosed = listed.filter(({ ticket }) => ticket?.closed === false)
        const open = openAmong(unclosed, closed)
        const late = listed.slice(first).find((one) => open.includes(one))
        if (late)
          return `ticket ${closed.ticket?.key}, which was closed, before ticket ${late.ticket?.key}, which is open`
        return first > 0 ? true : undefined
      },
      probe: (plan) => {
        // The one in the middle, so that neither order of opening puts the open ones first; then two that stay open.
        const others = [plan.make(tickets)]
        const middle = plan.make(tickets)
        others.push(plan.make(tickets))
        plan.call('tickets.close', { path: { ticketId: middle.id } })
        plan.check('tickets.list', { query: { page_size: 500 } })
        for (const { id } of others) plan.check('tickets.close', { path: { ticketId: id }, as: null })
        plan.check('tickets.list', { query: { page_size: 500 } })
      },
    },
  ],
})

/** A ticket may be opened about what is in other partitions. */
const withSubject = (body: unknown): readonly Partition[] =>
  isObject(body) && ![...subjects, 'vlan'].some((name) => body[name] !== undefined) ? [] : related.support

export const createTicket = operation({
  id: 'tickets.create',
  area: 'support',
  method: 'POST',
  path: '/support/tickets',
  reach: { in: 'support', alone: false, lent: false, concerns: withSubject },
  source: openBody,
  summary: 'Opens a ticket, about one thing or none.',
  scopes: rights,
  guarded: 'a ticket cannot be deleted, and people read it',
  params: {},
  body: object({
    summary: text({ min: 1, max: 64 }),
    description: text({ min: 1, max: 65_000 }),
    database_id: optional(integer()),
    domain_id: optional(integer({ ref: 'domains', open: true })),
    firewall_id: optional(integer({ ref: 'firewalls', open: true })),
    node_id: optional(integer({ ref: 'nodes', open: true })),
    lkecluster_id: optional(integer()),
    longviewclient_id: optional(integer()),
    nodebalancer_id: optional(integer({ ref: 'nodebalancers', open: true })),
    volume_id: optional(integer({ ref: 'volumes', open: true })),
    vpc_id: optional(integer()),
    managed_issue: optional(boolean()),
    vlan: optional(text()),
    region: optional(text()),
  }),
  reply: record(tickets),
  shows: 'made',
  makes: tickets,
  alike: true,
  draft: (plan) => ({ body: words(plan) }),
  full: (plan) => ({ body: { ...words(plan), managed_issue: false } }),
  companions: ({ environment: { fixtures } }) => [
    ...(fixtures.nodes ?? []).slice(0, 1).map(({ id }) => ({ node_id: id })),
    ...(fixtures.vlans ?? []).slice(0, 1).map(({ label, region }) => ({ vlan: label, region })),
  ],
  refusals: [
    {
      id: 'tickets.create.one-subject',
      source: `${openBody}, database_id …; Errors, "ticket open with more than one ID attribute"`,
      text: 'At most one of the ID attributes is given.',
      when: ({ body }) => namedIn(body).length > 1,
      probe: (plan) => {
        const given = subjectsOf(plan)
        const body = words(plan)
        for (const [i, [one, id]] of given.entries())
          for (const [other, key] of given.slice(i + 1))
            plan.probe('tickets.create', { body: { ...body, [one]: id, [other]: key } })
        plan.probe('tickets.create', { body: { ...body, ...Object.fromEntries(given.slice(0, 3)) } })
        plan.probe('tickets.create', { body: { ...body, ...Object.fromEntries(given) } })
        const [first] = given
        if (first) plan.twin('tickets.create', { body: { ...body, [first[0]]: first[1] } })
      },
    },
    {
      id: 'tickets.create.managed-without-subject',
      source: `${openBody}, managed_issue; Errors, "managed_issue with an ID attribute"`,
      text: 'With managed_issue no ID attribute is given.',
      when: ({ body }) => body.managed_issue === true && namedIn(body).length > 0,
      probe: (plan) => {
        plan.as(plan.token({ managed: true, has: [...rights, 'volumes:read_write', 'firewall:read_write'] }))
        const body = { ...words(plan), managed_issue: true }
        const given = subjectsOf(plan)
        for (const [name, id] of given) plan.probe('tickets.create', { body: { ...body, [name]: id } })
        plan.check('tickets.create', { body: { ...body, region: plan.region().id } })
        plan.twin('tickets.create', { body })
        for (const [name, id] of given.slice(0, 1))
          plan.twin('tickets.create', { body: { ...words(plan), managed_issue: false, [name]: id } })
      },
    },
    {
      id: 'tickets.create.managed-enabled',
      source: `${openBody}, managed_issue; Errors, "without Managed enabled"`,
      text: 'With managed_issue the account has Managed enabled.',
      fields: ['managed_issue'],
      orNone: true,
      when: ({ caller, body }) =>
        body.managed_issue !== true || caller.anonymous
          ? false
          : known(caller.account?.managed, true, (managed) => !managed),
      probe: (plan) => {
        const body = { ...words(plan), managed_issue: true }
        const without = plan.token({ managed: false, has: rights })
        plan.probe('tickets.create', { body, as: without })
        plan.twin('tickets.create', { body, as: plan.token({ managed: true, has: rights }) })
        plan.twin('tickets.create', { body: { ...words(plan), managed_issue: false }, as: without })
      },
    },
    {
      id: 'tickets.create.vlan-region',
      source: `${openBody}, vlan`,
      text: 'A vlan is given with its region.',
      fields: ['vlan', 'region'],
      when: ({ body }) => body.vlan !== undefined && body.region === undefined,
      probe: (plan) => {
        const { label, region } = plan.vlan()
        const body = { ...words(plan), vlan: label }
        plan.probe('tickets.create', { body })
        plan.twin('tickets.create', { body: { ...body, region } })
      },
    },
    {
      id: 'tickets.create.region-only-vlan',
      source: `${openBody}, region; Errors, "region without a VLAN ticket"`,
      text: 'A region is given only with a vlan.',
      fields: ['vlan', 'region'],
      when: ({ body }) => body.region !== undefined && body.vlan === undefined,
      probe: (plan) => {
        const body = words(plan)
        const region = plan.region().id
        const given = subjectsOf(plan)
        plan.probe('tickets.create', { body: { ...body, region } })
        plan.probe('tickets.create', { body: { ...body, managed_issue: false, region } })
        // Whether a thing that no operation shows is there is not known: its absence may be why the call is refused.
        for (const [name, id] of given)
          plan[name in tableOf ? 'probe' : 'check']('tickets.create', { body: { ...body, [name]: id, region } })
        plan.twin('tickets.create', { body })
        for (const [name, id] of given.slice(0, 1))
          plan.twin('tickets.create', { body: { ...words(plan), [name]: id } })
      },
    },
  ],
  silences: [
    restrictedUse('tickets.create'),
    {
      id: 'tickets.create.characters',
      source: `${openBody}, summary, description`,
      text: 'Which characters a summary and a description may have is not said.',
      fields: ['summary', 'description'],
      when: ({ body }) => hasOddCharacters(body.summary) || hasOddCharacters(body.description),
      probe: (plan) =>
        void plan.check('tickets.create', {
          body: { summary: plan.oddText(64), description: `${plan.oddText(65_000)}\n\n# Ä ` },
        }),
    },
    {
      id: 'tickets.create.repeated',
      source: openBody,
      text: 'Whether a second ticket of the same words may be opened is not said.',
      when: ({ world, account, body }) => isRepeated(world, account, body),
      probe: (plan) => {
        const body = words(plan)
        plan.call('tickets.create', { body })
        plan.check('tickets.create', { body })
      },
    },
    {
      id: 'tickets.create.unknown-subject',
      source: `${openBody}, database_id …`,
      text: "Whether a ticket may be about something that is not known to be the account's is not said.",
      when: ({ world, account, body }) => {
        const [name, second] = namedIn(body)
        return name === undefined || second !== undefined || body.managed_issue === true
          ? false
          : isUnsure(world, account, name, body[name])
      },
      probe: (plan) => {
        for (const name of subjects.filter((one) => !(one in tableOf)))
          plan.check('tickets.create', { body: { ...words(plan), [name]: 1 } })
      },
    },
    {
      id: 'tickets.create.unknown-vlan',
      source: `${openBody}, vlan`,
      text: 'Whether a ticket may be about a VLAN that is not known to be there is not said.',
      when: ({ world, account, body }) =>
        body.vlan !== undefined && body.region !== undefined && !isVlan(world, account, body.vlan, body.region),
      probe: (plan) =>
        void plan.check('tickets.create', { body: { ...words(plan), vlan: plan.name(), region: plan.region().id } }),
    },
    {
      id: 'tickets.create.vlan-beside',
      source: `${openBody}, vlan`,
      text: 'Whether a ticket about a VLAN may have an ID attribute, or be a Managed issue, is not said.',
      when: ({ body }) =>
        body.region !== undefined &&
        hasTwoSubjects(body) &&
        (namedIn(body).length === 1) !== (body.managed_issue === true),
      probe: (plan) => {
        const { label, region } = plan.vlan()
        plan.check('tickets.create', {
          body: { ...words(plan), vlan: label, region, volume_id: plan.make(volumes).id },
        })
      },
    },
  ],
  statements: [
    {
      id: 'tickets.create.subject',
      source: `${openBody}, database_id …, vlan, region`,
      text: 'What a ticket is about is what was given: where the reply carries a member that names it, it has that value.',
      holds: ({ body, reply }) => {
        const shown = (reply ?? {}) as WireRecord
        const given = [...subjects, 'vlan' as const, 'region' as const].filter(
          (name) => body[name] !== undefined && shown[name] !== undefined && !isObject(shown[name]),
        )
        const isOpen = (name: string): boolean => hasTwoSubjects(body) && shown[name] === null
        const wrong = given.find((name) => shown[name] !== body[name] && !isOpen(name))
        if (given.length === 0) return undefined
        return wrong === undefined || `${wrong} is not what was given`
      },
      probe: (plan) => {
        for (const [name, id] of subjectsOf(plan).filter(([name]) => name in tableOf))
          plan.check('tickets.create', { body: { ...words(plan), [name]: id } })
        const vlan = plan.environment.fixtures.vlans?.length ? plan.vlan() : undefined
        if (vlan) plan.check('tickets.create', { body: { ...words(plan), vlan: vlan.label, region: vlan.region } })
      },
    },
  ],
  apply: ({ world, body, made, account, caller, chosen }) =>
    put(world, tickets, {
      key: made,
      opened: plainMembers(chosen),
      account,
      ...(caller.user && { maker: caller.user.name }),
      ...Object.fromEntries(
        Object.entries(hasTwoSubjects(body) ? {} : body).filter(([name]) =>
          (tickets.fields as readonly string[]).includes(name),
        ),
      ),
      summary: body.summary,
      description: body.description,
      closed: false,
      attachments: [],
    }),
})

/** Whether a VLAN is given beside another subject: which of them the ticket is about is not said. */
const hasTwoSubjects = (body: Named & { readonly vlan?: string; readonly managed_issue?: boolean }): boolean =>
  body.vlan !== undefined && (namedIn(body).length > 0 || body.managed_issue === true)

/** What records call the state of a ticket is not shown; a member `status` or `state` is noted. */
const stateIn = (reply: unknown): string | undefined => {
  const { status, state } = (reply ?? {}) as WireRecord
  return [status, state].find((value) => typeof value === 'string')
}

export const viewTicket = operation({
  id: 'tickets.view',
  area: 'support',
  method: 'GET',
  path: '/support/tickets/{ticketId}',
  reach: { in: 'support', alone: true, lent: false },
  source: endpoints,
  summary: 'Shows one ticket.',
  scopes: ['account:read_only'],
  params: ticketId,
  reply: record(tickets),
  shows: 'ticketId',
  draft: (plan) => ({ path: { ticketId: plan.make(tickets).id } }),
  silences: [restrictedUse('tickets.view')],
  choices: [
    {
      id: 'tickets.view.closed-state',
      source: 'Other status models, "Support ticket"',
      text: 'What a record calls the state of a ticket that was closed.',
      observe: ({ refs, reply }) => (refs.ticketId.closed === true ? (stateIn(reply) ?? 'not shown') : undefined),
    },
  ],
})

export const closeTicket = operation({
  id: 'tickets.close',
  area: 'support',
  method: 'POST',
  path: '/support/tickets/{ticketId}/close',
  reach: { in: 'support', alone: true, lent: false, concerns: itself },
  source: endpoints,
  summary: 'Closes a ticket.',
  scopes: rights,
  params: ticketId,
  reply: anything,
  acceptance: 'should',
  draft: (plan) => ({ path: { ticketId: plan.make(tickets).id } }),
  silences: [
    ...changeSilences('tickets.close'),
    {
      id: 'tickets.close.again',
      source: 'Other status models, "Support ticket"',
      text: 'Whether a ticket that is closed can be closed again is not said.',
      when: ({ refs }) => refs.ticketId.closed,
      probe: (plan) => {
        const path = { ticketId: plan.make(tickets).id }
        plan.call('tickets.close', { path })
        plan.check('tickets.close', { path })
      },
    },
  ],
  unshown: 'states of tickets are not shown; the order of the list tells, which is a clause of its own',
  apply: ({ world, refs }) => patch(world, tickets, refs.ticketId.key, { closed: true }),
})

export const ticketOperations = [listTickets, createTicket, viewTicket, closeTicket]
