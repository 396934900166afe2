// What a fold over a history keeps: the belief, the programs under way, and the watches that attribute deviations.

import type { Environment } from '../models/language/environment.js'
import { getOrInsert } from '../models/language/get-or-insert.js'
import type { World } from '../models/language/world.js'
import { startWorld } from '../models/start.js'
import { adjusted, believe, patiently } from './belief.js'
import { createConfirmations } from './confirmation.js'
import type { Episode, Laid, Spotted, Suspected } from './episode.js'
import { createEventJudge } from './events.js'
import { observeOnShared } from './explanations/interference.js'
import { createQuotaWatch } from './explanations/quota.js'
import { createResent, followingRemovals } from './explanations/resent.js'
import { guarded } from './guarded.js'
import { createHookWatch } from './hooks.js'
import type { Judged } from './judgement.js'
import { createMarks } from './marks.js'
import { createMissing } from './missing.js'
import { createMutes } from './mute.js'
import { observe } from './observe.js'
import { createSurveyor } from './survey.js'

/** The most calls that wait for their events: more than are sent while an event is late. */
const mostUnheard = 1024

/** The state of a history so far. */
export type State = ReturnType<typeof startState>

/** The state before the first entry. */
export const startState = (environment: Environment, nonce: string) => {
  const look = guarded(followingRemovals(environment.exclusive ? observe : observeOnShared))
  return {
    environment,
    belief: patiently(believe(startWorld(environment, { nonce }))),
    /** Clauses that held. */
    held: new Set<string>(),
    /** Refusals that plain calls have met. A call refused in the same way is not refused for a reason of its own. */
    refusals: new Set<string>(),
    episodes: new Map<number, Episode>(),
    suspects: new Map<number, Suspected>(),
    quotas: createQuotaWatch(environment, nonce),
    confirmations: createConfirmations(),
    events: createEventJudge(environment),
    survey: createSurveyor(environment),
    look,
    /** How calls are taken in that may have come twice. */
    resent: createResent(look),
    mutes: createMutes(),
    hooks: createHookWatch(),
    /** What was shown often enough since the last program ended: operations that give no reply, removals that remove nothing. */
    proven: [] as Spotted[],
    /** Removals that were answered as for what is gone, by number, each after the calls that made what it names. */
    removals: new Map<number, readonly Judged[]>(),
    missing: createMissing(environment),
    marks: createMarks(),
    /** Deviations in programs beside others that may be told all the same, by the number of the program. */
    doubted: new Map<number, readonly Spotted[]>(),
    /** Calls that may emit events, by number, until their events are read. */
    unheard: new Map<number, Laid>(),
  }
}

/** Lets every world that is believed change. */
export const adjust = (state: State, change: (world: World) => World): void => {
  state.belief = adjusted(state.belief, change)
}

/** Keeps a call until its events are read; the oldest gives way. */
export const awaitEvents = ({ unheard }: State, judged: Laid): void => {
  if (!judged.op.emits?.length) return
  unheard.set(judged.n, judged)
  const [oldest] = unheard.keys()
  if (unheard.size > mostUnheard && oldest !== undefined) unheard.delete(oldest)
}

/** The program under way with that number, begun where it is new. */
export const episodeOf = ({ episodes, belief }: State, instance: number): Episode =>
  getOrInsert(episodes, instance, () => ({ start: belief, steps: [], suspicions: new Map(), isRaced: false }))
