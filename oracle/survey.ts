// Learns from the survey before a run: a list that was walked to its end holds everything there is; nothing is sent.

import type { CallEntry } from '../history/entry.js'
import { firstPageOf, listedIn } from '../history/pages.js'
import { allTables } from '../models/index.js'
import { accountOf } from '../models/language/access.js'
import type { Environment } from '../models/language/environment.js'
import { factTables } from '../models/language/facts.js'
import { close, type World } from '../models/language/world.js'
import { mostCompared } from './listing.js'

/** The members of an envelope that tell how much there is. */
interface Extent {
  readonly pages?: unknown
  readonly results?: unknown
}

/** What the pages of a list have shown so far. */
interface Walk {
  isWhole: boolean
  readonly first: number
  readonly keys: Set<string>
}

const envelopeOf = (outcome: CallEntry['outcome']): Extent =>
  ('status' in outcome ? (outcome.body as Extent | null) : undefined) ?? {}

type Change = (world: World) => World

/** Lets the world take in resources that replies show and that were unknown. */
export const adopting: Change = (world) => ({ ...world, adopting: true })

/** Follows the calls of a survey: the change that each brings about beyond its reply. */
export const createSurveyor = (environment: Environment) => {
  /** By caller and list, for the pages of several may come by turns. */
  const walks = new Map<string, Walk>()
  return ({ op, call, outcome }: CallEntry, accepted: boolean | undefined): Change => {
    const body = envelopeOf(outcome)
    const name = `${call.as} ${op.id}`
    const known = call.query.page === undefined ? undefined : walks.get(name)
    const walk = known ?? { isWhole: true, first: firstPageOf(body), keys: new Set<string>() }
    walks.set(name, walk)
    const { first, keys } = walk
    walk.isWhole &&= accepted === true && listedIn(body).length <= mostCompared
    const page = Number(call.query.page ?? first) - first + 1
    const isLast = page >= (typeof body.pages === 'number' ? body.pages : 1)
    const account = accountOf(environment, call.as)
    const { reply } = op
    if ('table' in reply)
      for (const record of listedIn(body)) keys.add(reply.table.identify(record, call.path, account) ?? '')
    // The document promises no order. If it changes from page to page, some records have not been seen.
    const isSeen = page === 1 || typeof body.results !== 'number' || keys.size >= body.results
    const closes = walk.isWhole && isLast && isSeen && account !== undefined && 'table' in reply
    return (world) => {
      const after = { ...world, adopting: false }
      return closes ? close(after, reply.table, account) : after
    }
  }
}

/** Tables of an account that the target file lists completely. */
export const closeTold = ({ fixtures }: Environment, account: string): Change => {
  const facts = factTables.filter(({ name }) => fixtures[name as keyof typeof fixtures])
  const told = allTables().filter(({ toldBy }) => toldBy && fixtures[toldBy])
  return (world) => [...facts, ...told].reduce<World>((before, table) => close(before, table, account), world)
}
