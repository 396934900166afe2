// What a session takes for its own making, and removes when a program is over.
import { expect, it } from 'vitest'
import { probeFor } from '../../arbitraries/probes.js'
import { outstanding } from '../../driver/ledger.js'
import { runProgram } from '../../driver/programs.js'
import { allClauses } from '../../models/index.js'
import { live } from '../../models/language/world.js'
import { tickets } from '../../models/tickets/record.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { inProcess } from '../../reference/in-process.js'

it('a lent bucket that is created again stays', async () => {
  const { session, lines } = inProcess({ environment: embeddedEnvironment(), seed: 1 })
  const clause = allClauses().find(({ id }) => id === 'buckets.create.again')
  const probe = clause && probeFor(clause, session.context)
  if (probe?.kind !== 'program') throw new Error('no program')
  await runProgram(session, probe.program, clause)
  const sent = lines.flatMap((line) => (line.type === 'step' ? [line.call] : []))
  const lent = sent.filter(({ body }) => (body as { readonly label?: unknown } | undefined)?.label === 'photos')
  const removed = sent.filter(({ method }) => method === 'DELETE').map(({ path }) => path.bucket)
  expect(lent).toHaveLength(1)
  expect(removed).toHaveLength(1)
  expect(removed).not.toContain('photos')
})

it.each(['tags.create.accepts', 'buckets.delete.accepts', 'firewall-devices.create.accepts'])(
  'what the program of %s made and removed is gone from the ledger',
  async (id) => {
    const { session, ledger } = inProcess({ environment: embeddedEnvironment(), seed: 1, restAfter: 1 })
    const clause = allClauses().find((one) => one.id === id)
    const probe = clause && probeFor(clause, session.context)
    if (probe?.kind !== 'program') throw new Error('no program')
    await runProgram(session, probe.program, clause)
    expect(ledger.filter(({ event }) => event === 'created').length).toBeGreaterThan(0)
    expect(outstanding(ledger).map(({ event, kind, key }) => `${event} ${kind} ${key}`)).toEqual([])
  },
)

/** Runs a program that opens a ticket and closes none, and looks at what becomes of that on the way and on the target. */
const afterTicket = async (adapt?: Parameters<typeof inProcess>[2]) => {
  const { session, embedded, ledger, lines } = inProcess({ environment: embeddedEnvironment(), seed: 1 }, 'ts-t', adapt)
  const clause = allClauses().find(({ id }) => id === 'tickets.view.accepts')
  const probe = clause && probeFor(clause, session.context)
  if (probe?.kind !== 'program') throw new Error('no program')
  const { findings } = await runProgram(session, probe.program, clause)
  const open = live(embedded.world(), tickets).filter(({ closed }) => closed !== true)
  const left = lines.flatMap((line) => (line.type === 'left' ? [line.reason] : []))
  return { findings, open: open.length, left, outstanding: outstanding(ledger).map(({ event }) => event) }
}

it('a ticket that a program has opened is closed when it is over', async () => {
  expect(await afterTicket()).toEqual({ findings: [], open: 0, left: [], outstanding: [] })
})

it('a ticket that cannot be closed is told as left, and is no finding', async () => {
  const refused = { status: 403, body: { errors: [{ field: '', reason: 'Only staff closes tickets' }] } }
  const afterwards = await afterTicket((options) => ({
    ...options,
    transport: {
      send: async (call, step) => (call.operation === 'tickets.close' ? refused : options.transport.send(call, step)),
    },
  }))
  expect(afterwards).toEqual({
    findings: [],
    open: 1,
    left: ['tickets.close was answered 403'],
    outstanding: ['proven', 'created', 'left'],
  })
})
