// Removes what a sweep has found, and tries again where no reply tells that it is gone.

import { isAbsent, isAccepted } from '../history/outcomes.js'
import type { Outcome } from '../history/wire.js'
import { operationById, viewerOf } from '../models/index.js'
import { nameOf } from '../models/language/names.js'
import type { Operation } from '../models/language/operation.js'
import {
  callOf,
  enderOf,
  endOf,
  type Item,
  isForbidden,
  isItem,
  isListed,
  look,
  type SweepOptions,
  type Swept,
  tellsNothing,
  toldOf,
} from './leftovers.js'
import { outcomeText, recordOf, type TargetAccess } from './target-access.js'

/** How long it is before something is removed again of which no reply tells that it is gone, and for how long that is done in all. */
const pausesMs = [100, 400, 1600]

/** The same for what a reply says is gone and its list still shows, which may be late. */
const pausesOfListedMs = [...pausesMs, 6400]

const patienceMs = 10_000

/** What is waited in all for what is not removed in the end; a target that lets nothing be removed is not waited for each time. */
export interface Patience {
  /** Whether it lasted for this pause; where not, nothing was waited for. */
  readonly rest: (ms: number) => Promise<boolean>
  /** Restores what was waited for something that is gone then. */
  readonly restore: (ms: number) => void
}

export const createRemovalPatience = ({ sleep }: TargetAccess): Patience => {
  let leftMs = patienceMs
  return {
    rest: async (ms) => {
      if (leftMs < ms) return false
      leftMs -= ms
      await sleep(ms)
      return true
    },
    restore: (ms) => {
      leftMs += ms
    },
  }
}

/** How long it is each time before a removal with this end is tried again. */
const pausesAfter = (outcome: Outcome): readonly number[] => {
  if (isAbsent(outcome)) return pausesOfListedMs
  return tellsNothing(outcome) || isForbidden(outcome) ? pausesMs : []
}

/** Removes something; where no reply came, once more if it is there still and is still what it was. */
export const remove = async (options: SweepOptions, item: Item, patience: Patience): Promise<Swept> => {
  const remover = enderOf(item.table)
  if (!remover) return toldOf(item, 'stays', 'the interface has no operation that removes it')
  let there = item
  let waitedMs = 0
  const gone = (): Swept => {
    patience.restore(waitedMs)
    return toldOf(there, 'removed', endOf(there))
  }
  for (let time = 0; ; time += 1) {
    const failure = await removeOnce(options, remover, there, time % 2 === 1)
    if (!failure) return gone()
    const told = toldOf(there, 'failed', saidOf(failure))
    // What is only put to rest may be at rest already: a record does not tell that in words that are known.
    if (item.table.permanent && !tellsNothing(failure.outcome)) return { ...told, result: 'stays' }
    const pauseMs = pausesAfter(failure.outcome)[time]
    if (pauseMs === undefined || !(await patience.rest(pauseMs))) return told
    waitedMs += pauseMs
    const now = await look(options, there, nameOf(there.entity))
    if (!now) return gone()
    if (!isItem(now)) return now
    there = now
  }
}

/** A call that was not accepted. */
interface Failure {
  readonly op: Operation
  readonly outcome: Outcome
}

const saidOf = ({ op, outcome }: Failure): string =>
  `${op.id}: ${outcomeText(outcome)}${isAbsent(outcome) ? ', though its list shows it' : ''}`

/**
 * The call by which it was not removed; undefined where it is gone. What it is not released from does not keep it from being gone: a list
 * may have shown it that is late.
 */
const removeOnce = async (
  options: SweepOptions,
  remover: Operation,
  item: Item,
  isOutOfStep: boolean,
): Promise<Failure | undefined> => {
  const send = async (op: Operation): Promise<Failure | undefined> => {
    const outcome = await options.access.call(op, { path: callOf(op, item).path, as: item.token })
    return isAccepted(outcome) ? undefined : { op, outcome }
  }
  const failures: Failure[] = []
  for (const id of item.table.release?.(item.entity) ?? [])
    failures.push(...some(await send(operationById(id) as Operation)))
  await settle(options, item)
  if (isOutOfStep) await readOnce(options, item)
  const last = await send(remover)
  // What can only be put to rest is there in any case.
  if (!last || (!item.table.permanent && !(await mayBeThere(options, item, last.outcome)))) return undefined
  const all = [...failures, last]
  // One after which it is tried again comes before the reason why it was not released.
  const again = [tellsNothing, isForbidden].map((isSuch) => all.find(({ outcome }) => isSuch(outcome)))
  return again.find((one) => one !== undefined) ?? all[0]
}

/**
 * A gateway one of whose two nodes is down passes on every other call: a read is sent again until it is passed on, and the write after it
 * never is, but after a read that is sent once.
 */
const readOnce = async ({ access }: SweepOptions, item: Item): Promise<void> => {
  const viewer = viewerOf(item.table)
  if (viewer) await access.call(viewer, { path: callOf(viewer, item).path, as: item.token }, 'once')
}

const some = <T>(one: T | undefined): readonly T[] => (one === undefined ? [] : [one])

/** Whether what was refused to be removed may be there all the same. That it is not there is believed unless its list shows it. */
const mayBeThere = async (options: SweepOptions, item: Item, outcome: Outcome): Promise<boolean> => {
  if (!('status' in outcome) || tellsNothing(outcome)) return true
  const listed = await isListed(options, item)
  return isAbsent(outcome) ? listed === true : listed !== false
}

/** Waits until it has come to rest, at most as long as the target file allows. */
const settle = async ({ access, target }: SweepOptions, item: Item): Promise<void> => {
  const viewer = viewerOf(item.table)
  const { settled } = item.table
  if (!viewer || !settled) return
  const deadline = access.clock() + target.pace.settleMs
  for (let pause = 5; ; pause = Math.min(pause * 2, 2000)) {
    const record = recordOf(await access.call(viewer, { path: callOf(viewer, item).path, as: item.token }))
    if (!record || settled({ ...item.entity, ...record }) || access.clock() > deadline) return
    await access.sleep(pause)
  }
}
