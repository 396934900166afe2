// Which fixtures that the interface shows are not on the target, asked before a run: what a target file has wrong is not held against the target.

import type { Target } from '../config/target-file.js'
import { atOnce } from '../driver/at-once.js'
import { pathTo } from '../driver/paths.js'
import { outcomeText, readWhole, type TargetAccess } from '../driver/target-access.js'
import type { Outcome } from '../history/wire.js'
import { buckets } from '../models/buckets/record.js'
import { listerOf, viewerOf } from '../models/index.js'
import { ownerTokens } from '../models/language/access.js'
import type { Environment } from '../models/language/environment.js'
import { clusters } from '../models/language/facts.js'
import type { AnyTable } from '../models/language/operation.js'
import { type AnyEntity, live } from '../models/language/world.js'
import { startWorld } from '../models/start.js'
import { volumes } from '../models/volumes/record.js'

type Kind = 'volumes' | 'buckets' | 'clusters'

/** Kinds of fixtures that have both a view and a list of their own. */
const tables: Readonly<Record<Kind, AnyTable>> = { volumes, buckets, clusters } as never

/** A fixture that is not there: its place in the target file, and how the target said so. */
export interface Absent {
  readonly kind: Kind
  readonly at: number
  readonly text: string
}

/** Fixtures that neither their view nor their whole list shows, of the areas that a run is about. */
export const absentFixtures = async (
  { environment, pace }: Pick<Target, 'environment' | 'pace'>,
  access: TargetAccess,
  areas: ReadonlySet<string>,
): Promise<readonly Absent[]> => {
  const asked = Object.entries(tables).flatMap(([kind, table]) =>
    areas.has(viewerOf(table)?.area ?? '')
      ? (environment.fixtures[kind as Kind] ?? []).map((_, at) => ({ kind: kind as Kind, at, table }))
      : [],
  )
  const all = await atOnce(pace.concurrency, asked, async ({ kind, at, table }) => {
    const [entity] = live(startWorld(onlyThat(environment, kind, at)), table)
    const text = entity && (await absence(environment, access, table, entity))
    return text === undefined ? [] : [{ kind, at, text }]
  })
  return all.flat()
}

/** The environment with one fixture alone. */
const onlyThat = (environment: Environment, kind: Kind, at: number): Environment => ({
  ...environment,
  fixtures: { [kind]: environment.fixtures[kind]?.slice(at, at + 1) },
})

/** How a target says that something is not there; undefined where it does not, or says one thing here and another there. */
const absence = async (
  environment: Environment,
  access: TargetAccess,
  table: AnyTable,
  entity: AnyEntity,
): Promise<string | undefined> => {
  const account = entity.account ?? environment.accounts[0]?.name
  const owner = ownerTokens(environment).find((one) => one.account === account)
  const [viewer, lister] = [viewerOf(table), listerOf(table)]
  if (!owner || !viewer || !lister) return undefined
  const outcome = await access.call(viewer, { path: pathTo(viewer, table, entity, {}), as: owner.token })
  if (!isNotFound(outcome)) return undefined
  const { records, broken } = await readWhole(access, lister, owner.token)
  const isListed = records.some((record) => table.identify(record, {}, account) === entity.key)
  if (broken || isListed) return undefined
  return `${viewer.id} was answered ${outcomeText(outcome)}, and GET ${lister.path} does not show it`
}

const isNotFound = (outcome: Outcome): boolean => 'status' in outcome && [404, 410].includes(outcome.status)

/** The environment without what is not there. */
export const withoutAbsent = (environment: Environment, absent: readonly Absent[]): Environment => {
  const left = (kind: Kind) =>
    environment.fixtures[kind]?.filter((_, i) => !absent.some((one) => one.kind === kind && one.at === i))
  const kinds = [...new Set(absent.map(({ kind }) => kind))]
  return {
    ...environment,
    fixtures: { ...environment.fixtures, ...Object.fromEntries(kinds.map((kind) => [kind, left(kind)])) },
  }
}

/** What is said of a fixture that is not there. */
export const absentText = ({ kind, at, text }: Absent): string =>
  `fixtures.${kind}[${at}] is not on the target (${text}): the run went on without it; correct the target file`
