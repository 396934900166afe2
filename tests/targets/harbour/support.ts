// The operations under /support.
import {
  type Answer,
  broken,
  type Call,
  examine,
  type Handler,
  identifier,
  inTurn,
  mint,
  ordered,
  paged,
  quota,
  Refusal,
  type Route,
  record,
  refuseIf,
  silence,
  unshown,
  type World,
} from './call.js'
import { type Ticket, type TicketReply, vlans } from './state.js'

const idMembers = [
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

const ticketRecord = (world: World, ticket: Ticket, where: 'list' | 'reply'): unknown => {
  const { id, summary, description, open, subject } = ticket
  const full = { id, summary, description, status: open ? 'open' : 'closed', entity: subject, attachments: [] }
  return record(world, full, ['id'], where)
}

const open: Handler = (call) => {
  const { world, account } = call
  inTurn(call, 'state', () => quota(call, account.tickets.size))
  const most = broken(world, 'ticket-summary-65') ? 65 : broken(world, 'ticket-summary-64-refused') ? 63 : 64
  const { fields, issues } = examine(call, {
    summary: { type: 'string', required: true, min: broken(world, 'ticket-summary-empty') ? 0 : 1, max: most },
    description: {
      type: 'string',
      required: !broken(world, 'ticket-description-optional'),
      min: 1,
      max: broken(world, 'ticket-description-65001') ? 65_001 : 65_000,
    },
    ...Object.fromEntries(idMembers.map((name) => [name, { type: 'integer' as const }])),
    managed_issue: { type: 'boolean' },
    vlan: { type: 'string' },
    region: { type: 'string' },
  })
  const given = idMembers.filter((name) => fields[name] !== undefined)
  const { managed_issue, vlan, region } = fields
  if (given.length > 1 && !broken(world, 'ticket-two-ids')) issues.push([given[1] as string, 'one subject only'])
  if (managed_issue === true && given.length > 0 && !broken(world, 'ticket-managed-with-id'))
    issues.push(['managed_issue', 'not with a subject'])
  if (managed_issue === true && !account.managed && !broken(world, 'ticket-managed-without'))
    issues.push(['managed_issue', 'Managed is not enabled'])
  if (vlan !== undefined && region === undefined && !broken(world, 'ticket-vlan-without-region'))
    issues.push(['region', 'required with vlan'])
  if (vlan === undefined && region !== undefined && !broken(world, 'ticket-region-without-vlan'))
    issues.push(['region', 'only with vlan'])
  refuseIf(issues)
  const found = vlans.some((one) => one.label === vlan && one.region === region)
  silence(call, vlan !== undefined && !found, 'vlan', 'a VLAN that is not there')
  silence(
    call,
    vlan !== undefined && (given.length > 0 || managed_issue === true),
    'vlan',
    'a VLAN and another subject',
  )
  silence(
    call,
    given.length > 0 && !known(call, given[0] as string, fields[given[0] as string]),
    given[0] ?? '',
    'who?',
  )
  silence(call, call.caller.restricted, '', 'tickets of restricted users')
  inTurn(call, 'body', () => quota(call, account.tickets.size))
  const { summary, description = '' } = fields as Record<string, string>
  const subject = Object.fromEntries(given.map((name) => [name, fields[name]]))
  const ticket: Ticket = { id: mint(world), summary: summary as string, description, subject, open: true, replies: [] }
  account.tickets.set(ticket.id, ticket)
  // Some desks answer at once.
  if (world.oddities.records === 'extra') ticket.replies.push({ id: mint(world), description: 'We have received it.' })
  return unshown(world, ticketRecord(world, ticket, 'reply'), 201)
}

const known = ({ world, account }: Call, member: string, id: unknown): boolean => {
  if (member === 'node_id') return world.state.nodes.get(id as number)?.account === account.name
  if (member === 'firewall_id') return world.state.firewalls.has(id as number)
  return member === 'volume_id' && account.volumes.has(id as number)
}

const list: Handler = (call) => {
  const { world, account } = call
  const all = ordered(world, [...account.tickets.values()], ({ id }) => id)
  const first = (ticket: Ticket): number => (ticket.open ? 0 : 1)
  const sorted = broken(world, 'ticket-order') ? all : [...all].sort((a, b) => first(a) - first(b))
  if (!broken(world, 'page-sorted-by-itself'))
    return paged(
      call,
      sorted.map((ticket) => ticketRecord(world, ticket, 'list')),
    )
  const answer = paged(call, all)
  const page = answer.body as { readonly data: readonly Ticket[] }
  const data = [...page.data].sort((a, b) => first(a) - first(b))
  return { ...answer, body: { ...page, data: data.map((ticket) => ticketRecord(world, ticket, 'list')) } }
}

const find = (call: Call): Ticket => {
  const id = identifier(call, 'ticketId')
  const ticket = call.account.tickets.get(id)
  if (!ticket) throw new Refusal([['ticketId', 'no such ticket']], 404)
  return ticket
}

const view: Handler = (call): Answer => ({ status: 200, body: ticketRecord(call.world, find(call), 'list') })

const accepted = /\.(gif|jpe?g|pjpe?g|tiff?|png|pdf|txt)$/i

const attachFile: Handler = (call) => {
  const { world, files } = call
  const ticket = find(call)
  const [file] = files
  if (!file) throw new Refusal([['file', 'a file is expected']])
  const refused = /\.pjpeg$/.test(file.name) && broken(world, 'attachment-pjpeg-refused')
  const ends = accepted.test(`.${file.name.slice(-3)}`) && broken(world, 'attachment-ending')
  if (refused || !(accepted.test(file.name) || ends || broken(world, 'attachment-any')))
    throw new Refusal([['file', 'its kind']])
  silence(call, /[A-Z]/.test(file.name), 'file', 'extensions in capitals')
  silence(call, files.length > 1, 'file', 'several files')
  silence(call, file.size === 0, 'file', 'an empty file')
  silence(call, !ticket.open, '', 'adding to a closed ticket')
  return unshown(world, {})
}

const close: Handler = (call) => {
  const ticket = find(call)
  silence(call, !ticket.open, '', 'closing what is closed')
  if (ticket.replies.length > 0 && broken(call.world, 'ticket-close-answered-refused'))
    throw new Refusal([['', 'it has a reply']])
  if (broken(call.world, 'ticket-close-drops-replies')) ticket.replies.length = 0
  if (!broken(call.world, 'ticket-close-lost')) ticket.open = false
  return unshown(call.world, {})
}

const replyRecord = (world: World, { id, description }: TicketReply, where: 'list' | 'reply'): unknown =>
  record(world, { id, description, from_node: false }, ['id', 'description'], where)

const listReplies: Handler = (call) => {
  const replies = ordered(call.world, find(call).replies, ({ id }) => id)
  return paged(
    call,
    replies.map((reply) => replyRecord(call.world, reply, 'list')),
  )
}

const reply: Handler = (call) => {
  const { world, account } = call
  const ticket = find(call)
  const { fields, issues } = examine(call, {
    description: {
      type: 'string',
      required: !broken(world, 'reply-description-optional'),
      min: broken(world, 'reply-empty') ? 0 : 1,
      max: broken(world, 'reply-65535-refused') ? 65_534 : broken(world, 'reply-65536') ? 65_536 : 65_535,
    },
  })
  refuseIf(issues)
  silence(call, !ticket.open, '', 'adding to a closed ticket')
  const made = { id: mint(world), description: (fields.description as string | undefined) ?? '' }
  const last = [...account.tickets.values()].at(-1) as Ticket
  if (!broken(world, 'reply-lost')) (broken(world, 'reply-misplaced') ? last : ticket).replies.push(made)
  if (world.oddities.records === 'extra') ticket.open = true
  return unshown(world, replyRecord(world, made, 'reply'), 201)
}

export const supportRoutes = (world: World): readonly Route[] => {
  const read = ['account:read_only']
  const write = ['account:read_write']
  const closeScope = world.oddities.fault === 'ticket-close-scope' ? read : write
  return [
    { method: 'GET', path: '/support/tickets', scopes: read, handle: list },
    { method: 'POST', path: '/support/tickets', scopes: write, handle: open },
    { method: 'GET', path: '/support/tickets/:ticketId', scopes: read, handle: view },
    { method: 'POST', path: '/support/tickets/:ticketId/attachments', scopes: write, handle: attachFile },
    { method: 'POST', path: '/support/tickets/:ticketId/close', scopes: closeScope, handle: close },
    { method: 'GET', path: '/support/tickets/:ticketId/replies', scopes: read, handle: listReplies },
    { method: 'POST', path: '/support/tickets/:ticketId/replies', scopes: write, handle: reply },
  ]
}
