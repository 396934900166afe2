// Tells a target in whose place something else answers for a while, as in a maintenance, from one that is at fault; finds nothing.

import { buildCall, recorded, type SendableCall } from '../history/calls.js'
import { isAccepted } from '../history/outcomes.js'
import type { Outcome, WireCall } from '../history/wire.js'
import { isObject } from '../models/language/objects.js'
import { isListed, type Operation } from '../models/language/operation.js'
import type { World } from '../models/language/world.js'
import { isAllowed, traceOf } from '../oracle/explanations/explanation.js'
import { gateway } from '../oracle/explanations/gateway.js'
import { judge } from '../oracle/judge.js'
import { silenceOf } from './answers.js'
import { longerMs } from './expiry.js'
import type { SessionOptions } from './session.js'

interface Asked {
  readonly op: Operation
  readonly call: SendableCall
  readonly wire: WireCall
  readonly step: number
}

/** A list that was given to a token. */
interface Control {
  readonly op: Operation
  readonly as: string
}

interface Options extends Pick<SessionOptions, 'environment' | 'transport' | 'emit' | 'sleep'> {
  readonly world: () => World
  /** Whether nothing more is waited for: the run is over, or the target is asked no more. */
  readonly isOver: () => boolean
  /** Told why the target is asked no more. */
  readonly giveUp: (why: string) => void
}

type Reply = Extract<Outcome, { readonly status: number }>

/** So many reads in a row are answered alike before it counts as such: one may be by chance. */
const mostControls = 2
/** So often a refusal by an operation is asked about in vain; it is its own then. */
const mostRefused = 3
/** So often a call is sent again. */
const mostAgain = 5
const longestText = 2000
/** So much of it is told; numbers stand there as 0. */
const longestTold = 200

/** What a reply says, whatever it counts or names by a number. */
const wordsOf = ({ status, body, text }: Reply): string =>
  `${status} ${(JSON.stringify(body) ?? text ?? '').slice(0, longestText).replaceAll(/\d+/g, '0')}`

/** Whether an accepted reply has next to nothing of what the operation replies, or may have as its form is not given. */
const isUnlike = ({ reply }: Operation, body: unknown): boolean => {
  if (!isObject(body)) return reply.kind !== 'empty' && body === undefined
  if (reply.kind === 'record') {
    const { fields } = reply.table
    return 2 * fields.filter((name) => name in body).length < fields.length
  }
  if (isListed(reply)) return !Object.values(body).some(Array.isArray)
  return reply.kind === 'any' || Object.keys(body).length > 0
}

/** Replies of an operation that are asked about together, and how often. */
const kindOf = ({ op }: Asked, reply: Reply): readonly [name: string, most: number] =>
  isAccepted(reply)
    ? [`${op.id} ${reply.status} ${isObject(reply.body) ? Object.keys(reply.body) : ''}`, 1]
    : [`${op.id} ${wordsOf(reply)}`, mostRefused]

/** Keeps the lists that were given. */
const createControls = () => {
  /** The latest one last. */
  const given = new Map<string, Control>()
  return {
    note: ({ op, call: { as } }: Asked, outcome: Outcome): void => {
      if (as === null || !isListed(op.reply) || Object.keys(op.params).length > 0 || !isAccepted(outcome)) return
      given.delete(`${op.id} ${as}`)
      given.set(`${op.id} ${as}`, { op, as })
    },
    /** By other operations, of other areas first, for the token of the call where it was given any. */
    beside: ({ op, call }: Asked): readonly Control[] =>
      [...given.values()]
        .reverse()
        .filter((one) => one.op !== op)
        .sort(
          (a, b) =>
            Number(a.op.area === op.area) - Number(b.op.area === op.area) ||
            Number(b.as === call.as) - Number(a.as === call.as),
        )
        .slice(0, mostControls),
  }
}

/** Asks for the lists, and waits until they are given again. */
const createWatch = (
  { transport, sleep, isOver, giveUp }: Options,
  isWrong: (asked: Omit<Asked, 'call'>, reply: Reply) => boolean,
) => {
  /** Whether each of the lists is answered by the same words now, and is wrong by them. */
  const isAlike = async (step: number, lists: readonly Control[], words: string): Promise<boolean> => {
    for (const { op, as } of lists) {
      const call = buildCall(op, { as })
      const again = await transport.send(call, step)
      if (!('status' in again) || wordsOf(again) !== words) return false
      if (!isWrong({ op, wire: recorded(call), step }, again)) return false
    }
    return lists.length > 0
  }
  const wait = async (step: number, lists: readonly Control[], words: string): Promise<void> => {
    for (const pauseMs of longerMs.slice(1)) {
      if (isOver()) return
      await sleep(pauseMs)
      if (!(await isAlike(step, lists, words))) return
    }
    giveUp(
      `answers every call alike since step ${step}, among them GET ${lists[0]?.op.path}, which it had given before (${words.slice(0, longestTold)}): see what stands at its address now, and whether it allows fewer requests (then lower pace.rate)`,
    )
  }
  return { isAlike, wait }
}

/**
 * Sends calls. Where a reply is wrong in a way that may be that of anything, lists are asked for that were given before. If they are
 * answered by the same words, against the document, something else answers in its place: nothing is sent until they are given again.
 */
export const createStandIns = (options: Options) => {
  const { environment, transport, emit, world, isOver } = options
  const isShielded = isAllowed(environment, gateway)
  const controls = createControls()
  const inVain = new Map<string, number>()
  const known = new Set<string>()
  let waiting: Promise<void> | undefined

  const isWrong = ({ op, wire, step }: Omit<Asked, 'call'>, reply: Reply): boolean =>
    isAccepted(reply)
      ? isUnlike(op, reply.body)
      : reply.status >= 400 && reply.status < 500 && judge(world(), op, wire, reply, step).deviations.length > 0
  const { isAlike, wait } = createWatch(options, isWrong)

  const mayBeOfOthers = (asked: Asked, reply: Reply): boolean => known.has(wordsOf(reply)) || isWrong(asked, reply)

  /** Whether the target was not itself when it gave a reply. It is again then, or is asked no more. */
  const wasAnother = async (asked: Asked, reply: Reply): Promise<boolean> => {
    const words = wordsOf(reply)
    const [name, most] = kindOf(asked, reply)
    const times = inVain.get(name) ?? 0
    if (waiting === undefined || !known.has(words)) {
      if (times >= most && !known.has(words)) return false
      const lists = controls.beside(asked)
      if (!(await isAlike(asked.step, lists, words))) {
        inVain.set(name, times + 1)
        // It may have come to itself just now.
        return times < most && known.has(words)
      }
      known.add(words)
      waiting ??= wait(asked.step, lists, words).finally(() => {
        waiting = undefined
      })
    }
    await waiting
    return true
  }

  const send = async (asked: Asked): Promise<Outcome> => {
    for (let times = 0; ; times += 1) {
      await waiting
      const outcome = await transport.send(asked.call, asked.step)
      const isDoubtful = isShielded && times < mostAgain && 'status' in outcome && mayBeOfOthers(asked, outcome)
      if (!isDoubtful) controls.note(asked, outcome)
      if (!isDoubtful || !(await wasAnother(asked, outcome))) return outcome
      emit({ type: 'assumed', n: asked.step, assumed: traceOf(gateway, outcome.status) })
      // What was not refused may have been done. Where nothing more is waited for, no reply of the target's own will come.
      const mayBeDone = asked.op.method !== 'GET' && isAccepted(outcome)
      if (mayBeDone || isOver()) return { lost: 'foreign', detail: silenceOf(outcome) }
    }
  }
  return { send }
}
