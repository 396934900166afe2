// The operations on Managed credentials, of which changing a password and the SSH key are apart: section "Managed" of the document.

import { drop, patch, put } from '../language/changes.js'
import { known, type Ternary } from '../language/clause.js'
import { anything, operation, page, record, ref } from '../language/operation.js'
import { standardPaging } from '../language/pagination.js'
import type { Plan } from '../language/plan.js'
import { isPlainName } from '../language/promises.js'
import { object, optional, text } from '../language/schema.js'
import { exists, sure, type World } from '../language/world.js'
import { endpoints, ofTheAccount, reading, shown, withoutManagedShown, writing } from '../managed/common.js'
import { loosenUsers, services, usesCredential } from '../managed-services/record.js'
import { changePassword, neverShown, oddSecrets, plainPassword, username } from './passwords.js'
import { asTextOrMask, credentials } from './record.js'

const created = `${endpoints}, POST /managed/credentials`
const updated = `${endpoints}, PUT /managed/credentials/{credentialId}`
const credentialId = { credentialId: ref(credentials) }

const label = () => text({ min: 2, max: 75 })

const isTaken = (world: World, account: string | undefined, wanted: string | undefined, self?: string): Ternary =>
  wanted === undefined
    ? false
    : exists(
        world,
        credentials,
        account,
        ({ key, label: held }) => {
          if (key === self) return false
          if (held === wanted) return true
          if (typeof held !== 'string') return undefined
          // Whether letters of another case make another label is not said.
          return held.toLowerCase() === wanted.toLowerCase() ? undefined : false
        },
        wanted,
      )

/** Whether a credential that was revoked had the label: it is unique, and for how long is not said. */
const wasTaken = (world: World, wanted: string | undefined): boolean =>
  wanted !== undefined &&
  world.tables
    .get(credentials.name)
    ?.gone.some(({ entity: { label: held } }) => String(held).toLowerCase() === wanted.toLowerCase()) === true

const reusedLabel = (id: string) => ({
  id: `${id}.label-of-revoked`,
  source: `${created}, label`,
  text: 'Whether the label of a credential that was revoked can be given again is not said.',
  when: ({ world, body }: { readonly world: World; readonly body: { readonly label?: string } }) =>
    wasTaken(world, body.label),
  probe: (plan: Plan) => {
    const label = plan.name()
    plan.call('managed-credentials.revoke', { path: { credentialId: plan.make(credentials, { label }).id } })
    const draft = plan.draft(id)
    plan.check(id, { ...draft, body: { ...draft.body, label } })
  },
})

const oddLabel = (id: string) => ({
  id: `${id}.label-characters`,
  source: created,
  text: 'Which characters a label may have is not said.',
  fields: ['label'],
  when: ({ body }: { readonly body: { readonly label?: string } }) =>
    body.label !== undefined && !isPlainName(body.label),
  probe: (plan: Plan) => {
    const draft = plan.draft(id)
    plan.check(id, { ...draft, body: { ...draft.body, label: plan.oddText(75) } })
  },
})

export const listCredentials = operation({
  id: 'managed-credentials.list',
  area: 'managed',
  method: 'GET',
  path: '/managed/credentials',
  reach: { in: 'services', alone: false, lent: false },
  source: endpoints,
  summary: 'Lists the credentials of the account.',
  scopes: reading,
  unrestrictedOnly: true,
  params: {},
  query: standardPaging,
  reply: page(credentials),
  draft: () => ({}),
  silences: [withoutManagedShown('managed-credentials.list')],
  statements: [
    neverShown('managed-credentials.list', (plan) => {
      plan.make(credentials)
      plan.check('managed-credentials.list')
    }),
  ],
})

export const createCredential = operation({
  id: 'managed-credentials.create',
  area: 'managed',
  method: 'POST',
  path: '/managed/credentials',
  reach: { in: 'services', alone: false, lent: false },
  source: created,
  summary: 'Stores a credential.',
  scopes: writing,
  unrestrictedOnly: true,
  params: {},
  body: object({ label: label(), password: text(), username: optional(username()) }),
  reply: record(credentials),
  shows: 'made',
  makes: credentials,
  draft: (plan) => ({ body: { label: plan.label(75), password: plainPassword(plan) } }),
  full: (plan) => ({ body: { label: plan.label(75), password: plainPassword(plan), username: plan.name() } }),
  refusals: [
    {
      id: 'managed-credentials.create.unique-label',
      source: `${created}, label`,
      text: 'No two credentials of an account have the same label.',
      fields: ['label'],
      when: ({ world, account, body }) => isTaken(world, account, body.label),
      probe: (plan) => {
        // A label that another one begins with is free.
        const other = plan.name()
        const taken = `${other}-b`
        const first = plan.make(credentials, { label: taken })
        const password = plainPassword(plan)
        plan.probe('managed-credentials.create', { body: { label: taken, password } })
        plan.twin('managed-credentials.create', { body: { label: other, password } })
        plan.probe('managed-credentials.create', { body: { label: other, password } })
        const renamed = plan.name()
        const path = { credentialId: first.id }
        plan.call('managed-credentials.update', { path, body: { label: renamed } })
        plan.probe('managed-credentials.create', { body: { label: renamed, password } })
        plan.twin('managed-credentials.create', { body: { label: taken, password } })
      },
    },
  ],
  silences: [
    withoutManagedShown('managed-credentials.create'),
    oddLabel('managed-credentials.create'),
    reusedLabel('managed-credentials.create'),
    ...oddSecrets('managed-credentials.create', created),
  ],
  statements: [
    neverShown(
      'managed-credentials.create',
      (plan) => void plan.check('managed-credentials.create', plan.draft('managed-credentials.create')),
    ),
  ],
  apply: ({ world, body, made, account, caller }) =>
    put(world, credentials, {
      key: made,
      account,
      ...(caller.user && { maker: caller.user.name }),
      label: body.label,
      password: body.password,
      ...(body.username !== undefined && { username: body.username }),
    }),
})

export const viewCredential = operation({
  id: 'managed-credentials.view',
  area: 'managed',
  method: 'GET',
  path: '/managed/credentials/{credentialId}',
  reach: { in: 'services', alone: true, lent: false },
  source: endpoints,
  summary: 'Shows one credential.',
  scopes: writing,
  unrestrictedOnly: true,
  params: credentialId,
  owned: ofTheAccount,
  reply: record(credentials),
  shows: 'credentialId',
  draft: (plan) => ({ path: { credentialId: plan.make(credentials).id } }),
  silences: [withoutManagedShown('managed-credentials.view')],
  statements: [
    neverShown(
      'managed-credentials.view',
      (plan) => void plan.check('managed-credentials.view', { path: { credentialId: plan.make(credentials).id } }),
    ),
  ],
})

export const updateCredential = operation({
  id: 'managed-credentials.update',
  area: 'managed',
  method: 'PUT',
  path: '/managed/credentials/{credentialId}',
  reach: { in: 'services', alone: false, lent: false },
  source: updated,
  summary: 'Changes the label of a credential.',
  scopes: writing,
  unrestrictedOnly: true,
  params: credentialId,
  owned: ofTheAccount,
  body: object({ label: optional(label()) }),
  reply: record(credentials),
  shows: 'credentialId',
  draft: (plan) => ({ path: { credentialId: plan.make(credentials).id }, body: { label: plan.name() } }),
  refusals: [
    {
      id: 'managed-credentials.update.unique-label',
      // The row of the update repeats the bounds of the label, and not that it is unique.
      level: 'should',
      source: `${created}, label`,
      text: 'No credential is given the label of another one of the account.',
      fields: ['label'],
      when: ({ world, account, body, refs }) => isTaken(world, account, body.label, refs.credentialId.key),
      probe: (plan) => {
        const taken = plan.name()
        const first = plan.make(credentials, { label: taken })
        const second = plan.make(credentials)
        const path = { credentialId: second.id }
        plan.probe('managed-credentials.update', { path, body: { label: taken } })
        // What was made later counts as well.
        const ofLater = { label: second.field('label') }
        plan.probe('managed-credentials.update', { path: { credentialId: first.id }, body: ofLater })
        plan.twin('managed-credentials.update', { path, body: { label: plan.name() } })
        const renamed = plan.name()
        plan.call('managed-credentials.update', { path: { credentialId: first.id }, body: { label: renamed } })
        plan.probe('managed-credentials.update', { path, body: { label: renamed } })
        plan.twin('managed-credentials.update', { path, body: { label: taken } })
      },
    },
  ],
  silences: [
    withoutManagedShown('managed-credentials.update'),
    oddLabel('managed-credentials.update'),
    reusedLabel('managed-credentials.update'),
    {
      id: 'managed-credentials.update.nothing',
      source: updated,
      text: 'Whether an update without a label is taken is not said.',
      when: ({ body }) => body.label === undefined,
      probe: (plan) =>
        void plan.check('managed-credentials.update', {
          path: { credentialId: plan.make(credentials).id },
          body: {},
        }),
    },
    {
      id: 'managed-credentials.update.same-label',
      level: 'should',
      source: `${created}, label`,
      text: 'A credential can be given the label that it has: no other one has it.',
      when: ({ body, refs }) =>
        body.label === undefined ? false : known(refs.credentialId.label, body.label, (a, b) => a === b),
      probe: (plan) => {
        const label = plan.name()
        const path = { credentialId: plan.make(credentials, { label }).id }
        plan.check('managed-credentials.update', { path, body: { label } })
      },
    },
  ],
  statements: [
    neverShown(
      'managed-credentials.update',
      (plan) =>
        void plan.check('managed-credentials.update', {
          path: { credentialId: plan.make(credentials).id },
          body: { label: plan.name() },
        }),
    ),
    {
      id: 'managed-credentials.update.username-kept',
      source: updated,
      text: 'An update changes the label only: the username stays, even where the request carries one.',
      // A reply may repeat the request; a view tells what is kept.
      holds: ({ body, refs, reply }) =>
        shown(reply, 'username') === shown(body, 'username')
          ? undefined
          : known(
              sure(refs.credentialId, 'username'),
              shown(reply, 'username'),
              (a, b) => asTextOrMask(a, b) !== false,
            ),
      probe: (plan) => {
        const path = { credentialId: plan.make(credentials, { username: plan.name() }).id }
        plan.check('managed-credentials.update', { path, body: { label: plan.name() } })
        plan.check('managed-credentials.update', { path, body: { label: plan.name(), username: plan.name() } })
        plan.check('managed-credentials.view', { path })
      },
    },
    {
      id: 'managed-credentials.update.password-kept',
      source: updated,
      text: 'An update of the label leaves the password as it was.',
      holds: () => undefined,
      unprobed: 'no reply shows a password, and nothing in the interface uses one',
    },
  ],
  apply: ({ world, body, refs }) =>
    body.label === undefined ? world : patch(world, credentials, refs.credentialId.key, { label: body.label }),
})

export const revokeCredential = operation({
  id: 'managed-credentials.revoke',
  area: 'managed',
  method: 'POST',
  path: '/managed/credentials/{credentialId}/revoke',
  reach: { in: 'services', alone: false, lent: false },
  source: endpoints,
  summary: 'Deletes a credential.',
  scopes: writing,
  unrestrictedOnly: true,
  params: credentialId,
  owned: ofTheAccount,
  reply: anything,
  removes: 'credentialId',
  draft: (plan) => ({ path: { credentialId: plan.make(credentials).id } }),
  silences: [
    withoutManagedShown('managed-credentials.revoke'),
    {
      id: 'managed-credentials.revoke.in-use',
      source: `${endpoints}, POST /managed/credentials/{credentialId}/revoke`,
      text: 'Whether a credential can be revoked while a service names it is not said.',
      when: ({ world, account, refs }) => usesCredential(world, account, refs.credentialId.key),
      probe: (plan) => {
        const [credential, other] = [plan.make(credentials), plan.make(credentials)]
        const service = plan.make(services, { credentials: [credential.id] })
        // One that no service names takes nothing from any.
        plan.call('managed-credentials.revoke', { path: { credentialId: other.id } })
        plan.check('managed-services.view', { path: { serviceId: service.id } })
        plan.check('managed-credentials.revoke', { path: { credentialId: credential.id } })
        // Nor does a service go with what it names.
        plan.check('managed-services.view', { path: { serviceId: service.id } })
      },
    },
  ],
  apply: ({ world, refs, account }) =>
    loosenUsers(drop(world, credentials, refs.credentialId.key), account, { credential: refs.credentialId.key }),
})

export const managedCredentialOperations = [
  listCredentials,
  createCredential,
  viewCredential,
  updateCredential,
  revokeCredential,
  changePassword,
]
