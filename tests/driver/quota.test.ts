// A refused creation may be a quota's doing; what shows that it is not.
import { describe, expect, it } from 'vitest'
import { probeFor } from '../../arbitraries/probes.js'
import { runProgram } from '../../driver/programs.js'
import type { Session } from '../../driver/session.js'
import { survey } from '../../driver/survey.js'
import type { RecordLine } from '../../history/record.js'
import { operationById, operations } from '../../models/index.js'
import { type Clause, clausesOf } from '../../models/language/derive.js'
import type { Operation } from '../../models/language/operation.js'
import { volumes } from '../../models/volumes/record.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import type { Fault } from '../../reference/handler.js'
import { inProcess } from '../../reference/in-process.js'
import { families } from '../../reference/mutants/families.js'
import { mutantsOf } from '../../reference/mutants/mutants.js'

/** Something of another kind, which may use up a quota of all kinds together. */
const makeTag = async (session: Session): Promise<void> => {
  const op = operationById('tags.create') as Operation
  await session.send(session.originOf('a tag'), op, { body: { label: 'ts-t-tag' }, as: 'owner' }, 'check')
}

/** What is recorded while the probes of an operation run: all of them, or those of clauses about one thing. */
const recordOf = async (
  operation: string,
  exclusive: boolean,
  fault: Fault,
  hasMore = false,
  before: readonly string[] = [],
  about = /^/,
): Promise<readonly RecordLine[]> => {
  const all = embeddedEnvironment()
  const environment = { ...all, exclusive, safety: { ...all.safety, allow: [operation] } }
  const { session, lines } = inProcess({ environment, fault })
  await survey(session)
  if (hasMore) await makeTag(session)
  const clauses = [...before, operation].flatMap((id) => clausesOf(operationById(id) as Operation))
  for (const clause of clauses.filter(({ id }) => about.test(id))) {
    const probe = probeFor(clause, session.context)
    if (probe.kind === 'program' && probe.program.missing.length === 0) await runProgram(session, probe.program, clause)
  }
  return lines
}

/** The ids of what they find. */
const probeAll = async (...asked: Parameters<typeof recordOf>): Promise<readonly string[]> =>
  (await recordOf(...asked)).flatMap((line) =>
    line.type === 'finding' && line.finding.level === 'must' ? [line.finding.id] : [],
  )

const demanding = (id: string): Fault =>
  operations
    .flatMap(mutantsOf)
    .find((one) => one.id === id)
    ?.arm().fault as Fault

const refusing = (op: Operation, when: (facts: { readonly account?: string | undefined }) => boolean): Operation => ({
  ...op,
  refusals: [
    ...(op.refusals ?? []),
    { id: `${op.id}.quota`, source: 'none', text: 'No more.', unprobed: 'not ours', when },
  ],
})

/** Refuses creations of volumes by the turn at which they come, whatever there is. */
const allowing = (isAllowed: (turn: number) => boolean): Fault => {
  let turn = 0
  return { operation: (op) => (op.makes === volumes ? refusing(op, () => !isAllowed(turn++)) : op) }
}

describe('a refused creation', () => {
  it.each([
    ['managed-services.create: demands consultation_group', 'managed-services.create', false],
    ['tickets.create: demands volume_id', 'tickets.create', true],
    ['tickets.create: demands vlan', 'tickets.create', false],
  ])('is found where other ones succeed: %s', async (id, operation, exclusive) => {
    expect(await probeAll(operation, exclusive, demanding(id))).toContain(`${operation}.accepts:refused`)
  })

  it.each([
    ['as many as were made in a time', (turn: number) => turn < 3],
    ['as many as are made in a time that is over soon', (turn: number) => turn % 4 !== 3],
    ['what there is, some of which goes by itself', (turn: number) => turn < 3 || turn % 3 === 1],
  ])('may be the doing of a quota that counts %s', async (_, isAllowed) => {
    expect(await probeAll('volumes.clone', true, allowing(isAllowed))).toEqual([])
    expect(await probeAll('volumes.create', true, allowing(isAllowed))).toEqual([])
  })

  it.each([
    ['that answers what it refuses otherwise', false, ['tickets.create.accepts:refused']],
    ['that answers so whatever it refuses', true, []],
  ])('is no doing of a quota where it is answered 404 by a target %s', async (_, isAnyway, told) => {
    const missing = families()
      .find(({ id }) => id === 'tickets.create: refuses every call')
      ?.fault() as Fault
    const fault: Fault = {
      ...missing,
      status: (status, op) => (isAnyway && status >= 400 ? 404 : (missing.status?.(status, op) ?? status)),
    }
    const found = await probeAll('tickets.create', true, fault, false, ['tags.create'])
    expect(found.filter((id) => id.startsWith('tickets.create.accepts'))).toEqual(told)
  })

  it('may be the doing of a quota that other kinds have used up', async () => {
    expect(
      await probeAll(
        'volumes.create',
        true,
        allowing((turn) => turn > 1),
        true,
      ),
    ).toEqual([])
    expect(
      await probeAll(
        'volumes.create',
        true,
        allowing(() => false),
        true,
      ),
    ).toContain('volumes.create.accepts:refused')
  })

  it('may be the doing of a quota of all kinds that one other has used up for good, and that is checked before the body', async () => {
    let made = 0
    const full = {
      clause: clausesOf(operationById('tags.create') as Operation)[0] as Clause,
      certain: true,
      fields: [],
    }
    const fault: Fault = {
      due: (due, { makes }) => (makes && made > 0 ? [full] : due),
      world: (after, _, { makes }) => {
        made += makes ? 1 : 0
        return after
      },
    }
    expect(await probeAll('managed-services.create', true, fault, true)).toEqual([])
  })

  it('is found, whichever member it does not name, where it is refused between others that are accepted', async () => {
    const silent: Fault = {
      due: (due, { id }) => (id === 'managed-services.create' ? due.map((one) => ({ ...one, fields: [] })) : due),
    }
    const found = await probeAll('managed-services.create', true, silent, true)
    expect(found).toContain('managed-services.create.refusal.field:body.label.required')
    expect(found).toContain('managed-services.create.refusal.field:address-form')
    const never: Fault = {
      operation: (op) => (op.id === 'managed-services.create' ? refusing(op, () => true) : op),
    }
    const all = await probeAll('managed-services.create', true, never, true)
    expect(all).toContain('managed-services.create.accepts:refused')
  })

  it('may be the doing of a quota of one account, whatever others still create', async () => {
    let turn = 0
    const isFull = ({ account }: { readonly account?: string | undefined }) => account === 'main' && turn++ >= 30
    const fault: Fault = { operation: (op) => (op.id === 'tickets.create' ? refusing(op, isFull) : op) }
    expect(await probeAll('tickets.create', true, fault)).toEqual([])
  })

  it.each([
    ['firewalls.create', /accepts|inbound_policy/, 'refuses DROP of firewalls.create.body.rules.inbound_policy.enum'],
    ['ipv6-ranges.create', /^/, 'refuses 64 of ipv6-ranges.create.body.prefix_length.enum'],
  ])('is found where one with another value succeeds before and after it: %s %s', async (operation, about, fault) => {
    const found = await probeAll(operation, true, demanding(`${operation}: ${fault}`), false, [], about)
    expect(found).toContain(`${operation}.accepts:refused`)
  })

  it('is tried no further where a quota was ruled out as the reason for the like', async () => {
    const lines = await recordOf('firewalls.create', true, demanding('firewalls.create: demands devices'))
    const suspected = new Set(lines.flatMap((line) => (line.type === 'step' && line.trial ? [line.after] : [])))
    const refused = lines.filter((line) => line.type === 'step' && line.verdict === 'finding')
    expect(refused.length).toBeGreaterThan(50)
    expect(suspected.size).toBeGreaterThan(0)
    expect(suspected.size).toBeLessThan(12)
  })

  it('is found where what else makes the same succeeds', async () => {
    const found = await probeAll('volumes.clone', true, {
      operation: (op) => (op.id === 'volumes.clone' ? refusing(op, () => true) : op),
    })
    expect(found).toContain('volumes.clone.accepts:refused')
  })
})
