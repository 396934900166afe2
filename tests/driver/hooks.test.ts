// Hooks are the user's code: what goes wrong in one is told as its own, and never as a fault of the target or the suite.
import { describe, expect, it } from 'vitest'
import { probeFor } from '../../arbitraries/probes.js'
import { createSession } from '../../driver/create-session.js'
import { reportRest } from '../../driver/findings.js'
import { guardHooks } from '../../driver/hooks.js'
import { runProgram } from '../../driver/programs.js'
import { allClauses, operations } from '../../models/index.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import type { Fault } from '../../reference/handler.js'
import { inProcess } from '../../reference/in-process.js'
import { mutantsOf } from '../../reference/mutants/mutants.js'

const sessionWith = (hooks: Parameters<typeof guardHooks>[0], limitMs = 1000, fault?: Fault) => {
  const { session, lines } = inProcess({ environment: embeddedEnvironment(), seed: 1, ...(fault && { fault }) })
  const guarded = guardHooks(hooks, limitMs)
  return {
    session: createSession({ ...session.options, hooks: { ...session.options.hooks, ...guarded } as never }),
    lines,
  }
}

const idle = async (): Promise<never> => [] as never

/** What programs that lean on a hook come to, when all are over. */
const runAll = async (clauses: RegExp, hooks: Parameters<typeof guardHooks>[0], fault?: Fault) => {
  const { session, lines } = sessionWith(hooks, 1000, fault)
  for (const clause of allClauses().filter(({ id }) => clauses.test(id))) {
    const probe = probeFor(clause, session.context)
    if (probe.kind === 'program') await runProgram(session, probe.program, clause)
  }
  const early = lines.filter(({ type }) => type === 'finding').length
  await reportRest(session)
  return {
    early,
    findings: lines.flatMap((line) => (line.type === 'finding' ? [line.finding.id] : [])),
    troubles: lines.flatMap((line) => (line.type === 'trouble' ? [line.text] : [])),
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

  it.each<[unknown]>([[[{ action: '' }]], [[{ action: 7 }]], [[null]], [{}]])(
    'that returns %j for events is told what was expected',
    async (result) => {
      const { readEvents } = guardHooks({ readEvents: async () => result as never }, 1000)
      await expect(readEvents?.(new Date(0))).rejects.toThrow(
        'expected an array of objects, each with the kind of event',
      )
    },
  )

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

describe('a hook that does nothing', () => {
  it.each([
    ['setLiveMigration', /^firewall.*\.live-migration$/],
    ['readEvents', /^firewalls\..*\.(emits\.|keeps-status|accepts)/],
  ])('%s accuses nobody, and is told as idle', async (name, clauses) => {
    const { findings, troubles } = await runAll(clauses, { [name]: idle })
    expect(findings).toEqual([])
    expect(troubles).toEqual([expect.stringContaining(`hook ${name} had no visible effect`)])
  })

  it('is told from an operation that takes no notice of what a hook did', async () => {
    const mutant = operations
      .flatMap(mutantsOf)
      .find(({ id }) => id === 'firewalls.update: drops firewalls.update.live-migration')
    const { early, findings, troubles } = await runAll(/^firewall.*\.live-migration$/, {}, mutant?.arm().fault)
    expect(findings).toEqual(['firewalls.update.live-migration:accepted'])
    expect([early, troubles]).toEqual([1, []])
  })

  it('is not supposed where a single operation is all that leans on it', async () => {
    const { early, findings } = await runAll(/^firewalls\.update\.live-migration$/, { setLiveMigration: idle })
    expect([early, findings]).toEqual([0, ['firewalls.update.live-migration:accepted']])
  })
})
