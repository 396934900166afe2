// What the operations of the Managed section share: their source, paging, and the account without Managed; no operation.

import type { Principal } from '../language/access.js'
import { not, type Ternary } from '../language/clause.js'
import { isObject } from '../language/objects.js'
import type { Plan } from '../language/plan.js'

export const endpoints = 'Endpoints / Managed'
export const reading = ['account:read_only'] as const
export const writing = ['account:read_write'] as const

/** Whether the caller's account has Managed switched off. */
const lacksManaged = ({ account }: Principal): Ternary => not(account?.managed)

/** What these operations do for an account without Managed is not said. */
export const withoutManaged = (id: string, probe?: (plan: Plan) => void) => ({
  id: `${id}.without-managed`,
  source: `${endpoints}; What the service does`,
  text: 'What an account that does not have Managed is answered is not said.',
  when: ({ caller }: { readonly caller: Principal }) => lacksManaged(caller),
  ...(probe ? { probe } : { unprobed: 'an account without Managed has nothing that the path could name' }),
})

/** The same, shown by a draft that such an account sends and arranges. */
export const withoutManagedShown = (id: string) =>
  withoutManaged(id, (plan) => {
    plan.as(plan.token({ managed: false, has: ['account:read_write'] }))
    plan.check(id, plan.draft(id))
  })

/** A member of a reply that is an object; undefined where it is left out. */
export const shown = (reply: unknown, member: string): unknown => (isObject(reply) ? reply[member] : undefined)

/** What keeps the resources of one account from the users of another. */
export const ofTheAccount =
  'Authentication, "all Managed and Tags endpoints are accessible only to unrestricted users of the account"'
