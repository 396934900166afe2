// The five operations on Managed contacts: section "Managed", "Contact body", of the document.

import { drop, loosen, patch, put } from '../language/changes.js'
import { known, or, type Ternary } from '../language/clause.js'
import { sparesNamesake } from '../language/namesakes.js'
import { isObject } from '../language/objects.js'
import { anything, operation, page, record, ref } from '../language/operation.js'
import { standardPaging } from '../language/pagination.js'
import type { Plan } from '../language/plan.js'
import { isPlainName } from '../language/promises.js'
import { asText } from '../language/same.js'
import { nullable, object, optional, type Static, text } from '../language/schema.js'
import { type Entity, exists, type World } from '../language/world.js'
import { endpoints, ofTheAccount, reading, shown, withoutManagedShown, writing } from '../managed/common.js'
import { loosenUsers, notifies, services } from '../managed-services/record.js'
import { type Contact, contacts } from './record.js'

const source = `${endpoints}, "Contact body"`
const contactId = { contactId: ref(contacts) }

const number = () => nullable(text({ format: 'phone', example: '+12015550123' }))
const contactBody = () =>
  object({
    email: optional(text({ format: 'email', example: 'someone@example.org' })),
    group: optional(nullable(text({ min: 2, max: 50 }))),
    name: optional(text({ min: 2, max: 64 })),
    phone: optional(object({ primary: optional(number()), secondary: optional(number()) })),
  })

type ContactBody = Static<ReturnType<typeof contactBody>>

const plain = (plan: Plan) => ({
  email: `${plan.name()}@example.org`,
  group: plan.tag(),
  name: plan.label(64),
  phone: { primary: null, secondary: null },
})

/** Numbers that nobody has; no two of a program are the same. */
const fictional = (plan: Plan): string => `+120155501${String(plan.turn('numbers') % 100).padStart(2, '0')}`

const full = (plan: Plan) => ({ ...plain(plan), phone: { primary: fictional(plan), secondary: fictional(plan) } })

/** A number that nobody has, as it is written internationally and at home. */
const numbers: Readonly<Record<string, string>> = {
  'E.164': '+12015550123',
  'with hyphens': '201-555-0123',
  'with a country code and hyphens': '+1-201-555-0123',
  'with blanks': '+1 201 555 0123',
  'in brackets': '(201) 555-0123',
  'digits alone': '2015550123',
}

/** What a contact may say, and its telephone numbers. */
const members = ['email', 'group', 'name', 'phone', 'primary', 'secondary'] as const

const isComplete = ({ email, group, name, phone }: ContactBody): boolean =>
  email !== undefined &&
  group !== undefined &&
  name !== undefined &&
  phone?.primary !== undefined &&
  phone.secondary !== undefined

const isTaken = (world: World, account: string | undefined, body: ContactBody, self?: string): Ternary =>
  or(
    ...(['email', 'name'] as const).map((field) => {
      const value = body[field]
      if (value === undefined) return false
      const same = (contact: Entity<Contact>) =>
        contact.key === self ? false : known(contact[field], value, (a, b) => a === b)
      return exists(world, contacts, account, same, value)
    }),
  )

/** What a contact may say beyond its bounds is not said, so a target may refuse these. */
const oddValues = (id: string) => [
  {
    id: `${id}.characters`,
    source,
    text: 'Which characters a name or a group may have is not said.',
    fields: ['name', 'group'],
    when: ({ body }: { readonly body: ContactBody }) =>
      (typeof body.name === 'string' && !isPlainName(body.name)) ||
      (typeof body.group === 'string' && !isPlainName(body.group)),
    probe: (plan: Plan) => {
      const draft = plan.draft(id)
      plan.check(id, { ...draft, body: { ...draft.body, name: plan.oddText(64), group: plan.oddText(50) } })
      plan.check(id, { ...draft, body: { ...draft.body, group: `${plan.name()}_B.C` } })
    },
  },
  {
    id: `${id}.numbers`,
    source,
    text: 'What the form of a telephone number is, and which numbers are taken, is not said.',
    fields: ['phone', 'primary', 'secondary'],
    when: ({ body }: { readonly body: ContactBody }) =>
      typeof body.phone?.primary === 'string' || typeof body.phone?.secondary === 'string',
    spellings: {
      all: Object.keys(numbers),
      of: ({ body: { phone } }: { readonly body: ContactBody }) =>
        phone?.secondary === null || phone?.secondary === undefined
          ? Object.keys(numbers).find((name) => numbers[name] === phone?.primary)
          : undefined,
      text: 'A telephone number is taken in one of the ways in which it is usually written.',
    },
    probe: (plan: Plan) => {
      for (const primary of Object.values(numbers)) {
        const draft = plan.draft(id)
        plan.check(id, { ...draft, body: { ...draft.body, phone: { primary, secondary: null } } })
      }
    },
  },
  {
    id: `${id}.email-length`,
    source,
    text: 'How long an address may be is not said.',
    fields: ['email'],
    when: ({ body }: { readonly body: ContactBody }) => (body.email?.length ?? 0) > 64,
    probe: (plan: Plan) => {
      const draft = plan.draft(id)
      plan.check(id, { ...draft, body: { ...draft.body, email: `${plan.name()}${'x'.repeat(60)}@example.org` } })
    },
  },
]

interface Replied {
  readonly body: ContactBody
  readonly refs: { readonly contactId?: Pick<Entity<Contact>, 'filled'> & { readonly group?: unknown } }
  readonly reply: unknown
}

const nullableStatements = (id: string) => {
  const probe = (plan: Plan): void => {
    const draft = plan.draft(id)
    plan.check(id, { ...draft, body: { ...draft.body, group: null, phone: { primary: null, secondary: null } } })
  }
  return [
    {
      id: `${id}.nullable`,
      source,
      text: 'The group and both numbers may be null.',
      holds: ({ body, refs, reply }: Replied) => {
        if (body.group !== null || !isObject(reply)) return undefined
        const { group: before, filled } = refs.contactId ?? {}
        const isText = typeof reply.group === 'string' && reply.group !== ''
        const isKept = isText && reply.group === before && reply.group !== filled?.group
        return isKept ? `group ${JSON.stringify(reply.group)} after null was sent` : true
      },
      probe,
    },
    {
      id: `${id}.null-group`,
      level: 'should',
      source,
      text: 'A group that is given as null is shown as none.',
      holds: ({ body, reply }: Replied) => {
        if (body.group !== null || !isObject(reply)) return undefined
        // As null, as an empty text, or not at all.
        return (shown(reply, 'group') ?? '') === '' ? true : `group ${JSON.stringify(reply.group)} after null was sent`
      },
      probe,
    },
  ] as const
}

const fields = ['email', 'group', 'name', 'phone'] as const

const given = (body: ContactBody): Partial<Contact> =>
  Object.fromEntries(fields.filter((field) => body[field] !== undefined).map((field) => [field, body[field]]))

export const listContacts = operation({
  id: 'managed-contacts.list',
  area: 'managed',
  method: 'GET',
  path: '/managed/contacts',
  reach: { in: 'services', alone: false, lent: false },
  source: endpoints,
  summary: 'Lists the contacts of the account.',
  scopes: reading,
  unrestrictedOnly: true,
  params: {},
  query: standardPaging,
  reply: page(contacts),
  draft: () => ({}),
  silences: [withoutManagedShown('managed-contacts.list')],
})

export const createContact = operation({
  id: 'managed-contacts.create',
  area: 'managed',
  method: 'POST',
  path: '/managed/contacts',
  reach: { in: 'services', alone: true, lent: false },
  source,
  summary: 'Creates a contact.',
  scopes: writing,
  unrestrictedOnly: true,
  params: {},
  body: contactBody(),
  reply: record(contacts),
  shows: 'made',
  makes: contacts,
  draft: (plan) => ({ body: plain(plan) }),
  full: (plan) => ({ body: full(plan) }),
  silences: [
    withoutManagedShown('managed-contacts.create'),
    ...oddValues('managed-contacts.create'),
    {
      id: 'managed-contacts.create.incomplete',
      source,
      text: 'Which members may be left out is not said.',
      fields: members,
      when: ({ body }) => !isComplete(body),
      probe: (plan) => void plan.check('managed-contacts.create', { body: { name: plan.name() } }),
    },
    {
      id: 'managed-contacts.create.same-again',
      source,
      text: 'Whether two contacts may have the same name or address is not said.',
      when: ({ world, account, body }) => isTaken(world, account, body),
      probe: (plan) => {
        const body = plain(plan)
        const first = plan.make(contacts, body)
        const second = plan.check('managed-contacts.create', { body })
        sparesNamesake(plan, { resource: 'managed-contacts', param: 'contactId', name: 'name' }, first, second)
      },
    },
  ],
  statements: nullableStatements('managed-contacts.create'),
  apply: ({ world, body, made, account, caller }) =>
    put(world, contacts, {
      key: made,
      account,
      ...(caller.user && { maker: caller.user.name }),
      ...given(body),
    }),
})

export const viewContact = operation({
  id: 'managed-contacts.view',
  area: 'managed',
  method: 'GET',
  path: '/managed/contacts/{contactId}',
  reach: { in: 'services', alone: true, lent: false },
  source: endpoints,
  summary: 'Shows one contact.',
  scopes: writing,
  unrestrictedOnly: true,
  params: contactId,
  owned: ofTheAccount,
  reply: record(contacts),
  shows: 'contactId',
  draft: (plan) => ({ path: { contactId: plan.make(contacts).id } }),
  silences: [withoutManagedShown('managed-contacts.view')],
})

/** An update may change what it names alone, or put what it says in place of all; what it leaves out is kept, or gone. */
const keptOrNone = (before: unknown, now: unknown, isSame: (before: unknown, now: unknown) => boolean): Ternary =>
  now === null || now === '' ? undefined : known(before, now, isSame)

export const updateContact = operation({
  id: 'managed-contacts.update',
  area: 'managed',
  method: 'PUT',
  path: '/managed/contacts/{contactId}',
  reach: { in: 'services', alone: true, lent: false },
  source,
  summary: 'Changes a contact.',
  scopes: writing,
  unrestrictedOnly: true,
  params: contactId,
  owned: ofTheAccount,
  body: contactBody(),
  reply: record(contacts),
  shows: 'contactId',
  draft: (plan) => ({ path: { contactId: plan.make(contacts).id }, body: plain(plan) }),
  full: (plan) => ({ path: { contactId: plan.make(contacts).id }, body: full(plan) }),
  silences: [
    withoutManagedShown('managed-contacts.update'),
    ...oddValues('managed-contacts.update'),
    {
      id: 'managed-contacts.update.incomplete',
      source,
      text: 'Which members an update may leave out is not said.',
      fields: members,
      when: ({ body }) => !isComplete(body),
      probe: (plan) =>
        void plan.check('managed-contacts.update', {
          path: { contactId: plan.make(contacts).id },
          body: { name: plan.name() },
        }),
    },
    {
      id: 'managed-contacts.update.same-again',
      source,
      text: 'Whether two contacts may have the same name or address is not said.',
      when: ({ world, account, body, refs }) => isTaken(world, account, body, refs.contactId.key),
      probe: (plan) => {
        const body = plain(plan)
        plan.make(contacts, body)
        plan.check('managed-contacts.update', { path: { contactId: plan.make(contacts).id }, body })
      },
    },
    {
      id: 'managed-contacts.update.notified',
      source: `${endpoints}, "Service body", consultation_group`,
      text: 'Whether a contact can leave a group that a service notifies is not said.',
      when: ({ world, account, body, refs }) =>
        body.group === refs.contactId.group ? false : notifies(world, account, refs.contactId.group),
      probe: (plan) => {
        const contact = plan.make(contacts)
        plan.make(services, { consultation_group: contact.field('group') })
        plan.check('managed-contacts.update', { path: { contactId: contact.id }, body: plain(plan) })
      },
    },
  ],
  statements: [
    ...nullableStatements('managed-contacts.update'),
    {
      id: 'managed-contacts.update.keeps',
      level: 'should',
      source,
      text: 'A name or an address that an update leaves out is afterwards as it was, or there is none.',
      holds: ({ body, refs, reply }) => {
        const { email, name } = refs.contactId
        const kept = [
          body.email === undefined
            ? keptOrNone(email, shown(reply, 'email'), (a, b) => String(a).toLowerCase() === String(b).toLowerCase())
            : undefined,
          body.name === undefined
            ? keptOrNone(name, shown(reply, 'name'), (a, b) => asText(a, b) !== false)
            : undefined,
        ]
        return kept.includes(false) ? false : kept.includes(true) ? true : undefined
      },
      probe: (plan) =>
        void plan.check('managed-contacts.update', {
          path: { contactId: plan.make(contacts).id },
          body: { name: plan.name() },
        }),
    },
  ],
  apply: ({ world, body, refs, account }) => {
    const { key, group } = refs.contactId
    const left = fields.filter((field) => body[field] === undefined)
    const changed = patch(loosen(world, contacts, key, left), contacts, key, given(body))
    return body.group === group ? changed : loosenUsers(changed, account, { group })
  },
})

export const deleteContact = operation({
  id: 'managed-contacts.delete',
  area: 'managed',
  method: 'DELETE',
  path: '/managed/contacts/{contactId}',
  reach: { in: 'services', alone: true, lent: false },
  source: endpoints,
  summary: 'Deletes a contact.',
  scopes: writing,
  unrestrictedOnly: true,
  params: contactId,
  owned: ofTheAccount,
  reply: anything,
  removes: 'contactId',
  draft: (plan) => ({ path: { contactId: plan.make(contacts).id } }),
  silences: [
    withoutManagedShown('managed-contacts.delete'),
    {
      id: 'managed-contacts.delete.notified',
      source: `${endpoints}, "Service body", consultation_group`,
      text: 'Whether a contact can be deleted while a service notifies its group is not said.',
      when: ({ world, account, refs }) => notifies(world, account, refs.contactId.group),
      probe: (plan) => {
        const contact = plan.make(contacts)
        plan.make(services, { consultation_group: contact.field('group') })
        plan.check('managed-contacts.delete', { path: { contactId: contact.id } })
      },
    },
  ],
  apply: ({ world, refs, account }) =>
    loosenUsers(drop(world, contacts, refs.contactId.key), account, { group: refs.contactId.group }),
})

export const managedContactOperations = [listContacts, createContact, viewContact, updateContact, deleteContact]
