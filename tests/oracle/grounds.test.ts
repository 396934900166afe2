// What an accepted twin settles on a target that others use, and what it does not.
import { describe, expect, it } from 'vitest'
import { probeFor } from '../../arbitraries/probes.js'
import { runProgram } from '../../driver/programs.js'
import { survey } from '../../driver/survey.js'
import { allClauses } from '../../models/index.js'
import type { Environment } from '../../models/language/environment.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { inProcess } from '../../reference/in-process.js'

/** What comes of the program of a clause on a target that others use. */
const shown = async (id: string, fixtures: Partial<Environment['fixtures']> = {}) => {
  const embedded = embeddedEnvironment()
  const environment = { ...embedded, exclusive: false, fixtures: { ...embedded.fixtures, ...fixtures } }
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

  it.each([
    ['firewalls.create.one-nodebalancer', 'each of the two took a firewall of its own'],
    ['ips.assign.region-of-ranges', 'the node took another range'],
    ['volumes.create.selectable-config', 'a node without a profile has no volumes in it'],
  ])('%s is shown, for %s', async (id) => {
    expect(await shown(id)).toMatchObject({ exercised: true, mayBeOthers: false })
  })

  it('a migrating node that no twin names may have a firewall of others', async () => {
    expect(await shown('firewalls.create.live-migration')).toMatchObject({ exercised: false, mayBeOthers: true })
  })

  it('firewalls.create.live-migration is shown where a hook ends the migration, for the node took a firewall then', async () => {
    const nodes = embeddedEnvironment().fixtures.nodes?.filter(({ liveMigration }) => liveMigration !== true) ?? []
    expect(await shown('firewalls.create.live-migration', { nodes })).toMatchObject({
      exercised: true,
      mayBeOthers: false,
    })
  })

  it('an id of another account may be given in this one too', async () => {
    expect(await shown('managed-contacts.view.path.contactId.owned')).toMatchObject({
      exercised: false,
      mayBeOthers: true,
    })
  })
})
