// What creating and updating a Managed service have in common: the "Service body" of the document, and what it leaves open.

import { and, known, not, type Ternary } from '../language/clause.js'
import type { NodeFixture } from '../language/environment.js'
import { nodes } from '../language/facts.js'
import { hostOf, isPrivateAddress, parseAddress } from '../language/formats.js'
import { addressed, aFixture, aNode } from '../language/needs.js'
import { isObject } from '../language/objects.js'
import type { Args, Plan } from '../language/plan.js'
import { isPlainName, isPlainText } from '../language/promises.js'
import { array, integer, nullable, oneOf, optional, text, tried, without } from '../language/schema.js'
import { type Entity, exists, live, type World } from '../language/world.js'
import { endpoints, shown } from '../managed/common.js'
import { contacts } from '../managed-contacts/record.js'
import { credentials } from '../managed-credentials/record.js'
import { isSameAddress, isSameQuery, queryOf, type Service, services, withoutFragment } from './record.js'

export const source = `${endpoints}, "Service body"`

export const serviceBody = () => ({
  label: text({ min: 3, max: 64 }),
  // What an address of the type tcp looks like is not said.
  service_type: without(tried(oneOf('url', 'tcp'), 'url'), 'http', 'udp'),
  address: text({ min: 3, max: 100, example: 'https://example.org/', atMin: 'http://example.org', ascii: true }),
  timeout: integer({ min: 1, max: 255 }),
  body: optional(nullable(text({ max: 100 }))),
  consultation_group: optional(text({ max: 50 })),
  credentials: optional(array(integer({ ref: 'managed-credentials', open: true }))),
  notes: optional(nullable(text())),
  region: optional(text({ ref: 'regions', open: true })),
})

/** The members that are required on creation. */
export const required = ['label', 'service_type', 'address', 'timeout'] as const

/** A body of a creation, or of an update, which may leave anything out. */
export interface ServiceBody {
  readonly label?: string
  readonly service_type?: 'url' | 'tcp'
  readonly address?: string
  readonly timeout?: number
  readonly body?: string | null
  readonly consultation_group?: string
  readonly credentials?: readonly number[]
  readonly notes?: string | null
  readonly region?: string
}

interface Asked {
  readonly world: World
  readonly account: string | undefined
  readonly body: ServiceBody
  /** An update names the service. */
  readonly refs: { readonly serviceId?: Entity<Service> }
}

/** The address that a service is known to have; what a target shows as one may be anything. */
export const addressOf = (service: Entity<Service> | undefined): string | undefined =>
  typeof service?.address === 'string' ? service.address : undefined

/** What a service has after a call with this body; members that were left out are left out. */
export const stored = ({ address, ...rest }: ServiceBody): Partial<Service> =>
  Object.fromEntries(
    Object.entries({ ...rest, address: address === undefined ? undefined : withoutFragment(address) }).filter(
      ([name, value]) => value !== undefined && name in members,
    ),
  )

const members = serviceBody()

export const plainAddress = (plan: Plan): string => `https://example.org/${plan.name()}`

/** A URL whose host surely exists, spelled as everyone spells one. */
const isPlainAddress = (address: string): boolean =>
  /^https?:\/\/(?:www\.)?example\.(?:com|net|org)(?::\d{2,4})?(?:\/[\w./-]*)?(?:\?[\w=&-]*)?$/.test(address)

const isPlainPrivateAddress = (address: string): boolean =>
  /^https?:\/\/[\d.]+(?:\/[\w./-]*)?$/.test(address) && isPrivateAddress(address) === true

const hasPrivate = (node: NodeFixture): boolean => (node.ipv4?.private?.length ?? 0) > 0

/** Whether `nodeAddress` will find a node. */
export const hasNodeAddress = ({ environment }: Plan): boolean =>
  (environment.fixtures.nodes ?? []).some(
    (node) => hasPrivate(node) && (node.account === undefined || node.account === environment.accounts[0]?.name),
  )

/** The private address of a node of the account, as the address of a service, and the node's region. */
export const nodeAddress = (plan: Plan): { readonly address: string; readonly region: string } => {
  const { ipv4, region } = plan.node(hasPrivate, aNode('a node with a private IPv4 address', addressed(1, 1)))
  return { address: `http://${ipv4?.private?.[0] ?? '192.168.0.1'}/${plan.name()}`, region }
}

/** Whether a node of the account in that region has the address's host as a private address. */
const isNodeAddress = (world: World, account: string | undefined, address: string, region: string): Ternary => {
  const host = parseAddress(hostOf(address) ?? '')?.toString()
  return live(world, nodes, account).some(
    (node) => node.region === region && node.ipv4?.private?.some((one) => parseAddress(one)?.toString() === host),
  )
}

/** Whether an address without that region breaks the rule that a private one needs a region. */
export const needsRegion = (address: string, region: string | undefined): Ternary => {
  if (isNoAddress(address)) return false
  const isPrivate = isPrivateAddress(address)
  if (region === undefined) return isPrivate
  // Whether an empty text counts as a region is not said.
  return region === '' && isPrivate !== false ? undefined : false
}

/** Whether a region beside that address breaks the rule that only a private one has a region. */
export const forbidsRegion = (address: string | undefined, region: string | undefined): Ternary => {
  if (region === undefined || (address !== undefined && isNoAddress(address))) return false
  const isPublic = address === undefined ? undefined : not(isPrivateAddress(address))
  return region === '' && isPublic !== false ? undefined : isPublic
}

/** Words with blanks between them are no URL, whatever is taken for one. */
const isNoAddress = (address: string): boolean => /\S\s+\S/.test(address) && !address.includes(':')

export const addressForm = (id: string) => ({
  id: `${id}.address-form`,
  source: `${source}, address`,
  text: 'The address is a URL.',
  fields: ['address'],
  when: ({ body }: { readonly body: ServiceBody }) => body.address !== undefined && isNoAddress(body.address),
  probe: (plan: Plan) => {
    const draft = plan.draft(id)
    plan.probe(id, { ...draft, body: { ...draft.body, address: 'not a url' } })
    plan.twin(id, draft)
  },
})

const isTaken = ({ world, account, refs }: Asked, where: (service: Entity<Service>) => Ternary, name: string) =>
  exists(world, services, account, (service) => (service.key === refs.serviceId?.key ? false : where(service)), name)

/** Where no longest length is given, texts up to that of the expected body are surely taken. */
export const longestPlain = 100

const check = (id: string, change: (plan: Plan) => Readonly<Record<string, unknown>>) => (plan: Plan) => {
  const draft = plan.draft(id)
  plan.check(id, { ...draft, body: { ...draft.body, ...change(plan) } })
}

const isOddAddress = ({ body: { address, region, service_type }, refs }: Asked): boolean =>
  address !== undefined &&
  (service_type ?? refs.serviceId?.service_type) !== 'tcp' &&
  !isNoAddress(address) &&
  !isPlainAddress(address) &&
  !isPlainPrivateAddress(address) &&
  needsRegion(address, region) !== true

/** Of a host that surely exists, and listens there. */
const tcpAddresses: Readonly<Record<string, string>> = {
  'https URL with a port': 'https://example.org:443/',
  'host and port': 'example.org:443',
  'tcp URL': 'tcp://example.org:443',
  'http URL with a port': 'http://example.org:80/',
  host: 'example.org',
}

/** Values which a target may refuse, since the document does not say that it takes them. */
export const oddServices = (id: string) => [...oddLabels(id), ...oddAddresses(id), ...oddOthers(id)]

const oddLabels = (id: string) => [
  {
    id: `${id}.label-characters`,
    source: `${source}, label`,
    text: 'Which characters a label may have is not said.',
    fields: ['label'],
    when: ({ body }: Asked) => body.label !== undefined && !isPlainName(body.label),
    probe: check(id, (plan) => ({ label: plan.oddText(64) })),
  },
  {
    id: `${id}.label-reused`,
    source: `${source}, label`,
    text: 'Whether two services may have the same label is not said.',
    fields: ['label'],
    when: (asked: Asked) => {
      const { label } = asked.body
      return label === undefined
        ? false
        : isTaken(asked, (service) => known(service.label, label, (a, b) => a === b), label)
    },
    probe: check(id, (plan) => ({ label: plan.make(services).field('label') })),
  },
]

const oddAddresses = (id: string) => [
  {
    id: `${id}.address-spelling`,
    source: `${source}, address`,
    text: 'Which URLs are taken, such as one with a fragment, and whether their host must exist, is not said.',
    fields: ['address'],
    when: isOddAddress,
    probe: check(id, (plan) => ({ address: `example.org/${plan.name()}` })),
  },
  {
    id: `${id}.address-reused`,
    source: `${source}, address`,
    text: 'Whether two services may have the same address is not said.',
    fields: ['address'],
    when: (asked: Asked) => {
      const { address } = asked.body
      return address === undefined
        ? false
        : isTaken(
            asked,
            (service) => known(service.address, withoutFragment(address), (a, b) => isSameAddress(a, b) ?? false),
            address,
          )
    },
    probe: check(id, (plan) => ({ address: plan.make(services).field('address') })),
  },
  {
    id: `${id}.tcp-address`,
    source: `${source}, service_type`,
    text: 'How the address of a service of the type tcp is written is not said.',
    when: ({ body, refs }: Asked) =>
      body.address === undefined && (body.service_type === undefined || refs.serviceId !== undefined)
        ? false
        : known(body.service_type ?? refs.serviceId?.service_type, 'tcp', (a, b) => a === b),
    spellings: {
      all: Object.keys(tcpAddresses),
      of: ({ body: { service_type, address } }: Asked) =>
        service_type === 'tcp' ? Object.keys(tcpAddresses).find((name) => tcpAddresses[name] === address) : undefined,
      text: 'A service of the type tcp is taken with its address in one of the ways in which such are written.',
    },
    probe: (plan: Plan) => {
      for (const address of Object.values(tcpAddresses)) check(id, () => ({ service_type: 'tcp', address }))(plan)
      const host = `${plan.name()}.example.org`
      for (const address of [`${host}:443`, `https://${host}:443/`, `tcp://${host}:443`])
        check(id, () => ({ service_type: 'tcp', address }))(plan)
    },
  },
]

const oddOthers = (id: string) => [
  {
    id: `${id}.text-characters`,
    source,
    text: 'Which characters body and notes may have, how long notes may be, and whether they may be empty, is not said.',
    fields: ['body', 'notes'],
    when: ({ body }: Asked) =>
      [body.body, body.notes].some(
        (value) => typeof value === 'string' && (!isPlainText(value) || value.length > longestPlain),
      ),
    probe: (plan: Plan) => {
      check(id, () => ({ notes: 'one\ntwo', body: '' }))(plan)
      check(id, () => ({ notes: plan.text(1000) }))(plan)
    },
  },
  {
    id: `${id}.group-without-contacts`,
    source: `${source}, consultation_group`,
    text: 'Whether a group to which no contact belongs can be notified is not said.',
    when: ({ world, account, body }: Asked) => {
      const group = body.consultation_group
      return group === undefined
        ? false
        : not(exists(world, contacts, account, (contact) => known(contact.group, group, (a, b) => a === b), group))
    },
    probe: check(id, (plan) => ({ consultation_group: plan.name() })),
  },
  {
    id: `${id}.credentials-repeated`,
    source: `${source}, credentials`,
    text: 'Whether the same credential may be named twice is not said.',
    fields: ['credentials'],
    when: ({ body }: Asked) =>
      body.credentials !== undefined && new Set(body.credentials).size < body.credentials.length,
    probe: check(id, (plan) => {
      const credential = plan.make(credentials).id
      return { credentials: [credential, credential] }
    }),
  },
  {
    id: `${id}.region-of-address`,
    source: `${source}, region`,
    text: 'Which regions may stand beside a private address is said only in that one is required.',
    when: ({ world, account, body, refs }: Asked) => {
      const address = body.address ?? addressOf(refs.serviceId)
      const { region } = body
      return region === undefined
        ? false
        : address === undefined
          ? undefined
          : and(isPrivateAddress(address), not(isNodeAddress(world, account, address, region)))
    },
    probe: check(id, (plan) => {
      const { address, region } = nodeAddress(plan)
      return {
        address,
        region: plan.region((one) => one.id !== region, aFixture('regions', 'a second region', { id: 'r2' }, 2)).id,
      }
    }),
  },
]

const sentAddress = ({ body }: { readonly body: ServiceBody }, reply: unknown) => {
  const seen = shown(reply, 'address')
  return body.address !== undefined && typeof seen === 'string' ? { sent: body.address, seen } : undefined
}

interface Answered {
  readonly body: ServiceBody
  readonly reply: unknown
}

export const addressStatements = (id: string) => [
  {
    id: `${id}.query-preserved`,
    source: `${source}, address`,
    text: 'Query parameters of the address are preserved.',
    holds: ({ body, reply }: Answered) => {
      const pair = sentAddress({ body }, reply)
      const query = pair && queryOf(withoutFragment(pair.sent))
      if (!pair || !query || query === '?') return undefined
      return (
        isSameQuery(query, queryOf(withoutFragment(pair.seen))) || `address ${pair.seen} after ${pair.sent} was sent`
      )
    },
    probe: (plan: Plan) => {
      const draft = plan.draft(id)
      const address = `${plainAddress(plan)}?a=1&b=Two&a=3`
      plan.check(id, { ...draft, body: { ...draft.body, address } })
      plan.check(id, {
        ...plan.draft(id),
        body: { ...plan.draft(id).body, address: `${plainAddress(plan)}?a=1&b=two#c` },
      })
    },
  },
  {
    id: `${id}.fragment-dropped`,
    source: `${source}, address`,
    text: 'The fragment of the address is not preserved.',
    holds: ({ body, reply }: Answered) => {
      const pair = sentAddress({ body }, reply)
      // A reply that repeats the request need not show what is kept; a view does.
      if (!pair?.sent.includes('#') || pair.seen === pair.sent) return undefined
      return !pair.seen.includes('#') || `address ${pair.seen} after ${pair.sent} was sent`
    },
    probe: (plan: Plan) => {
      const draft = plan.draft(id)
      const made = plan.check(id, { ...draft, body: { ...draft.body, address: `${plainAddress(plan)}#part` } })
      plan.check('managed-services.view', { path: draft.path ?? { serviceId: made.id } })
    },
  },
]

/** A body that every target takes. */
export const minimal = (plan: Plan) => ({
  label: plan.label(64),
  service_type: 'url' as const,
  address: plainAddress(plan),
  timeout: 30 + plan.turn('timeouts'),
  body: plan.text(100),
  notes: plan.text(longestPlain),
})

/** Every member; a region only where a node has a private address beside which it may stand. */
export const full = (plan: Plan) => {
  // As long as a group may be, and some contact belongs to it.
  const group = plan.name().padEnd(50, 'x')
  plan.make(contacts, { group })
  return {
    ...minimal(plan),
    ...(hasNodeAddress(plan) && nodeAddress(plan)),
    consultation_group: group,
    credentials: [plan.make(credentials).id, plan.make(credentials).id],
  }
}

/** As null, as an empty text, or not at all; another text would be one that the target writes by itself. */
export const nullShown = (id: string, args: (plan: Plan) => Args) => ({
  id: `${id}.null-shown`,
  level: 'should' as const,
  source,
  text: 'An expected text or notes that are given as null are shown as none.',
  holds: ({
    body,
    reply,
  }: {
    readonly body: { readonly body?: unknown; readonly notes?: unknown }
    readonly reply: unknown
  }) => {
    const given = (['body', 'notes'] as const).filter((name) => body[name] === null)
    if (given.length === 0 || !isObject(reply)) return undefined
    const filled = given.find((name) => (shown(reply, name) ?? '') !== '')
    return filled ? `${filled} ${JSON.stringify(shown(reply, filled))} after null was sent` : true
  },
  probe: (plan: Plan) => void plan.check(id, args(plan)),
})
