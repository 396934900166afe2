// Odd ways in which a target may conform, as changes of the embedded one, with the operations whose probes they touch. No tests.
import { bucketKey } from '../../models/buckets/record.js'
import { firewallDevices } from '../../models/firewall-devices/record.js'
import { deviceIn, isFor } from '../../models/firewalls/services.js'
import { ips } from '../../models/ips/record.js'
import type { Operation } from '../../models/language/operation.js'
import { type AnyEntity, find, live, type WireRecord, type World } from '../../models/language/world.js'
import type { EmbeddedOptions } from '../../reference/embedded.js'
import type { Fault } from '../../reference/handler.js'
import { both, instead, refuses } from './faulty.js'

export interface Freedom {
  /** Findings that the readings carry: inferences of which such a target departs. */
  readonly carried?: readonly string[]
  readonly of: RegExp
  readonly target: Partial<EmbeddedOptions>
}

const free = (of: RegExp, fault: Fault): Freedom => ({ of, target: { fault } })

const isAccepted = (body: unknown): boolean => (body as { errors?: unknown } | undefined)?.errors === undefined

/** Accepted replies of these operations, changed. */
const replies = (of: RegExp, change: (body: WireRecord, after: World, op: Operation) => unknown): Fault => ({
  body: (body, op, _, after) => (of.test(op.id) && isAccepted(body) ? change(body as WireRecord, after, op) : body),
})

/** Every record in accepted replies of these operations, alone or in a list. */
const records = (of: RegExp, change: (record: WireRecord, after: World) => WireRecord): Fault =>
  replies(of, (body, after) =>
    Array.isArray(body?.data)
      ? { ...body, data: (body.data as readonly WireRecord[]).map((one) => change(one, after)) }
      : change(body, after),
  )

/** Rulesets with an object for each direction, which has its rules and its policy. */
const besidePolicies = ({ inbound, outbound, inbound_policy, outbound_policy }: WireRecord): WireRecord => ({
  inbound: { rules: inbound, policy: inbound_policy },
  outbound: { rules: outbound, policy: outbound_policy },
})

const isEmpty = (value: unknown): boolean => value === '' || (Array.isArray(value) && value.length === 0)

const isWriteOnUnshown = ({ method, reply }: Operation): boolean =>
  method !== 'GET' && reply.kind === 'record' && !reply.table.record

export const freedoms: Readonly<Record<string, Freedom>> = {
  'answers writes on records that are not shown with nothing': free(
    /^(firewalls|firewall-devices|managed-contacts|tickets|ticket-replies|object-keys)\./,
    { body: (body, op) => (isWriteOnUnshown(op) && isAccepted(body) ? {} : body) },
  ),
  'answers writes on records that are not shown with a job': free(
    /^(firewalls|firewall-devices|managed-contacts|tickets|ticket-replies|object-keys)\./,
    {
      body: (body, op, _, after) =>
        isWriteOnUnshown(op) && isAccepted(body)
          ? { id: 90_000 + after.step, status: 'queued', action: op.id, created: '2026-01-01T00:00:00' }
          : body,
    },
  ),
  'shows a volume unattached while it is being created': {
    of: /^volumes\.(create|view|list|attach|detach)$/,
    target: {
      fault: records(/^volumes\./, (one) =>
        one.status === 'creating' ? { ...one, node_id: null, node_label: null } : one,
      ),
    },
  },
  'echoes the request for a device': free(
    /^firewall-devices\./,
    instead('firewall-devices.create', () => ({
      render: (({ body }: { body: WireRecord }) => ({ ...body })) as never,
    })),
  ),
  'repeats the request for a bucket, which stays as it is where it is there': free(
    /^(buckets|bucket-access)\./,
    instead('buckets.create', () => ({ render: (({ body }: { body: WireRecord }) => ({ ...body })) as never })),
  ),
  'repeats the request for a device, with ids as texts': free(
    /^firewall-devices\./,
    instead('firewall-devices.create', () => ({
      render: (({ body }: { body: WireRecord }) => ({ ...body, id: String(body.id) })) as never,
    })),
  ),
  'shows what is empty as null': free(
    /^(firewalls|managed-services|object-keys)\./,
    records(/^(firewalls|managed-services|object-keys)\./, (one) =>
      Object.fromEntries(Object.entries(one).map(([name, value]) => [name, isEmpty(value) ? null : value])),
    ),
  ),
  'leaves out what is empty': free(
    /^(firewalls|managed-services|managed-contacts|object-keys)\./,
    records(/^(firewalls|managed-services|managed-contacts|object-keys)\./, (one) =>
      Object.fromEntries(Object.entries(one).filter(([, value]) => value !== null && !isEmpty(value))),
    ),
  ),
  'has one subject for a ticket that is opened with a VLAN beside another': free(
    /^tickets\./,
    records(/^tickets\./, (one) => {
      if (one.vlan === undefined || one.volume_id === undefined) return one
      const { vlan: _, region: __, ...rest } = one
      return rest
    }),
  ),
  'shows null for a VLAN that stands beside another subject': free(
    /^tickets\./,
    records(/^tickets\./, (one) => (one.vlan && one.volume_id ? { ...one, vlan: null, region: null } : one)),
  ),
  'keeps the label of a revoked credential': free(
    /^managed-credentials\./,
    refuses('managed-credentials.create', ({ world, body }: { world: World; body: WireRecord }) =>
      (world.tables.get('managed-credentials')?.gone ?? []).some(({ entity }) => entity.label === body.label),
    ),
  ),
  'has a text of its own for what was given as null': {
    ...free(
      /^managed-(?:contacts|services)\./,
      records(/^managed-(?:contacts|services)\./, (one) =>
        Object.fromEntries(
          Object.entries(one).map(([name, value]) => [
            name,
            value === null && ['group', 'body', 'notes'].includes(name) ? 'none given' : value,
          ]),
        ),
      ),
    ),
    carried: [
      'should managed-contacts.create.null-group:broken',
      'should managed-contacts.update.null-group:broken',
      'should managed-services.create.null-shown:broken',
      'should managed-services.update.null-shown:broken',
    ],
  },
  'lists services under their own name': free(
    /^managed-services\./,
    replies(/^managed-services\.list$/, ({ data }) => ({ services: data })),
  ),
  'lists the rules of both directions together, and tells the policies apart from them': free(
    /^firewall-rules\./,
    replies(/^firewall-rules\./, ({ inbound, outbound, inbound_policy, outbound_policy }) => ({
      rules: Object.entries({ inbound, outbound }).flatMap(([direction, rules]) =>
        (rules as readonly WireRecord[]).map((rule) => ({ direction, ...rule })),
      ),
      policies: { inbound: inbound_policy, outbound: outbound_policy },
    })),
  ),
  'shows the rules of a direction beside its policy': free(
    /^firewall-rules\./,
    replies(/^firewall-rules\./, (body) => besidePolicies(body)),
  ),
  'cuts long texts in lists': free(
    /^(tickets|ticket-replies|managed-services|managed-contacts|firewalls)\./,
    records(/\.list$/, (one) =>
      Object.fromEntries(
        Object.entries(one).map(([name, value]) => [
          name,
          typeof value === 'string' && value.length > 60 ? `${value.slice(0, 59)}…` : value,
        ]),
      ),
    ),
  ),
  'renders the texts of tickets, replies and services as HTML': free(
    /^(tickets|ticket-replies|managed-services)\./,
    records(/./, (one) =>
      Object.fromEntries(
        Object.entries(one).map(([name, value]) => [
          name,
          typeof value === 'string' && ['description', 'notes'].includes(name) ? `\n<p>${value}</p>\n` : value,
        ]),
      ),
    ),
  ),
  'takes labels of firewalls without the line feed at their end': free(
    /^firewalls\.(create|update)$/,
    both(
      ...['firewalls.create', 'firewalls.update'].map((id) =>
        instead(id, (op) => ({
          refusals: (op.refusals ?? []).map((rule) => ({
            ...rule,
            when: ((facts: { body: WireRecord }) =>
              rule.when({
                ...facts,
                body: {
                  ...facts.body,
                  ...(typeof facts.body.label === 'string' && { label: facts.body.label.trim() }),
                },
              } as never)) as never,
          })),
        })),
      ),
    ),
  ),
  'answers a deletion of what the caller does not have as done': {
    of: /^(volumes|managed-contacts)\.delete$/,
    target: {
      fault: {
        due: (due, op) =>
          op.method === 'DELETE'
            ? due.filter(({ clause }) => clause.kind !== 'exists' && clause.kind !== 'owned')
            : due,
      },
    },
    carried: ['volumes.delete.path.volumeId', 'managed-contacts.delete.path.contactId'].flatMap((id) => [
      `should ${id}.exists:accepted`,
      `should ${id}.owned:accepted`,
    ]),
  },
  'closes no ticket': {
    ...free(
      /^tickets\.close$/,
      refuses('tickets.close', () => true),
    ),
    carried: ['should tickets.close.accepts:refused'],
  },
  'takes no literal any as an address of a node': free(
    /^managed-node-settings\./,
    refuses('managed-node-settings.update', ({ body }: { body: { ssh?: { ip?: unknown } } }) => body.ssh?.ip === 'any'),
  ),
  'answers a second assignment to a service with the device that is there': free(
    /^firewall-devices\./,
    instead('firewall-devices.create', (op) => ({
      apply: ((facts: never) => {
        const { world, body, refs } = facts as { world: World; body: never; refs: { firewallId: { key: string } } }
        const there = live(world, firewallDevices).some(
          (device) => deviceIn(device, refs.firewallId.key) === true && isFor(body)(device) === true,
        )
        return there ? world : op.apply?.(facts)
      }) as never,
      render: ((facts: { after: World; body: never; refs: { firewallId: { key: string } } }) => {
        const found = live(facts.after, firewallDevices).find(
          (device) => deviceIn(device, facts.refs.firewallId.key) === true && isFor(facts.body)(device) === true,
        )
        return { id: found?.id, entity: found?.entity, type: found?.entity?.type }
      }) as never,
    })),
  ),
  'shows an unknown tag as an empty list': free(/^tags\./, {
    due: (due, op) => (op.id === 'tags.view' ? due.filter(({ clause }) => clause.kind !== 'exists') : due),
    body: (body, op) =>
      op.id === 'tags.view' && isAccepted(body) ? (body ?? { data: [], page: 1, pages: 1, results: 0 }) : body,
  }),
  'takes one access setting only with the other': free(
    /^bucket-access\./,
    both(
      ...['bucket-access.allow', 'bucket-access.update'].map((id) =>
        refuses(id, ({ body }: { body: WireRecord }) => body.acl === undefined || body.cors_enabled === undefined),
      ),
    ),
  ),
  'takes any page size where no sentence gives its bounds': free(
    /^(tags|tickets|object-keys|clusters|buckets)\.(list|view)$/,
    {
      due: (due) => due.filter(({ clause }) => !/\.query\.page/.test(clause.id)),
    },
  ),
  'takes names of what does not exist, where nothing is said of it': free(
    /^(tickets|object-keys|managed-services)\.(create|update)$/,
    { due: (due) => due.filter(({ clause }) => clause.kind !== 'names') },
  ),
  'repeats a request that made or changed a service': free(
    /^managed-services\.(create|update)$/,
    both(
      ...['managed-services.create', 'managed-services.update'].map((id) =>
        instead(id, () => ({
          render: (({ body, made, refs }: { body: WireRecord; made: string; refs: { serviceId?: AnyEntity } }) => ({
            ...body,
            id: Number(refs.serviceId?.key ?? made),
          })) as never,
        })),
      ),
    ),
  ),
  'carries out assignments one by one': free(
    /^ips\.assign$/,
    refuses('ips.assign', ({ world, body }: { world: World; body: { assignments: readonly WireRecord[] } }) => {
      const left = new Map<unknown, number>()
      for (const { node_id: node, public: isPublic } of live(world, ips))
        if (isPublic === true) left.set(node, (left.get(node) ?? 0) + 1)
      return body.assignments.some(({ address, node_id: to }) => {
        const ip = find(world, ips, String(address))
        if (ip?.public !== true || ip.node_id === to) return false
        left.set(ip.node_id, (left.get(ip.node_id) ?? 0) - 1)
        left.set(to, (left.get(to) ?? 0) + 1)
        return (left.get(ip.node_id) ?? 0) < 1
      })
    }),
  ),
  'exchanges no private addresses': free(
    /^ips\.assign$/,
    refuses('ips.assign', ({ world, body }: { world: World; body: { assignments: readonly WireRecord[] } }) => {
      const all = body.assignments.map(({ address }) => find(world, ips, String(address)))
      return all.length > 1 && all.every((one) => one?.public === false)
    }),
  ),
  'shows no private addresses': free(
    /^ips\./,
    refuses('ips.view', ({ refs }: { refs: { address: AnyEntity } }) => refs.address.public === false),
  ),
  'gives buckets lower-case labels': free(
    /^(buckets|bucket-objects|object-urls)\./,
    instead('buckets.create', (op) => ({
      keys: ((facts: never) => op.keys?.(lowered(facts)) ?? bucketKeyOf(lowered(facts))) as never,
      apply: ((facts: never) => op.apply?.(lowered(facts))) as never,
    })),
  ),
}

interface Labelled {
  readonly body: { readonly cluster: string; readonly label: string }
}

const lowered = (facts: Labelled): never =>
  ({ ...facts, body: { ...facts.body, label: facts.body.label.toLowerCase() } }) as never

const bucketKeyOf = ({ body }: Labelled): string => bucketKey(body.cluster, body.label)
