// The Managed credential: what requests send and a reply may carry, which is not the password; not its operations.
import type { Ternary } from '../language/clause.js'
import { byId, sameId } from '../language/facts.js'
import { asText } from '../language/same.js'
import type { Table } from '../language/world.js'

export interface Credential {
  readonly id: number
  readonly label: string
  readonly username: string
  /** Model only: what was last sent as its password. */
  readonly password: string
}

/** The record is not shown, so that what belongs to a secret may be masked. */
export const asTextOrMask = (known: unknown, seen: unknown): Ternary =>
  typeof seen === 'string' && /^[*•]+$/.test(seen) ? undefined : asText(known, seen)

export const credentials: Table<Credential> = {
  name: 'managed-credentials',
  fields: ['id', 'label', 'username'],
  identify: byId,
  mayRepeat: true,
  same: { id: sameId, label: asText, username: asTextOrMask },
  bare: ({ id }) => ({ id }),
  change: { lasting: ['id'], outside: [], renewable: false },
  closable: true,
  mint: (dice) => String(dice.next('managed-credentials')),
}
