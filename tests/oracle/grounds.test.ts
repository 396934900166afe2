// What an accepted twin settles on a target that others use, and what it does not.
import { describe, expect, it } from 'vitest'
import { probeFor } from '../../arbitraries/probes.js'
import { runProgram } from '../../driver/programs.js'
import { survey } from '../../driver/survey.js'
import { allClauses } from '../../models/index.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { inProcess } from '../../reference/in-process.js'

/** What comes of the program of a clause on a target that others use. */
const shown = async (id: string) => {
  const environment = { ...embeddedEnvironment(), exclusive: false }
  const { session } = inProcess({ environment, seed: 1 })
  await survey(session)
  const clause = allClauses().find((one) => one.id === id)
  const probe = clause && probeFor(clause, session.context)
  if (probe?.kind !== 'program') throw new Error(`no program for ${id}`)
  const { exercised, mayBeOthers = false } = await runProgram(session, probe.program, clause)
  return { exercised, mayBeOthers, isAccepted: session.isHeld('volumes.attach.accepts') }
}

describe('on a target that others use', () => {
  it.each(['same-region', 'volume-grant', 'node-grant', 'config-of-node', 'scope.nodes-read_write'])(
    'volumes.attach.%s is shown, for the node took a volume after it',
    async (slug) => {
      expect(await shown(`volumes.attach.${slug}`)).toEqual({ exercised: true, mayBeOthers: false, isAccepted: true })
    },
  )

  it('a node that no twin names may be full', async () => {
    expect(await shown('volumes.create.selectable-config')).toMatchObject({ exercised: false, mayBeOthers: true })
  })

  it('an id of another account may be given in this one too', async () => {
    expect(await shown('managed-contacts.view.path.contactId.owned')).toMatchObject({
      exercised: false,
      mayBeOthers: true,
    })
  })
})
