import { expect, test } from 'vitest'
import { planProgram } from '../../arbitraries/plan.js'
import { runProgram } from '../../driver/programs.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { inProcess } from '../../reference/in-process.js'

const address = '203.0.113.7'

/** Looks at an address twice on a target that shows its reverse name as told, reply by reply; by clause, what is found. */
const lookTwice = async (exclusive: boolean, shown: (look: number) => string) => {
  const { session } = inProcess({ environment: { ...embeddedEnvironment(), exclusive } })
  const { transport } = session.options
  const { send } = transport
  let looks = 0
  Object.assign(transport, {
    send: async (call: Parameters<typeof send>[0], step: number) => {
      const outcome = await send(call, step)
      if (call.operation !== 'ips.view' || !('body' in outcome)) return outcome
      looks += 1
      return { ...outcome, body: { ...(outcome.body as object), rdns: shown(looks) } }
    },
  })
  const program = planProgram('two looks', session.context, (plan) => {
    plan.check('ips.view', { path: { address } })
    plan.check('ips.view', { path: { address } })
  })
  const { findings } = await runProgram(session, program)
  return findings.map(({ clause }) => clause)
}

const changed = (look: number): string => (look === 1 ? 'before.example.org' : 'after.example.org')
const unsteady = (look: number): string => `host-${look}.example.org`

test('what others may have changed of a lent address is no finding, unless it shows again', async () => {
  expect(await lookTwice(false, changed)).toEqual([])
  expect(await lookTwice(false, unsteady)).toEqual(['ips.view.shows.rdns'])
})

test('where nobody else is it need not show again', async () => {
  expect(await lookTwice(true, changed)).toEqual(['ips.view.shows.rdns'])
})
