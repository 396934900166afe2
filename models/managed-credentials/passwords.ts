// Passwords and usernames of Managed credentials: what is taken, that none is shown, and the operation that changes them.

import { loosen, patch } from '../language/changes.js'
import { isObject, textsIn } from '../language/objects.js'
import { anything, type Facts, operation, ref } from '../language/operation.js'
import type { Plan } from '../language/plan.js'
import { isPlainName } from '../language/promises.js'
import { object, optional, text } from '../language/schema.js'
import { isPlainSecret } from '../language/secrets.js'
import { live } from '../language/world.js'
import { endpoints, ofTheAccount, withoutManagedShown, writing } from '../managed/common.js'
import { credentials } from './record.js'

const changed = `${endpoints}, POST /managed/credentials/{credentialId}/update`

export const username = () => text({ max: 5000 })

/** A password that any policy takes: the document shows none. */
export const plainPassword = (plan: Plan): string => `Aa1-${plan.name()}-Zz9!kq`

/** What is not said of the passwords and usernames that are taken. */
export const oddSecrets = (id: string, source: string) => [
  {
    id: `${id}.password-rules`,
    source,
    text: 'Which passwords are taken is not said.',
    fields: ['password'],
    when: ({ body }: { readonly body: { readonly password: string } }) => !isPlainSecret(body.password),
    probe: (plan: Plan) => {
      const draft = plan.draft(id)
      plan.check(id, { ...draft, body: { ...draft.body, password: 'a' } })
    },
  },
  {
    id: `${id}.username-characters`,
    source,
    text: 'Which characters a username may have, and whether it may be empty, is not said.',
    fields: ['username'],
    when: ({ body }: { readonly body: { readonly username?: string } }) =>
      body.username !== undefined && !isPlainName(body.username),
    probe: (plan: Plan) => {
      const draft = plan.draft(id)
      plan.check(id, { ...draft, body: { ...draft.body, username: plan.oddText(200) } })
    },
  },
]

/** A secret is not echoed: neither what was sent, now or before, nor a member that is called so. */
export const neverShown = (id: string, probe: (plan: Plan) => void) => ({
  id: `${id}.password-hidden`,
  level: 'should' as const,
  source: 'Resources whose response fields are not fully given',
  text: 'No reply shows a password.',
  holds: ({
    world,
    account,
    body,
    reply,
  }: Pick<Facts, 'world' | 'account'> & { readonly body: unknown; readonly reply: unknown }) => {
    if (reply === undefined) return true
    const shown = JSON.stringify(reply)
    const sent = [isObject(body) ? body : {}, ...live(world, credentials, account)].flatMap(({ password }) =>
      typeof password === 'string' && password.length >= 8 && isBare(password) ? [password] : [],
    )
    const isEchoed = sent.some((password) => shown.includes(JSON.stringify(password).slice(1, -1)))
    return isEchoed || showsPassword(reply) ? 'the reply shows a password' : true
  },
  // What may be a common word is not looked for, since a reason may have it by itself.
  brokenByRefusal: (sent: unknown, reply: unknown) => {
    const { password } = isObject(sent) ? sent : {}
    const isShown =
      typeof password === 'string' && isPlainSecret(password) && textsIn(reply).some((told) => told.includes(password))
    return isShown ? 'the refusal shows the password that was sent' : undefined
  },
  probe,
})

/** Whether a value is a password shown in full: a text that is not masked. */
const isBare = (value: unknown): boolean => typeof value === 'string' && /[^*•.x]/i.test(value)

const showsPassword = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.some(showsPassword)
    : isObject(value) &&
      Object.entries(value).some(([name, inner]) => (name === 'password' ? isBare(inner) : showsPassword(inner)))

export const changePassword = operation({
  id: 'managed-credentials.update-password',
  area: 'managed',
  method: 'POST',
  path: '/managed/credentials/{credentialId}/update',
  reach: { in: 'services', alone: false, lent: false },
  source: changed,
  summary: 'Changes the password and the username of a credential.',
  scopes: writing,
  unrestrictedOnly: true,
  params: { credentialId: ref(credentials) },
  owned: ofTheAccount,
  body: object({ password: text(), username: optional(username()) }),
  reply: anything,
  draft: (plan) => ({ path: { credentialId: plan.make(credentials).id }, body: { password: plainPassword(plan) } }),
  full: (plan) => ({
    path: { credentialId: plan.make(credentials, { username: plan.name() }).id },
    body: { password: plainPassword(plan), username: plan.name() },
  }),
  silences: [
    withoutManagedShown('managed-credentials.update-password'),
    ...oddSecrets('managed-credentials.update-password', changed),
  ],
  statements: [
    neverShown('managed-credentials.update-password', (plan) => {
      const path = { credentialId: plan.make(credentials).id }
      plan.check('managed-credentials.update-password', { path, body: { password: plainPassword(plan) } })
    }),
    {
      id: 'managed-credentials.update-password.password-changed',
      source: changed,
      text: 'The password that was sent is what the credential has from then on.',
      holds: () => undefined,
      unprobed: 'no reply shows a password, and nothing in the interface uses one',
    },
  ],
  apply: ({ world, body: { username, password }, refs: { credentialId } }) =>
    patch(
      username === undefined ? loosen(world, credentials, credentialId.key, ['username']) : world,
      credentials,
      credentialId.key,
      { password, ...(username !== undefined && { username }) },
    ),
})
