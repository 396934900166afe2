// The support ticket as requests name it, how it is stored, and what the operations on one share; its record is not shown.

import { firewalls } from '../firewalls/record.js'
import { isRestricted, type Principal } from '../language/access.js'
import { known, type Ternary } from '../language/clause.js'
import { byId, domains, nodebalancers, nodes, sameId } from '../language/facts.js'
import type { AnyTable } from '../language/operation.js'
import { asRestricted, type Plan } from '../language/plan.js'
import { asProse, asText } from '../language/same.js'
import { type Entity, exists, find, gone, keyIn, type Table, type WireRecord, type World } from '../language/world.js'
import { volumes } from '../volumes/record.js'

export const endpoints = 'Endpoints / Support'

/** The scope of what changes a ticket. */
export const rights = ['account:read_write']

/** The ID attributes of which a ticket may have one. */
export const subjects = [
  'database_id',
  'domain_id',
  'firewall_id',
  'node_id',
  'lkecluster_id',
  'longviewclient_id',
  'nodebalancer_id',
  'volume_id',
  'vpc_id',
] as const

export type Subject = (typeof subjects)[number]

export interface Ticket extends Record<Subject, number> {
  id: number
  summary: string
  description: string
  managed_issue: boolean
  vlan: string
  region: string
  /** Model only: whether it was closed; a record may show it, but how is not said. */
  closed: boolean
  /** Model only: what the reply to its creation showed that may tell its state. */
  opened: Readonly<Record<string, unknown>>
  /** Model only: what replies after its creation first showed of that kind, in members that its creation did not show. */
  met: Readonly<Record<string, unknown>>
  /** Model only: what replies after it was closed first showed of that kind. */
  shut: Readonly<Record<string, unknown>>
  /** Model only: whether a reply has shown it otherwise than it was shown first, though nothing had closed it. */
  moved: boolean
  /** Model only: whether it was replied to, or given a file. */
  stirred: boolean
  /** Model only: whether a reply has shown it otherwise after that: what such a call does to its state is not said. */
  swayed: boolean
  /** Model only: names of the files that were attached. */
  attachments: readonly string[]
}

/** Tables in which a subject can be looked up. */
export const tableOf: Readonly<Partial<Record<Subject, AnyTable>>> = {
  domain_id: domains,
  firewall_id: firewalls,
  node_id: nodes,
  nodebalancer_id: nodebalancers,
  volume_id: volumes,
}

/** What a ticket is about may cease to exist; whether its record still names it then is not said. */
const unlessGone = (given: unknown, seen: unknown): Ternary => (seen === null ? undefined : seen === given)

/** The same where it can be looked up whether it is there. In recorded traffic it may be gone without a call that tells. */
const unlessLost =
  (name: Subject) =>
  (given: unknown, seen: unknown, { account }: Entity<Ticket>, world: World): Ternary => {
    const table = tableOf[name]
    if (seen !== null || !table || world.adopting) return unlessGone(given, seen)
    const key = keyIn(world, table, String(given), account)
    const subject = find(world, table, key)
    return subject && !subject.stub && gone(world, table, key) === undefined ? false : undefined
  }

const fields = ['id', 'summary', 'description', ...subjects, 'managed_issue', 'vlan', 'region'] as const

/** Names of members that count what was added to a ticket. */
const counted = /(?:^|_)(?:attachments?|files?|replies|comments?|count|total)(?:$|_)/i

/** Members that are no text, time, count or id: one of them may tell the state. */
export const plainMembers = (record: WireRecord): WireRecord =>
  Object.fromEntries(
    Object.entries(record).filter(
      ([name, value]) =>
        !(fields as readonly string[]).includes(name) &&
        (value === null || typeof value !== 'object') &&
        !(typeof value === 'number' && counted.test(name)) &&
        !/^\d{4}-/.test(String(value)),
    ),
  )

/** Whether a record says in so many words that the ticket is closed, as one does that was closed before any reply showed it. */
const saysClosed = (record: WireRecord): boolean =>
  Object.entries(record).some(
    ([name, value]) => /^closed/i.test(name) && value !== null && value !== undefined && value !== false,
  )

/**
 * What a record tells about the state of a ticket. Of a closed one: how each member was first seen, since a view may show fewer than
 * a list. Of one that no call has closed: the same, or that it has moved on, by itself if no call was about it.
 */
const noteState = (ticket: Entity<Ticket>, record: WireRecord): Partial<Ticket> | undefined => {
  const { closed, moved, opened, met, shut, stirred, swayed } = ticket
  const shown = plainMembers(record)
  if (closed === true) return isMoreThan(shown, shut) ? { shut: { ...shown, ...shut } } : undefined
  // Where a call may have closed it, it has not moved by itself.
  if (closed !== false || moved === true) return undefined
  const first: WireRecord = { ...met, ...opened }
  if (saysClosed(record)) return { moved: true }
  const isOther = Object.keys(shown).some((name) => name in first && first[name] !== shown[name])
  if (isOther) return stirred !== true ? { moved: true } : swayed === true ? undefined : { swayed: true }
  return isMoreThan(shown, first) ? { met: { ...shown, ...met } } : undefined
}

const isMoreThan = (shown: WireRecord, first: WireRecord = {}): boolean =>
  Object.keys(shown).some((name) => !(name in first))

export const tickets: Table<Ticket> = {
  name: 'tickets',
  fields,
  identify: byId,
  mayRepeat: true,
  same: {
    id: sameId,
    summary: asText,
    description: asProse,
    vlan: unlessGone,
    region: unlessGone,
    ...Object.fromEntries(subjects.map((name) => [name, unlessLost(name)])),
  },
  bare: ({ id }) => ({ id }),
  unjudged: (_, { closed, maker }) => ({
    status: closed === true ? 'closed' : 'open',
    ...(maker !== undefined && { opened_by: maker }),
  }),
  noted: noteState,
  permanent: true,
  retire: { by: 'tickets.close', isDone: ({ closed }) => closed === true },
  // Whether tickets come about by themselves (from monitoring, or from the provider's staff) is not said.
  change: { lasting: ['id', 'region'], outside: [], renewable: false, lapsing: { closed: false } },
  closable: false,
  mint: (dice) => String(dice.next('tickets')),
}

/** What a restricted user may do with tickets is not among the permission rules. */
export const restrictedUse = (id: string) => ({
  id: `${id}.restricted`,
  source: 'Authentication, "Permission rules beyond scopes"',
  text: 'What a restricted user may do with support tickets is not said.',
  when: ({ caller }: { readonly caller: Principal }): Ternary => isRestricted(caller),
  probe: asRestricted(id),
})

interface OnTicket {
  readonly world: World
  readonly account: string | undefined
  readonly caller: Principal
  readonly refs: { readonly ticketId: Entity<Ticket> }
}

/** Silences of every operation that changes a ticket. */
export const changeSilences = (id: string) => [
  {
    ...restrictedUse(id),
    probe: (plan: Plan) => {
      plan.as(plan.token({ restricted: true, for: id }))
      plan.check(id, plan.draft(id))
    },
  },
  {
    id: `${id}.of-others`,
    source: 'Endpoints / Support, POST /support/tickets/{ticketId}/close',
    text: 'Who may modify a ticket that another user has opened is not said.',
    probe: (plan: Plan) => {
      const { path, ...args } = plan.draft(id)
      const opened = plan.call('tickets.create', {
        ...plan.draft('tickets.create'),
        as: plan.token({ restricted: true, for: 'tickets.create' }),
      })
      plan.check(id, { ...args, path: { ...path, ticketId: opened.id } })
    },
    when: ({ caller, refs }: OnTicket): Ternary => known(refs.ticketId.maker, caller.user?.name, (a, b) => a !== b),
  },
  {
    id: `${id}.by-itself`,
    source: 'Other status models, "Support ticket"',
    text: 'What can be done with a ticket that has moved on by itself is not said: it may have come to be closed.',
    // Where one has, any other may have since it was seen; that it was closed is not sure of any, so what is taken then tells.
    when: ({ world, account, refs: { ticketId: ticket } }: OnTicket): Ternary =>
      ticket.closed !== true &&
      (ticket.swayed === true || exists(world, tickets, account, ({ moved }) => moved === true) === true)
        ? undefined
        : false,
    unprobed: 'it takes a target whose tickets move on by themselves',
  },
]
