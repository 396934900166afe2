// One run against one target: sends calls, keeps the belief, writes the record, and turns deviations into findings.

import { setImmediate as underWay } from 'node:timers/promises'
import { mainToken, type PlanContext } from '../arbitraries/plan.js'
import { buildCall, recorded, type SendableCall } from '../history/calls.js'
import { redactCall, redactOutcome } from '../history/masking.js'
import type { Outcome, RecordLine, WireCall } from '../history/record.js'
import { applyHook } from '../models/hooks.js'
import { operationById, operations } from '../models/index.js'
import { principal } from '../models/language/access.js'
import { clausesOf } from '../models/language/derive.js'
import type { Environment } from '../models/language/environment.js'
import type { AnyTable, Operation } from '../models/language/operation.js'
import type { Args, HookName, Role } from '../models/language/plan.js'
import { type AnyEntity, find, idIn, live, type World } from '../models/language/world.js'
import { startWorld } from '../models/start.js'
import { type Belief, believe, type Observation, observe, worldOf } from '../oracle/belief.js'
import type { Judgement } from '../oracle/judgement.js'
import { linearize, overlapping } from '../oracle/linearize.js'
import { type Claim, claimOf, createAdmission } from './admission.js'
import { createEventWatch } from './events.js'

/** What a session reaches the target through. */
export interface Transport {
  readonly send: (call: SendableCall, step: number) => Promise<Outcome>
}

export interface SessionOptions {
  readonly environment: Environment
  readonly transport: Transport
  readonly emit: (line: RecordLine) => void
  /** Notes a creation before it is sent, and what became of it. */
  readonly ledger: (line: LedgerLine) => void
  readonly hooks: Partial<Record<HookName, (...args: never[]) => Promise<unknown>>> & {
    readonly readEvents?: (since: Date) => Promise<readonly { readonly action: string }[]>
    readonly reset?: () => Promise<void>
  }
  readonly nonce: string
  readonly settleMs: number
  /** How long a change may take to show in lists. */
  readonly listLagMs: number
  /** The most calls under way at a time; 1 when left out. */
  readonly concurrency?: number
  readonly sleep: (ms: number) => Promise<void>
  /** Milliseconds since the start of the run. */
  readonly clock: () => number
  readonly certificate: PlanContext['certificate']
  readonly attachmentField: string
  /** The command that replays a finding. */
  readonly replayLine: (findingId: string) => string
}

export interface LedgerLine {
  readonly event: 'creating' | 'created' | 'removed' | 'left'
  readonly step: number
  readonly kind: string
  readonly operation: string
  readonly key?: string
  readonly url?: string
  /** The sent body, by which an item whose key never came back is recognised. */
  readonly body?: unknown
}

/** A call that was sent, with what came of it. */
export interface Sent {
  readonly op: Operation
  readonly call: WireCall
  readonly outcome: Outcome
  readonly n: number
  readonly role: Role | 'read' | 'clean'
  readonly judgement: Judgement
  readonly unsettled: boolean
  /** When its reply was there, by the session's clock. */
  readonly endedAt: number
  /** The read that was sent on its heels, before it was judged. */
  readonly begun?: Promise<Exchanged>
}

/** What this run made, and how to find it again. */
export interface Creation {
  readonly table: AnyTable
  /** Changes when the target tells the id at last. */
  readonly key: () => string
  readonly path: Readonly<Record<string, string>>
  readonly as: string | null
}

/** An operation and the values to call it with. */
export interface Planned {
  readonly op: Operation
  readonly args: Args
}

export interface Session {
  readonly options: SessionOptions
  readonly context: PlanContext
  readonly belief: () => Belief
  readonly world: () => World
  readonly setBelief: (belief: Belief) => void
  /** Sends a call, judges it and records it; the read that follows in any case, if one does, is sent before it is judged. */
  readonly send: (
    program: string,
    op: Operation,
    args: Args,
    role: Sent['role'],
    follow?: (call: WireCall, outcome: Outcome) => Planned | undefined,
  ) => Promise<Sent>
  /** Sends reads one after another, each judged while the next is under way; one that has begun comes first. */
  readonly sendReads: (program: string, reads: readonly Planned[], begun?: Sent['begun']) => Promise<readonly Sent[]>
  /** Sends lanes of calls at the same time, and judges them together: some order of them must explain every reply. */
  readonly sendTogether: (program: string, lanes: readonly (readonly Planned[])[]) => Promise<readonly Sent[]>
  readonly callHook: (program: string, name: HookName, args: readonly unknown[]) => Promise<void>
  /** A session over the same belief for a program beside others: what it makes is its own to remove, and what is amiss is only noted. */
  readonly branch: (sleep: SessionOptions['sleep']) => Session
  /** Whether other programs run beside those of this session. */
  readonly isBeside: boolean
  /** How many calls that have nothing to do with each other may be sent at a time. */
  readonly width: number
  /** Does something while nothing that other programs send could meet it: a read of the list, or anything. */
  readonly undisturbed: <T>(by: Planned | 'everything', what: () => Promise<T>) => Promise<T>
  readonly held: (clauses: readonly string[], step: number) => void
  readonly choose: (id: string, value: string, step: number) => void
  readonly creations: Creation[]
  /** Ids of findings that have been reported, and what else is said or waited for once. */
  readonly found: Set<string>
  /** Refusals that plain calls have met: another call that meets the same is refused for no reason of its own. */
  readonly refusals: Set<string>
  /** Of creations by operation, how plain ones have fared since something was last removed: `s` refused, `a` accepted, `sas` by turns. */
  readonly attempts: Map<string, string>
  /** Operations with the members of creations that were accepted. */
  readonly taken: Set<string>
  /** By operation and place, the latest creation that was accepted. */
  readonly accepted: Map<string, Sent>
  /** Names of tables in which something did not come to rest in time. */
  readonly restless: Set<string>
  readonly mainToken: string | null
  /** Whether a clause has been exercised. */
  readonly isHeld: (clause: string) => boolean
  /** How many calls have been sent. */
  readonly requests: () => number
  /** How many calls in a row had no answer, and why the last of them had none. */
  readonly unanswered: () => number
  readonly lastLoss: () => string
}

/** Counts of what held are written when they first appear, then at every tenfold, and when the session closes. */
const isRound = (count: number): boolean => count === 1 || (count % 10 === 0 && Number.isInteger(Math.log10(count)))

export const createSession = (options: SessionOptions): Session => {
  const { environment, emit } = options
  let belief = believe(startWorld(environment, { nonce: options.nonce }))
  let n = 0
  let names = 0
  let unanswered = 0
  let lostAt = 0
  let lastLoss = ''
  const counts = new Map<string, number>()
  const seen = new Set<string>()
  const concurrency = options.concurrency ?? 1
  const admission = createAdmission(concurrency > 1 ? concurrency : Number.POSITIVE_INFINITY)
  const events = createEventWatch({
    readEvents: options.hooks.readEvents,
    sleep: options.sleep,
    patienceMs: options.settleMs,
  })

  const held = (clauses: readonly string[], step: number): void => {
    for (const id of clauses) {
      const count = (counts.get(id) ?? 0) + 1
      counts.set(id, count)
      const times = count === 1 ? 1 : count - count / 10
      if (isRound(count)) for (const clause of expand(id)) emit({ type: 'exercised', clause, step, times })
    }
  }

  const shared = {
    context: { environment, nonce: options.nonce, next: () => names++, certificate: options.certificate },
    belief: () => belief,
    world: () => worldOf(belief),
    setBelief: (next: Belief) => {
      belief = next
    },
    found: new Set<string>(),
    refusals: new Set<string>(),
    attempts: new Map<string, string>(),
    taken: new Set<string>(),
    accepted: new Map<string, Sent>(),
    restless: new Set<string>(),
    mainToken: mainToken(environment)?.name ?? null,
    isHeld: (clause: string) => counts.has(clause) || counts.has(shapeOf.get(clause) ?? ''),
    requests: () => n,
    unanswered: () => unanswered,
    lastLoss: () => lastLoss,
    held,
    choose: (id: string, value: string, step: number) => {
      const key = `${id} ${value}`
      if (seen.has(key)) return
      seen.add(key)
      emit({ type: 'choice', id, value, step })
    },
  }

  const open = (own: SessionOptions, isBeside: boolean): Session => {
    /** Whether all that this session sends has been let through already. */
    let isUndisturbed = false
    const claimed = (op: Operation, call: SendableCall): Claim =>
      claimOf(worldOf(belief), op, call, options.hooks.readEvents !== undefined)

    const undisturbed = async <T>(claims: readonly Claim[], what: () => Promise<T>): Promise<T> => {
      if (isUndisturbed) return what()
      const leave = await admission.enter(claims)
      isUndisturbed = true
      try {
        return await what()
      } finally {
        isUndisturbed = false
        leave()
      }
    }

    /** Waits for its turn and sends a call; what goes with one that is not judged yet need not wait. */
    const exchange = async ({ op, args }: Planned, isJoining = false): Promise<Exchanged> => {
      const call = buildCall(op, args, options.attachmentField)
      const claim = claimed(op, call)
      const leave = isUndisturbed ? stay : isJoining ? admission.join(claim) : await admission.enter([claim])
      return { ...(await transmit(op, call, args.unsettled === true)), leave }
    }

    const judge = async (program: string, exchanged: Exchanged, role: Sent['role']): Promise<Sent> => {
      const sent = await judgeNow(session, program, exchanged, role)
      exchanged.leave()
      return sent
    }

    const session: Session = {
      ...shared,
      options: own,
      creations: [],
      isBeside,
      width: isBeside ? concurrency : 1,
      branch: (sleep) => open({ ...options, sleep }, concurrency > 1),
      undisturbed: (by, what) =>
        undisturbed([by === 'everything' ? by : claimed(by.op, buildCall(by.op, by.args))], what),
      callHook: (program, name, args) =>
        undisturbed(['everything'], async () => {
          const hook = options.hooks[name]
          if (!hook) throw new Error(`suite defect: the target file has no hook ${name}`)
          n += 1
          await hook(...(args as never[]))
          emit({ type: 'hook', n, program, hook: name, args })
          belief = {
            ...belief,
            hypotheses: belief.hypotheses.map((one) => ({
              ...one,
              world: applyHook({ ...one.world, step: n, operation: `hook ${name}` }, name, args),
            })),
          }
        }),
      send: async (program, op, args, role, follow) => {
        const exchanged = await exchange({ op, args })
        const planned = follow?.(exchanged.wire, exchanged.outcome)
        if (!planned) return judge(program, exchanged, role)
        const begun = exchange(planned, true)
        await underWay()
        return { ...(await judge(program, exchanged, role)), begun }
      },
      sendReads: async (program, reads, begun) => {
        const sent: Sent[] = []
        let last = await begun
        for (const read of reads) {
          const next = exchange(read)
          if (last) {
            await underWay()
            sent.push(await judge(program, last, 'read'))
          }
          last = await next
        }
        if (last) sent.push(await judge(program, last, 'read'))
        return sent
      },
      sendTogether: async (program, lanes) => {
        const claims = lanes.flat().map(({ op, args }) => claimed(op, buildCall(op, args, options.attachmentField)))
        return undisturbed(claims, async () => {
          const inTurn = async (lane: readonly Planned[]): Promise<readonly Exchanged[]> => {
            const all: Exchanged[] = []
            for (const one of lane) all.push(await exchange(one))
            return all
          }
          const exchanged = (await Promise.all(lanes.map(inTurn))).flat()
          const timed = exchanged.map((one) => ({
            observation: observationOf(one),
            startedAt: one.at,
            endedAt: one.at + one.ms,
          }))
          const {
            belief: after,
            judgements,
            order,
            verdict,
          } = linearize(belief, timed, operationById, { observe: overlapping(observe) })
          belief = after
          const sent: Sent[] = []
          for (const i of verdict === 'inconclusive' ? [] : order)
            sent.push(await takeIn(session, program, exchanged[i] as Exchanged, judgements[i] as Judgement, 'check'))
          return sent
        })
      },
    }
    return session
  }

  /** Sends a call; nothing is judged yet. */
  const transmit = async (op: Operation, call: SendableCall, unsettled: boolean): Promise<Omit<Exchanged, 'leave'>> => {
    n += 1
    const step = n
    const wire = recorded(call)
    if (op.makes) options.ledger({ event: 'creating', step, kind: op.makes.name, operation: op.id, body: wire.body })
    if (options.listLagMs > 0 && (op.reply.kind === 'page' || op.reply.kind === 'records'))
      await options.sleep(options.listLagMs)
    const at = options.clock()
    const outcome = await options.transport.send(call, step)
    const endedAt = options.clock()
    noteAnswer(outcome, at, endedAt)
    return { op, call, wire, outcome, step, at, ms: endedAt - at, unsettled }
  }

  /** Calls that are lost together are one loss. */
  const noteAnswer = (outcome: Outcome, startedAt: number, endedAt: number): void => {
    if (!('lost' in outcome)) {
      unanswered = 0
      return
    }
    lastLoss = outcome.detail ?? outcome.lost
    if (unanswered > 0 && startedAt < lostAt) return
    unanswered += 1
    lostAt = endedAt
  }

  const judgeNow = (session: Session, program: string, exchanged: Exchanged, role: Sent['role']): Promise<Sent> => {
    const observed = observe(belief, observationOf(exchanged), operationById)
    belief = observed.belief
    return takeIn(session, program, exchanged, observed.judgement, role)
  }

  /** Records a judged call, and what it shows. */
  const takeIn = async (
    session: Session,
    program: string,
    exchanged: Exchanged,
    judged: Judgement,
    role: Sent['role'],
  ): Promise<Sent> => {
    const { op, call, wire, outcome, step, at, ms, unsettled } = exchanged
    // Whether the hook reads the events of further accounts is its own affair.
    const isHeard = principal(environment, call.as).account === environment.accounts[0]
    const heard = await events.after(op, isHeard ? (judged.emits ?? []) : [])
    const judgement = heard.deviations.length === 0 ? judged : withDeviations(judged, heard.deviations)
    const findings = judgement.deviations.map(({ clause, kind }) => `${clause}:${kind}`)
    emit({
      type: 'step',
      n: step,
      program,
      at: Math.round(at),
      ms: Math.round(ms * 100) / 100,
      call: redactCall(wire),
      outcome: redactOutcome(outcome),
      expects: judgement.expects,
      verdict: judgement.verdict,
      ...(findings.length > 0 && { findings }),
    })
    for (const text of judgement.defects ?? []) emit({ type: 'trouble', kind: 'suite-defect', text })
    held([...judgement.held, ...heard.held], step)
    for (const { id, value } of judgement.choices) session.choose(id, value, step)
    noteCreation(session, op, call, judgement, step)
    return { op, call: wire, outcome, n: step, role, judgement, unsettled, endedAt: at + ms }
  }
  return open(options, false)
}

/** What has been let through with something else leaves with that. */
const stay = (): void => undefined

interface Exchanged {
  readonly op: Operation
  readonly call: SendableCall
  readonly wire: WireCall
  readonly outcome: Outcome
  readonly step: number
  readonly at: number
  readonly ms: number
  readonly unsettled: boolean
  /** Lets through what waits for it; called when it has been judged. */
  readonly leave: () => void
}

const observationOf = ({ op, wire, outcome, step }: Exchanged): Observation => ({ op, call: wire, outcome, n: step })

const withDeviations = (judgement: Judgement, more: Judgement['deviations']): Judgement => ({
  ...judgement,
  verdict: 'finding',
  deviations: [...judgement.deviations, ...more],
})

/** A clause id, or all clauses about the shape of an operation's reply for `<operation>.reply`. */
const shapes = new Map<string, readonly string[]>()
for (const op of operations) {
  const ids = clausesOf(op).flatMap((clause) => (clause.kind === 'shape' ? [clause.id] : []))
  if (ids.length > 0) shapes.set(`${op.id}.reply`, ids)
}
/** The group that a clause about a reply's shape is counted with. */
const shapeOf = new Map([...shapes].flatMap(([group, ids]) => ids.map((id) => [id, group] as const)))
const expand = (id: string): readonly string[] => shapes.get(id) ?? [id]

const noteCreation = (
  session: Session,
  op: Operation,
  call: SendableCall,
  judgement: Judgement,
  step: number,
): void => {
  const { ledger } = session.options
  if (
    op.makes &&
    judgement.accepted === true &&
    judgement.made !== undefined &&
    !judgement.deviations.some(({ kind }) => kind === 'not-new')
  ) {
    const table = op.makes
    const made = judgement.made
    const account = find(session.world(), table, made)?.account
    const before = made.startsWith('?') ? (live(session.world(), table, account) as readonly AnyEntity[]) : []
    const fixed = new Set(before.map(({ key }) => key))
    let key = made
    session.creations.push({
      table,
      // A latent key is replaced when a list binds it: the one key that was not there before.
      key: () => {
        if (key.startsWith('?') && !find(session.world(), table, key)) {
          const bound = (live(session.world(), table, account) as readonly AnyEntity[]).find(
            (entity) => !fixed.has(entity.key) && Object.values(entity.since ?? {}).some((mark) => mark.step === step),
          )
          if (bound) key = bound.key
        }
        return key
      },
      path: call.path,
      as: call.as,
    })
    ledger({
      event: 'created',
      step,
      kind: table.name,
      operation: op.id,
      key: idIn(made),
      url: call.url,
      body: call.body,
    })
  }
  if (op.removes !== undefined && judgement.accepted === true) {
    const reference = op.params[op.removes]
    if (typeof reference === 'object')
      ledger({
        event: 'removed',
        step,
        kind: reference.table.name,
        operation: op.id,
        key: call.path[op.removes] ?? '',
        url: call.url,
      })
  }
}
