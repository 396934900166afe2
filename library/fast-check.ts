// `touchstone/fast-check`: commands on an account and requests of its operations, in fast-check's own form.

import { resolve } from 'node:path'
import { Type } from '@sinclair/typebox'
import fc from 'fast-check'
import { absent, deviationsFrom, hasContainer, valueAt, withValueAt } from '../arbitraries/deviations.js'
import { planProgram } from '../arbitraries/plan.js'
import type { PlanContext } from '../arbitraries/plan-fixtures.js'
import { type StepSeed, stepSeed } from '../arbitraries/programs.js'
import { type Target, type TargetFile, targetFrom } from '../config/target-file.js'
import { beginWalk, type Walk } from '../driver/random-walk.js'
import { survey } from '../driver/survey.js'
import { operationById, operations } from '../models/index.js'
import { clausesOf } from '../models/language/derive.js'
import { matchesGlob } from '../models/language/glob.js'
import type { Operation } from '../models/language/operation.js'
import { isRef } from '../models/language/plan.js'
import { constraintsOf, type TObject } from '../models/language/schema.js'
import { type Deviation, gates } from '../oracle/judgement.js'
import { embeddedEnvironment } from '../reference/environment.js'
import { connect, makeCertificate } from '../suites/connect.js'
import { makeFolder } from '../suites/folder.js'
import { refuseUnknownNames } from '../suites/names.js'
import { suggestion } from '../suites/stray-globs.js'
import { check, optionsOf, text, texts, whole } from './options.js'
import { refuseStray } from './stray.js'

export interface AccountOptions {
  /** A target file: its path, the URL of the target, or its content. */
  readonly target: string | TargetFile
  /** Folder of the record and the ledger; `touchstone-report/fast-check` when left out. */
  readonly out?: string
}

/** What commands know: how many have been run. What exists is known to the oracle behind them. */
export interface AccountModel {
  steps: number
}

/** What commands act on. */
export interface AccountReal {
  /** @throws Error that tells which clause the reply breaks, and how */
  readonly step: (seed: StepSeed) => Promise<void>
}

export type AccountCommand = fc.AsyncCommand<AccountModel, AccountReal, false>

export interface Account {
  /**
   * For `fc.asyncModelRun`: removes what the run before has made, and begins anew. On an exclusive target it looks at what
   * is there first; its hook `reset` is called where it has one.
   */
  readonly setup: () => Promise<{ readonly model: AccountModel; readonly real: AccountReal }>
  /** Removes what the last run has made, and ends all connections. */
  readonly close: () => Promise<void>
}

/**
 * Opens an account for model runs.
 * @throws TargetError naming every problem of the target file, TypeError naming each option that is unknown or ill-typed
 * @example
 * const account = await openAccount({ target: 'staging.json' })
 * await fc.assert(fc.asyncProperty(accountCommands(account), (commands) => fc.asyncModelRun(account.setup, commands)))
 * await account.close()
 */
export const openAccount = async (options: AccountOptions): Promise<Account> => {
  check('openAccount(options)', accountSchema, options)
  const { target: file, out = 'touchstone-report/fast-check' } = options
  const target = await targetFrom(file, process.cwd())
  refuseUnknownNames(target)
  let last: { readonly walk: Walk; readonly close: () => Promise<void> } | undefined
  // Making one takes as long as many calls.
  const certificate = await makeCertificate()
  const end = async (): Promise<void> => {
    const ended = last
    last = undefined
    await ended?.walk.abandon()
    await ended?.close()
  }
  return {
    close: end,
    setup: async () => {
      await end()
      last = await begin(target, resolve(out), certificate)
      return { model: { steps: 0 }, real: realOf(last.walk) }
    },
  }
}

const accountSchema = optionsOf<AccountOptions>({
  target: Type.Unknown({ title: 'a target file, its path or a URL' }),
  out: text,
})

const begin = async (target: Target, out: string, certificate: Awaited<ReturnType<typeof makeCertificate>>) => {
  const { hooks, environment } = target
  if (environment.exclusive) await hooks.reset?.()
  makeFolder(out)
  const { session, close } = await connect(target, `${out}/run.ndjson`, `${out}/ledger.ndjson`, { certificate })
  if (environment.exclusive) await survey(session)
  return { walk: beginWalk(session, 'model run'), close }
}

const realOf = (walk: Walk): AccountReal => ({
  step: async (seed) => {
    const broken = (await walk.step(seed)).filter(gates)
    if (broken.length > 0) throw new Error(broken.map(textOf).join('\n'))
  },
})

const textOf = ({ clause, source, requires, expected, received, because }: Deviation): string =>
  [
    `${clause} (${source})`,
    `  requires  ${requires}`,
    `  expected  ${expected}`,
    `  received  ${received}`,
    ...because.map((fact) => `  because   ${fact}`),
  ].join('\n')

export interface CommandOptions {
  /** Ids of operations, `*` standing for any text; all when left out. */
  readonly operations?: readonly string[]
  /** The most commands of a run, 25 when left out. */
  readonly maxCommands?: number
  /** As fast-check printed it, to run only what a shrunk counterexample ran. */
  readonly replayPath?: string
}

/**
 * Arbitrary of commands on an account, for `fc.asyncModelRun`. A command calls one operation, valid or at the edge of what
 * is allowed, on what the commands before have made; it fails where the reply breaks a clause.
 * @throws Error where a glob matches no operation, TypeError naming each option that is unknown or ill-typed
 */
export const accountCommands = (
  _account: Account,
  options: CommandOptions = {},
): ReturnType<typeof fc.commands<AccountModel, AccountReal, false>> => {
  check('accountCommands(account, options)', commandsSchema, options)
  const { operations: globs = ['*'], maxCommands = 25, replayPath } = options
  if (globs.length === 0) throw new Error('operations: expected an id or more, received none. Leave it out for all.')
  refuseStray('operations', 'operation', globs)
  const chosen = operations.filter(({ id }) => globs.some((glob) => matchesGlob(glob, id)))
  const command = stepSeed(chosen).map(
    (seed): AccountCommand => ({
      check: () => true,
      run: async (model, real) => {
        model.steps += 1
        await real.step(seed)
      },
      toString: () => `${seed.operation}(${JSON.stringify({ ...seed, operation: undefined })})`,
    }),
  )
  return fc.commands([command], { maxCommands, size: 'max', ...(replayPath !== undefined && { replayPath }) })
}

const commandsSchema = optionsOf<CommandOptions>({ operations: texts, maxCommands: whole, replayPath: text })

/** A request before its path is filled in: what it names there an earlier call has to make. */
export interface RequestValue {
  readonly operation: string
  readonly method: string
  /** With its parameters in braces. */
  readonly path: string
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: Readonly<Record<string, unknown>>
}

/** A request of which one value breaks one clause, and no other. */
export interface DeviatingRequest extends RequestValue {
  /** Id of the clause. */
  readonly clause: string
}

/**
 * Valid requests of an operation: drafts, full ones, and such at the edge of what a constraint allows. They name fixtures of
 * the embedded target; an optional member that would name something that a call has to make first is left out.
 * @throws Error where no operation has that id
 */
export const requests = (operation: string): fc.Arbitrary<RequestValue> => {
  const op = known(operation)
  return fc.tuple(fc.boolean(), fc.option(fc.nat(500), { freq: 3 }), fc.nat(9999)).map(([full, edge, n]) => {
    const base = drafted(op, full, n)
    if (edge === null || !op.body || !base.body) return base
    const options = edgesOf(op.body, base.body, n, 'right')
    const chosen = options[edge % Math.max(1, options.length)]
    return chosen ? { ...base, body: chosen.value } : base
  })
}

/**
 * Requests of an operation that break one constraint of its body, each with the clause that it breaks.
 * @throws Error where no operation has that id, or none of its clauses is about the form of its body
 */
export const deviations = (operation: string): fc.Arbitrary<DeviatingRequest> => {
  const op = known(operation)
  const first = drafted(op, true, 0)
  if (!op.body || !first.body || edgesOf(op.body, first.body, 0, 'wrong').length === 0)
    throw new Error(`no clause of ${operation} is about the form of its body`)
  return fc.tuple(fc.nat(500), fc.nat(9999)).map(([which, n]) => {
    const base = drafted(op, true, n)
    const options = edgesOf(op.body as TObject, base.body ?? {}, n, 'wrong')
    const { value, clause } = options[which % options.length] as Edge
    return { ...base, body: value, clause }
  })
}

interface Edge {
  readonly value: Readonly<Record<string, unknown>>
  readonly clause: string
}

/** Bodies at the edge of each constraint, or just beyond it. */
const edgesOf = (
  schema: TObject,
  body: Readonly<Record<string, unknown>>,
  n: number,
  side: 'right' | 'wrong',
): readonly Edge[] =>
  constraintsOf(schema)
    .filter(({ path }) => hasContainer(body, path))
    .flatMap((constraint) => {
      const { path, keyword } = constraint
      const op = owner.get(schema) as Operation
      const clause = clausesOf(op).find(
        (one) => one.kind === 'constraint' && one.place === 'body' && one.constraint === constraint,
      )
      if (!clause || (side === 'right' && keyword === 'required')) return []
      return deviationsFrom(constraint, valueAt(body, path), n)
        [side].filter((value) => side === 'wrong' || value !== absent)
        .map((value) => ({ value: withValueAt(body, path, value) as Edge['value'], clause: clause.id }))
    })

const owner = new Map(operations.flatMap((op) => (op.body ? [[op.body, op] as const] : [])))

const known = (id: string): Operation => {
  const op = operationById(id)
  const ids = operations.map((one) => one.id)
  if (!op)
    throw new Error(`no operation ${JSON.stringify(id)}.${suggestion(id, ids)} touchstone list operations shows them.`)
  return op
}

const contextOf = (n: number): PlanContext => {
  let names = n
  return {
    environment: embeddedEnvironment(),
    nonce: 'fc',
    next: () => names++,
    certificate: () => ({
      certificate: '-----BEGIN CERTIFICATE-----\\nMIIB\\n-----END CERTIFICATE-----',
      private_key: '-----BEGIN PRIVATE KEY-----\\nMIIB\\n-----END PRIVATE KEY-----',
    }),
  }
}

const drafted = (op: Operation, full: boolean, n: number): RequestValue => {
  let args: ReturnType<Operation['draft']> = {}
  planProgram(op.id, contextOf(n), (plan) => {
    args = full && op.full ? op.full(plan) : op.draft(plan)
  })
  const { query, body } = args
  return {
    operation: op.id,
    method: op.method,
    path: op.path,
    ...(query && { query: withoutRefs(query) }),
    ...(body && { body: withoutRefs(body as Readonly<Record<string, unknown>>) }),
  }
}

const withoutRefs = (members: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => !holdsRef(value)))

const holdsRef = (value: unknown): boolean =>
  isRef(value) || (typeof value === 'object' && value !== null && Object.values(value).some(holdsRef))
