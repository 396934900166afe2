// The two operations on replies to support tickets: sections "Endpoints / Support" and "Limits" of the document.

import { forget, patch, put } from '../language/changes.js'
import { known, type Ternary } from '../language/clause.js'
import { byId } from '../language/facts.js'
import { type Facts, operation, page, record, ref } from '../language/operation.js'
import { inferredPaging } from '../language/pagination.js'
import { isPlainText } from '../language/promises.js'
import { itself } from '../language/reach.js'
import { asProse } from '../language/same.js'
import { object, text } from '../language/schema.js'
import { type Entity, exists, isLatent, isOurs, keyIn, live, type WireRecord, type World } from '../language/world.js'
import { changeSilences, endpoints, restrictedUse, type Ticket, tickets } from '../tickets/record.js'
import { type TicketReply, ticketReplies } from './record.js'

const ticketId = { ticketId: ref(tickets, { type: 'any' }) }

/** Whether the ticket has a reply of the same words; in a ticket opened in this run there are ours and the staff's alone. */
const isRepeated = (
  world: World,
  account: string | undefined,
  ticket: Entity<Ticket>,
  description: string,
): Ternary => {
  const there = exists(
    world,
    ticketReplies,
    account,
    (reply) => (reply.ticketId === ticket.key ? known(reply.description, description, (a, b) => a === b) : false),
    description,
  )
  return there !== true && ticket.maker !== undefined ? false : there
}

/** The key of the ticket that the path names: another account may have one of the same id. */
const ticketOf = ({ world, account, path }: Pick<Facts, 'world' | 'account' | 'path'>): string =>
  keyIn(world, tickets, String(path.ticketId), account)

export const listTicketReplies = operation({
  id: 'ticket-replies.list',
  area: 'support',
  method: 'GET',
  path: '/support/tickets/{ticketId}/replies',
  reach: { in: 'support', alone: true, lent: false, concerns: itself },
  source: endpoints,
  summary: 'Lists the replies to a ticket.',
  scopes: ['account:read_only'],
  params: ticketId,
  query: inferredPaging,
  reply: page(ticketReplies, 'not-shown'),
  // Of a reply that was only listed it is not kept whose it is.
  lists: (facts, reply: Entity<TicketReply>) => known(reply.ticketId, ticketOf(facts), (a, b) => a === b),
  draft: (plan) => ({ path: { ticketId: plan.make(tickets).id } }),
  silences: [restrictedUse('ticket-replies.list')],
  statements: [
    {
      id: 'ticket-replies.list.of-ticket',
      source: `${endpoints}, GET /support/tickets/{ticketId}/replies`,
      text: 'The list holds the replies to the ticket that the path names, and none to another.',
      holds: ({ world, account, path, reply }) => {
        const { data } = (reply ?? {}) as { readonly data?: unknown }
        if (!Array.isArray(data)) return undefined
        const ours = live(world, ticketReplies).filter(({ description }) => isOurs(world, description))
        const ticket = ticketOf({ world, account, path })
        const wordsFor = (is: boolean) =>
          new Set(ours.filter(({ ticketId: id }) => (id === ticket) === is).map(({ description }) => description))
        const own = wordsFor(true)
        const others = wordsFor(false)
        const stray = data
          .map((entry) => (entry as WireRecord | null)?.description)
          .find((words) => typeof words === 'string' && others.has(words) && !own.has(words))
        return stray === undefined ? own.size > 0 || undefined : `a reply to another ticket: ${stray}`
      },
      probe: (plan) => {
        const [path, other] = [plan.make(tickets), plan.make(tickets)].map(({ id }) => ({ ticketId: id }))
        plan.call('ticket-replies.create', { path: path ?? {}, body: { description: plan.text(65_535) } })
        plan.check('ticket-replies.list', { path: path ?? {} })
        plan.check('ticket-replies.list', { path: other ?? {} })
        // Neither does a reply keep a ticket from being closed, nor does closing take it away.
        plan.call('tickets.close', { path: path ?? {} })
        plan.check('ticket-replies.list', { path: path ?? {} })
      },
    },
  ],
  choices: [
    {
      id: 'ticket-replies.list.order',
      source: `${endpoints}, GET /support/tickets/{ticketId}/replies`,
      text: 'The order in which replies are listed.',
      values: ['oldest first', 'newest first', 'neither'],
      observe: ({ world, path, reply }) => {
        const { data } = (reply ?? {}) as { readonly data?: unknown }
        if (!Array.isArray(data)) return undefined
        const listed = data.map((entry) => `${path.ticketId}/${byId((entry ?? {}) as WireRecord)}`)
        const places = live(world, ticketReplies)
          .map(({ key }) => listed.indexOf(key))
          .filter((place) => place >= 0)
        if (places.length < 2) return undefined
        const rises = places.slice(1).map((place, i) => place > (places[i] ?? 0))
        return rises.every(Boolean) ? 'oldest first' : rises.some(Boolean) ? 'neither' : 'newest first'
      },
    },
  ],
})

export const createTicketReply = operation({
  id: 'ticket-replies.create',
  area: 'support',
  method: 'POST',
  path: '/support/tickets/{ticketId}/replies',
  reach: { in: 'support', alone: true, lent: false, concerns: itself },
  source: endpoints,
  summary: 'Replies to a ticket.',
  scopes: ['account:read_write'],
  params: ticketId,
  body: object({ description: text({ min: 1, max: 65_535 }) }),
  reply: record(ticketReplies),
  shows: 'made',
  makes: ticketReplies,
  answersElse: ({ path, body }, record) =>
    byId(record) === path.ticketId && asProse(body.description, record.description) !== true,
  // What the call returns is not said: where it does not tell which reply it shows, it may show the ticket.
  shownAs: (_, { key }: Entity<TicketReply>) => (isLatent(key) ? { id: undefined, description: undefined } : {}),
  draft: (plan) => ({ path: { ticketId: plan.make(tickets).id }, body: { description: plan.text(65_535) } }),
  silences: [
    ...changeSilences('ticket-replies.create'),
    {
      id: 'ticket-replies.create.closed',
      source: 'Other status models, "Support ticket"',
      text: 'Whether a ticket that is closed can be replied to is not said.',
      when: ({ refs }) => refs.ticketId.closed,
      probe: (plan) => {
        const path = { ticketId: plan.make(tickets).id }
        plan.call('tickets.close', { path })
        plan.check('ticket-replies.create', { path, body: { description: plan.text(65_535) } })
      },
    },
    {
      id: 'ticket-replies.create.characters',
      source: `${endpoints}, POST /support/tickets/{ticketId}/replies`,
      text: 'Which characters a reply may have is not said.',
      fields: ['description'],
      when: ({ body }) => !isPlainText(body.description),
      probe: (plan) =>
        void plan.check('ticket-replies.create', {
          path: { ticketId: plan.make(tickets).id },
          body: { description: `${plan.oddText(65_000)}\n\n# Ä ` },
        }),
    },
    {
      id: 'ticket-replies.create.repeated',
      source: `${endpoints}, POST /support/tickets/{ticketId}/replies`,
      text: 'Whether a ticket takes a second reply of the same words is not said.',
      when: ({ world, account, body, refs }) => isRepeated(world, account, refs.ticketId, body.description),
      probe: (plan) => {
        const path = { ticketId: plan.make(tickets).id }
        const body = { description: plan.text(65_535) }
        plan.call('ticket-replies.create', { path, body })
        plan.check('ticket-replies.create', { path, body })
      },
    },
  ],
  // A reply may open a closed ticket again: transitions are not shown.
  apply: ({ world, body, refs, made, account, caller }) =>
    put(stirred(world, refs.ticketId), ticketReplies, {
      key: made,
      account,
      ...(caller.user && { maker: caller.user.name }),
      ticketId: refs.ticketId.key,
      description: body.description,
    }),
})

const stirred = (world: World, { key, closed }: Entity<Ticket>): World =>
  patch(closed ? forget(world, tickets, key, ['closed']) : world, tickets, key, { stirred: true })

export const ticketReplyOperations = [listTicketReplies, createTicketReply]
