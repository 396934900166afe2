// What a program is evidence for, told from its calls; and why it is none.
import { expect, test } from 'vitest'
import { allClauses } from '../../models/index.js'
import { evidenceFor } from '../../oracle/evidence.js'
import type { Judged } from '../../oracle/judgement.js'

const clause = allClauses().find(({ id }) => id === 'tags.delete.token')

/** A call of a program: whether it was accepted, and what it decided. */
const call = (role: 'probe' | 'twin', outcome: object, judgement: object): Judged =>
  ({
    role,
    outcome,
    deviations: [],
    judgement: { possible: [], held: [], choices: [], ...judgement },
  }) as unknown as Judged

const refused = { status: 401 }
const decisive = call('probe', refused, { accepted: false, decisive: clause?.id })
const accepted = call('twin', { status: 200 }, { accepted: true })
const vague = (outcome: object, judgement: object): readonly Judged[] => [call('probe', outcome, judgement), accepted]

test.each([
  [[decisive, accepted], true],
  [[decisive, call('twin', refused, { accepted: false })], 'its accepted counterpart was not accepted'],
  [vague(refused, { accepted: false, possible: ['a', 'b'] }), 'the refusal could have another reason: a, b'],
  [
    vague(refused, { accepted: false, possible: [clause?.id] }),
    'nothing tells for certain that the refusal was due: what the call names may be there',
  ],
  [vague({ status: 200 }, { accepted: true }), 'the state that makes it due could not be held long enough to show it'],
  [vague({ lost: 'timeout' }, {}), 'the call that would show it had no reply'],
  [vague({ lost: 'refused', detail: 'not sent: the run is over' }, {}), 'the call that would show it was not sent'],
])('%#: %j', (calls, told) => {
  const evidence = evidenceFor(calls as readonly Judged[], clause)
  expect(typeof evidence === 'object' ? evidence.untested : evidence).toBe(told)
})

test('a state that may have passed is told from every other lack of evidence', () => {
  expect(evidenceFor(vague({ status: 200 }, { accepted: true }), clause)).toMatchObject({ isPassing: true })
  expect(evidenceFor(vague(refused, { accepted: false, possible: ['a', 'b'] }), clause)).not.toHaveProperty('isPassing')
})
