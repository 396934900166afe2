// Reasons that the embedded target gives for a refusal, in the words that clients show to people; not what is refused.

import type { Clause } from '../models/language/derive.js'

/** What is wrong, in a short sentence; the clause's own text says what is required instead. */
export const reasonOf = (clause: Clause): string => {
  switch (clause.kind) {
    case 'token':
    case 'scheme':
      return 'Invalid Token'
    case 'scope':
      return `Your token lacks the scope ${clause.scope}`
    case 'unrestricted':
      return 'Unauthorized: restricted users may not do this'
    case 'exists':
    case 'owned':
      return 'Not found'
    case 'json':
      return 'The body is not JSON'
    case 'names':
      return `${last(clause.constraint.path)} not found`
    case 'constraint':
      return wrong[clause.constraint.keyword]?.(last(clause.constraint.path), clause.constraint.value) ?? unmet(clause)
    default:
      return unmet(clause)
  }
}

const last = (path: readonly string[]): string => path.filter((segment) => segment !== '[]').at(-1) ?? 'value'

const wrong: Readonly<Record<string, (name: string, value: unknown) => string>> = {
  required: (name) => `${name} is required`,
  type: (name, value) => `${name} must be of type ${[value].flat().join(' or ')}`,
  enum: (name, value) => `${name} must be one of ${(value as unknown[]).join(', ')}`,
  minLength: (name, value) => `${name} is shorter than ${value}`,
  maxLength: (name, value) => `${name} is longer than ${value}`,
  minimum: (name, value) => `${name} is less than ${value}`,
  maximum: (name, value) => `${name} is greater than ${value}`,
  minItems: (name, value) => `${name} has fewer items than ${value}`,
  maxItems: (name, value) => `${name} has more items than ${value}`,
  format: (name, value) => `${name} is not a valid ${value}`,
}

const unmet = ({ text }: Clause): string => `Cannot be done, for this does not hold: ${text}`
