// The tokens of a plan: which of those that the target file has fit what a program asks for.

import { operationById, operations } from '../models/index.js'
import { lacksScope, principal } from '../models/language/access.js'
import type { Environment, Token } from '../models/language/environment.js'
import { aToken, type Need, type TokenQuery } from '../models/language/needs.js'
import type { Plan } from '../models/language/plan.js'

/** The unrestricted, all-scopes token that plans use by default; undefined where the target file has none. */
export const mainToken = (environment: Environment): Token | undefined =>
  environment.tokens.find((token) => {
    const { user } = principal(environment, token.name)
    return token.scopes === '*' && user?.restricted === false && user.account === environment.accounts[0]?.name
  })

/** A token that sees all of another account; undefined where the target file has none. */
export const strangerToken = (environment: Environment): Token | undefined =>
  environment.tokens.find((token) => {
    const { user } = principal(environment, token.name)
    return token.scopes === '*' && user?.restricted === false && user.account !== environment.accounts[0]?.name
  })

/** Takes one of those that fit; if none does, notes what is missing. */
export type Choose = <T>(fitting: readonly T[], need: Need) => T | undefined

/** How a plan takes its tokens. */
export const tokensOf = (
  environment: Environment,
  choose: Choose,
): Pick<Plan, 'token' | 'furtherTokens' | 'narrowToken'> => ({
  token: (query, need = aToken({ ...query, has: [...(query.has ?? []), ...scopesOf(query)] })) => {
    const fitting = environment.tokens.filter((token) => fits(environment, token, query))
    return choose(nearest(fitting, query), need)?.name ?? 'none'
  },
  furtherTokens: (operation, lacks, first) => {
    const op = operationById(operation)
    const has = (op?.scopes ?? []).filter((scope) => scope !== lacks)
    const used = operations.filter(({ area }) => area === op?.area).flatMap(({ scopes = [] }) => scopes)
    const open = new Set(familiesOf(used))
    const [known] = environment.tokens.filter(({ name }) => name === first)
    for (const family of familiesOf(known?.scopes)) open.delete(family)
    const fitting = environment.tokens.filter((token) => fits(environment, token, { lacks, has }))
    return fitting.flatMap(({ name, scopes }) => {
      const own = familiesOf(scopes).filter((family) => open.delete(family))
      return own.length > 0 ? [name] : []
    })
  },
  narrowToken: (operation) =>
    environment.tokens
      .filter(({ scopes }) => scopes !== '*')
      .filter((token) => fits(environment, token, { for: operation }))
      .sort((a, b) => a.scopes.length - b.scopes.length)[0]?.name,
})

/** Whether a token is one that is asked for. */
export const fits = (environment: Environment, token: Token, query: TokenQuery): boolean => {
  const caller = principal(environment, token.name)
  const { user, account } = caller
  if (!user || !account) return false
  const { grants } = user
  return (
    isOfAccount(account.name === environment.accounts[0]?.name, query) &&
    user.restricted === (query.restricted ?? false) &&
    (query.balance === undefined || account.balance === query.balance) &&
    (query.managed === undefined || account.managed === query.managed) &&
    (query.lacks === undefined || lacksScope(caller, query.lacks) === true) &&
    [...(query.has ?? []), ...scopesOf(query)].every((scope) => lacksScope(caller, scope) === false) &&
    (query.grant === undefined ||
      (grants !== undefined && (grants.global ?? []).includes(query.grant.name) === query.grant.held)) &&
    (query.permission ?? []).every(
      ({ kind, id, write }) => grants !== undefined && (grants[kind]?.[String(id)] === 'read_write') === write,
    )
  )
}

/** Whether the first account, or any other, is one that is asked for: the first, unless it is asked for by what it is like. */
const isOfAccount = (isFirst: boolean, { foreign, balance, managed }: TokenQuery): boolean =>
  foreign ? !isFirst : isFirst || balance !== undefined || managed !== undefined

/** The token first that lacks the least beside what it must lack: a check that asks for any scope of a family lets it through. */
const nearest = (tokens: readonly Token[], { lacks }: TokenQuery): readonly Token[] => {
  if (lacks === undefined) return tokens
  const family = lacks.slice(0, lacks.indexOf(':') + 1)
  const closeness = ({ scopes }: Token): number =>
    scopes === '*' ? 0 : scopes.length + (scopes.some((scope) => scope.startsWith(family)) ? 1000 : 0)
  return [...tokens].sort((one, other) => closeness(other) - closeness(one))
}

const familiesOf = (scopes: Token['scopes'] = []): readonly string[] =>
  scopes === '*' ? [] : [...new Set(scopes.map((scope) => scope.split(':')[0] as string))]

const scopesOf = (query: TokenQuery): readonly string[] =>
  query.for === undefined ? [] : (operationById(query.for)?.scopes ?? [])
