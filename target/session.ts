// One run against one target: sends calls, keeps the belief, writes the record, and turns deviations into findings.

import { mainToken, type PlanContext } from '../arbitraries/plan.js'
import { type Belief, believe, observe, worldOf } from '../checker/belief.js'
import type { Judgement } from '../checker/judgement.js'
import type { Outcome, RecordLine, WireCall } from '../checker/record.js'
import { clausesOf } from '../models/derive.js'
import { applyHook } from '../models/hooks.js'
import { allTables, listerOf, operationById, operations, removerOf, viewerOf } from '../models/index.js'
import type { AnyTable, Operation } from '../models/operation.js'
import type { Args, HookName, Role } from '../models/plan.js'
import type { Setting } from '../models/setting.js'
import { startWorld } from '../models/start.js'
import { factTables } from '../models/tables/facts.js'
import { type AnyEntity, close, find, gone, live, type World } from '../models/world.js'
import { buildCall, lineOf, recorded, type SendableCall } from './calls.js'
import { createEventWatch } from './events.js'
import { redactCall, redactOutcome } from './masking.js'

/** What a session reaches the target through. */
export interface Transport {
  readonly send: (call: SendableCall, step: number) => Promise<Outcome>
}

export interface SessionOptions {
  readonly setting: Setting
  readonly transport: Transport
  readonly emit: (line: RecordLine) => void
  /** Notes a creation before it is sent, and what became of it. */
  readonly ledger: (line: LedgerLine) => void
  readonly hooks: Partial<Record<HookName, (...args: never[]) => Promise<unknown>>> & {
    readonly readEvents?: (since: Date) => Promise<readonly { readonly action: string }[]>
  }
  readonly nonce: string
  readonly settleMs: number
  /** How long a change may take to show in lists. */
  readonly listLagMs: number
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
  readonly line: string
}

/** What this run made, and how to find it again. */
export interface Creation {
  readonly table: AnyTable
  /** Changes when the target tells the id at last. */
  readonly key: () => string
  readonly path: Readonly<Record<string, string>>
  readonly as: string | null
}

export interface Session {
  readonly options: SessionOptions
  readonly context: PlanContext
  readonly belief: () => Belief
  readonly world: () => World
  readonly setBelief: (belief: Belief) => void
  /** Sends a call, judges it and records it. */
  readonly send: (program: string, op: Operation, args: Args, role: Sent['role']) => Promise<Sent>
  readonly callHook: (program: string, name: HookName, args: readonly unknown[]) => Promise<void>
  readonly held: (clauses: readonly string[], step: number) => void
  readonly choose: (id: string, value: string, step: number) => void
  readonly creations: Creation[]
  /** Ids of findings that have been reported. */
  readonly found: Set<string>
  /** Names of tables in which something did not come to rest in time. */
  readonly restless: Set<string>
  readonly mainToken: string | null
  /** Whether a clause has been exercised. */
  readonly isHeld: (clause: string) => boolean
  /** How many calls in a row had no answer, and why the last of them had none. */
  readonly unanswered: () => number
  readonly lastLoss: () => string
}

/** Counts of what held are written when they first appear, then at every tenfold, and when the session closes. */
const isRound = (count: number): boolean => /^10*$/.test(String(count))

export const createSession = (options: SessionOptions): Session => {
  const { setting, emit } = options
  let belief = believe(startWorld(setting, { nonce: options.nonce }))
  let n = 0
  let names = 0
  let unanswered = 0
  let lastLoss = ''
  const counts = new Map<string, number>()
  const seen = new Set<string>()
  const main = mainToken(setting)?.name ?? null
  const events = createEventWatch({
    readEvents: options.hooks.readEvents,
    sleep: options.sleep,
    patienceMs: Math.min(options.settleMs, 2000),
  })

  const held = (clauses: readonly string[], step: number): void => {
    for (const id of clauses.flatMap(expand)) {
      const count = (counts.get(id) ?? 0) + 1
      counts.set(id, count)
      if (isRound(count)) emit({ type: 'exercised', clause: id, step, times: count === 1 ? 1 : count - count / 10 })
    }
  }

  const session: Session = {
    options,
    context: { setting, nonce: options.nonce, next: () => names++, certificate: options.certificate },
    belief: () => belief,
    world: () => worldOf(belief),
    setBelief: (next) => {
      belief = next
    },
    creations: [],
    found: new Set(),
    restless: new Set(),
    mainToken: main,
    isHeld: (clause) => counts.has(clause),
    unanswered: () => unanswered,
    lastLoss: () => lastLoss,
    held,
    choose: (id, value, step) => {
      const key = `${id} ${value}`
      if (seen.has(key)) return
      seen.add(key)
      emit({ type: 'choice', id, value, step })
    },
    callHook: async (program, name, args) => {
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
    },
    send: async (program, op, args, role) => {
      n += 1
      const step = n
      const call = buildCall(op, args, options.attachmentField)
      const wire = recorded(call)
      if (op.makes) options.ledger({ event: 'creating', step, kind: op.makes.name, operation: op.id, body: wire.body })
      if (options.listLagMs > 0 && (op.reply.kind === 'page' || op.reply.kind === 'records'))
        await options.sleep(options.listLagMs)
      const at = options.clock()
      const outcome = await options.transport.send(call, step)
      unanswered = 'lost' in outcome ? unanswered + 1 : 0
      if ('lost' in outcome) lastLoss = outcome.detail ?? outcome.lost
      const observed = observe(belief, { op, call: wire, outcome, n: step }, operationById)
      belief = observed.belief
      const heard = await events.after(op, observed.judgement.emits ?? [])
      const judgement =
        heard.deviations.length === 0 ? observed.judgement : withDeviations(observed.judgement, heard.deviations)
      emit({
        type: 'step',
        n: step,
        program,
        at: Math.round(at),
        ms: Math.round((options.clock() - at) * 100) / 100,
        call: redactCall(wire),
        outcome: redactOutcome(outcome),
        expects: judgement.expects,
        verdict: judgement.verdict,
        ...(judgement.deviations.length > 0 && {
          findings: judgement.deviations.map(({ clause, kind }) => `${clause}:${kind}`),
        }),
      })
      for (const text of judgement.defects ?? []) emit({ type: 'trouble', kind: 'suite-defect', text })
      held([...judgement.held, ...heard.held], step)
      for (const { id, value } of judgement.choices) session.choose(id, value, step)
      noteCreation(session, op, call, judgement, step)
      return {
        op,
        call: wire,
        outcome,
        n: step,
        role,
        judgement,
        unsettled: args.unsettled === true,
        line: lineOf(wire),
      }
    },
  }
  return session
}

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
    const fixed = new Set((live(session.world(), table, account) as readonly AnyEntity[]).map(({ key }) => key))
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
    ledger({ event: 'created', step, kind: table.name, operation: op.id, key: made, url: call.url, body: call.body })
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

/** The path of an operation on a resource: from its key, its fields, and the path of the call that made it. */
export const pathTo = (
  op: Operation,
  table: AnyTable,
  entity: AnyEntity,
  from: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(op.params).map(([name, reference]) => {
      if (typeof reference === 'object' && reference.table === table)
        return [name, String(reference.field ? (entity[reference.field] ?? '') : entity.key)]
      const parent = entity[name]
      return [name, from[name] ?? (typeof parent === 'string' || typeof parent === 'number' ? String(parent) : '')]
    }),
  )

/** What is known of a resource, live or gone. */
export const entityOf = (world: World, table: AnyTable, key: string): AnyEntity | undefined =>
  (find(world, table, key) as AnyEntity | undefined) ?? gone(world, table, key)?.entity

/** Where one resource of a kind did not come to rest in time, others are not waited for as long. */
const impatientMs = 500

/** Waits until a resource has come to rest, by looking at it; gives up after `settleMs`. */
export const settle = async (
  session: Session,
  program: string,
  table: AnyTable,
  key: string,
  from: Readonly<Record<string, string>>,
): Promise<readonly Sent[]> => {
  const viewer = viewerOf(table)
  const sent: Sent[] = []
  if (!table.settled || !viewer) return sent
  const deadline = session.options.clock() + (session.restless.has(table.name) ? impatientMs : session.options.settleMs)
  for (let pause = 5; ; pause = Math.min(pause * 2, 2000)) {
    const entity = find(session.world(), table, key) as AnyEntity | undefined
    if (!entity || entity.key.startsWith('?') || table.settled(entity as never)) return sent
    if (session.options.clock() > deadline) {
      session.restless.add(table.name)
      return sent
    }
    if (sent.length > 3) await session.options.sleep(pause)
    const as = tokenFor(session, entity.account)
    const read = await session.send(program, viewer, { path: pathTo(viewer, table, entity, from), as }, 'read')
    sent.push(read)
    if (read.judgement.accepted === false) return sent
  }
}

/** Looks for the id of something whose creation did not tell it, through all pages of its list. */
export const discover = async (
  session: Session,
  program: string,
  table: AnyTable,
  from: Readonly<Record<string, string>>,
  isBound: () => boolean,
  as?: string | null,
): Promise<readonly Sent[]> => {
  const lister = listerOf(table)
  const sent: Sent[] = []
  if (!lister) return sent
  const path = Object.fromEntries(Object.keys(lister.params).map((name) => [name, from[name] ?? '']))
  for (let page = 1; page <= 1000 && !isBound(); page += 1) {
    const one = await session.send(
      program,
      lister,
      { path, ...(page > 1 && { query: { page } }), as: as ?? session.mainToken },
      'read',
    )
    sent.push(one)
    const body = 'body' in one.outcome ? (one.outcome.body as { readonly pages?: number } | undefined) : undefined
    if (one.judgement.accepted !== true || page >= (body?.pages ?? 1)) break
  }
  return sent
}

/** Looks at everything that is there before the run; on an exclusive target the world is closed from then on. */
export const survey = async (session: Session): Promise<readonly Sent[]> => {
  const { setting } = session.options
  const sent: Sent[] = []
  if (!setting.exclusive) return sent
  for (const account of setting.accounts) {
    const token = setting.tokens.find(
      ({ scopes, user }) =>
        scopes === '*' &&
        setting.users.some((one) => one.name === user && one.account === account.name && !one.restricted),
    )
    if (!token) continue
    for (const op of operations) {
      if (op.reply.kind !== 'page' && op.reply.kind !== 'records') continue
      const { table } = op.reply
      if (!table.closable || Object.keys(op.params).length > 0 || op.lists !== undefined) continue
      const all = await walk(session, op, token.name)
      sent.push(...all)
      if (all.length > 0 && all.every(({ judgement }) => judgement.accepted === true))
        adjust(session, (world) => close(world, table, account.name))
    }
    for (const facts of factTables)
      if (setting.fixtures[facts.name as keyof typeof setting.fixtures])
        adjust(session, (world) => close(world, facts, account.name))
    for (const table of allTables())
      if (table.toldBy && setting.fixtures[table.toldBy]) adjust(session, (world) => close(world, table, account.name))
  }
  return sent
}

const adjust = (session: Session, change: (world: World) => World): void => {
  const belief = session.belief()
  session.setBelief({ ...belief, hypotheses: belief.hypotheses.map((one) => ({ ...one, world: change(one.world) })) })
}

/** All pages of a list, its records taken in. */
const walk = async (session: Session, op: Operation, as: string): Promise<readonly Sent[]> => {
  const sent: Sent[] = []
  for (let page = 1; page <= 10_000; page += 1) {
    adjust(session, (world) => ({ ...world, adopting: true }))
    const one = await session.send('survey', op, { as, ...(page > 1 && { query: { page } }) }, 'read')
    adjust(session, (world) => ({ ...world, adopting: false }))
    sent.push(one)
    const body =
      'body' in one.outcome ? (one.outcome.body as { readonly pages?: number } | null | undefined) : undefined
    if (one.judgement.accepted !== true || page >= (body?.pages ?? 1)) break
  }
  return sent
}

/** Removes what the run has made since `from`, latest first; what stays is noted. */
export const clean = async (session: Session, program: string, from: number): Promise<readonly Sent[]> => {
  const sent: Sent[] = []
  for (const creation of session.creations.splice(from).reverse()) {
    if (creation.key().startsWith('?'))
      sent.push(
        ...(await discover(session, program, creation.table, creation.path, () => !creation.key().startsWith('?'))),
      )
    sent.push(...(await remove(session, program, creation)))
  }
  return sent
}

const remove = async (
  session: Session,
  program: string,
  { table, key: keyNow, path }: Creation,
): Promise<readonly Sent[]> => {
  const key = keyNow()
  const entity = find(session.world(), table, key) as AnyEntity | undefined
  const remover = removerOf(table)
  const leave = (reason: string): readonly Sent[] => {
    session.options.emit({ type: 'left', kind: table.name, key, reason })
    session.options.ledger({ event: 'left', step: 0, kind: table.name, operation: remover?.id ?? '', key })
    return []
  }
  if (!entity) return []
  if (!remover) return table.permanent ? [] : leave('the interface has no operation that removes it')
  if (key.startsWith('?')) return leave('its id could not be obtained')
  const sent: Sent[] = []
  const owner = tokenFor(session, entity.account)
  const attempt = async (): Promise<Sent> => {
    for (const id of table.release?.(entity as never) ?? []) {
      const op = operationById(id)
      if (op) sent.push(await session.send(program, op, { path: pathTo(op, table, entity, path), as: owner }, 'clean'))
    }
    const last = await session.send(
      program,
      remover,
      { path: pathTo(remover, table, entity, path), as: owner },
      'clean',
    )
    sent.push(last)
    return last
  }
  let last = await attempt()
  if (last.judgement.accepted !== true && table.settled?.(entity as never) === false) {
    sent.push(...(await settle(session, program, table, key, path)))
    last = await attempt()
  }
  return last.judgement.accepted === true
    ? sent
    : [
        ...sent,
        ...leave(`removing it was answered ${'status' in last.outcome ? last.outcome.status : last.outcome.lost}`),
      ]
}

/** The token that sees an account's resources: the unrestricted one with all scopes. */
export const tokenFor = (session: Session, account: string | undefined): string | null => {
  const { setting } = session.options
  const isOwner = (user: string): boolean =>
    setting.users.some((one) => one.name === user && one.account === account && !one.restricted)
  const token =
    account === undefined ? undefined : setting.tokens.find(({ scopes, user }) => scopes === '*' && isOwner(user))
  return token?.name ?? session.mainToken
}
