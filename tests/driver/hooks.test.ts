// Hooks are the user's code: what goes wrong in one is told as its own, and never as a fault of the target or the suite.
import { describe, expect, it } from 'vitest'
import { probeFor } from '../../arbitraries/probes.js'
import { guardHooks } from '../../driver/hooks.js'
import { runProgram } from '../../driver/programs.js'
import { createSession } from '../../driver/session.js'
import { allClauses } from '../../models/index.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { inProcess } from '../../reference/in-process.js'

const sessionWith = (hooks: Parameters<typeof guardHooks>[0], limitMs = 1000) => {
  const { session, lines } = inProcess({ environment: embeddedEnvironment(), seed: 1 })
  const guarded = guardHooks(hooks, limitMs)
  return {
    session: createSession({ ...session.options, hooks: { ...session.options.hooks, ...guarded } as never }),
    lines,
  }
}

const run = async (clauseId: string, hooks: Parameters<typeof guardHooks>[0], limitMs?: number) => {
  const { session, lines } = sessionWith(hooks, limitMs)
  const clause = allClauses().find(({ id }) => id === clauseId)
  const probe = clause && probeFor(clause, session.context)
  if (probe?.kind !== 'program') throw new Error(`no program for ${clauseId}`)
  const outcome = await runProgram(session, probe.program, clause)
  const troubles = lines.flatMap((line) => (line.type === 'trouble' ? [`${line.kind}: ${line.text}`] : []))
  return { ...outcome, troubles }
}

const migration = 'firewalls.update.live-migration'

describe('a hook that goes wrong', () => {
  it.each([
    ['throws', async () => Promise.reject(new Error('no route')), 'hook setLiveMigration failed: no route'],
    ['never ends', () => new Promise<void>(() => undefined), 'hook setLiveMigration did not end within 20 ms'],
  ] as const)('that %s leaves its clause untested and the run inconclusive, with no finding', async (_, hook, text) => {
    const { findings, untested, troubles } = await run(migration, { setLiveMigration: hook }, 20)
    expect(findings).toEqual([])
    expect(untested).toContain(text)
    expect(troubles).toEqual([expect.stringContaining(`inconclusive: ${text}`)])
  })

  it('is not asked for events again once it has told none', async () => {
    let asked = 0
    const readEvents = async () => {
      asked += 1
      return [{ kind: 'firewall_create' }] as never
    }
    const { findings, troubles } = await run('firewalls.update.keeps-status', { readEvents })
    expect([findings, asked]).toEqual([[], 1])
    expect(troubles).toEqual([expect.stringMatching(/^inconclusive: hook readEvents returned \[\{"kind":.*"action"/)])
  })
})
