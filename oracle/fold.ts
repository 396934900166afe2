// The one judge: takes in a history entry by entry, keeps what is believed, and lays every deviation to whose doing it is; sends nothing.

import type {
  CallEntry,
  EndedEntry,
  EventsEntry,
  HookEntry,
  Phase,
  SurveyedEntry,
  WalkedEntry,
} from '../history/entry.js'
import { applyHook } from '../models/hooks.js'
import { operationById } from '../models/index.js'
import { type Clause, clausesOf } from '../models/language/derive.js'
import type { Environment } from '../models/language/environment.js'
import type { World } from '../models/language/world.js'
import { startWorld } from '../models/start.js'
import { adjusted, type Belief, believe, changing, observe, patiently, worldOf, worldsOf } from './belief.js'
import { changesIn, reblame, unchangedOf, withinClause } from './blame.js'
import { createConfirmations } from './confirmation.js'
import { type Awaited, createEventJudge } from './events.js'
import { evidenceFor } from './evidence.js'
import { isAllowed } from './explanations/explanation.js'
import { overlapping } from './explanations/overlap.js'
import { createQuotaWatch, mayBeQuota, quota, type Suspicion, type Trial } from './explanations/quota.js'
import { guarded, undecided } from './guarded.js'
import type { Deviation, Judged, Judgement } from './judgement.js'
import { distinct, linearize } from './linearize.js'
import { adopting, closeTold, createSurveyor } from './survey.js'
import { judgeWalks } from './walks.js'

/** A deviation with the calls that show it, the last of which deviates. */
export interface Spotted {
  readonly deviation: Deviation
  /** What was believed before the first of the calls. */
  readonly start: Belief
  readonly calls: readonly Judged[]
  /** The calls are all needed, and have shown it often enough. */
  readonly isWhole?: true
}

/** What a program has come to. */
export interface Conclusion {
  readonly spotted: readonly Spotted[]
  /** What seemed amiss while other programs ran beside it: no more than a reason to run it again alone. */
  readonly doubts: readonly Deviation[]
  /** Clauses that the program as a whole was evidence for, with the number of its last call. */
  readonly held: readonly string[]
  readonly last: number
  readonly isExercised: boolean
  /** Why the program did not show its clause, where it did not. */
  readonly untested?: string
}

export interface Fold {
  readonly belief: () => Belief
  /** The likeliest world. */
  readonly world: () => World
  readonly take: (entry: CallEntry) => Judged
  /** Calls that were sent at the same time: some order of them must explain every reply. In that order. */
  readonly takeTogether: (entries: readonly CallEntry[]) => readonly Judged[]
  readonly hook: (entry: HookEntry) => void
  readonly surveyed: (entry: SurveyedEntry) => void
  /** Which events to look for after that call. */
  readonly awaited: (n: number) => readonly Awaited[]
  /** Returns the clauses that held, and whether some did not. */
  readonly heard: (entry: EventsEntry) => Judged | undefined
  readonly walked: (entry: WalkedEntry) => readonly string[]
  readonly end: (entry: EndedEntry) => Conclusion
  /** What a program that is under way has shown so far. */
  readonly spottedIn: (instance: number) => readonly Spotted[]
  /** What would tell whether a quota refused that creation; undefined where nothing would, or all is told. */
  readonly wanted: (n: number) => { readonly k: number; readonly trial: Trial } | undefined
  /** A trial is over; one of which no creation was sent came to nothing. */
  readonly tried: (n: number, k: number) => void
  /** Whether the refusal of that creation is held back, as the doing of a quota. */
  readonly isHeldBack: (n: number) => boolean
  readonly isHeld: (clause: string) => boolean
}

/** A program under way. */
interface Episode {
  readonly start: Belief
  readonly steps: Laid[]
  readonly suspicions: Map<number, Suspected>
  /** Whether calls of it were sent at the same time. */
  isRaced: boolean
}

/** What is laid to whom may change with what comes later. */
type Laid = { -readonly [K in keyof Judged]: Judged[K] }

interface Suspected {
  readonly suspicion: Suspicion
  readonly sent: Laid
  readonly heldBack: readonly Deviation[]
}

/** Phases whose calls are not held against the target: they are there to tell more of what is. */
const uncounted = new Set<Phase | undefined>(['survey', 'trial', 'again', 'fill', 'confirm', 'watch'])

/** Sets of calls of one size that are followed: a race is short, but times that are rounded leave more orders than there were. */
const mostStates = 200

/** More than a race has calls, or programs side by side. */
const mostRecent = 64

/** Opens a history of a run against one target. */
export const open = (environment: Environment, { nonce = '' }: { readonly nonce?: string } = {}): Fold => {
  let belief = patiently(believe(startWorld(environment, { nonce })))
  const held = new Set<string>()
  /** Refusals that plain calls have met: another call that meets the same is refused for no reason of its own. */
  const refusals = new Set<string>()
  const episodes = new Map<number, Episode>()
  const suspects = new Map<number, Suspected>()
  const quotas = createQuotaWatch(environment, nonce)
  const confirmations = createConfirmations()
  const events = createEventJudge(environment)
  const survey = createSurveyor(environment)
  const look = guarded(observe)
  /** The latest calls: what a log shows of them is heard a little later. */
  const recent: Laid[] = []

  const adjust = (change: (world: World) => World): void => {
    belief = adjusted(belief, change)
  }

  const episodeOf = (instance: number): Episode => {
    const known = episodes.get(instance)
    if (known) return known
    const episode: Episode = { start: belief, steps: [], suspicions: new Map(), isRaced: false }
    episodes.set(instance, episode)
    return episode
  }

  const take = (entry: CallEntry): Judged => {
    const episode = isCounted(entry) ? episodeOf(entry.instance ?? 0) : undefined
    const isSurvey = entry.phase === 'survey'
    if (isSurvey) adjust(adopting)
    const observed = look(belief, entry, operationById)
    belief = observed.belief
    if (isSurvey) adjust(survey(entry, observed.judgement.accepted))
    return receive(entry, observed.judgement, episode)
  }

  const takeTogether = (entries: readonly CallEntry[]): readonly Judged[] => {
    const [first] = entries
    if (!first) return []
    const episode = episodeOf(first.instance ?? 0)
    episode.isRaced = true
    const calls = [...entries].sort((a, b) => a.n - b.n)
    const timed = calls.map((entry) => ({ observation: entry, startedAt: entry.startedAt, endedAt: entry.endedAt }))
    const raced = linearize(belief, timed, operationById, { observe: overlapping(look), mostStates })
    const before = belief
    belief = raced.belief
    if (raced.verdict === 'inconclusive') {
      // What they did is not known, so nothing that follows can be held against it.
      belief = { ...belief, overflow: true }
      return calls.map((entry) => receive(entry, undecided(before), episode))
    }
    return raced.order.map((i) => receive(calls[i] as CallEntry, raced.judgements[i] as Judgement, episode))
  }

  const receive = (entry: CallEntry, judgement: Judgement, episode: Episode | undefined): Judged => {
    const { deviations, verdict } = judgement
    const judged: Laid = { ...entry, judgement, deviations, verdict, held: judgement.held }
    // What is late is asked for again, and teaches nothing until then.
    if (judgement.late) {
      events.note(judged)
      return judged
    }
    recent.push(judged)
    if (recent.length > mostRecent) recent.shift()
    if (episode) layIn(episode, judged)
    else if (entry.trial !== undefined) noteTrial(judged)
    confirmations.hear(judged)
    events.note(judged)
    for (const id of judged.held) held.add(id)
    return judged
  }

  /** A trial came out as its last creation did. */
  const noteTrial = (judged: Judged): void => {
    const { after, trial, phase, role, op, judgement } = judged
    if (role === 'clean' || op.method === 'GET' || after === undefined || trial === undefined) return
    if (phase === 'trial') quotas.note(judged)
    suspects.get(after)?.suspicion.tried(trial, judgement.accepted === true)
  }

  const layIn = (episode: Episode, judged: Laid): void => {
    episode.steps.push(judged)
    if (judged.phase === 'look' && judged.after !== undefined) layToWrite(episode, judged)
    else if (judged.group !== undefined) layToRace(judged)
    else if (judged.phase === 'look' && episode.isRaced)
      because(judged, 'it follows from no order of the overlapping calls before')
    else if (judged.phase === undefined || judged.phase === 'restore' || judged.phase === 'insist')
      layToCall(episode, judged)
  }

  /** Of calls at the same time nothing can be tried that would tell whether a quota refused one. */
  const layToRace = (judged: Laid): void => {
    because(judged, 'no order of the overlapping calls explains it')
    if (judged.judgement.suspect !== true || !isAllowed(environment, quota)) return
    judged.judgement = assuming(judged.judgement, `${quota.name} ${judged.op.id}`)
    judged.deviations = judged.deviations.filter((one) => !mayBeQuota(one))
  }

  const layToCall = (episode: Episode, judged: Laid): void => {
    if (judged.deviations.length > 0) judged.deviations = withinProgram(episode, judged)
    // How creations fare while others make and remove tells nothing of a quota.
    if (judged.beside || judged.role === 'read' || judged.role === undefined) return
    quotas.note(judged)
    const mayBe = judged.judgement.suspect === true && isAllowed(environment, quota)
    const heldBack = mayBe ? judged.deviations.filter(mayBeQuota) : []
    if (heldBack.length === 0) return
    judged.judgement = assuming(judged.judgement, `${quota.name} ${judged.op.id}`)
    const suspected = { suspicion: quotas.suspect(judged, worldOf(belief)), sent: judged, heldBack }
    episode.suspicions.set(judged.n, suspected)
    suspects.set(judged.n, suspected)
    judged.deviations = judged.deviations.filter((one) => !heldBack.includes(one))
  }

  /** A refused twin speaks against the clause whose twin it is, but where that is any plain call. */
  const withinProgram = ({ steps }: Episode, judged: Judged): readonly Deviation[] => {
    const { op, role, judgement } = judged
    const clause = judged.phase === undefined ? clauseNamed(judged.clause) : undefined
    // Where plain calls are accepted, a call that a statement is about, or that shows it, is refused for what it is about.
    const isAbout =
      (clause?.kind === 'statement' || clause?.kind === 'effect') &&
      clause.level === 'must' &&
      held.has(`${op.id}.accepts`) &&
      (clause.operation === op.id ||
        steps.some((one) => one.op.id === clause.operation && one.judgement.accepted === true))
    const isWithin =
      (role === 'twin' || (role === 'check' && isAbout)) &&
      judgement.accepted === false &&
      judgement.expects === 'accept' &&
      clause !== undefined &&
      clause.kind !== 'general' &&
      clause.kind !== 'token'
    return judgement.deviations.map((one) => {
      if (one.clause !== `${op.id}.accepts`) return one
      const refusal = `${op.id} ${one.received}`
      if (isWithin && !refusals.has(refusal)) return withinClause(one, clause)
      if (!judged.beside) refusals.add(refusal)
      return one
    })
  }

  const conclude = (entry: EndedEntry): Conclusion => {
    belief = distinct(belief)
    const episode = episodes.get(entry.instance)
    episodes.delete(entry.instance)
    const insisted = confirmations.end(entry)
    if (!episode) return { spotted: insisted, doubts: [], held: [], last: 0, isExercised: false }
    settle(episode)
    for (const n of episode.suspicions.keys()) suspects.delete(n)
    const own = episode.steps.filter(({ phase }) => phase !== 'restore' && phase !== 'clean-up')
    const last = own.at(-1)?.n ?? 0
    const doubts = entry.beside ? spottedIn(episode).map(({ deviation: one }) => one) : []
    if (doubts.length > 0) return { spotted: [], doubts, held: [], last, isExercised: false }
    const clause = entry.phase === undefined ? clauseNamed(entry.clause) : undefined
    const evidence = entry.stopped ?? evidenceFor(own, clause)
    const shown = clause && evidence === true ? [clause.id] : []
    for (const id of shown) held.add(id)
    return {
      spotted: [...spottedIn(episode), ...insisted],
      doubts,
      held: shown,
      last,
      isExercised: evidence === true,
      ...(typeof evidence === 'string' && { untested: evidence }),
    }
  }

  return {
    belief: () => belief,
    world: () => worldOf(belief),
    take,
    takeTogether,
    hook: (entry) => {
      if (entry.instance !== undefined) episodeOf(entry.instance)
      const before = worldOf(belief)
      adjust(hooked(entry))
      belief = changing(belief, before, entry.endedAt, `hook ${entry.hook}`)
    },
    surveyed: ({ account }) => adjust(closeTold(environment, account)),
    awaited: (n) => {
      const judged = recent.find((one) => one.n === n)
      return judged ? events.awaited(judged) : []
    },
    heard: (entry) => {
      const judged = recent.find(({ n }) => n === entry.n)
      if (!judged) return undefined
      const told = events.hear(judged, entry)
      judged.deviations = [...judged.deviations, ...told.deviations]
      judged.held = [...judged.held, ...told.held]
      if (told.deviations.length > 0) {
        judged.verdict = 'finding'
        const deviations = [...judged.judgement.deviations, ...told.deviations]
        judged.judgement = { ...judged.judgement, verdict: 'finding', deviations }
      }
      for (const id of told.held) held.add(id)
      return judged
    },
    walked: ({ instance, walks }) => {
      const episode = episodes.get(instance)
      const pages = walks.map((numbers) => (episode?.steps ?? []).filter(({ n }) => numbers.includes(n)))
      const told = fewest(worldsOf(belief).map((world) => judgeWalks(world, pages)))
      const last = episode?.steps.at(-1)
      if (last) last.deviations = [...last.deviations, ...told.deviations]
      for (const id of told.held) held.add(id)
      return told.held
    },
    end: conclude,
    spottedIn: (instance) => {
      const episode = episodes.get(instance)
      return episode ? spottedIn(episode) : []
    },
    wanted: (n) => suspects.get(n)?.suspicion.wanted(),
    tried: (n, k) => suspects.get(n)?.suspicion.over(k),
    isHeldBack: (n) => {
      const suspected = suspects.get(n)
      if (!suspected) return false
      const isGuilty = suspected.suspicion.isConvicted()
      if (isGuilty) convict(suspected)
      return !isGuilty
    },
    isHeld: (clause) => held.has(clause),
  }
}

/** What is judged by the world that leaves least to tell. */
const fewest = <T extends { readonly deviations: readonly unknown[] }>(all: readonly T[]): T =>
  all.reduce((one, other) => (other.deviations.length < one.deviations.length ? other : one))

const assuming = (judgement: Judgement, name: string): Judgement => ({
  ...judgement,
  assumed: [...(judgement.assumed ?? []), name],
})

const isCounted = ({ phase }: CallEntry): boolean => !uncounted.has(phase)

const because = (judged: Laid, why: string): void => {
  if (judged.deviations.length > 0)
    judged.deviations = judged.deviations.map((one) => ({ ...one, because: [...one.because, why] }))
}

/** Held back deviations of a creation that was refused against the document come back. */
const convict = ({ sent, heldBack }: Suspected): void => {
  if (heldBack.every((one) => sent.deviations.includes(one))) return
  sent.deviations = [...heldBack, ...sent.deviations]
}

const settle = ({ suspicions }: Episode): void => {
  for (const suspected of suspicions.values()) if (suspected.suspicion.isConvicted()) convict(suspected)
}

const spottedIn = ({ start, steps }: Episode): readonly Spotted[] =>
  steps.flatMap(({ deviations }, i) =>
    deviations.map((one) => ({ deviation: one, start, calls: steps.slice(0, i + 1) })),
  )

/** What reads show after a refused write, or of a creation that nothing shows, is that write's doing. */
const layToWrite = ({ steps }: Episode, read: Laid): void => {
  const write = steps.findLast(({ n }) => n === read.after)
  if (!write) return
  const isRefused = write.judgement.accepted === false
  if (isRefused) {
    const rule = unchangedOf(write.op)
    if (!rule) return
    if (read.judgement.deviations.length === 0) read.held = [...read.held, rule.id]
    else layChanges(read, rule, write)
    return
  }
  const looks = steps.filter((one) => one.after === write.n && one.phase === 'look' && isOf(one, write))
  const rule = looks.length > 1 && write.judgement.accepted === true && looks.every(isBare) && ruleOf(write)
  if (rule) for (const one of looks) layChanges(one, rule, write)
}

const ruleOf = ({ op }: Judged): Clause | undefined => clausesOf(op).find(({ id }) => id === `${op.id}.takes-effect`)

/** Whether a read is about what a write makes. */
const isOf = ({ op }: Judged, { op: { makes } }: Judged): boolean =>
  makes !== undefined && 'table' in op.reply && op.reply.table === makes

const isBare = ({ judgement: { deviations } }: Judged): boolean =>
  deviations.some(({ kind }) => kind === 'refused' || kind === 'missing')

const layChanges = (read: Laid, rule: Clause, write: Judged): void => {
  const changes = changesIn(read)
  read.deviations = read.judgement.deviations.map((one) => (changes.includes(one) ? reblame(one, rule, write) : one))
}

/** The change that a hook brought about. */
export const hooked =
  ({ n, hook, args }: HookEntry): ((world: World) => World) =>
  (world) => {
    try {
      return applyHook({ ...world, step: n, operation: `hook ${hook}` }, hook, args)
    } catch {
      // Arguments that no hook can have changed nothing that the model knows of.
      return world
    }
  }

const named = new Map<string, Clause | undefined>()

const clauseNamed = (id: string | undefined): Clause | undefined => {
  if (id === undefined) return undefined
  if (!named.has(id)) named.set(id, clauseIn(id))
  return named.get(id)
}

/** A clause by its id, which begins with that of its operation. */
const clauseIn = (id: string): Clause | undefined => {
  const [resource, verb] = id.split('.')
  const op = operationById(`${resource}.${verb}`)
  return op ? clausesOf(op).find((clause) => clause.id === id) : undefined
}
