// What the address operations have in common: reading a reply whose record is not shown, and the silence about restricted users.

import { isRestricted, type Principal } from '../language/access.js'
import type { Ternary } from '../language/clause.js'
import { parseAddress } from '../language/formats.js'
import { isObject } from '../language/objects.js'
import { asRestricted, type Plan } from '../language/plan.js'
import type { WireRecord } from '../language/world.js'
import { isIpv4 } from './record.js'

export const endpoints = 'Endpoints / Networking'

export const recordsOf = (reply: unknown): readonly WireRecord[] =>
  isObject(reply) && Array.isArray(reply.data) ? reply.data.filter(isObject) : []

/** Whether an address is an IPv4 address for use inside a region alone. */
export const isPrivateRange = (text: unknown): Ternary =>
  isIpv4(text) ? parseAddress(text)?.range() === 'private' : undefined

/** Of an address that is used on its link alone it is not said whether it is private. */
export const isLinkLocal = (text: unknown): boolean =>
  typeof text === 'string' && parseAddress(text)?.range() === 'linkLocal'

export const restricted = (id: string, probe: (plan: Plan) => void = asRestricted(id)) => ({
  id: `${id}.restricted`,
  source: 'Authentication, "Permission rules beyond scopes"',
  text: 'What a restricted user may do with addresses is not said.',
  when: ({ caller }: { readonly caller: Principal }) => isRestricted(caller),
  probe,
})
