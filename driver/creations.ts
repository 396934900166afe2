// Keeps what accepted calls have made, for the session and the ledger; nothing is sent here.

import type { SendableCall } from '../history/calls.js'
import { accountOf } from '../models/language/access.js'
import type { Operation } from '../models/language/operation.js'
import { referencesOf } from '../models/language/references.js'
import { type AnyEntity, find, idIn, isLatent, live } from '../models/language/world.js'
import type { Judgement } from '../oracle/judgement.js'
import type { Session } from './session.js'

/** The creations of a session, and the belief in which they are looked up. */
export type Own = Pick<Session, 'options' | 'world' | 'creations' | 'lost'>

/** Whether a creation was answered with something that existed before the run, and must stay. */
const isLent = ({ world }: Own, { makes, remakes }: Operation, key: string | undefined, step: number): boolean => {
  const there = remakes && makes && key !== undefined ? find(world(), makes, key) : undefined
  return there !== undefined && there.maker === undefined && !isMarkedBy(there, step)
}

const isMarkedBy = ({ since = {} }: AnyEntity, step: number): boolean =>
  Object.values(since).some((mark) => mark.step === step)

/** The account that a call is sent for, as a line of the ledger tells it. */
export const heldBy = (
  { options }: Pick<Own, 'options'>,
  { as }: Pick<SendableCall, 'as'>,
): { readonly account?: string } => {
  const account = accountOf(options.environment, as)
  return account === undefined ? {} : { account }
}

export const noteCreation = (
  session: Own,
  op: Operation,
  call: SendableCall,
  judgement: Judgement,
  step: number,
): void => {
  const { ledger } = session.options
  const isAgain = isLent(session, op, judgement.made, step)
  if (
    op.makes &&
    judgement.accepted === true &&
    judgement.made !== undefined &&
    !isAgain &&
    !judgement.deviations.some(({ kind }) => kind === 'not-new')
  ) {
    const table = op.makes
    const made = judgement.made
    const account = find(session.world(), table, made)?.account
    const before = isLatent(made) ? live(session.world(), table, account) : []
    const fixed = new Set(before.map(({ key }) => key))
    let key = made
    session.creations.push({
      table,
      // A latent key is replaced when a list binds it: the one key that was not there before.
      key: () => {
        if (isLatent(key) && !find(session.world(), table, key)) {
          const bound = live(session.world(), table, account).find(
            (entity) => !fixed.has(entity.key) && isMarkedBy(entity, step),
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
      ...heldBy(session, call),
      url: call.url,
      body: call.body,
    })
  }
  if (op.makes && (judgement.accepted === false || isAgain))
    ledger({ event: 'refused', step, kind: op.makes.name, operation: op.id })
  const [name, reference] = judgement.accepted === true ? endedBy(op) : []
  if (name !== undefined && reference !== undefined) {
    const held = heldBy(session, call)
    ledger({
      event: 'removed',
      step,
      kind: reference.table.name,
      operation: op.id,
      key: reference.key?.(call.path, held.account) ?? call.path[name] ?? '',
      ...held,
      url: call.url,
    })
  }
}

/** The parameter that names what a call removes, or puts to rest for good. */
const endedBy = (op: Operation) =>
  referencesOf(op).find(([name, { table }]) => name === op.removes || table.retire?.by === op.id) ?? []
