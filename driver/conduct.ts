// Runs programs in a session: resolves refs, waits for rest, looks at what a write did, and reports findings and evidence.
import { planProgram } from '../arbitraries/plan.js'
import { idValue } from '../history/calls.js'
import type { Finding, Outcome, WireCall } from '../history/record.js'
import { listerOf, operationById, viewerOf } from '../models/index.js'
import { type Clause, clausesOf } from '../models/language/derive.js'
import type { AnyTable, Operation } from '../models/language/operation.js'
import { type Args, type CallStep, type HookStep, isRef, type Ref, type Step } from '../models/language/plan.js'
import { type AnyEntity, idIn, type World } from '../models/language/world.js'
import type { Belief } from '../oracle/belief.js'
import { changesIn, reblame, withinClause } from '../oracle/blame.js'
import { keyNamed, readCall } from '../oracle/facts.js'
import type { Deviation } from '../oracle/judgement.js'
import { isRecord } from '../oracle/reply.js'
import { findingIdOf } from '../oracle/shrink.js'
import { report, type Spotted } from './findings.js'
import { type Draft, isConvicted, noteAttempt, reportQuota, type Trials } from './quota.js'
import { resend } from './replay.js'
import type { Planned, Sent, Session } from './session.js'
import { accountOf, bide, clean, discover, entityOf, pathTo, settle, tokenFor } from './upkeep.js'

export interface ProgramOutcome {
  readonly findings: readonly Finding[]
  /** Why the program did not show its clause, where it did not. */
  readonly untested?: string
  readonly exercised: boolean
  readonly sent: readonly Sent[]
  /** What seemed amiss while others ran beside it, and its own steps until then. */
  readonly doubts?: readonly Doubt[]
}

export interface Doubt {
  readonly deviation: Deviation
  readonly sent: readonly Sent[]
}

/** What a step of the running program made or acted on. */
export interface Subject {
  readonly table: AnyTable
  readonly key: () => string
  readonly path: Readonly<Record<string, string>>
}

/** A program under way. */
export interface Running {
  readonly session: Session
  readonly name: string
  readonly start: Belief
  readonly sent: Sent[]
  readonly subjects: (Subject | undefined)[]
  readonly deviations: Spotted[]
  /** What hooks have begun and not ended, such as a migration, by hook and resource. */
  readonly unended: Map<string, HookStep>
  /** Creations that existed before the program. */
  readonly from: number
}

export const begin = (session: Session, name: string): Running => ({
  session,
  name,
  start: session.belief(),
  sent: [],
  subjects: [],
  deviations: [],
  unended: new Map(),
  from: session.creations.length,
})

/** Reports what a program has shown, puts back what it changed, and removes what it made. */
export const finish = async (
  running: Running,
  stopped?: string,
  clause?: Clause,
  restore: readonly CallStep[] = [],
): Promise<ProgramOutcome> => {
  const { session, sent } = running
  // A program that stopped before its end leaves nothing under way.
  for (const { hook, args } of running.unended.values())
    await session.callHook(running.name, hook, [...args.slice(0, -1), false])
  const restored: Running = { ...running, sent: [], deviations: [] }
  for (const step of restore) await runStep(restored, step, undefined)
  const cleaned = [...restored.sent, ...(await clean(session, `${running.name} (cleaning up)`, running.from))]
  const evidence = stopped === undefined ? evidenceFor(running, clause) : stopped
  const exercised = evidence === true
  const all: Running = { ...running, sent: [...sent, ...cleaned] }
  const late = gather(cleaned, sent.length)
  const doubts = session.isBeside ? doubtsOf(all, [...running.deviations, ...late]) : []
  // Only now, so that what is shown again does not lean on what the program had made.
  const findings = session.isBeside
    ? []
    : [...(await report(running, running.deviations)), ...(await report(all, late))]
  if (clause && exercised) session.held([clause.id], sent.at(-1)?.n ?? 0)
  return {
    findings,
    exercised,
    sent,
    ...(typeof evidence === 'string' && { untested: evidence }),
    ...(doubts.length > 0 && { doubts }),
  }
}

/** What is amiss, but for what has been reported before. */
const doubtsOf = ({ session, sent }: Running, spotted: readonly Spotted[]): readonly Doubt[] =>
  spotted
    .filter(({ deviation }) => !session.found.has(findingIdOf(deviation)))
    .map(({ deviation, at }) => ({ deviation, sent: sent.slice(0, at + 1) }))

const gather = (sent: readonly Sent[], offset: number): readonly Spotted[] =>
  sent.flatMap(({ judgement }, i) => judgement.deviations.map((deviation) => ({ deviation, at: offset + i })))

/** Performs the steps one after another; the text says why it stopped before the end. */
export const performAll = async (
  running: Running,
  steps: readonly Step[],
  clause: Clause | undefined,
): Promise<string | undefined> => {
  const each = async (some: readonly Step[]): Promise<string | undefined> => {
    for (const step of some) {
      const stop = await perform(running, step, clause)
      if (stop !== undefined) return stop
    }
    return undefined
  }
  // A state that passes by itself is met by the very next call: others in between would only take its time.
  const end = steps.findLastIndex(isUnsettled) + 1
  const from = Math.max(0, steps.findIndex(isUnsettled) - 1)
  if (end === 0) return each(steps)
  const stopped = (await each(steps.slice(0, from))) ?? (await prepare(running, steps[from] as Step))
  if (stopped !== undefined) return stopped
  const met = await running.session.undisturbed('everything', () => each(steps.slice(from, end)))
  return met ?? each(steps.slice(end))
}

const isUnsettled = (step: Step): boolean => !('hook' in step) && step.unsettled === true

/** Performs one step of a program; the text says why the program cannot go on. */
export const perform = async (running: Running, step: Step, clause?: Clause): Promise<string | undefined> => {
  if (!('hook' in step)) return runStep(running, step, clause)
  if (!running.session.options.hooks[step.hook]) return `the target file has no hook ${step.hook}`
  const args = resolve(running, step.args) as unknown[]
  await running.session.callHook(running.name, step.hook, args)
  const named = JSON.stringify([step.hook, ...args.slice(0, -1)])
  if (args.at(-1) === true) running.unended.set(named, { ...step, args })
  else running.unended.delete(named)
  running.subjects.push(undefined)
  return undefined
}

const note = (running: Running, sent: readonly Sent[]): void => {
  for (const one of sent) {
    running.sent.push(one)
    for (const deviation of one.judgement.deviations)
      running.deviations.push({ deviation, at: running.sent.length - 1 })
  }
}

/** Waits until what a step names has an id, and has come to rest; the text says what is lacking. */
const prepare = async (running: Running, step: Step): Promise<string | undefined> => {
  if ('hook' in step) return undefined
  const { session, name } = running
  for (const found of refsIn([step.path, step.query, step.body])) {
    const subject = running.subjects[found.$step]
    if (!subject) return `an earlier step made nothing that ${step.operation} could name`
    if (subject.key().startsWith('?'))
      note(running, await discover(session, name, subject.table, subject.path, () => !subject.key().startsWith('?')))
    if (subject.key().startsWith('?')) return `the id of what was made (${subject.table.name}) could not be obtained`
    if (!step.unsettled) note(running, await settle(session, name, subject.table, subject.key(), subject.path))
  }
  return undefined
}

const runStep = async (running: Running, step: CallStep, clause: Clause | undefined): Promise<string | undefined> => {
  const { session, name } = running
  const op = operationById(step.operation)
  if (!op) return `suite defect: no operation ${step.operation}`
  const unready = await prepare(running, step)
  if (unready !== undefined) return unready
  const args = concrete(running, step)
  if (step.patient) await bide(session, op, args)
  const isWatched = op.method !== 'GET' && !step.unwatched
  const sent = await session.send(name, op, args, step.role, (call, outcome) =>
    isWatched ? firstLook(session, op, call, outcome) : undefined,
  )
  const at = running.sent.length
  running.sent.push(sent)
  running.subjects.push(subjectOf(running, op, sent))
  note1(running, await attribute(running, sent, step, clause), at)
  if (isWatched) await lookAfter(running, op, sent)
  if (step.role === 'arrange' && sent.judgement.accepted !== true && op.method !== 'GET')
    return `${op.id} was not accepted while arranging`
  return undefined
}

const note1 = (running: Running, deviations: readonly Deviation[], at: number): void => {
  for (const deviation of deviations) running.deviations.push({ deviation, at })
}

const refsIn = (value: unknown): readonly Ref[] =>
  isRef(value) ? [value] : typeof value === 'object' && value !== null ? Object.values(value).flatMap(refsIn) : []

/** Puts keys and fields of what was made in place of refs. */
const resolve = (running: Running, value: unknown, asText = false): unknown => {
  if (isRef(value)) {
    const subject = running.subjects[value.$step]
    if (!subject) return null
    const key = subject.key()
    if (value.field !== undefined) return entityOf(running.session.world(), subject.table, key)?.[value.field] ?? null
    return asText ? idIn(key) : idValue(key)
  }
  if (Array.isArray(value)) return value.map((item) => resolve(running, item, asText))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, resolve(running, item, asText)]))
  return value
}

const concrete = (running: Running, { role: _, operation: __, ...args }: CallStep): Args => ({
  ...args,
  ...(args.path && { path: resolve(running, args.path, true) as never }),
  ...(args.query && { query: resolve(running, args.query, true) as never }),
  ...(args.body && { body: resolve(running, args.body) as never }),
})

const subjectOf = (running: Running, op: Operation, sent: Sent): Subject | undefined => {
  const { session } = running
  const { path } = sent.call
  if (op.makes && sent.judgement.made !== undefined) {
    const creation = session.creations.at(-1)
    const made = sent.judgement.made
    return { table: op.makes, key: creation && creation.table === op.makes ? creation.key : () => made, path }
  }
  const [name, reference] = Object.entries(op.params).findLast(([, one]) => typeof one === 'object') ?? []
  if (name === undefined || typeof reference !== 'object') return undefined
  const key = keyNamed(session.world(), accountOf(session, sent.call), reference, name, path)
  return key === undefined ? undefined : { table: reference.table, key: () => key, path }
}

/** A refused twin speaks against the clause whose twin it is, but where that is any plain call; a refused creation may be a quota's doing. */
const attribute = async (
  running: Running,
  sent: Sent,
  step: CallStep,
  clause: Clause | undefined,
): Promise<readonly Deviation[]> => {
  const { judgement, op } = sent
  // Where plain calls are accepted, a call that a statement is about, or that shows it, is refused for what it is about.
  const isAbout =
    (clause?.kind === 'statement' || clause?.kind === 'effect') &&
    clause.level === 'must' &&
    running.session.isHeld(`${op.id}.accepts`) &&
    (clause.operation === op.id || running.sent.some((one) => one.op.id === clause.operation && one.judgement.accepted))
  const isRefusedTwin =
    (step.role === 'twin' || (step.role === 'check' && isAbout)) &&
    judgement.accepted === false &&
    judgement.expects === 'accept'
  const { refusals } = running.session
  const deviations = judgement.deviations.map((one) => {
    if (one.clause !== `${op.id}.accepts`) return one
    const refusal = `${op.id} ${one.received}`
    if (isRefusedTwin && clause && clause.kind !== 'general' && clause.kind !== 'token' && !refusals.has(refusal))
      return withinClause(one, clause)
    refusals.add(refusal)
    return one
  })
  noteAttempt(running.session, sent)
  const trials: Trials = {
    isCreated: (other, draft) => isCreated(running, other, draft, sent.call),
    isCreatedAgain: (before) => isCreatedAgain(running, before),
    isCreatedNow: () => isCreated(running, op, () => concrete(running, step)),
  }
  // Beside others too much changes to tell; where it is refused alone as well, that decides.
  if (!judgement.suspect || running.session.isBeside || (await isConvicted(running.session, sent, trials)))
    return deviations
  reportQuota(running.session, op, sent)
  return deviations.filter(
    ({ kind, clause }) => kind !== 'refused' && kind !== 'refused-within' && clause !== `${op.id}.refusal.field`,
  )
}

/** Whether a creation that was accepted before is so again, under new names. */
const isCreatedAgain = async ({ session, name }: Running, before: Sent): Promise<boolean> => {
  const from = session.creations.length
  const { sent } = await resend(session, name, [before], session.options.nonce)
  await clean(session, name, from)
  return sent.at(-1)?.judgement.accepted === true
}

/** Whether a creation is accepted now; where it is to be compared with a call, by the account of that. */
const isCreated = async (running: Running, op: Operation, draft: Draft, by?: WireCall): Promise<boolean> => {
  const { session } = running
  const account = by && accountOf(session, by)
  const from = session.creations.length
  const { steps } = planProgram('a creation to compare with', session.context, (plan) => {
    const other = account === session.options.environment.accounts[0]?.name ? null : tokenFor(session, account)
    if (other !== null) plan.as(other)
    plan.call(op.id, draft(plan))
  })
  const trial: Running = { ...running, sent: [], subjects: [], deviations: [] }
  let accepted: boolean | undefined
  for (const step of steps) {
    const target = 'hook' in step ? undefined : operationById(step.operation)
    if ('hook' in step || !target) continue
    for (const { $step } of refsIn([step.path, step.body])) {
      const subject = trial.subjects[$step]
      if (subject) await settle(session, running.name, subject.table, subject.key(), subject.path)
    }
    const sent = await session.send(running.name, target, concrete(trial, step), 'read')
    noteAttempt(session, sent)
    trial.sent.push(sent)
    trial.subjects.push(subjectOf(trial, target, sent))
    accepted = sent.judgement.accepted
  }
  await clean(session, running.name, from)
  return accepted === true
}

/** Looks at what a write named and made, and at the list, so that an effect that was lost or hidden shows. */
const lookAfter = async (running: Running, op: Operation, sent: Sent): Promise<void> => {
  const { session, name } = running
  const isDecided = sent.judgement.accepted !== undefined
  for (const [i, { table, key, path }] of targetsOf(
    session.world(),
    op,
    sent,
    accountOf(session, sent.call),
  ).entries()) {
    const begun = i === 0 ? sent.begun : undefined
    const entity = entityOf(session.world(), table, key)
    const as = tokenFor(session, entity?.account)
    const view = begun ? [] : viewOf(session, table, entity, path)
    const lister = isDecided && (op.makes === table || op.removes !== undefined) ? listerOf(table) : undefined
    const from = Object.fromEntries(Object.keys(lister?.params ?? {}).map((param) => [param, path[param] ?? '']))
    const list = lister ? [{ op: lister, args: { path: from, as } }] : []
    // What is only arranged is looked for in the list where it has told no id, which may be that of something deleted,
    const isArranged = sent.role === 'arrange' && !key.startsWith('?')
    const reads = [...(await session.sendReads(name, isArranged ? view : [...view, ...list], begun))]
    // and where it cannot be seen by itself.
    const isVanished = reads.some(({ judgement }) => judgement.deviations.some(({ kind }) => kind === 'refused'))
    if (isArranged && isVanished) reads.push(...(await session.sendReads(name, list)))
    const last = op.makes === table ? lastPage(session, table, key, reads.at(-1)) : undefined
    if (last !== undefined)
      reads.push(
        ...(await session.sendReads(
          name,
          list.map(({ op, args }) => ({ op, args: { ...args, query: { page: last } } })),
        )),
      )
    noteReads(running, op, sent, reads)
  }
  for (const { operation, path = sent.call.path, query } of op.looks?.(
    readCall(session.world(), op, sent.call).facts as never,
  ) ?? []) {
    const reader = operationById(operation)
    const args = { path, ...(query && { query }), as: session.mainToken }
    if (reader) noteReads(running, op, sent, [await session.send(name, reader, args, 'read')])
  }
}

/** How to look at a resource. */
const viewOf = (
  session: Session,
  table: AnyTable,
  entity: AnyEntity | undefined,
  path: Readonly<Record<string, string>>,
): readonly Planned[] => {
  const op = viewerOf(table)
  return op && entity && !entity.key.startsWith('?')
    ? [{ op, args: { path: pathTo(op, table, entity, path), as: tokenFor(session, entity.account) } }]
    : []
}

/** The look that follows a write whatever its reply means: at what its path names first, or at what its reply says that it has made. */
const firstLook = (session: Session, op: Operation, call: WireCall, outcome: Outcome): Planned | undefined => {
  const account = accountOf(session, call)
  const body = 'status' in outcome && outcome.status < 300 ? outcome.body : undefined
  const id = op.makes && isRecord(body) ? op.makes.identify(body, call.path, account) : undefined
  // Before anything is looked at after a creation that is refused, others may be tried.
  if (op.makes && id === undefined) return undefined
  const [named] = namedBy(session.world(), op, call, account)
  if (named) return viewOf(session, named.table, entityOf(session.world(), named.table, named.key), call.path)[0]
  if (!op.makes || op.keys || id === undefined) return undefined
  return viewOf(session, op.makes, { key: id, account }, call.path)[0]
}

/** The last page of a list of several, where its first does not show what was made: most lists end with the newest. */
const lastPage = (session: Session, table: AnyTable, key: string, first: Sent | undefined): number | undefined => {
  if (first?.op.reply.kind !== 'page' || !('body' in first.outcome)) return undefined
  const { data, pages } = (first.outcome.body ?? {}) as { readonly data?: unknown; readonly pages?: unknown }
  if (!Array.isArray(data) || !Number.isInteger(pages) || Number(pages) < 2) return undefined
  const isShown = data.some(
    (record) => table.identify(record ?? {}, first.call.path, accountOf(session, first.call)) === idIn(key),
  )
  return isShown ? undefined : Number(pages)
}

interface Target {
  readonly table: AnyTable
  readonly key: string
  readonly path: Readonly<Record<string, string>>
}

/** What the path of a call names. */
const namedBy = (world: World, op: Operation, { path }: WireCall, account: string | undefined): readonly Target[] =>
  Object.entries(op.params).flatMap(([param, reference]) => {
    if (typeof reference !== 'object') return []
    const key = keyNamed(world, account, reference, param, path)
    return key === undefined ? [] : [{ table: reference.table, key, path }]
  })

const targetsOf = (
  world: World,
  op: Operation,
  { call, judgement }: Sent,
  account: string | undefined,
): readonly Target[] => [
  ...namedBy(world, op, call, account),
  ...(op.makes && judgement.made !== undefined ? [{ table: op.makes, key: judgement.made, path: call.path }] : []),
  ...(op.makes && judgement.made === undefined ? [{ table: op.makes, key: '?', path: call.path }] : []),
]

/** What reads show after a refused write, or of a creation that nothing shows, is that write's doing. */
const noteReads = (running: Running, op: Operation, sent: Sent, reads: readonly Sent[]): void => {
  const rule = (slug: string) => clausesOf(op).find(({ id }) => id === `${op.id}.${slug}`)
  const isRefused = sent.judgement.accepted === false
  const isLost =
    op.makes !== undefined &&
    sent.judgement.accepted === true &&
    reads.length > 1 &&
    reads.every(({ judgement }) => judgement.deviations.some(({ kind }) => kind === 'refused' || kind === 'missing'))
  const blamed = isRefused ? rule('refusal.unchanged') : isLost ? rule('takes-effect') : undefined
  for (const read of reads) {
    running.sent.push(read)
    const changes = changesIn(read)
    for (const deviation of read.judgement.deviations)
      running.deviations.push({
        at: running.sent.length - 1,
        deviation: blamed && changes.includes(deviation) ? reblame(deviation, blamed, sent) : deviation,
      })
    if (isRefused && blamed && read.judgement.deviations.length === 0) running.session.held([blamed.id], read.n)
  }
}

/** A refusal that was due in the state last seen did not come, but the state may have passed in between. */
export const unheld = 'the state that makes it due could not be held long enough to show it'

/** What the program shows of its clause: true where it was decisive, else why it was not. */
const evidenceFor = ({ sent, deviations }: Running, clause: Clause | undefined): true | string | undefined => {
  if (!clause) return undefined
  const probes = sent.filter(({ role }) => role === 'probe')
  if (probes.length > 0) {
    if (deviations.some(({ deviation }) => deviation.clause === clause.id)) return undefined
    const vague = probes.find(({ judgement }) => judgement.decisive !== clause.id)
    if (vague)
      return vague.judgement.accepted === true
        ? unheld
        : `the refusal could have another reason: ${vague.judgement.possible.join(', ')}`
    const twins = sent.filter(({ role }) => role === 'twin')
    return twins.length > 0 && twins.every(({ judgement }) => judgement.accepted === true)
      ? true
      : 'its accepted counterpart was not accepted'
  }
  // What an effect changed may be seen first by a look that follows every write.
  const checks = clause.kind === 'effect' ? sent : sent.filter(({ role }) => role === 'check')
  const shown = checks.some(
    ({ judgement }) => judgement.held.includes(clause.id) || judgement.choices.some(({ id }) => id === clause.id),
  )
  return shown || clause.kind === 'general' ? undefined : 'no reply decided it'
}
