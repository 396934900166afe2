// Every fault that the target can be given: those written by hand, and those of the operators that fit many operations.
import { areaOf, type Fault } from './fault.js'
import { firewallFaults } from './faults-of-firewalls.js'
import { addressFaults } from './faults-of-ips.js'
import { managedFaults } from './faults-of-managed.js'
import { objectStorageFaults } from './faults-of-object-storage.js'
import { supportFaults } from './faults-of-support.js'
import { tagFaults } from './faults-of-tags.js'
import { volumeFaults } from './faults-of-volumes.js'
import { ROUTES } from './server.js'

interface Operator {
  readonly name: string
  /** What the document says that this denies. */
  readonly breaks: string
  readonly routes: readonly string[]
  /** Slugs of clauses under the resource that should tell of it; any of the resource where it is left out. */
  readonly slugs?: string
}

const UPDATES = [
  'volumes.update',
  'volumes.resize',
  'object-keys.update',
  'firewalls.update',
  'firewall-rules.update',
  'managed-contacts.update',
  'managed-credentials.update',
  'managed-services.update',
  'managed-node-settings.update',
  'ips.update',
]
/** Those of resources that have further members, which an update can lose. */
const OF_MANY = UPDATES.filter(
  (id) => !['object-keys.update', 'managed-credentials.update', 'managed-node-settings.update'].includes(id),
)
const CREATIONS = [
  'volumes.create',
  'buckets.create',
  'object-keys.create',
  'firewalls.create',
  'firewall-devices.create',
  'managed-contacts.create',
  'managed-credentials.create',
  'managed-services.create',
  'ips.allocate',
  'tickets.create',
  'ticket-replies.create',
  'tags.create',
]
const REMOVALS = [
  'volumes.delete',
  'buckets.delete',
  'object-keys.delete',
  'firewalls.delete',
  'firewall-devices.delete',
  'managed-contacts.delete',
  'managed-credentials.revoke',
  'managed-services.delete',
  'tags.delete',
]
const LISTS = [
  'volumes.list',
  'tags.list',
  'tags.view',
  'tickets.list',
  'ticket-replies.list',
  'buckets.list',
  'object-keys.list',
  'firewalls.list',
  'firewall-devices.list',
  'managed-contacts.list',
  'managed-credentials.list',
  'ips.list',
]
/** Those that may have a second page: of devices there are no more than of nodes. */
const LONG_LISTS = LISTS.filter((id) => id !== 'firewall-devices.list')
/** Those of which the document gives the size of a page. */
const OF_PAGE_SIZES = ['firewalls.list', 'managed-contacts.list', 'managed-credentials.list']
const OF_ACCOUNTS = [
  'volumes.view',
  'volumes.update',
  'volumes.delete',
  'volumes.resize',
  'volumes.clone',
  'volumes.attach',
  'buckets.view',
  'buckets.delete',
  'bucket-access.update',
  'object-keys.view',
  'object-keys.update',
  'object-keys.delete',
  'firewalls.view',
  'firewalls.update',
  'firewalls.delete',
  'firewall-devices.create',
  'firewall-rules.update',
  'managed-contacts.view',
  'managed-contacts.update',
  'managed-contacts.delete',
  'managed-credentials.update',
  'managed-credentials.revoke',
  'managed-services.update',
  'managed-services.disable',
  'managed-node-settings.update',
  'ips.view',
  'ips.update',
  'ipv6-ranges.delete',
  'tickets.view',
  'tickets.close',
  'ticket-replies.create',
]

const PAGE = 'data: the records of the current page'
const operators: readonly Operator[] = [
  { name: 'lost-again', breaks: 'The operation takes effect whenever it is called', routes: UPDATES },
  {
    name: 'taken-back',
    breaks: 'The operation takes effect whenever it is called',
    routes: [...UPDATES, 'tickets.close', 'managed-services.enable'],
  },
  {
    name: 'lost-third',
    breaks: 'The operation takes effect whenever it is called',
    routes: [...CREATIONS, ...REMOVALS],
  },
  {
    name: 'lost-half',
    breaks: 'The operation takes effect whenever it is called',
    routes: [...UPDATES, 'volumes.attach', 'volumes.detach', 'tickets.close', 'firewall-devices.create'],
  },
  {
    name: 'resets-sibling',
    breaks: 'The path names the one that is changed',
    routes: [
      ...UPDATES.filter((id) => id !== 'managed-node-settings.update'),
      'volumes.attach',
      'volumes.delete',
      'firewall-devices.create',
      'managed-services.enable',
    ],
  },
  {
    name: 'forgets',
    breaks: 'The body names the members that are changed',
    routes: [
      ...OF_MANY,
      'volumes.attach',
      'volumes.detach',
      'managed-services.disable',
      'managed-credentials.update-password',
    ],
  },
  {
    name: 'half',
    breaks: 'A call that is refused has no effect',
    routes: [
      'volumes.update',
      'firewalls.update',
      'firewall-rules.update',
      'managed-contacts.update',
      'managed-services.update',
      'bucket-access.update',
    ],
  },
  { name: 'foreign', breaks: 'Resources are those of the account of the caller', routes: OF_ACCOUNTS },
  {
    name: 'inherits',
    breaks: 'What is deleted is gone',
    routes: ['volumes.create', 'buckets.create', 'firewalls.create', 'tags.create'],
  },
  {
    name: 'own-token',
    breaks: 'Lists hold what is on the account',
    routes: [...LISTS, 'volumes.view', 'firewalls.view', 'managed-contacts.view', 'tickets.view'],
  },
  { name: 'repeats', breaks: PAGE, routes: LONG_LISTS, slugs: 'no-duplicates|pages|page-size' },
  { name: 'skips', breaks: PAGE, routes: LONG_LISTS, slugs: 'complete|pages|page-size' },
  { name: 'reorders', breaks: PAGE, routes: LONG_LISTS, slugs: 'complete|no-duplicates' },
  { name: 'short-at-25', breaks: PAGE, routes: LONG_LISTS, slugs: 'complete|pages|page-size' },
  { name: 'size-ignored', breaks: 'page_size: integer 25..500', routes: OF_PAGE_SIZES, slugs: 'page-size|pages' },
  {
    name: 'default-25',
    breaks: 'page_size: default 100',
    routes: OF_PAGE_SIZES,
    slugs: 'page-size|pages|default-page-size',
  },
  {
    name: 'stale',
    breaks: 'An update changes what it names and nothing else',
    routes: ['volumes.update', 'firewalls.update', 'managed-contacts.update', 'managed-services.update'],
  },
  {
    name: 'race',
    breaks: 'It is unique, or at most so many, whoever calls when',
    routes: [
      'firewalls.create.unique',
      'firewalls.update.unique',
      'managed-credentials.create.unique',
      'firewalls.create.one-active',
      'buckets.create.unique',
    ],
  },
]

/** Resources whose clauses may tell of what goes wrong at another: what hangs on it shows it as well. */
const NEAR: { readonly [resource: string]: string } = {
  firewalls: 'firewalls|firewall-devices|firewall-rules',
  'firewall-devices': 'firewalls|firewall-devices',
  'firewall-rules': 'firewalls|firewall-rules',
  buckets: 'buckets|bucket-[a-z]+|object-acl|object-urls',
  'bucket-access': 'buckets|bucket-access',
  tags: 'tags|volumes',
  volumes: 'volumes|tags',
  tickets: 'tickets|ticket-replies|ticket-attachments',
  ips: 'ips|ipv4|ipv6-ranges',
}

const fromOperator = ({ name, breaks, routes, slugs }: Operator): readonly Fault[] =>
  routes.map((place) => {
    const route = ROUTES.find(({ id }) => place === id || place.startsWith(`${id}.`))
    if (!route) throw new Error(`no operation ${place}`)
    const resource = place.split('.')[0] as string
    const expected = new RegExp(
      `^(${slugs ? resource : (NEAR[resource] ?? resource)})\\.[\\w-]+\\.${slugs ? `(${slugs})` : ''}`,
    )
    return { name: `${place} / ${name}`, breaks, expected, areas: [areaOf(route.path)], operator: name }
  })

export const FAULTS: readonly Fault[] = [
  ...volumeFaults,
  ...objectStorageFaults,
  ...supportFaults,
  ...tagFaults,
  ...firewallFaults,
  ...addressFaults,
  ...managedFaults,
  ...operators.flatMap(fromOperator),
].toSorted((one, other) => (one.name < other.name ? -1 : 1))
