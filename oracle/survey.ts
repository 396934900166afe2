// What the look at everything before an exclusive run tells: a list that was walked to its end holds all there is; nothing is sent.

import type { CallEntry } from '../history/entry.js'
import { listedIn } from '../history/pages.js'
import { allTables } from '../models/index.js'
import { principal } from '../models/language/access.js'
import type { Environment } from '../models/language/environment.js'
import { factTables } from '../models/language/facts.js'
import { close, type World } from '../models/language/world.js'
import { mostCompared } from './listing.js'

type Change = (world: World) => World

/** What is met on the way is taken in. */
export const adopting: Change = (world) => ({ ...world, adopting: true })

/** Follows the calls of a survey: the change that each brings about beyond its reply. */
export const createSurveyor = (environment: Environment) => {
  let walked = ''
  let isWhole = true
  return ({ op, call, outcome }: CallEntry, accepted: boolean | undefined): Change => {
    if (walked !== `${call.as} ${op.id}`) isWhole = true
    walked = `${call.as} ${op.id}`
    const body = 'status' in outcome ? (outcome.body as { readonly pages?: unknown } | null | undefined) : undefined
    isWhole &&= accepted === true && listedIn(body).length <= mostCompared
    const isLast = Number(call.query.page ?? 1) >= (typeof body?.pages === 'number' ? body.pages : 1)
    const account = principal(environment, call.as).account?.name
    const { reply } = op
    const closes = isWhole && isLast && account !== undefined && 'table' in reply
    return (world) => {
      const after = { ...world, adopting: false }
      return closes ? close(after, reply.table, account) : after
    }
  }
}

/** What the target file tells whole of an account. */
export const closeTold = ({ fixtures }: Environment, account: string): Change => {
  const facts = factTables.filter(({ name }) => fixtures[name as keyof typeof fixtures])
  const told = allTables().filter(({ toldBy }) => toldBy && fixtures[toldBy])
  return (world) => [...facts, ...told].reduce<World>((before, table) => close(before, table, account), world)
}
