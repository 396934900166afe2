// The two firewall rules operations: sections "Firewall rule", "Firewall status", "Endpoints / Networking" and "Limits" of the document.

import { firewallRules, firewalls, type Rulesets, rulesetFields } from '../firewalls/record.js'
import { hasMigratingNode, onTwoNodes, restrictedUse } from '../firewalls/services.js'
import { ofWriters } from '../language/access.js'
import { loosen, patch } from '../language/changes.js'
import { isObject } from '../language/objects.js'
import { operation, record, ref } from '../language/operation.js'
import type { Plan } from '../language/plan.js'
import { itself } from '../language/reach.js'
import { array, object, optional } from '../language/schema.js'
import { sure, type WireRecord } from '../language/world.js'
import { isLeftOver, isReordered, policy, type Rule, rule, rulesIn, sameRules, showsRules } from './record.js'
import { fullRule, fullRules, http, many, mostRules, ruleRefusals, ruleSilences, ruleStatements } from './rulesets.js'

const endpoints = 'Endpoints / Networking'
const row = (method: string) => `${endpoints}, ${method} /networking/firewalls/{firewallId}/rules`
const order = `${endpoints}, "Order matters"`
const states = 'States and transitions, "Firewall status"'
const firewallId = { firewallId: ref(firewalls) }

const rulesets = (inbound: readonly object[], outbound: readonly object[] = []) => ({
  inbound,
  inbound_policy: 'ACCEPT',
  outbound,
  outbound_policy: 'DROP',
})

/** Three rules of which the first two contradict each other. */
const conflicting = [{ ...http, action: 'DROP' }, http, { ...http, protocol: 'UDP', ports: '53' }]

const updating = {
  operation: 'firewall-rules.update',
  rulesOf: ({ body }: { readonly body: { readonly inbound?: readonly Rule[]; readonly outbound?: readonly Rule[] } }) =>
    body,
  send: (plan: Plan, inbound: readonly object[], outbound?: readonly object[]) => ({
    path: { firewallId: plan.make(firewalls).id },
    body: rulesets(inbound, outbound),
  }),
  sendInbound: (plan: Plan, inbound: readonly object[]) => ({
    path: { firewallId: plan.make(firewalls).id },
    body: { inbound, inbound_policy: 'ACCEPT' },
  }),
}

const directions = ['inbound', 'outbound'] as const

/** The members of a reply; those named after a direction stand for the rules that they show. */
const shownBy = (reply: unknown): WireRecord =>
  isObject(reply) ? { ...reply, inbound: rulesIn(reply.inbound), outbound: rulesIn(reply.outbound) } : {}

/** Whether rules are shown in the order in which they were given; undecided where the reply shows none, or too few. */
const inOrder = (known: Partial<Pick<Rulesets, 'inbound' | 'outbound'>>, reply: unknown) => {
  const shown = shownBy(reply)
  const given = directions.filter((name) => Array.isArray(known[name]))
  const moved = given.find((name) => isReordered(known[name] ?? [], shown[name]))
  if (moved) return `the ${moved} rules in another order`
  return (
    given.some((name) => {
      const rules = known[name] ?? []
      return rules.length > 1 && sameRules(rules, shown[name]) === true && isReordered(rules, [...rules].reverse())
    }) || undefined
  )
}

/** How many rules of both directions are told; undefined where those of one are not. */
const countIn = ({ inbound, outbound }: WireRecord): number | undefined =>
  Array.isArray(inbound) && Array.isArray(outbound) ? inbound.length + outbound.length : undefined

const texts = ['label', 'description', 'ports'] as const

/** Each of the rules that a firewall was given beside what is shown of it, where they are as many. */
const pairedWith = (known: unknown, seen: unknown): readonly (readonly [WireRecord, WireRecord])[] =>
  Array.isArray(known) && Array.isArray(seen) && known.length === seen.length
    ? known.flatMap((one: unknown, i) => (isObject(one) && isObject(seen[i]) ? [[one, seen[i]] as const] : []))
    : []

/** Whether what is shown of rules or of a policy is the given value. */
const matches = (value: unknown, shown: unknown): boolean =>
  Array.isArray(value) ? sameRules(value, shown) === true : value === shown

export const viewFirewallRules = operation({
  id: 'firewall-rules.view',
  area: 'networking',
  method: 'GET',
  path: '/networking/firewalls/{firewallId}/rules',
  reach: { in: 'firewalls', alone: true, lent: 'looks', concerns: itself },
  source: endpoints,
  summary: 'Shows the inbound and outbound rules of a firewall.',
  scopes: ['firewall:read_only'],
  params: firewallId,
  reply: record(firewallRules),
  shows: 'firewallId',
  draft: (plan) => ({ path: { firewallId: plan.make(firewalls).id } }),
  silences: [restrictedUse('firewall-rules.view')],
  statements: [
    {
      id: 'firewall-rules.view.both-directions',
      level: 'should',
      source: row('GET'),
      text: 'The inbound and the outbound rules that a firewall was given are shown.',
      holds: ({ refs: { firewallId: firewall }, reply }) => {
        const rulesOf = (name: 'inbound' | 'outbound'): readonly Rule[] => {
          const rules = sure(firewall, name)
          return Array.isArray(rules) ? rules : []
        }
        const given = directions.filter((name) => rulesOf(name).length > 0)
        const hidden = given.filter((name) => !showsRules(name, rulesOf(name), reply))
        return hidden.length > 0 ? `no ${hidden.join(' and no ')} rules` : given.length > 0 || undefined
      },
      probe: (plan) => {
        const path = { firewallId: plan.make(firewalls, { rules: rulesets([http], [fullRule]) }).id }
        plan.check('firewall-rules.view', { path })
      },
    },
    {
      id: 'firewall-rules.view.same-members',
      level: 'should',
      source: 'Resources whose response fields are not fully given, "firewall rules"',
      text: 'A label, a description or ports that one rule shows are shown of every rule that was given them.',
      holds: ({ refs: { firewallId: firewall }, reply }) => {
        const shown = shownBy(reply)
        const pairs = directions.flatMap((name) => pairedWith(sure(firewall, name), shown[name]))
        const told = texts.filter((name) => pairs.some(([, seen]) => typeof seen[name] === 'string'))
        const hidden = told.find((name) =>
          pairs.some(([known, seen]) => typeof known[name] === 'string' && seen[name] === undefined),
        )
        return hidden ? `a rule without the ${hidden} that it was given` : told.length > 0 || undefined
      },
      probe: (plan) => {
        const path = { firewallId: plan.make(firewalls, { rules: rulesets(...fullRules) }).id }
        plan.check('firewall-rules.view', { path })
      },
    },
    {
      id: 'firewall-rules.view.order',
      source: order,
      text: 'Rules are kept in the order in which they were given.',
      holds: ({ refs, reply }) => inOrder(refs.firewallId, reply),
      probe: (plan) => {
        const path = {
          firewallId: plan.make(firewalls, { rules: rulesets(conflicting, [...conflicting].reverse()) }).id,
        }
        plan.check('firewall-rules.view', { path })
        plan.call('firewall-rules.update', { path, body: rulesets([...conflicting].reverse(), conflicting) })
        plan.check('firewall-rules.view', { path })
      },
    },
    {
      id: 'firewall-rules.view.at-most-25',
      source: 'Limits, "Firewall"',
      text: 'A firewall has at most 25 rules, those of a direction that an update has left out among them.',
      holds: ({ refs: { firewallId: firewall }, reply }) => {
        const shown = countIn(shownBy(reply))
        // Of a call that gave too many by itself, that call was told.
        return shown === undefined || firewall.rulesGivenInParts !== true
          ? undefined
          : shown <= mostRules || `${shown} rules`
      },
      probe: (plan) => {
        const path = { firewallId: plan.make(firewalls, { rules: rulesets(many(mostRules), []) }).id }
        plan.check('firewall-rules.update', { path, body: { outbound: many(mostRules), outbound_policy: 'DROP' } })
        plan.check('firewall-rules.view', { path })
      },
    },
    {
      id: 'firewall-rules.view.replaced',
      source: row('PUT'),
      text: 'After an update the rules and policies are those that it gave, and no earlier ones.',
      holds: ({ refs: { firewallId: firewall }, reply }) => {
        const shown = shownBy(reply)
        const given = rulesetFields.filter(
          (name) =>
            firewall.since?.[name]?.by === 'firewall-rules.update' &&
            shown[name] !== undefined &&
            shown[name] !== null &&
            !firewall.loose?.includes(name),
        )
        const before = (name: keyof Rulesets): unknown => firewall.since?.[name]?.before
        const mixed = directions.find(
          (name) => given.includes(name) && isLeftOver(firewall[name] ?? [], before(name), shown[name]),
        )
        if (mixed) return `${mixed} has a label or description of a rule that the last update replaced`
        // What was there before is the update's own failing: it took no effect.
        const updated = given.filter((name) => !matches(before(name), shown[name]))
        const wrong = updated.find((name) => !matches(firewall[name], shown[name]))
        return wrong ? `${wrong} is not what the last update gave` : updated.length > 0 || undefined
      },
      probe: (plan) => {
        const path = { firewallId: plan.make(firewalls, { rules: rulesets([fullRule, http], [http]) }).id }
        plan.call('firewall-rules.update', { path, body: rulesets([{ ...http, ports: '8080' }], []) })
        plan.check('firewall-rules.view', { path })
        plan.call('firewall-rules.update', {
          path,
          body: { inbound: [], inbound_policy: 'DROP', outbound: [fullRule], outbound_policy: 'ACCEPT' },
        })
        plan.check('firewall-rules.view', { path })
      },
    },
  ],
})

export const updateFirewallRules = operation({
  id: 'firewall-rules.update',
  area: 'networking',
  method: 'PUT',
  path: '/networking/firewalls/{firewallId}/rules',
  reach: { in: 'firewalls', alone: true, lent: 'firewalls', concerns: itself },
  source: endpoints,
  summary: 'Replaces the rules and the policies of a firewall.',
  scopes: ['firewall:read_write'],
  params: firewallId,
  owned: ofWriters,
  body: object({
    inbound: optional(array(rule)),
    inbound_policy: optional(policy),
    outbound: optional(array(rule)),
    outbound_policy: optional(policy),
  }),
  reply: record(firewallRules),
  shows: 'firewallId',
  draft: (plan) => {
    const { ports: _, ...plain } = fullRule
    return {
      path: { firewallId: plan.make(firewalls).id },
      body: rulesets(
        [plain, { ...http, ports: '443' }],
        [
          { ...plain, label: 'block-out' },
          { ...http, ports: '443' },
        ],
      ),
    }
  },
  full: (plan) => ({
    path: { firewallId: plan.make(firewalls).id },
    body: rulesets(...fullRules),
  }),
  refusals: [
    ...ruleRefusals(updating),
    {
      id: 'firewall-rules.update.live-migration',
      source: `${states}; Errors, "firewall operations on nodes with an ongoing live migration"`,
      text: 'Rules are not updated while a node that the firewall is assigned to has a live migration under way.',
      when: ({ world, refs }) => hasMigratingNode(world, refs.firewallId),
      probe: (plan) => {
        const { path, first, second } = onTwoNodes(plan)
        plan.hook('setLiveMigration', second, true)
        plan.probe('firewall-rules.update', { path, body: rulesets([http]) })
        plan.probe('firewall-rules.update', { path, body: rulesets([], [http]) })
        plan.hook('setLiveMigration', second, false)
        plan.call('firewalls.update', { path, body: { status: 'disabled' } })
        plan.hook('setLiveMigration', first, true)
        plan.probe('firewall-rules.update', { path, body: rulesets([http]) })
        plan.hook('setLiveMigration', first, false)
        plan.twin('firewall-rules.update', { path, body: rulesets([http]) })
      },
    },
  ],
  silences: [
    ...ruleSilences(updating),
    {
      id: 'firewall-rules.update.incomplete',
      source: row('PUT'),
      text: 'Whether rules or policies may be left out of an update is not said.',
      when: ({ body }) => rulesetFields.some((name) => body[name] === undefined),
      probe: (plan) => {
        const path = { firewallId: plan.make(firewalls).id }
        plan.check('firewall-rules.update', { path, body: { inbound: [http] } })
      },
    },
    {
      id: 'firewall-rules.update.kept-rules-counted',
      source: `${row('PUT')}; Limits, "Firewall"`,
      text: 'Whether rules of a direction that is left out stay, so that more than 25 would come together, is not said.',
      unprobed: 'where it arises a member is left out, which is free in itself',
      when: ({ body, refs: { firewallId: firewall } }) =>
        directions.some((name) => body[name] === undefined) &&
        (body.inbound ?? firewall.inbound ?? []).length + (body.outbound ?? firewall.outbound ?? []).length > mostRules,
    },
    restrictedUse('firewall-rules.update'),
  ],
  statements: [
    ...ruleStatements(updating),
    {
      id: 'firewall-rules.update.nothing-else',
      source: row('PUT'),
      text: 'An update of the rules leaves the label, the status and the tags of the firewall as they are.',
      holds: ({ refs: { firewallId: firewall } }) =>
        (firewall.status === 'disabled' && (firewall.tags?.length ?? 0) > 0) || undefined,
      probe: (plan) => {
        const path = { firewallId: plan.make(firewalls, { tags: [plan.tag('staging'), plan.tag('web')] }).id }
        plan.call('firewalls.update', { path, body: { status: 'disabled', tags: [plan.tag('mail')] } })
        plan.check('firewall-rules.update', { path, body: rulesets([http]) })
        plan.check('firewalls.view', { path })
      },
    },
    {
      id: 'firewall-rules.update.order',
      source: order,
      text: 'Rules are kept in the order in which they were given.',
      holds: ({ body, reply }) => inOrder(body, reply),
      probe: (plan) => {
        const path = { firewallId: plan.make(firewalls).id }
        plan.check('firewall-rules.update', { path, body: rulesets(conflicting, conflicting) })
        plan.check('firewall-rules.update', { path, body: rulesets([...conflicting].reverse(), conflicting) })
      },
    },
  ],
  choices: [
    {
      id: 'firewall-rules.update.left-out',
      text: 'Rules of a direction that an update leaves out.',
      source: row('PUT'),
      values: ['removed', 'kept', 'changed'],
      observe: ({ body, refs: { firewallId: firewall }, reply }) => {
        const shown = shownBy(reply)
        const name = directions.find((one) => body[one] === undefined && firewall[one]?.length)
        const value = name && shown[name]
        return name && Array.isArray(value)
          ? value.length === 0
            ? 'removed'
            : sameRules(firewall[name] ?? [], value) === true
              ? 'kept'
              : 'changed'
          : undefined
      },
    },
  ],
  apply: ({ world, body, refs: { firewallId: firewall } }) => {
    const given = Object.fromEntries(
      rulesetFields.flatMap((name) => (body[name] === undefined || body[name] === null ? [] : [[name, body[name]]])),
    )
    const open = rulesetFields.filter((name) => !(name in given))
    const leftOut = directions.filter((name) => open.includes(name))
    const counts = directions.map((name) => (body[name] ?? firewall[name] ?? []).length)
    // Where all could not stay together, the earlier ones have gone.
    const isOver = counts.reduce((sum, count) => sum + count, 0) > mostRules
    const cleared = isOver ? Object.fromEntries(leftOut.map((name) => [name, []])) : {}
    const rulesGivenInParts = leftOut.length > 0
    const after = patch(world, firewallRules, firewall.key, { ...cleared, ...given, rulesGivenInParts })
    return loosen(after, firewallRules, firewall.key, open)
  },
})

export const firewallRulesOperations = [viewFirewallRules, updateFirewallRules]
