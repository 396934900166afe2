// What a run made and could not remove stays below what the target file allows.
import { expect, test } from 'vitest'
import { probeFor } from '../../arbitraries/probes.js'
import { createAlive } from '../../driver/alive.js'
import { runProgram } from '../../driver/programs.js'
import { allClauses, operationById } from '../../models/index.js'
import type { Operation } from '../../models/language/operation.js'
import { live } from '../../models/language/world.js'
import { volumes } from '../../models/volumes/record.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { inProcess } from '../../reference/in-process.js'

const environment = { ...embeddedEnvironment(), exclusive: false }
const limited = { ...environment, safety: { ...environment.safety, maxLive: { default: 20, volumes: 3 } } }
const create = operationById('volumes.create') as Operation
const clone = operationById('volumes.clone') as Operation

test('whatever operation makes them, no more are made once some stay and the limit is reached', () => {
  const alive = createAlive(limited)
  for (const key of ['1', '2', '?3']) alive.hear({ event: 'created', kind: 'volumes', key })
  expect(alive.bars(create)).toBe(undefined)
  alive.hear({ event: 'left', kind: 'volumes', key: '?3' })
  expect([alive.bars(create), alive.bars(clone)]).toEqual(
    Array(2).fill('3 volumes of the run may be alive, some of which could not be removed, and safety.maxLive allows 3'),
  )
  expect(alive.bars(operationById('firewalls.create') as Operation)).toBe(undefined)
  // It was made under an unknown id, and is removed under its own.
  alive.hear({ event: 'removed', kind: 'volumes', key: '77' })
  expect(alive.bars(create)).toBe(undefined)
})

test('a target of whose creations no reply can be read holds no more of them than it may, and the run says why', async () => {
  const { session, embedded, lines } = inProcess({ environment: limited, seed: 1 }, 'ts-t', (options) => ({
    ...options,
    transport: {
      send: async (call, n) => {
        const outcome = await options.transport.send(call, n)
        return 'body' in outcome ? { status: outcome.status, text: '\ufeff{}' } : outcome
      },
    },
  }))
  const before = live(embedded.world(), volumes).length
  for (const slug of ['accepts', 'shows.size', 'shows.label', 'shows.region', 'body.size.default', 'json']) {
    const clause = allClauses().find(({ id }) => id === `volumes.create.${slug}`)
    const probe = probeFor(
      clause ?? (allClauses().find(({ id }) => id === 'volumes.create.accepts') as never),
      session.context,
    )
    if (probe.kind === 'program') await runProgram(session, probe.program)
  }
  expect(live(embedded.world(), volumes).length - before).toBe(3)
  expect(lines.flatMap((line) => (line.type === 'trouble' ? [line.text] : []))).toEqual([
    expect.stringMatching(/^volumes\.create is not sent any more: 3 volumes of the run may be alive/),
  ])
})
