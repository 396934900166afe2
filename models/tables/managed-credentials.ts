// The Managed credential: what requests send and a reply may carry, which is not the password; not its operations.
import { asText } from '../same.js'
import type { Table } from '../world.js'
import { byId, sameId } from './facts.js'

export interface Credential {
  readonly id: number
  readonly label: string
  readonly username: string
}

export const credentials: Table<Credential> = {
  name: 'managed-credentials',
  fields: ['id', 'label', 'username'],
  identify: byId,
  same: { id: sameId, label: asText, username: asText },
  bare: ({ id }) => ({ id }),
  closable: true,
  mint: (dice) => String(dice.next('managed-credentials')),
}
