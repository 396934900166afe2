// The operations on support tickets themselves: sections "Endpoints / Support" and "Limits" of the document.

import { patch } from '../language/changes.js'
import { byId } from '../language/facts.js'
import { anything, operation, page, record, ref } from '../language/operation.js'
import { inferredPaging } from '../language/pagination.js'
import { itself } from '../language/reach.js'
import { type Entity, find, keyIn, type WireRecord } from '../language/world.js'
import { createTicket } from './create.js'
import { changeSilences, endpoints, restrictedUse, rights, type Ticket, tickets } from './record.js'

const ticketId = { ticketId: ref(tickets, { type: 'any' }) }

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
