import { expect, test } from 'vitest'
import { planningFor } from '../../cli/planning.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { untestableOn } from '../../suites/untestable.js'

test('an operation that the target file does not allow is told once, with all of its clauses', () => {
  const environment = {
    ...embeddedEnvironment(),
    exclusive: false,
    safety: { ...embeddedEnvironment().safety, allow: [] },
  }
  const told = untestableOn(planningFor(environment), []).filter(({ reason }) =>
    /safety\.allow.*tickets\.create/.test(reason),
  )
  expect(told).toMatchObject([
    { remedy: expect.stringContaining('tickets.create'), needs: [{ add: { safety: { allow: ['tickets.create'] } } }] },
  ])
  expect(told[0]?.clauses).toEqual(expect.arrayContaining(['tickets.create.token', 'tickets.create.shows.summary']))
})
