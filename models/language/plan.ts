// Programs as data, and the builder in which drafts and probes are written; it plans, it sends nothing.
import type { Environment, Fixtures } from './environment.js'
import type { Need, TokenQuery } from './needs.js'
import type { Table } from './world.js'

/** Stands in a program's values for what an earlier step made: its key, or a field of it. */
export interface Ref {
  readonly $step: number
  readonly field?: string
  /** Text appended to the value, so that it names something else. */
  readonly suffix?: string
  /** Added to a field that is a number. */
  readonly plus?: number
  /** The most that the sum may be. */
  readonly most?: number
}

export const isRef = (value: unknown): value is Ref => typeof value === 'object' && value !== null && '$step' in value

/** A copy of a value with something else in place of each ref. */
export const withRefs = <T>(value: T, inPlace: (ref: Ref) => unknown): T => {
  const copy = (one: unknown): unknown => {
    if (isRef(one)) return inPlace(one)
    if (Array.isArray(one)) return one.map(copy)
    if (typeof one !== 'object' || one === null) return one
    return Object.fromEntries(Object.entries(one).map(([name, member]) => [name, copy(member)]))
  }
  return copy(value) as T
}

/** What a step made or showed. */
export interface Made {
  readonly step: number
  /** Its key in a path or body. */
  readonly id: Ref
  /** A field of the entity as believed when the program gets there. */
  readonly field: (name: string) => Ref
}

export type Scalar = string | number | boolean | Ref

/** A body as a call takes it: members, or a text that is sent as it stands. */
export type Body = Readonly<Record<string, unknown>> | { readonly $raw: string }

/** The values of a call; a body may hold refs anywhere. */
export interface Args {
  readonly path?: Readonly<Record<string, Scalar>>
  /** A parameter with several values is given several times. */
  readonly query?: Readonly<Record<string, Scalar | readonly Scalar[]>>
  readonly body?: Body
  /** `content` has a character for each byte; `field` is the form field, by default the target file's. */
  readonly file?: { readonly name: string; readonly content: string; readonly field?: string }
  /** Token name; null for no credential. The plan's own token when left out. */
  readonly as?: string | null
  /** Send at once, without waiting for the resources it names to come to rest. */
  readonly unsettled?: true
  /** Not sent where the call of that step was accepted. */
  readonly unless?: number
  /** Sent only where the call of that step was accepted. */
  readonly provided?: number
  /** Ask beforehand, unjudged, until nothing speaks against the reply or it has been long enough: what happens by itself takes its time. */
  readonly patient?: true
  /** One of many alike, whose reply says enough: what it named and made is not looked at afterwards. */
  readonly unwatched?: true
  /** Further members of the body, or others, each given where the call is then refused for the same reasons; not sent where none is. */
  readonly fuller?: Readonly<Record<string, unknown>>
  /** Sent as it stands where none of the further members can be given. */
  readonly anyway?: true
}

/**
 * `arrange` must be accepted. A program is about the refusal of its `probe`, of which the `twin` is the accepted counterpart, or about the
 * reply to its `check`.
 */
export type Role = 'arrange' | 'probe' | 'twin' | 'check'

export interface CallStep extends Args {
  readonly role: Role
  readonly operation: string
}

/** A change that the target file's hooks bring about outside the interface. */
export interface HookStep {
  readonly role: 'arrange'
  readonly hook: HookName
  readonly args: readonly unknown[]
}

export const hookNames = ['deleteNode', 'setLiveMigration', 'setVolumeMigrating', 'putObjects'] as const
export type HookName = (typeof hookNames)[number]

export type Step = CallStep | HookStep

export interface Program {
  readonly name: string
  readonly steps: readonly Step[]
  /** Before the step of that number, so many milliseconds pass since the one before it. */
  readonly pause?: { readonly before: number; readonly ms: number }
  /** Sent last, whatever came before: puts back what the steps changed of fixtures. */
  readonly restore?: readonly CallStep[]
  /** What the target file lacks for it; the program is not run unless empty. */
  readonly missing: readonly Need[]
}

/** Chooses one of the fixtures of a kind. */
type Chosen<K extends keyof Fixtures, F = NonNullable<Fixtures[K]>[number]> = (
  where?: (one: F) => boolean,
  need?: Need,
) => F

/**
 * The builder. A fixture that the target does not have yields a stand-in and a line in `missing`, so that drafts and
 * probes read straight on.
 */
export interface Plan {
  readonly environment: Environment
  /** A name no earlier call returned, made of lower-case letters, digits and hyphens, a letter first; at most 24 characters. */
  readonly name: () => string
  /** A text that any target takes as a description or note; it begins with a name. */
  readonly text: (most: number) => string
  /** A name, or in a random program one with words of any script behind it, where no rule is about its characters. */
  readonly label: (most: number) => string
  /** A name with words of any script behind it, which a target may refuse. */
  readonly oddText: (most: number) => string
  /** A tag of a small set, so that resources come to share tags; of the same characters as a name. */
  readonly tag: (word?: string) => string
  /** 0 on the first call of the program for that series, then 1, 2 …: to take fixtures by turns. */
  readonly turn: (series: string) => number
  /** Notes that the program needs something. */
  readonly need: (condition: boolean, need: Need) => void
  readonly region: Chosen<'regions'>
  readonly cluster: Chosen<'clusters'>
  /** Of the fixtures that will do, the same throughout a program; programs side by side take different ones. */
  readonly node: Chosen<'nodes'>
  readonly nodebalancer: Chosen<'nodebalancers'>
  readonly domain: Chosen<'domains'>
  readonly volumeFixture: Chosen<'volumes'>
  readonly vlan: Chosen<'vlans'>
  readonly bucketFixture: Chosen<'buckets'>
  readonly dns: Chosen<'dns'>
  readonly managedIssue: Chosen<'managedIssues'>
  /** A self-signed certificate and its private key, in PEM. */
  readonly certificate: () => { readonly certificate: string; readonly private_key: string }
  /** Name of a token of such a user; the plan goes on as before. */
  readonly token: (query: TokenQuery, need?: Need) => string
  /**
   * Names of tokens that lack that scope as well. Each of them has a scope of a family that the area of the operation uses, and that the
   * tokens before it lack.
   */
  readonly furtherTokens: (operation: string, lacks: string, first: string) => readonly string[]
  /** Name of the token with all scopes of the operation and the fewest others, where there is one that has not every scope. */
  readonly narrowToken: (operation: string) => string | undefined
  /** The following steps are sent with this token unless they say otherwise. */
  readonly as: (token: string) => void
  /** Makes a resource by its table's creating operation: its draft, with members of the body replaced (undefined leaves one out). */
  readonly make: <F>(table: Table<F>, body?: Readonly<Record<string, unknown>>, args?: Omit<Args, 'body'>) => Made
  /** An arranging call that must be accepted; by operation id. */
  readonly call: (operation: string, args?: Args) => Made
  readonly probe: (operation: string, args?: Args) => Made
  readonly twin: (operation: string, args?: Args) => Made
  readonly check: (operation: string, args?: Args) => Made
  /** A call at the end of the program, whatever came before it: puts a fixture back as it was. The last one given goes first. */
  readonly restore: (operation: string, args: Args) => void
  /** The following steps come so many milliseconds later, once in a program; the rule of its clause says that it is `slow`. */
  readonly later: (ms: number) => void
  /** Needs that hook in the target file. */
  readonly hook: (name: HookName, ...args: readonly unknown[]) => void
  /**
   * Plans with everything given for what `make` makes meanwhile, where its operation can take more than its draft.
   * Undefined, and nothing planned, where that needs what the target file lacks.
   */
  readonly richly: <T>(write: () => T) => T | undefined
  /**
   * Plans something where it can be planned. Undefined, and nothing planned, where that needs what the target file lacks. `undo` plans
   * nothing in any case.
   */
  readonly attempt: <T>(write: () => T, undo?: 'undo') => T | undefined
  /** The draft of an operation, arranging what it needs, without calling it. */
  readonly draft: (operation: string) => Args
}

/** A probe that sees what a restricted user may do by an operation, where the permission rules do not say it. */
export const asRestricted =
  (operation: string) =>
  (plan: Plan): void => {
    const args = plan.draft(operation)
    plan.check(operation, { ...args, as: plan.token({ restricted: true, for: operation }) })
  }
