import { describe, expect, it } from 'vitest'
import { nodeDeletion } from '../../arbitraries/journeys.js'
import { planProgram } from '../../arbitraries/plan.js'
import { allClauses } from '../../models/index.js'
import { inProcess } from '../../target/in-process.js'
import { runProgram } from '../../target/programs.js'
import { embeddedSetting } from '../../target/setting.js'
import { survey } from '../../target/upkeep.js'

const clause = allClauses().find(({ id }) => id === nodeDeletion.clause)

/** The last program of a run, on a target that deletes a node so many calls after it was asked to. */
const run = async (after: number) => {
  const { session, embedded } = inProcess({ setting: embeddedSetting() })
  const { transport, hooks } = session.options
  let left = Number.POSITIVE_INFINITY
  let node: number | undefined
  Object.assign(hooks, {
    deleteNode: async (id: number) => {
      node = id
      left = after
    },
  })
  const { send } = transport
  Object.assign(transport, {
    send: (...call: Parameters<typeof send>) => {
      if (left-- === 0) embedded.hook('deleteNode', [node])
      return send(...call)
    },
  })
  await survey(session)
  const program = planProgram('node deletion', session.context, nodeDeletion.write)
  const { findings } = await runProgram(session, program, clause)
  return { found: findings.map((finding) => finding.clause), shown: session.isHeld(nodeDeletion.clause) }
}

describe('a volume whose node is deleted', () => {
  it('is seen detached', async () => {
    expect(await run(0)).toEqual({ found: [], shown: true })
  })

  it('is given the time that it takes', async () => {
    expect(await run(9)).toEqual({ found: [], shown: true })
  })

  it('is found where it stays attached', async () => {
    const { found, shown } = await run(Number.POSITIVE_INFINITY)
    expect(found).toContain(nodeDeletion.clause)
    expect(shown).toBe(false)
  })
})
