// Keeps what accepted calls have made and removed, for the session and the ledger; nothing is sent here.

import type { SendableCall } from '../history/calls.js'
import { accountOf } from '../models/language/access.js'
import type { AnyTable, Operation } from '../models/language/operation.js'
import { referencesOf } from '../models/language/references.js'
import { type AnyEntity, find, idIn, isLatent, live } from '../models/language/world.js'
import type { Judgement } from '../oracle/judgement.js'
import type { Session } from './session.js'

/** The part of a session that keeps its creations, and the belief in which they are looked up. */
export type Keeper = Pick<Session, 'options' | 'world' | 'keep' | 'lost'>

/** Whether a creation was answered with something that existed before the run, and must stay. */
const isLent = ({ world }: Keeper, { makes, remakes }: Operation, key: string | undefined, step: number): boolean => {
  const there = remakes && makes && key !== undefined ? find(world(), makes, key) : undefined
  return there !== undefined && there.maker === undefined && !isMarkedBy(there, step)
}

const isMarkedBy = ({ since = {} }: AnyEntity, step: number): boolean =>
  Object.values(since).some((mark) => mark.step === step)

/** The account that a call is sent for, as a line of the ledger tells it. */
export const heldBy = (
  { options }: Pick<Keeper, 'options'>,
  { as }: Pick<SendableCall, 'as'>,
): { readonly account?: string } => {
  const account = accountOf(options.environment, as)
  return account === undefined ? {} : { account }
}

/** Notes what a judged call has made or removed. */
export const noteJudged = (
  session: Keeper,
  op: Operation,
  call: SendableCall,
  judgement: Judgement,
  step: number,
): void => {
  const { accepted, made } = judgement
  if (op.makes) {
    const isAgain = isLent(session, op, made, step)
    const isNew = !isAgain && !judgement.deviations.some(({ kind }) => kind === 'not-new')
    if (accepted === true && made !== undefined && isNew) noteMade(session, { op, table: op.makes, made, call, step })
    if (accepted === false || isAgain)
      session.options.ledger({ event: 'refused', step, kind: op.makes.name, operation: op.id })
  }
  if (accepted === true) noteRemoved(session, op, call, step)
}

interface Made {
  readonly op: Operation
  readonly table: AnyTable
  readonly made: string
  readonly call: SendableCall
  readonly step: number
}

const noteMade = (session: Keeper, { op, table, made, call, step }: Made): void => {
  session.keep({ table, key: keyOf(session, table, made, step), path: call.path, as: call.as })
  session.options.ledger({
    event: 'created',
    step,
    kind: table.name,
    operation: op.id,
    key: idIn(made),
    ...heldBy(session, call),
    url: call.url,
    body: call.body,
  })
}

/** The key of what was made. A latent one is replaced when a list binds it: the one key that was not there before. */
const keyOf = ({ world }: Keeper, table: AnyTable, made: string, step: number): (() => string) => {
  if (!isLatent(made)) return () => made
  const account = find(world(), table, made)?.account
  const before = new Set(live(world(), table, account).map(({ key }) => key))
  let key = made
  return () => {
    if (isLatent(key) && !find(world(), table, key)) {
      const isBound = (entity: AnyEntity): boolean => !before.has(entity.key) && isMarkedBy(entity, step)
      key = live(world(), table, account).find(isBound)?.key ?? key
    }
    return key
  }
}

const noteRemoved = (session: Keeper, op: Operation, call: SendableCall, step: number): void => {
  const [name, reference] = endedBy(op)
  if (name === undefined || reference === undefined) return
  const held = heldBy(session, call)
  session.options.ledger({
    event: 'removed',
    step,
    kind: reference.table.name,
    operation: op.id,
    key: reference.key?.(call.path, held.account) ?? call.path[name] ?? '',
    ...held,
    url: call.url,
  })
}

/** The parameter that names what a call removes, or puts to rest for good. */
const endedBy = (op: Operation) =>
  referencesOf(op).find(([name, { table }]) => name === op.removes || table.retire?.by === op.id) ?? []
