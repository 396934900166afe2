// Mutants whose rules ask of a world or a caller that is not the one they are about.
import type { Grants } from '../../models/language/environment.js'
import type { Facts, Operation } from '../../models/language/operation.js'
import { type AnyEntity, fromTargetFile, type TableState, type World } from '../../models/language/world.js'
import { type Make, type Mutant, mutant } from './mutants.js'

export const wrongRulesOf = (op: Operation): readonly Mutant[] => [
  ...miscounts(op),
  ...misgrants(op),
  ...lapsingRules(op),
]

type Rule = NonNullable<Operation['refusals']>[number]
type Live = TableState['live']

/** What a rule that counts wrongly takes for there, in place of what is there. */
const miscounted: Readonly<Record<string, (state: TableState, account: string | undefined) => Live>> = {
  'with what is deleted': ({ live, gone }) =>
    new Map([...gone.map(({ entity }) => [entity.key, entity] as const), ...live]),
  'with what is of other accounts': ({ live }, account) =>
    new Map([...live].map(([key, entity]) => [key, { ...entity, account }])),
  'but for the newest': ({ live }) => new Map([...live].slice(0, -1)),
  'but for the oldest': ({ live }) => without(live, (_, i) => i === 0),
  'but for every second': ({ live }) => without(live, (_, i) => i % 2 === 1),
  'but for what was changed since': ({ live }) => without(live, isChanged),
}

/** What is there without some of what calls have made or changed. */
const without = (live: Live, isLeftOut: (entity: AnyEntity, i: number) => boolean): Live => {
  const isTouched = ({ since = {} }: AnyEntity): boolean => Object.values(since).some(({ by }) => by !== fromTargetFile)
  const touched = [...live.values()].filter(isTouched)
  const left = new Set(touched.filter(isLeftOut).map(({ key }) => key))
  return new Map([...live].filter(([key]) => !left.has(key)))
}

/** Whether another call than that which made it has set a member. */
const isChanged = ({ since = {} }: AnyEntity): boolean => new Set(Object.values(since).map(({ step }) => step)).size > 1

const withLive = (world: World, change: (state: TableState) => Live): World => ({
  ...world,
  tables: new Map([...world.tables].map(([name, state]) => [name, { ...state, live: change(state) }])),
})

/** Rules that ask what there is beyond what the call names; the others have nothing to count. */
const counting =
  /\.(?:eight-per-node|eight-below-16|one-per-gigabyte|sixty-four|one-private|public-left|one-range|one-per-region|one-per-node|shared-swap|own-target|unique-label|label-unique|live-migration|one-active|one-nodebalancer)$/

/** The operation with a rule that is asked of other facts, which counts where that makes a difference. */
const askedOf = (op: Operation, rule: Rule, other: (facts: Facts) => Facts, activate: () => void): Operation => {
  const when: Rule['when'] = (facts) => {
    const right = rule.when(facts)
    try {
      const wrong = rule.when(other(facts) as typeof facts)
      if ((wrong === true) !== (right === true)) activate()
      return wrong
    } catch {
      return right
    }
  }
  return { ...op, refusals: (op.refusals ?? []).map((one) => (one === rule ? { ...one, when } : one)) }
}

const asking = (op: Operation, rule: Rule, kind: string, what: string, other: (facts: Facts) => Facts): Mutant => {
  const make: Make = (activate) => {
    const wrong = askedOf(op, rule, other, activate)
    return { operation: (at) => (at.id === op.id ? wrong : at) }
  }
  return mutant(op, kind, `${what} for ${rule.id}`, make)
}

/** Asks a rule of a world that is not the one it is about. */
const miscounts = (op: Operation): readonly Mutant[] =>
  (op.refusals ?? [])
    .filter(({ id }) => counting.test(id))
    .flatMap((rule) =>
      Object.entries(miscounted).map(([what, other]) =>
        asking(op, rule, 'counts', what, (facts) => ({
          ...facts,
          world: withLive(facts.world, (state) => other(state, facts.account)),
        })),
      ),
    )

type Kind = Exclude<keyof Grants, 'global'>

const grantable: readonly Kind[] = ['volumes', 'nodes', 'nodebalancers', 'firewalls', 'domains']

const globally = 'read_write on something as a global grant'

/** What is read in the grants of a restricted user in place of what stands there; keys are those of all that there is. */
const misread: Readonly<Record<string, (grants: Grants, keys: readonly string[]) => Grants>> = {
  'read_only as read_write': (grants) => ofEach(grants, (own) => Object.keys(own)),
  'any of a kind as all of it': (grants, keys) => ofEach(grants, (own) => (written(own).length > 0 ? keys : [])),
  'a global grant as all': (grants, keys) => ((grants.global ?? []).length > 0 ? ofEach(grants, () => keys) : grants),
  [globally]: (grants) => ({
    ...grants,
    ...(grantable.some((kind) => written(grants[kind] ?? {}).length > 0) && { global: ['add_volumes'] }),
  }),
}

type Own = NonNullable<Grants[Kind]>

const written = (own: Own): readonly string[] => Object.keys(own).filter((key) => own[key] === 'read_write')

const ofEach = (grants: Grants, keysOf: (own: Own) => readonly string[]): Grants => ({
  ...grants,
  ...Object.fromEntries(
    grantable.map((kind) => [
      kind,
      Object.fromEntries(keysOf(grants[kind] ?? {}).map((key) => [key, 'read_write' as const])),
    ]),
  ),
})

/** Which of these a rule is about. */
const readsOf = ({ id }: Rule): readonly string[] => {
  if (/\.add-volumes$/.test(id)) return [globally]
  return /[.-]grant$/.test(id) ? Object.keys(misread).filter((what) => what !== globally) : []
}

/** Reads the grants of a restricted user wrongly. */
const misgrants = (op: Operation): readonly Mutant[] =>
  (op.refusals ?? []).flatMap((rule) =>
    readsOf(rule).map((what) =>
      asking(op, rule, 'takes', what, (facts) => {
        const { user } = facts.caller
        const keys = [...facts.world.tables.values()].flatMap(({ live }) => [...live.keys()])
        const grants = user?.grants && misread[what]?.(user.grants, keys)
        return user && grants ? { ...facts, caller: { ...facts.caller, user: { ...user, grants } } } : facts
      }),
    ),
  )

/** Rules that are heeded every other time alone. */
const lapsingRules = (op: Operation): readonly Mutant[] =>
  (op.refusals ?? [])
    .filter(({ level }) => level !== 'should')
    .map((rule) =>
      mutant(
        op,
        'drops every second time',
        rule.id,
        (activate) => {
          let count = 0
          return {
            due: (due, at) => {
              if (at.id !== op.id || !due.some(({ clause }) => clause.id === rule.id)) return due
              count += 1
              if (count % 2 === 1) return due
              activate()
              return due.filter(({ clause }) => clause.id !== rule.id)
            },
          }
        },
        rule.id,
      ),
    )
