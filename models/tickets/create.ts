// Opening a ticket: "Endpoints / Support", Ticket open body.
import { firewalls } from '../firewalls/record.js'
import { put } from '../language/changes.js'
import { known, type Ternary } from '../language/clause.js'
import { isObject } from '../language/objects.js'
import { operation, record } from '../language/operation.js'
import type { Plan } from '../language/plan.js'
import { hasOddCharacters } from '../language/promises.js'
import { type Partition, related } from '../language/reach.js'
import { boolean, integer, object, optional, text } from '../language/schema.js'
import { exists, find, isOurs, type WireRecord, type World } from '../language/world.js'
import { volumes } from '../volumes/record.js'
import { endpoints, plainMembers, restrictedUse, rights, type Subject, subjects, tableOf, tickets } from './record.js'

const openBody = `${endpoints}, "Ticket open body"`

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
        for (const [name, id] of given.filter(([one]) => one in tableOf))
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
