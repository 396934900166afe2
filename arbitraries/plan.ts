// The plan builder: drafts and probes call it, a program of plain steps comes out; nothing is sent.

import { makerOf, operationById, operations } from '../models/index.js'
import { lacksScope, principal } from '../models/language/access.js'
import { type Environment, mostLive, type Token } from '../models/language/environment.js'
import type { Args, CallStep, HookName, Made, Plan, Program, Role, Step, TokenQuery } from '../models/language/plan.js'
import { arrangedOnce, arrangedTogether } from './arranged.js'
import { proseMark } from './likeness.js'
import type { Prose } from './prose.js'

/** What every plan of a run shares. */
export interface PlanContext {
  readonly environment: Environment
  /** A text that every name made in this run contains; letters, digits and hyphens. */
  readonly nonce: string
  /** Yields 0, 1, 2 …; never the same number twice in a run. */
  readonly next: () => number
  /** What people write; names stand for it where it is left out. */
  readonly prose?: Prose
  /** Whether texts may be in any script. */
  readonly isForeign?: boolean
  readonly certificate: () => { readonly certificate: string; readonly private_key: string }
  /** Where programs start to look if any fixture will do, so that programs side by side take different ones. */
  readonly rotation?: number
}

/** How many tags plans choose from. */
const differentTags = 5

/** The prefix of the tags of a run, which several resources share; a name belongs to one resource. */
export const tagsOf = (nonce: string): string => `${nonce}-tag-`

/** Letters that no earlier call returned; `length` at least 1, and only 26 to the power of it are different. */
export const letters = (n: number, length: number): string => {
  let rest = n
  let word = ''
  for (let i = 0; i < length; i += 1) {
    word += String.fromCharCode(97 + (rest % 26))
    rest = Math.floor(rest / 26)
  }
  return word
}

/**
 * Runs a probe or draft and returns the program that it wrote. Where a choice of fixtures and tokens leaves something missing,
 * the others are tried; if none will do, the program of the choice that leaves the least missing says what that is.
 */
export const planProgram = (name: string, context: PlanContext, write: (plan: Plan) => void): Program => {
  let choices: Choices = openChoices([])
  let best = writeProgram(name, context, choices, write)
  for (let tries = 1; best.missing.length > 0 && tries < mostTries; tries += 1) {
    const next = nextOf(choices)
    if (!next) break
    choices = openChoices(next)
    const program = writeProgram(name, context, choices, write)
    if (program.missing.length < best.missing.length) best = program
  }
  return best
}

/** The most combinations of fixtures and tokens that are tried. */
const mostTries = 200

/** Which of several alternatives a plan takes each time, in the order in which it asks. */
interface Choices {
  /** Takes one of so many. */
  readonly take: (count: number) => number
  readonly taken: readonly { readonly at: number; readonly count: number }[]
}

const openChoices = (given: readonly number[]): Choices => {
  const taken: { readonly at: number; readonly count: number }[] = []
  const take = (count: number): number => {
    const at = given[taken.length] ?? 0
    taken.push({ at, count })
    return at
  }
  return { take, taken }
}

/** The next choices: the last one with another alternative is changed; undefined if there is none. */
const nextOf = ({ taken }: Choices): readonly number[] | undefined => {
  const last = taken.findLastIndex(({ at, count }) => at + 1 < count)
  return last < 0 ? undefined : taken.slice(0, last + 1).map(({ at }, i) => (i === last ? at + 1 : at))
}

const writeProgram = (name: string, context: PlanContext, choices: Choices, write: (plan: Plan) => void): Program => {
  const main = mainToken(context.environment)?.name ?? null
  const written: Written = { main, steps: [], missing: [], restore: [], pauses: [], alive: new Map(), as: main }
  write(createPlan(context, choices, written))
  const { steps, missing, restore, pauses } = written
  const [pause] = pauses
  const program: Program = {
    name,
    steps,
    ...(pause && { pause }),
    ...(restore.length > 0 && { restore }),
    missing: distinct(missing),
  }
  return arrangedTogether(arrangedOnce(program, context.nonce), context.nonce)
}

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

/** Each text once; of texts that differ only in a number, the last. */
const distinct = (missing: readonly string[]): readonly string[] => [
  ...new Map(
    missing.map((what) => [what.startsWith('safety.maxLive') ? what.replace(/\d+/, '') : what, what]),
  ).values(),
]

/** What a plan has written so far. */
interface Written {
  /** The token of calls that name none. */
  readonly main: string | null
  readonly steps: Step[]
  readonly missing: string[]
  readonly restore: CallStep[]
  readonly pauses: NonNullable<Program['pause']>[]
  /** How many of each kind are alive after the steps. */
  readonly alive: Map<string, number>
  /** The token with which the following steps are sent. */
  as: string | null
}

const createPlan = (context: PlanContext, choices: Choices, written: Written): Plan => {
  const { environment, certificate } = context
  const { main, missing } = written
  if (main === null) missing.push('a token with scopes "*" of an unrestricted user of the first account')
  const choose: Choose = (fitting, what) => {
    // Choices after something was missing could not have helped.
    const found = fitting[missing.length > 0 ? 0 : choices.take(fitting.length)]
    if (found === undefined) missing.push(what)
    return found
  }
  const plan: Plan = {
    environment,
    certificate,
    need: (condition, what) => {
      if (!condition) missing.push(what)
    },
    ...namesOf(context),
    ...fixturesOf(context, choose),
    ...tokensOf(environment, choose),
    ...stepsOf(environment, written),
    ...makingOf(environment, written, () => plan),
    attempt: (write, undo) => {
      const putBack = markOf(written)
      const { length } = missing
      const result = write()
      const isPlanned = missing.length === length
      if (!isPlanned || undo !== undefined) putBack()
      return isPlanned ? result : undefined
    },
  }
  return plan
}

/** Takes one of those that fit; if none does, notes what is missing. */
type Choose = <T>(fitting: readonly T[], what: string) => T | undefined

type Names = Pick<Plan, 'name' | 'text' | 'label' | 'oddText' | 'tag' | 'turn'>

const namesOf = ({ nonce, next, prose, isForeign = false }: PlanContext): Names => {
  const turns = new Map<string, number>()
  const name = (): string => `${nonce}-${next().toString(36)}`
  /** A fresh name, and words behind it. */
  const named = (most: number, between: string, words: ((n: number, most: number) => string) | undefined): string => {
    const n = next()
    const start = `${nonce}-${n.toString(36)}`
    const room = most - start.length - between.length
    return words && room > 0 ? `${start}${between}${words(n, room)}` : start
  }
  const oddText = (most: number): string => named(most, ' ', prose?.any ?? (() => 'Ä'))
  return {
    name,
    text: (most) => (isForeign ? oddText(most) : named(most, proseMark, prose?.plain)),
    label: (most) => (isForeign ? oddText(most) : name()),
    oddText,
    tag: (word = letters(next() % differentTags, 1)) => `${tagsOf(nonce)}${word}`,
    turn: (series) => {
      const turn = turns.get(series) ?? 0
      turns.set(series, turn + 1)
      return turn
    },
  }
}

type Fixtures = Pick<
  Plan,
  | 'region'
  | 'cluster'
  | 'node'
  | 'nodebalancer'
  | 'domain'
  | 'volumeFixture'
  | 'vlan'
  | 'bucketFixture'
  | 'dns'
  | 'managedIssue'
>

/** Fixtures of the first account; where none fits, one that stands in until the plan is given up. */
const fixturesOf = ({ environment, rotation = 0 }: PlanContext, choose: Choose): Fixtures => {
  const { fixtures, accounts } = environment
  const home = accounts[0]?.name
  const seek = <T extends object>(
    items: readonly T[] | undefined,
    where: ((item: T) => boolean) | undefined,
    what: string,
    standIn: T,
  ): T => {
    const own = (items ?? []).filter(
      (item) => !('account' in item) || item.account === undefined || item.account === home,
    )
    return choose(rotated(where ? own.filter(where) : own, rotation), what) ?? standIn
  }
  return {
    region: (where, what = 'a region') => seek(fixtures.regions, where, what, { id: 'none' }),
    cluster: (where, what = 'a cluster') => seek(fixtures.clusters, where, what, { id: 'none' }),
    node: (where, what = 'a node') => seek(fixtures.nodes, where, what, { id: 0, region: 'none' }),
    nodebalancer: (where, what = 'a node balancer') => seek(fixtures.nodebalancers, where, what, { id: 0 }),
    domain: (where, what = 'a domain') => seek(fixtures.domains, where, what, { id: 0 }),
    volumeFixture: (where, what = 'a volume among the fixtures') => seek(fixtures.volumes, where, what, { id: 0 }),
    vlan: (where, what = 'a VLAN') => seek(fixtures.vlans, where, what, { label: 'none', region: 'none' }),
    bucketFixture: (where, what = 'a bucket among the fixtures') =>
      seek(fixtures.buckets, where, what, { cluster: 'none', label: 'none' }),
    dns: (where, what = 'a forward DNS entry') => seek(fixtures.dns, where, what, { name: 'none', address: '0.0.0.0' }),
    managedIssue: (where, what = 'a Managed issue') => seek(fixtures.managedIssues, where, what, { id: 0 }),
  }
}

const tokensOf = (environment: Environment, choose: Choose): Pick<Plan, 'token' | 'furtherTokens' | 'narrowToken'> => ({
  token: (query, what) => {
    const fitting = environment.tokens.filter((token) => fits(environment, token, query))
    return choose(nearest(fitting, query), what ?? describe(query))?.name ?? 'none'
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

type Steps = Pick<Plan, 'as' | 'call' | 'probe' | 'twin' | 'check' | 'restore' | 'later' | 'hook'>

const stepsOf = (environment: Environment, written: Written): Steps => {
  const { steps, restore, pauses } = written
  const push =
    (role: Role) =>
    (operation: string, args?: Args): Made =>
      pushCall(environment, written, role, operation, args)
  return {
    as: (token) => {
      written.as = token
    },
    call: push('arrange'),
    probe: push('probe'),
    twin: push('twin'),
    check: push('check'),
    restore: (operation, args) =>
      void restore.unshift({ role: 'check', operation, ...args, as: args.as ?? written.main }),
    later: (ms) => void pauses.push({ before: steps.length, ms }),
    hook: (name: HookName, ...args) => void steps.push({ role: 'arrange', hook: name, args }),
  }
}

const pushCall = (environment: Environment, written: Written, role: Role, operation: string, args: Args = {}): Made => {
  const { steps, missing } = written
  const as = args.as !== undefined ? args.as : written.as
  const guard = operationById(operation)?.guarded
  if (guard !== undefined && !environment.exclusive && !environment.safety.allow.includes(operation))
    missing.push(`safety.allow to name ${operation}: ${guard}`)
  steps.push({ role, operation, ...args, as } satisfies CallStep)
  countLive(environment, written, operation)
  return made(steps.length - 1)
}

/** Notes that a program makes more of a kind than the target file allows. */
const countLive = (environment: Environment, { alive, missing }: Written, operation: string): void => {
  const op = operationById(operation)
  const reference = op?.removes === undefined ? undefined : op.params[op.removes]
  if (typeof reference === 'object') alive.set(reference.table.name, (alive.get(reference.table.name) ?? 0) - 1)
  if (!op?.makes || op.remakes) return
  const { name } = op.makes
  const count = (alive.get(name) ?? 0) + 1
  alive.set(name, count)
  if (count > mostLive(environment, name)) missing.push(`safety.maxLive.${name} of ${count} or more`)
}

const makingOf = (
  environment: Environment,
  written: Written,
  planOf: () => Plan,
): Pick<Plan, 'make' | 'richly' | 'draft'> => {
  const { missing } = written
  let isRich = false
  return {
    make: (table, body = {}, args = {}) => {
      const maker = makerOf(table)
      if (!maker) {
        missing.push(`an operation that makes ${table.name}`)
        return made(0)
      }
      // Its own needs are met by plain drafts.
      const wasRich = isRich
      isRich = false
      const draft = (wasRich && maker.full?.(planOf())) || planOf().draft(maker.id)
      isRich = wasRich
      return pushCall(environment, written, 'arrange', maker.id, merge(draft, body, args))
    },
    richly: (write) => {
      isRich = true
      const result = planOf().attempt(write)
      isRich = false
      return result
    },
    draft: (operation) => {
      const op = operationById(operation)
      if (!op) missing.push(`an operation ${operation}`)
      return op?.draft(planOf()) ?? {}
    },
  }
}

/** Marks the state of a plan; the returned function goes back to it. */
const markOf = ({ steps, missing, restore, pauses, alive }: Written): (() => void) => {
  const [stepsBefore, missingBefore, restoreBefore, pausesBefore] = [
    steps.length,
    missing.length,
    restore.length,
    pauses.length,
  ]
  const aliveBefore = [...alive]
  return () => {
    steps.length = stepsBefore
    missing.length = missingBefore
    pauses.length = pausesBefore
    restore.splice(0, restore.length - restoreBefore)
    alive.clear()
    for (const [name, count] of aliveBefore) alive.set(name, count)
  }
}

/** From where programs of this context begin to look. */
const rotated = <T>(items: readonly T[], rotation: number): readonly T[] => {
  const at = rotation % Math.max(1, items.length)
  return [...items.slice(at), ...items.slice(0, at)]
}

const made = (step: number): Made => ({ step, id: { $step: step }, field: (name) => ({ $step: step, field: name }) })

const merge = (draft: Args, body: Readonly<Record<string, unknown>>, args: Omit<Args, 'body'>): Args => {
  const merged = Object.fromEntries(
    Object.entries({ ...draft.body, ...body }).filter(([, value]) => value !== undefined),
  )
  return { ...draft, ...args, ...(Object.keys(merged).length > 0 && { body: merged }) }
}

const fits = (environment: Environment, token: Token, query: TokenQuery): boolean => {
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

/** What stands in for a fixture that is missing has no id of the target. */
const nameOfGranted = ({ kind, id }: NonNullable<TokenQuery['permission']>[number]): string =>
  id === 0 ? `one of the ${kind}` : `${kind} ${id}`

const describe = (query: TokenQuery): string => {
  const { restricted, balance, managed, foreign, lacks, grant, permission } = query
  const has = [...(query.has ?? []), ...scopesOf(query)]
  return [
    `a token of ${restricted ? 'a restricted' : 'an unrestricted'} user`,
    foreign && 'of another account',
    balance && `of an account with a ${balance} balance`,
    managed !== undefined && `of an account ${managed ? 'with' : 'without'} Managed`,
    grant && `${grant.held ? 'with' : 'without'} the ${grant.name} grant`,
    ...[true, false].map((wanted) => {
      const all = (permission ?? []).filter(({ write }) => write === wanted).map(nameOfGranted)
      return all.length > 0 && `${wanted ? 'with' : 'without'} read_write on ${all.join(', ')}`
    }),
    lacks && `that lacks the scope ${lacks}`,
    has.length > 0 && `that has ${has.join(' and ')}`,
  ]
    .filter(Boolean)
    .join(' ')
}
