// What the operations on IPv6 ranges have in common: the range in a path, and the member that names it in a record.
import { lacksWrite, type Principal } from '../language/access.js'
import { isObject } from '../language/objects.js'
import { ref } from '../language/operation.js'
import { rangeKey, ranges } from './record.js'

export const endpoints = 'Endpoints / Networking'

export const range = {
  range: ref(ranges, { key: (path) => rangeKey(path.range ?? ''), field: 'address', type: 'string' }),
}

/** A target may be stricter towards restricted users: which grants networking needs is not said. */
export const restrictedUse = (id: string) => ({
  id: `${id}.restricted`,
  source: 'Authentication, "Permission rules beyond scopes"',
  text: 'What a restricted user may do with IPv6 ranges is not said.',
  when: ({ caller }: { readonly caller: Principal }) => lacksWrite(caller, 'nodes', undefined),
  unprobed: 'whether a restricted user lacks what it takes cannot be told, so neither answer shows it',
})

/** Whether a record carries the member that the document names for it; whether that comes within another object is not said. */
export const carriesRange = (reply: unknown): boolean =>
  isObject(reply) && (typeof reply.range === 'string' || Object.values(reply).some(carriesRange))

export const rangeMember =
  'Resources whose response fields are not fully given, "an IPv6 range record carries a field named range"'
