// Checks a target file against the target itself, by reading alone; it judges no clause.

import type { Target } from '../config/target-file.js'
import { pathTo } from '../driver/paths.js'
import { outcomeText, readWhole, type TargetAccess } from '../driver/target-access.js'
import { isAccepted } from '../history/outcomes.js'
import { allTables, listerOf, operations, viewerOf } from '../models/index.js'
import { ownerTokens } from '../models/language/access.js'
import type { Token } from '../models/language/environment.js'
import type { AnyTable, Operation } from '../models/language/operation.js'
import { type AnyEntity, live } from '../models/language/world.js'
import { startWorld } from '../models/start.js'
import type { Check } from './names.js'
import { askToken, tooNarrow } from './preflight.js'

/** What the look at a target before a run says of each token. It ends at the first call that has no answer at all. */
export const checkTokens = async (target: Target, access: TargetAccess): Promise<readonly Check[]> => {
  const checks: Check[] = []
  for (const [at, token] of target.environment.tokens.entries()) {
    if (!target.secrets.has(token.name)) continue
    const isThere = checks.some(({ result }) => result === 'good')
    const check = await checkToken(target, token, { what: `tokens[${at}]`, isFirst: at === 0, isThere }, access)
    checks.push(check)
    if (check.result === 'unreachable' || check.what === 'baseUrl') break
  }
  return checks
}

interface Asked {
  readonly what: string
  readonly isFirst: boolean
  /** Whether a token before was given a list. */
  readonly isThere: boolean
}

const areas: ReadonlySet<string> = new Set(operations.map(({ area }) => area))

const checkToken = async (
  target: Target,
  token: Token,
  { what, isFirst, isThere }: Asked,
  access: TargetAccess,
): Promise<Check> => {
  const { last, read, problem } = await askToken(target, token, access, isThere)
  const { name } = token
  if (!last)
    return { what, result: 'unclear', text: `${name}: there is no list that its scopes and its user surely may read` }
  const said = `${name}: ${last.op.method} ${last.op.path} ${'lost' in last.outcome ? 'got no reply:' : 'was answered'} ${outcomeText(last.outcome)}`
  const narrow = isFirst ? await tooNarrow(target, token, access, { read, areas }) : undefined
  if (narrow !== undefined) return { what, result: 'wrong', text: narrow }
  if (read !== undefined) return { what, result: 'good', text: said }
  const { outcome } = last
  if ('lost' in outcome && problem?.wrong !== undefined)
    return { what: 'baseUrl', result: 'wrong', text: problem.wrong }
  if (problem?.unreachable !== undefined || 'lost' in outcome || outcome.status >= 500)
    return { what, result: 'unreachable', text: problem?.unreachable ?? said }
  if (problem?.wrong !== undefined) return { what, result: 'wrong', text: problem.wrong }
  const scopes = token.scopes === '*' ? 'all scopes' : `the scopes ${token.scopes.join(', ')}`
  return { what, result: 'wrong', text: `${said}. The target file gives it ${scopes}; see that the token has them.` }
}

/** So many fixtures of a kind are looked at. */
const mostLooks = 20

/** Whether the fixtures exist that the interface can show. */
export const checkFixtures = async ({ environment }: Target, access: TargetAccess): Promise<readonly Check[]> => {
  const world = startWorld(environment)
  const owners = ownerTokens(environment)
  const checks: Check[] = []
  for (const table of allTables()) {
    const entities = live(world, table).slice(0, mostLooks)
    for (const { name: account } of environment.accounts) {
      const owner = owners.find((one) => one.account === account)
      const own = entities.filter((entity) => (entity.account ?? environment.accounts[0]?.name) === account)
      if (owner && own.length > 0) checks.push(...(await checkTable(table, own, owner.token, account, access)))
    }
  }
  const shown = new Set(['volumes', 'buckets', 'vlans', 'clusters', 'managedIssues'])
  const blind = Object.entries(environment.fixtures).flatMap(([kind, items]) =>
    shown.has(kind) || (items?.length ?? 0) === 0 ? [] : [`fixtures.${kind}`],
  )
  return [
    ...checks,
    ...(blind.length === 0
      ? []
      : [{ what: blind.join(', '), result: 'unclear' as const, text: 'the interface does not show them' }]),
  ]
}

const checkTable = async (
  table: AnyTable,
  entities: readonly AnyEntity[],
  token: string,
  account: string,
  access: TargetAccess,
): Promise<readonly Check[]> => {
  const viewer = viewerOf(table)
  if (viewer) return Promise.all(entities.map((entity) => checkViewed(table, viewer, entity, token, access)))
  const lister = listerOf(table)
  if (!lister || Object.keys(lister.params).length > 0) return []
  const { records, broken } = await readWhole(access, lister, token)
  const names = new Set(records.map((record) => table.identify(record, {}, account) ?? String(record.label)))
  const isThere = ({ key, label }: AnyEntity): boolean => names.has(key) || names.has(String(label))
  return entities.map((entity): Check => {
    const what = `${table.name} ${entity.label ?? entity.key}`
    if (broken)
      return { what, result: 'unclear', text: `${lister.method} ${lister.path} was answered ${outcomeText(broken)}` }
    return isThere(entity)
      ? { what, result: 'good', text: `is in ${lister.path}` }
      : { what, result: 'wrong', text: `is not in ${lister.path} of ${account}; correct the target file` }
  })
}

const checkViewed = async (
  table: AnyTable,
  viewer: Operation,
  entity: AnyEntity,
  token: string,
  access: TargetAccess,
): Promise<Check> => {
  const outcome = await access.call(viewer, { path: pathTo(viewer, table, entity, {}), as: token })
  const what = `${table.name} ${entity.key}`
  const text = `${viewer.id} was answered ${outcomeText(outcome)}`
  if (isAccepted(outcome)) return { what, result: 'good', text }
  if ('lost' in outcome) return { what, result: 'unreachable', text }
  // Settings and issues are those of Managed, which the account may not have.
  const isSure = outcome.status === 404 && !table.name.startsWith('managed-')
  return { what, result: isSure ? 'wrong' : 'unclear', text: isSure ? `${text}; correct the target file` : text }
}
