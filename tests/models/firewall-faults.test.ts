// Firewall targets that are changed in one respect which no derived mutant has: in what the document allows, and in what it does not.
import { describe, expect, test } from 'vitest'
import type { Fault } from '../../target/answer.js'
import { findingsOf, replies } from './faulty.js'

const allowed: readonly (readonly [string, string, Fault])[] = [
  [
    'answers every assignment with nothing',
    'firewall-devices.create.again',
    replies('firewall-devices.create', () => ({})),
  ],
]

describe('a target may differ', () => {
  for (const [what, id, fault] of allowed)
    test(`a target that ${what} breaks nothing in the probe of ${id}`, async () =>
      expect(await findingsOf(id, fault)).toEqual([]))
})
