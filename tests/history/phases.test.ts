// What follows from the phase of a call.
import { expect, test } from 'vitest'
import { phases, purposeOf } from '../../history/phases.js'

test('calls that only serve others count for nothing, and are no evidence', () => {
  const idle = phases.filter((phase) => !purposeOf(phase).counts)
  expect(idle).toEqual(['survey', 'trial', 'again', 'fill', 'watch', 'confirm', 'alive', 'settle', 'mark', 'retire'])
  expect(idle.filter((phase) => purposeOf(phase).isEvidence)).toEqual([])
})

test('all that leaves the account tidy is sent at the end of a run, and the program itself is not', () => {
  expect(phases.filter((phase) => purposeOf(phase).isAtEnd)).toEqual(['restore', 'clean-up', 'retire'])
  expect(purposeOf(undefined).isAtEnd).toBeUndefined()
})
