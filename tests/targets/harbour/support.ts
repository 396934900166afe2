// Support tickets, their replies and attachments; no other resource.
import { flag, type Json, object, text, whole } from './checks.js'
import {
  at,
  brief,
  CALLED_PAGINATED,
  type Context,
  disguise,
  mine,
  mint,
  missing,
  page,
  quota,
  type Reply,
  type Route,
  readBody,
  refuse,
  restrictedMay,
  silence,
} from './context.js'
import type { Ticket, TicketReply } from './state.js'

const SUBJECTS = [
  'database_id',
  'domain_id',
  'firewall_id',
  'node_id',
  'lkecluster_id',
  'longviewclient_id',
  'nodebalancer_id',
  'volume_id',
  'vpc_id',
]

const creation = object({
  'summary!': text(1, 64),
  'description!': text(1, 65_000),
  ...Object.fromEntries(SUBJECTS.map((name) => [name, whole()])),
  managed_issue: flag,
  vlan: text(),
  region: text(),
})
const answer = object({ 'description!': text(1, 65_535) })

const own = (context: Context): Ticket[] => mine(context, context.state.tickets, 'tickets')

const show = (context: Context, { id, summary, description, open, subject, files }: Ticket): Json => {
  const { options, rules } = context
  const words = options.ticketStates === 'open and closed' ? ['open', 'closed'] : ['new', 'solved']
  return disguise(
    {
      id,
      summary: rules.holds('tickets.shows.summary') ? brief(context, summary) : summary.slice(0, 32),
      description: brief(context, description),
      status: words[open ? 0 : 1],
      entity: subject,
      attachments: files,
    },
    options,
    ['id', 'summary', 'status'],
  )
}

const open = (context: Context): Reply => {
  const { state, rules, options, user, token, account } = context
  restrictedMay(context)
  quota(context, own(context).length)
  const body = readBody(context, creation)
  const given = SUBJECTS.filter((name) => body[name] !== undefined)
  const { managed_issue, vlan, region } = body
  const isMany = given.length > 1 && (given.length > 2 || rules.holds('tickets.create.two-subjects'))
  if (isMany && rules.holds('tickets.create.one-subject')) refuse(at(context, given[1] as string), 'one subject only')
  if (managed_issue === true && given.length > 0 && rules.holds('tickets.create.managed-without-subject'))
    refuse(at(context, 'managed_issue'), 'not with a subject')
  if (managed_issue === true && !account.managed && rules.holds('tickets.create.managed-enabled'))
    refuse(at(context, 'managed_issue'), 'Managed is not enabled')
  if (vlan !== undefined && region === undefined && rules.holds('tickets.create.vlan-region'))
    refuse(at(context, 'region'), 'required with vlan')
  if (vlan === undefined && region !== undefined && rules.holds('tickets.create.region-only-vlan'))
    refuse(at(context, 'region'), 'only with vlan')
  questions(context, body, given)
  const number = mint(context, 'tickets')
  const ticket: Ticket = {
    id: options.ticketIds === 'texts' ? `HBR-${number}` : number,
    account: user.account,
    maker: token.name,
    summary: String(body.summary),
    description: String(body.description ?? ''),
    subject: Object.fromEntries(given.map((name) => [name, body[name]])),
    open: true,
    replies: options.answersAtOnce ? [{ id: mint(context, 'replies'), description: 'We have received it.' }] : [],
    files: 0,
  }
  if (rules.holds('tickets.create.kept')) state.tickets.set(String(ticket.id), ticket)
  return { kind: 'creation', body: show(context, ticket) }
}

/** On what the document is silent about what a ticket is about. */
const questions = (
  context: Context,
  { vlan, region, managed_issue, ...body }: Json,
  given: readonly string[],
): void => {
  const found = context.fixtures.vlans.some((one) => one.label === vlan && one.region === region)
  silence(context, vlan !== undefined && !found, at(context, 'vlan'), 'a VLAN that is not there')
  silence(
    context,
    vlan !== undefined && (given.length > 0 || managed_issue === true),
    at(context, 'vlan'),
    'a VLAN and another subject',
  )
  for (const name of given)
    silence(context, !isKnown(context, name, body[name]), at(context, name), 'an unknown subject')
}

const isKnown = ({ state, fixtures, user }: Context, member: string, id: unknown): boolean => {
  const number = id as number
  const isOwn = (one: { readonly account?: string } | undefined): boolean =>
    one !== undefined && (one.account ?? 'main') === user.account
  if (member === 'node_id') return isOwn(state.nodes.get(number))
  if (member === 'firewall_id') return isOwn(state.firewalls.get(number))
  if (member === 'volume_id') return isOwn(state.volumes.get(number))
  if (member === 'domain_id') return isOwn(fixtures.domains.find((one) => one.id === id))
  return member === 'nodebalancer_id' && isOwn(fixtures.nodebalancers.find((one) => one.id === id))
}

const list = (context: Context): Reply => {
  const { rules, options } = context
  const all = own(context)
  const rank = (ticket: Ticket): string => (ticket.open ? '0' : '1')
  const first = (some: readonly Ticket[]): readonly Ticket[] =>
    some.toSorted((one, other) => rank(one).localeCompare(rank(other)))
  const showAll = (listed: readonly Ticket[], order = options.order): Reply =>
    page(
      { ...context, options: { ...options, order } },
      listed,
      (one) => one,
      ({ id }) => String(id),
      CALLED_PAGINATED,
    )
  const apart = !rules.holds('tickets.list.open-first') || !rules.holds('tickets.list.open-first-over-pages')
  const reply = apart ? showAll(all) : showAll(first(options.order === 'newest' ? all.toReversed() : all), 'made')
  const body = reply.body as { readonly data: readonly Ticket[] }
  const sorted = rules.fault === 'tickets.list.open-first-over-pages' ? first(body.data) : body.data
  return { ...reply, body: { ...body, data: sorted.map((ticket) => show(context, ticket)) } }
}

const find = (context: Context): Ticket => {
  const id = decodeURIComponent(context.params.ticketId ?? '')
  const ticket = own(context).find((one) => String(one.id) === id)
  if (!ticket) throw missing(context, 'ticketId')
  return ticket
}

const view = (context: Context): Reply => ({ kind: 'view', body: show(context, find(context)) })

const ACCEPTED = /\.(gif|jpe?g|pjpe?g|tiff?|png|pdf|txt)$/i

const attachFile = (context: Context): Reply => {
  const { files, rules } = context
  restrictedMay(context)
  const ticket = find(context)
  const [file] = files
  if (!file) return refuse('file', 'a file is expected')
  const isBarred = /\.pjpeg$/.test(file.name) && !rules.holds('ticket-attachments.create.pjpeg')
  const isEnding = ACCEPTED.test(`.${file.name.slice(-3)}`) && !rules.holds('ticket-attachments.create.ending')
  if (isBarred || !(ACCEPTED.test(file.name) || isEnding || !rules.holds('ticket-attachments.create.extension')))
    refuse('file', 'its kind')
  silence(context, /[A-Z]/.test(file.name), 'file', 'extensions in capitals')
  silence(context, files.length > 1, 'file', 'several files')
  silence(context, file.size === 0, 'file', 'an empty file')
  silence(context, !ticket.open, '', 'adding to a closed ticket')
  ticket.files += 1
  return { kind: 'change', body: {} }
}

const close = (context: Context): Reply => {
  const { rules } = context
  restrictedMay(context)
  const ticket = find(context)
  silence(context, !ticket.open, '', 'closing what is closed')
  if (ticket.replies.length > 0 && !rules.holds('tickets.close.answered'))
    refuse(context.options.noField, 'it has a reply')
  if (!rules.holds('tickets.close.keeps-replies')) ticket.replies.length = 0
  const reopens = !ticket.open && !rules.holds('tickets.close.again')
  if (rules.holds('tickets.close.kept')) ticket.open = reopens
  if (!rules.holds('tickets.close.only')) for (const one of own(context)) one.open = false
  return { kind: 'change', body: {} }
}

const showReply = (context: Context, { id, description }: TicketReply): Json =>
  disguise({ id, description: brief(context, description), from_staff: false }, context.options, ['id', 'description'])

const listReplies = (context: Context): Reply =>
  page(
    context,
    find(context).replies,
    (one) => showReply(context, one),
    ({ id }) => String(id),
    CALLED_PAGINATED,
  )

const reply = (context: Context): Reply => {
  const { rules, options } = context
  restrictedMay(context)
  const ticket = find(context)
  const body = readBody(context, answer)
  silence(context, !ticket.open, '', 'adding to a closed ticket')
  const made = { id: mint(context, 'replies'), description: String(body.description ?? '') }
  const target = rules.holds('ticket-replies.create.this') ? ticket : (own(context).at(-1) ?? ticket)
  if (rules.holds('ticket-replies.create.kept')) target.replies.push(made)
  if (options.repliesReopen) ticket.open = true
  return { kind: 'creation', body: showReply(context, made) }
}

const R = ['account:read_only']
const W = ['account:read_write']
const path = '/support/tickets'
const one = `${path}/{ticketId}`

export const supportRoutes: readonly Route[] = [
  { id: 'tickets.list', method: 'GET', path, scopes: R, handle: list },
  { id: 'tickets.create', method: 'POST', path, scopes: W, handle: open },
  { id: 'tickets.view', method: 'GET', path: one, scopes: R, handle: view },
  { id: 'ticket-attachments.create', method: 'POST', path: `${one}/attachments`, scopes: W, handle: attachFile },
  { id: 'tickets.close', method: 'POST', path: `${one}/close`, scopes: W, handle: close },
  { id: 'ticket-replies.list', method: 'GET', path: `${one}/replies`, scopes: R, handle: listReplies },
  { id: 'ticket-replies.create', method: 'POST', path: `${one}/replies`, scopes: W, handle: reply },
]
