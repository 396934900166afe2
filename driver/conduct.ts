// Runs programs in a session: fills in what earlier steps made, waits for rest, looks at what a write did, and reports findings and evidence.

import isEqual from 'fast-deep-equal'
import { likeness, refsIn } from '../arbitraries/likeness.js'
import { buildCall, recorded } from '../history/calls.js'
import type { Origin } from '../history/entry.js'
import { bodyOf, isAccepted } from '../history/outcomes.js'
import type { Finding } from '../history/record.js'
import type { Outcome, WireCall } from '../history/wire.js'
import { listerOf, operationById } from '../models/index.js'
import { memoised } from '../models/language/memoised.js'
import { isObject } from '../models/language/objects.js'
import type { AnyTable, Operation } from '../models/language/operation.js'
import type { Args, CallStep, Step } from '../models/language/plan.js'
import { referencesOf } from '../models/language/references.js'
import { type AnyEntity, idIn, isLatent, type Path, type World } from '../models/language/world.js'
import { certain, type Expectation } from '../oracle/due.js'
import { keyNamed, readCall } from '../oracle/facts.js'
import { expectationOf } from '../oracle/judge.js'
import type { Deviation } from '../oracle/judgement.js'
import { clean, tellGone } from './clean-up.js'
import { report } from './findings.js'
import { HookError } from './hooks.js'
import { accountOf, entityOf, pathOfList, tokenFor, viewing } from './paths.js'
import { reportQuota, tryQuota } from './quota.js'
import { bide, settle } from './rest.js'
import { concrete, type Running, resolve, subjectOf } from './running.js'
import type { Planned, Sent, Session } from './session.js'
import { discover } from './survey.js'

export interface ProgramOutcome {
  readonly findings: readonly Finding[]
  /** Why the program did not show its clause, where it did not. */
  readonly untested?: string
  /** Set where it did not because of what others may do to the target. */
  readonly mayBeOthers?: true
  readonly exercised: boolean
  /** Set where an update may have come a second time: the program is to run again. */
  readonly isUndone?: true
  readonly sent: readonly Sent[]
  /** Deviations seen while other programs ran beside it. */
  readonly doubts: readonly Deviation[]
  /** Reports deviations that did not show again alone, if other programs cannot have caused them. */
  readonly insist?: (doubt: Deviation) => Promise<readonly Finding[]>
}

/** Reports what a program has shown, puts back what it changed, and removes what it made. */
export const finish = async (
  running: Running,
  stopped?: string,
  restore: readonly CallStep[] = [],
): Promise<ProgramOutcome> => {
  const { spotted, doubts, isExercised, untested, mayBeOthers, isUndone } = await close(running, stopped, restore)
  // Only now, so that showing a finding again does not depend on what the program made.
  const findings = await report(running, spotted)
  return {
    findings,
    exercised: isExercised,
    sent: running.sent,
    doubts,
    ...(untested !== undefined && { untested }),
    ...(mayBeOthers && { mayBeOthers }),
    ...(isUndone && { isUndone }),
  }
}

/** Puts back what a program changed and removes what it made, and reports nothing. */
export const close = async (running: Running, stopped?: string, restore: readonly CallStep[] = []) => {
  const { session, origin } = running
  // A program that stopped before its end leaves nothing under way.
  for (const { hook, args } of running.unended.values())
    await hookFailure(session.callHook(origin, hook, [...args.slice(0, -1), false]))
  await restoreAll(running, restore)
  await clean(session, { ...origin, phase: 'clean-up' }, running.from)
  tellGone(session)
  const { program, instance, beside, clause, phase } = origin
  return session.end({
    program,
    instance,
    ...(beside && { beside }),
    ...(clause !== undefined && { clause }),
    ...(phase !== undefined && { phase }),
    ...(stopped !== undefined && { stopped }),
  })
}

/** Puts back the fixtures that a program changed, then looks at each of them once. */
export const restoreAll = async (running: Running, steps: readonly CallStep[] = []): Promise<void> => {
  const { session } = running
  const origin = { ...running.origin, phase: 'restore' as const }
  const restoring: Running = { ...running, origin, sent: [], looked: new Set() }
  const last = steps.length - 1
  for (const [i, step] of steps.entries()) await runStep(restoring, i < last ? { ...step, unwatched: true } : step)
  const writes = restoring.sent.filter(({ op, phase }) => op.method !== 'GET' && phase === 'restore')
  await session.each(writes.slice(0, -1), (sent) => lookAfter(restoring, sent.op, sent))
}

/** Performs the steps one after another; the text says why it stopped before the end. */
export const performAll = async (running: Running, steps: readonly Step[]): Promise<string | undefined> => {
  for (const [i, step] of steps.entries()) {
    await running.session.tend()
    const stop = await perform(running, isSeenWith(step, steps[i + 1]) ? { ...step, unwatched: true } : step)
    if (stop !== undefined) return stop
  }
  return undefined
}

/** Whether the look after the next step shows what this one may have changed as well: both are refused, and are about the same. */
const isSeenWith = (step: Step, next: Step | undefined): step is CallStep =>
  next !== undefined &&
  !('hook' in step || 'hook' in next) &&
  step.role === 'probe' &&
  next.role === 'probe' &&
  step.operation === next.operation &&
  (step.as === next.as || operationById(step.operation)?.makes === undefined) &&
  isEqual(step.path, next.path) &&
  next.fuller === undefined &&
  !next.unwatched

/** Performs one step of a program; the text says why the program cannot go on. */
export const perform = async (running: Running, step: Step): Promise<string | undefined> => {
  if (running.session.isOver()) return 'the run was over'
  if (!('hook' in step)) return isLeftOut(running, step) ? undefined : runStep(running, step)
  if (!running.session.options.hooks[step.hook]) return `the target file has no hook ${step.hook}`
  const args = resolve(running, step.args)
  const failed = await hookFailure(running.session.callHook(running.origin, step.hook, args))
  if (failed !== undefined) return failed
  const named = JSON.stringify([step.hook, ...args.slice(0, -1)])
  if (args.at(-1) === true) running.unended.set(named, { ...step, args })
  else running.unended.delete(named)
  running.subjects.push(undefined)
  return undefined
}

const isLeftOut = ({ accepted, subjects }: Running, { unless, provided }: CallStep): boolean => {
  const isOut = (unless !== undefined && accepted.has(unless)) || (provided !== undefined && !accepted.has(provided))
  if (isOut) subjects.push(undefined)
  return isOut
}

/** Why a hook failed; undefined if it did not. */
const hookFailure = (called: Promise<void>): Promise<string | undefined> =>
  called.then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof HookError) return error.message
      throw error
    },
  )

const runStep = async (running: Running, step: CallStep): Promise<string | undefined> => {
  const { session, origin } = running
  const op = operationById(step.operation)
  if (!op) return `suite defect: no operation ${step.operation}`
  const silent = session.fold.silence(op.id)
  if (silent !== undefined) return silent
  const unready = await makeReady(running, op, step)
  if (unready !== undefined) return unready
  const args = fullerArgs(session, op, concrete(running, step), step)
  if (args === undefined) return void running.subjects.push(undefined)
  if (step.patient) await bide(session, op, args)
  const isWatched = op.method !== 'GET' && !step.unwatched && !isFamiliar(running, op, step)
  const sent = await session.send(origin, op, args, step.role, (call, outcome) =>
    isWatched ? firstLook(session, op, call, outcome) : undefined,
  )
  running.sent.push(sent)
  if (sent.judgement.accepted === true) running.accepted.add(running.subjects.length)
  running.subjects.push(subjectOf(running, op, sent))
  if (await tryQuota(running, sent, step)) reportQuota(session, op, sent)
  if (isWatched) {
    await lookAfter(running, op, sent)
    noteLook(running, op, step)
  }
  if (step.role === 'arrange' && sent.judgement.accepted !== true && op.method !== 'GET')
    return `${op.id} was not accepted while arranging`
  return undefined
}

/**
 * The call with the further members, or else with each that leaves it refused for the same reasons; undefined where there is none
 * such. As a check it is the call with all of them, where it is refused as surely, whatever else is open.
 */
const fullerArgs = (session: Session, op: Operation, args: Args, { role, fuller }: CallStep): Args | undefined => {
  if (!fuller) return args
  const expected = (given: Args): Expectation =>
    expectationOf(session.world(), op, recorded(buildCall(op, given, session.options.attachmentField)))
  const plain = expected(args)
  if (plain.kind !== 'refuse') return undefined
  const all = { ...args, body: { ...args.body, ...fuller } }
  if (role === 'check') return isEqual(surely(expected(all)), surely(plain)) ? all : undefined
  if (isEqual(expected(all), plain)) return all
  let more = args
  for (const [name, value] of Object.entries(fuller)) {
    const next = { ...more, body: { ...more.body, [name]: value } }
    if (isEqual(expected(next), plain)) more = next
  }
  return more === args ? undefined : more
}

const surely = (expectation: Expectation): readonly string[] => certain(expectation).map(({ clause }) => clause.id)

/** Makes sure that everything a step names has an id and has come to rest; the text says why that is impossible. */
export const makeReady = async (running: Running, op: Operation, step: CallStep): Promise<string | undefined> => {
  const { session, origin, sent } = running
  for (const found of refsIn([step.path, step.query, step.body])) {
    const subject = running.subjects[found.$step]
    if (!subject) return `an earlier step made nothing that ${op.id} could name`
    const { table, key, path } = subject
    const isTold = (): boolean => !isLatent(key())
    if (!isTold()) sent.push(...(await discover(session, origin, table, path, isTold)))
    if (!isTold()) return `the id of what was made (${table.name}) could not be obtained`
    if (!step.unsettled) sent.push(...(await settle(session, origin, table, key(), path)))
  }
  return undefined
}

/** How often the effect of equal calls is looked at that no clause is about, while they do what they have to. */
const mostAlike = 3

/** Looks so far in a run, by what was alike. */
const looksIn = memoised((_: Session['fold']) => new Map<string, number>())

const nameOf = ({ context }: Session, op: Operation, { body, as }: CallStep): string =>
  likeness([op.id, as, body], context.nonce)

/** Whether a call only serves others: it arranges, puts back, or is an accepted twin. */
const isAside = ({ origin }: Running, { role }: CallStep): boolean =>
  role === 'arrange' || role === 'twin' || origin.phase === 'restore'

/** Whether the effect of equal calls was seen often enough. What this one does shows in later calls. */
const isFamiliar = (running: Running, op: Operation, step: CallStep): boolean =>
  isAside(running, step) && (looksIn(running.session.fold).get(nameOf(running.session, op, step)) ?? 0) >= mostAlike

const noteLook = (running: Running, op: Operation, step: CallStep): void => {
  if (isAside(running, step)) countLook(running, nameOf(running.session, op, step))
}

/** Once one such call has not done what it has to, every one is looked at. */
const countLook = ({ session, origin }: Running, name: string): void => {
  const looks = looksIn(session.fold)
  const isAmiss = session.fold.spottedIn(origin.instance).length > 0
  looks.set(name, isAmiss ? Number.NEGATIVE_INFINITY : (looks.get(name) ?? 0) + 1)
}

/** Identifies a creation or removal by the caller and the given members. */
const nameOfList = ({ session }: Running, { op, call, judgement }: Sent): string => {
  const members = Object.entries((call.body ?? {}) as object).flatMap(([name, value]) => [
    name,
    ...(isObject(value) ? Object.keys(value) : []),
  ])
  return likeness([op.id, call.as, judgement.accepted, members.sort(), 'list'], session.context.nonce)
}

/** Whether lists have shown often enough what such calls make or remove. This one is only looked at by itself then. */
const isListFamiliar = (running: Running, sent: Sent, look: unknown): boolean =>
  look !== undefined &&
  sent.judgement.accepted === true &&
  (looksIn(running.session.fold).get(nameOfList(running, sent)) ?? 0) >= mostAlike

/** Looks at what a write named and made, and at the list, so that an effect that was lost or hidden shows. */
export const lookAfter = async (running: Running, op: Operation, sent: Sent): Promise<void> => {
  const { session } = running
  const origin = { ...running.origin, phase: 'look', after: sent.n } as const
  const targets = targetsOf(session.world(), op, sent, accountOf(session, sent.call))
  const seen = await session.each([...targets.entries()], ([i, target]) =>
    lookAt(running, origin, sent, target, i === 0 ? sent.begun : undefined),
  )
  running.sent.push(...seen.flat())
  const looks = op.looks?.(readCall(session.world(), op, sent.call).facts) ?? []
  const reads = looks.flatMap(({ operation, path = sent.call.path, query, account }): readonly Planned[] => {
    const reader = operationById(operation)
    const as = account === undefined ? session.mainToken : tokenFor(session, account)
    const args = { path, ...(query && { query }), as }
    return reader && isNew(running, { op: reader, args }) ? [{ op: reader, args }] : []
  })
  running.sent.push(...(await session.sendReads(origin, reads)))
}

/** Looks at one resource, or continues a look that has begun, and at the list that a write has made longer or shorter. */
const lookAt = async (
  running: Running,
  origin: Origin,
  sent: Sent,
  { table, key, path }: Target,
  begun: Sent['begun'],
): Promise<readonly Sent[]> => {
  const { session } = running
  const entity = entityOf(session.world(), table, key)
  const view = begun ? [] : viewOf(session, table, entity, path)
  const list = isListFamiliar(running, sent, begun ?? view[0]) ? [] : listingOf(session, sent, table, entity, path)
  // What is only arranged is looked for in the list where it has told no id, which may be that of something deleted,
  const isArranged = sent.role === 'arrange' && !isLatent(key)
  const looks = (isArranged ? view : [...view, ...list]).filter((one) => isNew(running, one))
  const reads = [...(await session.sendReads(origin, looks, begun))]
  // and where it cannot be seen by itself.
  const isVanished = reads.some(({ judgement }) => judgement.deviations.some(({ kind }) => kind === 'refused'))
  if (list.length > 0 && !isArranged) countLook(running, nameOfList(running, sent))
  if (isArranged && isVanished) reads.push(...(await session.sendReads(origin, list)))
  const last = sent.op.makes === table ? lastPage(session, table, key, reads.at(-1)) : undefined
  if (last === undefined) return reads
  const onLast = list.map(({ op, args }) => ({ op, args: { ...args, query: { page: last } } }))
  return [...reads, ...(await session.sendReads(origin, onLast))]
}

/** The list that shows what a decided write has made or removed. */
const listingOf = (
  session: Session,
  { op, call, judgement }: Sent,
  table: AnyTable,
  entity: AnyEntity | undefined,
  path: Path,
): readonly Planned[] => {
  const isListed = judgement.accepted !== undefined && (op.makes === table || op.removes !== undefined)
  const lister = isListed ? listerOf(table) : undefined
  if (!lister) return []
  const { account } = entity ?? { account: accountOf(session, call) }
  return [{ op: lister, args: { path: pathOfList(lister, path), as: tokenFor(session, account) } }]
}

/** Whether a look is still to be sent, where one look serves for several calls. */
const isNew = ({ looked }: Running, { op, args }: Planned): boolean => {
  if (!looked) return true
  const key = JSON.stringify([op.id, args])
  return !looked.has(key) && looked.add(key) !== undefined
}

/** How to look at a resource. */
const viewOf = (session: Session, table: AnyTable, entity: AnyEntity | undefined, path: Path): readonly Planned[] => {
  const look = entity && !isLatent(entity.key) ? viewing(session, table, entity, path) : undefined
  return look ? [look] : []
}

/** The look that follows a write whatever its reply means: at the entity that its path names first, or that its reply says it has made. */
const firstLook = (session: Session, op: Operation, call: WireCall, outcome: Outcome): Planned | undefined => {
  const account = accountOf(session, call)
  const body = isAccepted(outcome) ? bodyOf(outcome) : undefined
  const { facts } = readCall(session.world(), op, call)
  const isTold = isObject(body) && op.answersElse?.(facts, body) !== true
  const id = op.makes && isTold ? op.makes.identify(body, call.path, account) : undefined
  // After a refused creation, trials of a quota come before the look.
  if (op.makes && id === undefined) return undefined
  const [named] = namedBy(session.world(), op, call, account)
  if (named) return viewOf(session, named.table, entityOf(session.world(), named.table, named.key), call.path)[0]
  if (!op.makes || op.keys || id === undefined) return undefined
  return viewOf(session, op.makes, { key: id, account }, call.path)[0]
}

/** The last of several pages, if the first does not show what was made: most lists end with the newest. */
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
  readonly path: Path
}

/** The entities that the path of a call names. */
const namedBy = (world: World, op: Operation, { path }: WireCall, account: string | undefined): readonly Target[] =>
  referencesOf(op).flatMap(([param, reference]) => {
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
