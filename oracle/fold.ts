// The one judge: takes in a history entry by entry, keeps the belief, and attributes each deviation to the call that caused it; sends nothing.

import type { CallEntry, EndedEntry, EventsEntry, HookEntry, SurveyedEntry, WalkedEntry } from '../history/entry.js'
import { purposeOf } from '../history/phases.js'
import type { WireCall } from '../history/wire.js'
import { applyHook } from '../models/hooks.js'
import { operationById } from '../models/index.js'
import type { Environment } from '../models/language/environment.js'
import type { Operation } from '../models/language/operation.js'
import type { World } from '../models/language/world.js'
import { tags } from '../models/tags/record.js'
import { receive } from './attribution.js'
import { type Belief, changing, disturbed, isLateAtTimes, worldOf, worldsOf } from './belief.js'
import { type Conclusion, conclude, tellAfterwards } from './conclusion.js'
import { bringBack, type Spotted, spottedIn } from './episode.js'
import type { Awaited } from './events.js'
import { type Explanation, isAllowed } from './explanations/explanation.js'
import { lag } from './explanations/lag.js'
import { overlapping } from './explanations/overlap.js'
import { mayBeQuota, quota, type Trial } from './explanations/quota.js'
import { adjust, episodeOf, type State, startState } from './fold-state.js'
import type { HookWatch } from './hooks.js'
import { assuming, type Deviation, type Judged, type Judgement, undecided } from './judgement.js'
import { isOfWhatIsShown } from './late.js'
import { afterAnyOf, goingOn } from './overflowed.js'
import { judgeOverlaps } from './overlaps.js'
import { adopting, closeTold } from './survey.js'
import { whySilentLater } from './unemitted.js'
import { judgeWalks } from './walks.js'

export interface Fold {
  readonly belief: () => Belief
  /** The likeliest world. */
  readonly world: () => World
  readonly take: (entry: CallEntry) => Judged
  /** Judges calls that were sent at the same time: some order of them must explain every reply. Returns them in that order. */
  readonly takeTogether: (entries: readonly CallEntry[]) => readonly Judged[]
  readonly hook: (entry: HookEntry) => void
  readonly surveyed: (entry: SurveyedEntry) => void
  /** Which events to look for after that call. */
  readonly awaited: (n: number) => readonly Awaited[]
  /** Whether the events of that kind are still counted call by call. */
  readonly isCountedSingly: (event: string) => boolean
  /** Whether a call is not to emit an event for a reason of which it is not known yet that none is emitted. */
  readonly isTelling: (op: Operation, call: WireCall) => boolean
  /** Returns the clauses that held, and whether some did not. */
  readonly heard: (entry: EventsEntry) => Judged | undefined
  /** Returns the clauses that held, what had to be assumed for that, and the last call that showed it. */
  readonly walked: (entry: WalkedEntry) => Pick<Judgement, 'held'> & {
    readonly assumed: readonly string[]
    readonly n: number
  }
  readonly end: (entry: EndedEntry) => Conclusion
  /** At the end of a run: deviations that were held back for hooks that were never seen to work. */
  readonly rest: HookWatch['rest']
  /** What a program that is under way has shown so far. */
  readonly spottedIn: (instance: number) => readonly Spotted[]
  /** The next trial that would tell whether a quota refused that creation; undefined if none would, or none is needed. */
  readonly wanted: (n: number) => { readonly k: number; readonly trial: Trial } | undefined
  /** A trial is over. It came to nothing if it sent no creation. */
  readonly tried: (n: number, k: number) => void
  /** Whether the refusal of that creation is held back because a quota may explain it. */
  readonly isHeldBack: (n: number) => boolean
  /** What explains a deviation that shows only beside other programs, by how the target was seen to behave; undefined where nothing does. */
  readonly besideOthers: (deviation: Deviation) => Explanation | undefined
  /** Why an operation is not to be called any more, as it gives no reply; undefined where it may be. */
  readonly mute: (operation: string) => string | undefined
  /** Why nothing is judged by an operation that is mute, though that is no finding; undefined where there is no such reason. */
  readonly unjudged: (operation: string) => string | undefined
}

/** The most sets of calls of one size that are followed. A race is short, but rounded times allow more orders than there were. */
const mostStates = 200

/** Opens a history of a run against one target. */
export const open = (environment: Environment, { nonce = '' }: { readonly nonce?: string } = {}): Fold => {
  const state = startState(environment, nonce)
  const { suspects, episodes } = state
  return {
    belief: () => state.belief,
    world: () => worldOf(state.belief),
    take: (entry) => take(state, entry),
    takeTogether: (entries) => takeTogether(state, entries),
    hook: (entry) => takeHook(state, entry),
    surveyed: ({ account }) => adjust(state, closeTold(environment, account)),
    isCountedSingly: state.events.isCountedSingly,
    isTelling: (op, call) =>
      op.emits !== undefined && state.events.isTelling(op, whySilentLater(worldOf(state.belief), op, call)),
    awaited: (n) => {
      const judged = state.unheard.get(n)
      return judged ? state.events.awaited(judged) : []
    },
    heard: (entry) => hear(state, entry),
    walked: (entry) => walk(state, entry),
    end: (entry) => {
      if (entry.tells) return tellAfterwards(state, entry, entry.tells)
      const conclusion = conclude(state, entry)
      if (conclusion.isExercised) state.hooks.showed(entry.instance)
      return { ...conclusion, spotted: state.hooks.tellable(conclusion.spotted) }
    },
    rest: state.hooks.rest,
    spottedIn: (instance) => {
      const episode = episodes.get(instance)
      return episode ? spottedIn(episode) : []
    },
    wanted: (n) => suspects.get(n)?.suspicion.wanted(),
    tried: (n, k) => suspects.get(n)?.suspicion.over(k),
    isHeldBack: (n) => {
      const suspected = suspects.get(n)
      if (!suspected) return false
      const isAgainst = suspected.suspicion.isAgainstDocument()
      if (isAgainst) bringBack(suspected)
      return !isAgainst
    },
    besideOthers: (one) => {
      if (isLateAtTimes(state.belief) && isOfWhatIsShown(one)) return lag
      const mayBeFull = isAllowed(environment, quota) && mayBeQuota(one) && operationById(one.operation)?.makes
      return mayBeFull ? quota : undefined
    },
    mute: state.mutes.of,
    unjudged: state.mutes.unjudged,
  }
}

/** The judgement of the hypothesis that leaves the fewest deviations. */
const fewest = <T extends { readonly deviations: readonly unknown[] }>(all: readonly T[]): T =>
  all.reduce((one, other) => (other.deviations.length < one.deviations.length ? other : one))

const take = (state: State, entry: CallEntry): Judged => {
  const episode = purposeOf(entry.phase).counts ? episodeOf(state, entry.instance ?? 0) : undefined
  const isSurvey = entry.phase === 'survey'
  if (isSurvey) adjust(state, adopting)
  const observed = state.resent.lookAlone(state.belief, entry)
  state.belief = goingOn(state.belief, observed.belief, [observed.judgement])
  state.missing.note(entry, observed.judgement)
  state.marks.note(entry, observed.judgement)
  // A look that shows a mark makes it known anew.
  if ('table' in entry.op.reply && entry.op.reply.table === tags) adjust(state, state.marks.doubted)
  // What is tried again has to show it of what it makes itself.
  if (entry.phase === 'confirm') adjust(state, state.missing.doubted)
  if (isSurvey) adjust(state, state.survey(entry, observed.judgement.accepted))
  return receive(state, entry, observed.judgement, episode)
}

const takeTogether = (state: State, entries: readonly CallEntry[]): readonly Judged[] => {
  const [first] = entries
  if (!first) return []
  const episode = episodeOf(state, first.instance ?? 0)
  episode.isRaced = true
  const calls = [...entries].sort((a, b) => a.n - b.n)
  const timed = calls.map((entry) => ({ observation: entry, startedAt: entry.startedAt, endedAt: entry.endedAt }))
  const before = state.belief
  const raced = judgeOverlaps(before, timed, { observe: overlapping(state.look), mostStates })
  state.belief = goingOn(before, raced.belief, raced.judgements)
  if (raced.verdict === 'inconclusive') {
    // Their effect is unknown, so nothing that follows can contradict it.
    state.belief = afterAnyOf(before, calls)
    return calls.map((entry) => receive(state, entry, undecided(worldOf(before)), episode))
  }
  for (const [i, judgement] of raced.judgements.entries())
    state.resent.noteBeside(before, calls[i] as CallEntry, judgement)
  return raced.order.map((i) => receive(state, calls[i] as CallEntry, raced.judgements[i] as Judgement, episode))
}

const takeHook = (state: State, entry: HookEntry): void => {
  if (entry.instance !== undefined) {
    episodeOf(state, entry.instance)
    state.hooks.called(entry.instance, entry.hook)
  }
  const before = worldOf(state.belief)
  adjust(state, hooked(entry))
  const by = { name: `hook ${entry.hook}`, instance: entry.instance }
  state.belief = disturbed(changing(state.belief, before, entry.endedAt, by))
  state.events.disturb()
}

/** Takes in the events that were read after a call. */
const hear = (state: State, entry: EventsEntry): Judged | undefined => {
  const judged = state.unheard.get(entry.n)
  if (!judged) return undefined
  state.unheard.delete(entry.n)
  const told = state.events.hear(judged, entry)
  judged.deviations = [...judged.deviations, ...told.deviations]
  judged.held = [...judged.held, ...told.held]
  judged.judgement = assuming(judged.judgement, ...(told.assumed ?? []))
  if (told.deviations.length > 0) {
    judged.verdict = 'finding'
    const deviations = [...judged.judgement.deviations, ...told.deviations]
    judged.judgement = { ...judged.judgement, verdict: 'finding', deviations }
  }
  for (const id of told.held) state.held.add(id)
  if (Object.values(entry.further).some((more) => more > 0)) state.hooks.prove('readEvents')
  return judged
}

const walk = (state: State, { instance, walks }: WalkedEntry): ReturnType<Fold['walked']> => {
  const steps = state.episodes.get(instance)?.steps ?? []
  const pages = walks.map((numbers) => steps.filter(({ n }) => numbers.includes(n)))
  const told = fewest(worldsOf(state.belief).map(({ world, assumed }) => ({ assumed, ...judgeWalks(world, pages) })))
  const last = steps.at(-1)
  if (last) last.deviations = [...last.deviations, ...told.deviations]
  for (const id of told.held) state.held.add(id)
  return { ...told, n: walks.at(-1)?.at(-1) ?? 0 }
}

/** The change that a hook brought about. */
export const hooked =
  ({ n, hook, args }: HookEntry): ((world: World) => World) =>
  (world) => {
    try {
      return applyHook({ ...world, step: n, operation: `hook ${hook}` }, hook, args)
    } catch {
      // A hook with arguments that make no sense changes nothing that the model knows of.
      return world
    }
  }
