// Who calls: principals, scopes and grants as the document has them; not how credentials travel.
import { known, type Ternary } from './clause.js'
import type { Account, Environment, Grants, KnownToken, User } from './environment.js'
import { fromTargetFile } from './world.js'

/** The caller behind a token. Fields are undefined where nothing is known of it (recorded traffic). */
export interface Principal {
  readonly token: KnownToken | undefined
  readonly user: User | undefined
  readonly account: Account | undefined
  /** No credential was sent, or one that no user holds. */
  readonly anonymous: boolean
}

/** The source that keeps users of one account from changing resources of another: permission is a grant on a resource of the account. */
export const ofWriters = 'Errors, "attach, detach and other write operations without the needed permission"'

/** A credential that no target accepts, sent where a call must carry a wrong one. */
export const wrongToken = '!wrong'
/** The secret of a token with text added at its end or its beginning: a target that compares only a part accepts it. */
export const damagedToken = (how: Damage, token: string): string => `!${how} ${token}`
export const damages = ['doubled', 'prefixed'] as const
/** The whole token, but under another scheme than Bearer, or under none. */
export const schemes = ['basic', 'token', 'bare'] as const
type Damage = (typeof damages)[number] | (typeof schemes)[number]

/** Which token was changed, and how; undefined for the name of an unchanged credential. */
export const damageOf = (name: string): { readonly how: Damage; readonly token: string } | undefined => {
  const how = [...damages, ...schemes].find((one) => name.startsWith(`!${one} `))
  return how && { how, token: name.slice(how.length + 2) }
}

/** Whether a credential is a whole token in the wrong place. */
export const isMisplaced = (name: string | null): boolean =>
  schemes.some((one) => one === (name === null ? undefined : damageOf(name)?.how))

/** A credential about which nothing is known. */
export const unknownToken = '?'

const nobody: Principal = { token: undefined, user: undefined, account: undefined, anonymous: true }
const somebody: Principal = { ...nobody, anonymous: false }

/** The principal behind a token's name; null is no credential at all. */
export const principal = (environment: Environment, name: string | null): Principal => {
  if (name === null || name === wrongToken || damageOf(name)) return nobody
  const token = environment.tokens.find((candidate) => candidate.name === name)
  const user = environment.users.find((candidate) => candidate.name === token?.user)
  const account = environment.accounts.find((candidate) => candidate.name === user?.account)
  if (token) return { token, user, account, anonymous: false }
  // Nothing is known about such a caller, except that everything one credential reaches belongs to one account.
  return { ...somebody, account: environment.accounts.find((candidate) => candidate.name === name) }
}

/** For each account the token of an unrestricted user that may do everything, where there is one. */
export const ownerTokens = ({
  accounts,
  users,
  tokens,
}: Environment): readonly { readonly account: string; readonly token: string }[] =>
  accounts.flatMap(({ name: account }) => {
    const owners = users.filter((user) => user.account === account && !user.restricted).map(({ name }) => name)
    const found = tokens.find(({ scopes, user }) => scopes === '*' && owners.includes(user))
    return found ? [{ account, token: found.name }] : []
  })

/** Name of the account that a credential reaches, where that is known. */
export const accountOf = (environment: Environment, name: string | null): string | undefined =>
  principal(environment, name).account?.name

/**
 * Whether the caller lacks a scope. That `x:read_write` includes `x:read_only`, and that `ips:read` is another
 * spelling of `ips:read_only`, is not said, so both stay undecided.
 */
export const lacksScope = ({ token, anonymous }: Principal, scope: string): Ternary => {
  if (anonymous) return true
  if (!token) return undefined
  if (token.scopes === '*' || token.scopes.includes(scope)) return false
  if (token.isOpen) return undefined
  const [family, right] = scope.split(':')
  return right !== 'read_write' && token.scopes.some((held) => held.startsWith(`${family}:`)) ? undefined : true
}

export const isRestricted = ({ user, anonymous }: Principal): Ternary => (anonymous ? false : user?.restricted)

/** Whether a restricted caller lacks a global grant such as `add_volumes`. */
export const lacksGlobal = (caller: Principal, grant: string): Ternary =>
  restrictedAnd(caller, (grants) => !(grants.global ?? []).includes(grant))

/** What a caller may need a grant on. */
interface Grantable {
  readonly key: string
  readonly maker?: string
  readonly since?: Readonly<Record<string, { readonly by: string }>>
}

/**
 * Whether a restricted caller lacks read_write on an object. Whether creating an object grants it is not said, so what a
 * caller has made, or may have made before it was first seen, stays undecided.
 */
export const lacksWrite = (
  caller: Principal,
  kind: keyof Omit<Grants, 'global'>,
  object: Grantable | undefined,
): Ternary =>
  restrictedAnd(caller, (grants) => {
    if (object === undefined) return undefined
    if (grants[kind]?.[object.key] === 'read_write') return false
    const { maker = mayHaveMade(grants, kind, object) ? caller.user?.name : undefined } = object
    return maker !== undefined && maker === caller.user?.name ? undefined : true
  })

/** Whether something that exists is another account's, on which nobody of this account has a permission. */
export const isOfAnother = (
  object: { readonly account?: string | undefined } | undefined,
  account: string | undefined,
): Ternary => object !== undefined && known(object.account, account, (a, b) => a !== b)

const mayHaveMade = ({ global = [] }: Grants, kind: keyof Omit<Grants, 'global'>, { since = {} }: Grantable): boolean =>
  kind === 'volumes' && global.includes('add_volumes') && Object.values(since).every(({ by }) => by !== fromTargetFile)

const restrictedAnd = (caller: Principal, lacking: (grants: Grants) => Ternary): Ternary => {
  const restricted = isRestricted(caller)
  if (restricted !== true) return restricted
  return caller.user?.grants ? lacking(caller.user.grants) : undefined
}
