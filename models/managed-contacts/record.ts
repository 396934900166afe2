// The Managed contact: the fields that requests send, how they are stored and compared; not its operations.

import { byId, sameId } from '../language/facts.js'
import { asText } from '../language/same.js'
import type { Table } from '../language/world.js'

interface Phone {
  readonly primary?: string | null
  readonly secondary?: string | null
}

export interface Contact {
  readonly id: number
  readonly email: string
  readonly group: string | null
  readonly name: string
  readonly phone: Phone
}

const digits = (text: unknown): string => String(text).replace(/\D/g, '')

/** A text without a digit is no number: how none is shown is not said. */
const isNothing = (number: unknown): boolean =>
  number === undefined || number === null || (typeof number === 'string' && digits(number) === '')

/** Whether two spellings are of one number, the country's prefix being free. */
const isSameNumber = (known: string | null | undefined, seen: unknown): boolean => {
  if (known === undefined || seen === undefined) return true
  // How a number that there is not is shown is not said, nor that it is always shown alike.
  if (isNothing(known)) return isNothing(seen)
  if (typeof seen !== 'string') return false
  const [a, b] = [digits(known), digits(seen)]
  return a === b || (a.length >= 7 && b.length >= 7 && (a.endsWith(b) || b.endsWith(a)))
}

export const contacts: Table<Contact> = {
  name: 'managed-contacts',
  fields: ['id', 'email', 'group', 'name', 'phone'],
  identify: byId,
  mayRepeat: true,
  fillable: ['group'],
  same: {
    id: sameId,
    group: asText,
    name: asText,
    email: (known: unknown, seen) => String(known).toLowerCase() === String(seen).toLowerCase(),
    phone: (known: Phone, seen) => {
      if (typeof seen !== 'object' || seen === null) return isNothing(known.primary) && isNothing(known.secondary)
      const { primary, secondary } = seen as Readonly<Record<string, unknown>>
      return isSameNumber(known.primary, primary) && isSameNumber(known.secondary, secondary)
    },
  },
  bare: ({ id }) => ({ id }),
  change: { lasting: ['id'], outside: [], renewable: false },
  closable: true,
  mint: (dice) => String(dice.next('managed-contacts')),
  draw: () => ({ group: null, phone: { primary: null, secondary: null } }),
}
