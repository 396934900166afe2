// Calls that ask for the same at the same time, on the embedded target and on one that looks before others have written.
import { expect, test } from 'vitest'
import { contend, contests } from '../../driver/race.js'
import { survey } from '../../driver/survey.js'
import { patch } from '../../models/language/changes.js'
import type { Entity, World } from '../../models/language/world.js'
import { type Service, services } from '../../models/managed-services/record.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { inProcess } from '../../reference/in-process.js'
import { instead, replies, spares } from '../models/faulty.js'

const found = async (name: string, fault = {}): Promise<readonly string[]> => {
  const { session } = inProcess({ environment: embeddedEnvironment(), fault })
  await survey(session)
  const contest = contests().find((one) => one.name === name)
  if (!contest) throw new Error(`no contest ${name}`)
  const { findings, untested } = await contend(session, contest)
  return [...findings.map(({ clause }) => clause), ...(untested === undefined ? [] : [untested])]
}

test.each(contests().map(({ name }) => name))('%s, as the document has it', async (name) => {
  expect(await found(name)).toEqual([])
})

/** A target on which none of two calls at the same time sees what the other does. */
const blindTo = (id: string, rule: string) =>
  instead(id, (op) => ({ refusals: (op.refusals ?? []).filter((one) => one.id !== `${id}.${rule}`) }))

test.each([
  ['two at once of firewalls.create', 'firewalls.create', 'label-unique'],
  ['two at once of managed-credentials.create', 'managed-credentials.create', 'unique-label'],
  ['one name for two by firewalls.update', 'firewalls.update', 'label-unique'],
  ['the last place for two by ips.assign', 'ips.assign', 'public-left'],
  ['the last place for two by firewall-devices.create', 'firewall-devices.create', 'one-nodebalancer'],
  ['the last place for two by firewalls.update', 'firewalls.update', 'one-active'],
  ['the last place for two by ipv6-ranges.create', 'ipv6-ranges.create', 'one-per-region'],
])('%s are found to be accepted both where neither sees the other', async (name, id, rule) => {
  expect(await found(name, blindTo(id, rule))).toContain(`${id}.${rule}`)
})

test('a contest over what tells no id that it can be called by is not held', async () => {
  const told = (shown: unknown): unknown => ({ id: (shown as { readonly id: unknown }).id, state: 'filed' })
  const body = (shown: unknown, { id }: { readonly id: string }): unknown => {
    if (id === 'tickets.create' || id === 'tickets.view') return told(shown)
    return id === 'tickets.list'
      ? { ...(shown as object), data: (shown as { readonly data: readonly unknown[] }).data.map(told) }
      : shown
  }
  expect(await found('two at once of ticket-replies.create', { body })).toEqual([
    'the id of what was made (tickets) could not be obtained',
  ])
})

test('a change that another call on the same resource takes back is found, whichever of the two comes first', async () => {
  const forgets = instead('managed-services.disable', (op) => ({
    apply: ((facts: { readonly world: World; readonly refs: { readonly serviceId: Entity<Service> } }) =>
      patch((op.apply?.(facts as never) ?? facts.world) as World, services, facts.refs.serviceId.key, {
        label: 'as-before',
      })) as never,
  }))
  expect(await found('managed-services.disable beside managed-services.update', forgets)).not.toEqual([])
})

interface Attaching {
  readonly refs: { readonly volumeId: { readonly since?: Readonly<Record<string, { readonly by?: string }>> } }
}

test('the last place of a node that an attachment takes beside a creation is found', async () => {
  // That it attaches what was attached before tells it from the attachments that are beside each other.
  const blind = spares(
    'volumes.attach',
    'eight-per-node',
    ({ refs }: Attaching) => refs.volumeId.since?.node_id?.by === 'volumes.detach',
  )
  expect(await found('the last place for two by volumes.attach', blind)).toContain('volumes.attach.eight-per-node')
})

test('changes of one resource are held four times on it, and looked at each time', async () => {
  const { session } = inProcess({ environment: embeddedEnvironment() })
  await survey(session)
  const [contest] = contests().filter(({ name }) => name === 'two changes of one by firewalls.update')
  const { sent } = contest ? await contend(session, contest) : { sent: [] }
  const calls = sent.filter(({ role }) => role === 'arrange' || role === 'check').map(({ op }) => op.id)
  const round = ['firewalls.update', 'firewalls.update', 'firewalls.list']
  expect(calls).toEqual(['firewalls.create', ...round, ...round, ...round, ...round])
})

test('one address that is given to two is found', async () => {
  let first: unknown
  const twice = replies('ips.allocate', (body) => {
    first ??= body.address
    return { ...body, address: first }
  })
  expect(await found('two at once of ips.allocate', twice)).not.toEqual([])
})
