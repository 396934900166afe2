// Finds the smallest set of named faults that explains the findings of a run; pure, nothing is judged here.

import isEqual from 'fast-deep-equal'
import { isAccepted } from '../../history/outcomes.js'
import type { Cause, Finding } from '../../history/record.js'
import { operationById, operations } from '../../models/index.js'
import { clausesOf } from '../../models/language/derive.js'
import { getOrInsert } from '../../models/language/get-or-insert.js'
import { memoised } from '../../models/language/memoised.js'
import type { Operation } from '../../models/language/operation.js'
import { spell } from '../../models/language/schema.js'
import { crossing } from './crossing.js'
import { directFaults } from './direct.js'
import {
  absence,
  broken,
  type Fault,
  familiesOf,
  isBarred,
  isNameless,
  isOfLook,
  isToldByAnother,
  isUnchecked,
  spread,
} from './faults.js'
import { forgetting } from './forgetting.js'
import { isRefused, type Symptom, slugOfFinding, symptomOf } from './symptom.js'
import { directly, likely, possibly, weightOf } from './weights.js'

/** A fault, or one of many operations at once, with the weight of each symptom that it explains. */
interface Hypothesis {
  readonly id: string
  readonly summary: string
  readonly explains: ReadonlyMap<Symptom, number>
  /** How little it is worth beside another that explains as much. */
  readonly rank: number
  /** The price of assuming it, in the unit of the weights. */
  readonly cost: number
}

/**
 * The causes of a run's findings, the ones with the most findings first.
 * @param passed ids of the clauses that the run showed to hold: a family of faults that breaks few of the clauses it could break is none
 */
export const diagnose = (findings: readonly Finding[], passed: ReadonlySet<string> = new Set()): readonly Cause[] => {
  const sorted = [...findings].sort((a, b) => order(a.id, b.id))
  const symptoms = sorted.flatMap((finding) => symptomOf(finding) ?? [])
  const strays = sorted.filter((finding) => symptoms.every((one) => one.finding !== finding))
  const chosen = fewest(hypothesesOf(symptoms, passed), symptoms)
  const causes = chosen.flatMap((hypothesis) => {
    const own = symptoms.filter((symptom) => bestOf(chosen, symptom) === hypothesis)
    return own.length === 0 ? [] : [causeOf(hypothesis, own)]
  })
  return [...causes, ...strays.map(strayCause)].sort(
    (a, b) => b.findings.length - a.findings.length || order(a.id, b.id),
  )
}

/** Compares by code unit, so that the order does not depend on the locale. */
const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const causeOf = (hypothesis: Hypothesis, symptoms: readonly Symptom[]): Cause => {
  const { id, summary } = hypothesis
  const ids = new Set(symptoms.flatMap(({ op, shownBy }) => [op.id, shownBy]))
  const told = [...symptoms].sort((a, b) => tellingOf(a, hypothesis) - tellingOf(b, hypothesis))
  const own = new Set(symptoms.map(({ op }) => op.id))
  return {
    id,
    summary: own.size > 1 ? `${summary.replace(/\.$/, '')}: ${own.size} operations` : summary,
    findings: told.map(({ finding }) => finding.id),
    operations: operations.filter((op) => ids.has(op.id)).map((op) => op.id),
    program: told[0]?.finding.steps ?? [],
  }
}

/**
 * Rank of a symptom as an example of its cause, lowest first: direct symptoms, programs that make the call at fault, required clauses,
 * those that are about it, few steps.
 */
const tellingOf = (symptom: Symptom, { id, explains }: Hypothesis): number =>
  symptom.finding.steps.length +
  (isWithoutCall(id, symptom) ? 500 : 0) +
  (isToldByAnother(id, symptom) ? 50 : 0) +
  (explains.get(symptom) === directly ? 0 : 1000) +
  (symptom.finding.level === 'should' ? 100 : 0)

/** Whether a program shows only what an earlier one has left: it does not call the one operation that is at fault. */
const isWithoutCall = (id: string, { finding: { steps } }: Symptom): boolean => {
  const culprit = operationById(id.split(':', 1)[0] as string)
  return culprit !== undefined && steps.every(({ call }) => call.operation !== culprit.id)
}

const strayCause = ({ id, clause, operation, requires, steps }: Finding): Cause => ({
  id: `${operation}: breaks ${clause}`,
  summary: `${operation} behaves as if this were not required: ${requires}`,
  findings: [id],
  operations: [operation],
  program: steps,
})

/** Of the chosen, the one that explains a symptom best; the first of those that do so equally. */
const bestOf = (chosen: readonly Hypothesis[], symptom: Symptom): Hypothesis | undefined =>
  chosen.reduce<Hypothesis | undefined>(
    (best, one) => ((one.explains.get(symptom) ?? 0) > (best?.explains.get(symptom) ?? 0) ? one : best),
    undefined,
  )

/** Covers the symptoms greedily: always by the fault that explains the most of the rest, less its cost. */
const fewest = (hypotheses: readonly Hypothesis[], symptoms: readonly Symptom[]): readonly Hypothesis[] => {
  const rest = new Set(symptoms)
  const chosen: Hypothesis[] = []
  const gainOf = ({ explains, cost }: Hypothesis): number => {
    let gain = -cost
    for (const [symptom, weight] of explains) if (rest.has(symptom)) gain += weight
    return gain
  }
  while (rest.size > 0) {
    let best: Hypothesis | undefined
    let most = Number.NEGATIVE_INFINITY
    for (const one of hypotheses) {
      if (![...one.explains.keys()].some((symptom) => rest.has(symptom))) continue
      const gain = gainOf(one)
      if (gain > most || (gain === most && best && isBefore(one, best))) {
        best = one
        most = gain
      }
    }
    if (!best) return chosen
    chosen.push(best)
    for (const symptom of best.explains.keys()) rest.delete(symptom)
  }
  return chosen.reduceRight(withoutNeedless, chosen)
}

const isBefore = (one: Hypothesis, other: Hypothesis): boolean =>
  one.rank < other.rank || (one.rank === other.rank && order(one.id, other.id) < 0)

/** Drops faults taken early whose symptoms those taken later explain. */
const withoutNeedless = (chosen: readonly Hypothesis[], one: Hypothesis): readonly Hypothesis[] => {
  const others = chosen.filter((other) => other !== one)
  return [...one.explains.keys()].every((symptom) => others.some(({ explains }) => explains.has(symptom)))
    ? others
    : chosen
}

/** A fault that some symptoms show directly. */
interface Suspect {
  readonly fault: Fault
  readonly rank: number
  readonly shown: ReadonlySet<Symptom>
}

type Explained = Suspect & Pick<Hypothesis, 'explains'>

const hypothesesOf = (symptoms: readonly Symptom[], passed: ReadonlySet<string>): readonly Hypothesis[] => {
  const suspects = singleFaults(symptoms, passed)
  const named = new Set(suspects.flatMap(({ fault, shown }) => (isNameless(fault) ? [] : [...shown])))
  const spreading = new Set(suspects.flatMap(({ fault, shown }) => (fault.what === spread ? [...shown] : [])))
  const singles = suspects.map((told) => ({ ...told, explains: explained(told, symptoms, named, spreading) }))
  return [
    ...crossingHypothesis(symptoms, passed),
    ...forgettingHypothesis(symptoms),
    ...singles.map(singleOf),
    ...familyHypotheses(singles, symptoms, passed),
  ]
}

/** Every fault that some symptom shows directly, with these symptoms. */
const singleFaults = (symptoms: readonly Symptom[], passed: ReadonlySet<string>): readonly Suspect[] => {
  const found = new Map<string, { readonly fault: Fault; rank: number; readonly shown: Set<Symptom> }>()
  for (const symptom of symptoms)
    for (const [rank, fault] of [...directFaults(symptom), broken(symptom)].entries()) {
      if (fault.label === absence && !isAbsent(fault.operation, symptoms, passed)) continue
      if (fault.refutedBy !== undefined && passed.has(fault.refutedBy)) continue
      const id = `${fault.operation}: ${fault.what} ${fault.label}`
      const entry = getOrInsert(found, id, () => ({ fault, rank, shown: new Set() }))
      entry.shown.add(symptom)
      entry.rank = Math.min(rank, entry.rank)
    }
  return [...found.values()]
}

/** Whether a plain call of the operation was refused, and none was ever accepted. */
const isAbsent = (id: string, symptoms: readonly Symptom[], passed: ReadonlySet<string>): boolean =>
  symptoms.some(({ op, slug }) => op.id === id && slug === 'accepts') && !isEverAccepted(id, symptoms, passed)

/** Whether a clause is shown by refused calls alone: how they are told, and that they emit nothing. */
const isOfRefusals = (id: string): boolean => id.includes('.refusal.') || /\.emits\..*\.alone$/.test(id)

/** Whether a call of the operation has been accepted: a program that shows a clause ends with one that is. */
const isEverAccepted = (id: string, symptoms: readonly Symptom[], passed: ReadonlySet<string>): boolean =>
  [...passed].some((clause) => clause.startsWith(`${id}.`) && !isOfRefusals(clause)) ||
  symptoms.some(({ finding }) =>
    finding.steps.some(({ call, outcome }) => call.operation === id && isAccepted(outcome)),
  )

const isAnyAccepted = (scope: string, symptoms: readonly Symptom[], passed: ReadonlySet<string>): boolean =>
  operations.some((op) => isWithin(scope, op) && isEverAccepted(op.id, symptoms, passed))

/**
 * @param named symptoms that directly show a fault with a better name than the broken clause
 * @param spreading those that looks do not show without a write that has nothing to do with it
 */
const explained = (
  { fault, shown }: Suspect,
  symptoms: readonly Symptom[],
  named: ReadonlySet<Symptom>,
  spreading: ReadonlySet<Symptom>,
): ReadonlyMap<Symptom, number> => {
  const weightFor = (symptom: Symptom): number => {
    if (shown.has(symptom)) return directly
    if (spreading.has(symptom) && isOfLook(fault)) return 0
    return isNameless(fault) && !named.has(symptom) && isOfReplyOf(shown, symptom) ? likely : weightOf(fault, symptom)
  }
  const weights = symptoms.map((symptom): [Symptom, number] => [symptom, weightFor(symptom)])
  // A symptom that has a better name is not attributed to a fault that may only possibly cause it.
  return new Map(weights.filter(([symptom, weight]) => weight > (named.has(symptom) ? possibly : 0)))
}

/**
 * Whether one reply shows it beside what others tell of the same operation, or a refusal like it of a plain call, as for what is not there.
 * The form of a refusal is no reason to refuse.
 */
const isOfReplyOf = (shown: ReadonlySet<Symptom>, symptom: Symptom): boolean => {
  const { op, last, slug } = symptom
  if (last === undefined) return false
  const isDenied = isRefused(symptom) && !isBarred(symptom)
  return [...shown].some((one) => {
    if (one.op !== op || (isOfForm(one.slug) && !isOfForm(slug))) return false
    return one.last?.n === last.n || (isDenied && one.slug === 'accepts' && isEqual(one.last?.outcome, last.outcome))
  })
}

const isOfForm = (slug: string): boolean => slug.startsWith('refusal.')

const together = (members: readonly Explained[]): ReadonlyMap<Symptom, number> => {
  const all = new Map<Symptom, number>()
  for (const { explains } of members)
    for (const [symptom, weight] of explains) all.set(symptom, Math.max(weight, all.get(symptom) ?? 0))
  return all
}

const singleOf = ({ fault, rank, explains }: Explained): Hypothesis => ({
  id: `${fault.operation}: ${fault.what}`,
  summary: `${fault.operation} behaves as if ${fault.text}`,
  explains,
  rank,
  cost: isNameless(fault) ? generic : single,
})

const crossingHypothesis = (symptoms: readonly Symptom[], passed: ReadonlySet<string>): readonly Hypothesis[] => {
  const explains = crossing(symptoms, passed)
  if (!explains) return []
  const summary = 'The target behaves as if replies were served across tokens, as by a cache that ignores Authorization'
  return [{ id: '*: serves replies across tokens', summary, explains, rank: 0, cost: family }]
}

const forgettingHypothesis = (symptoms: readonly Symptom[]): readonly Hypothesis[] => {
  const explains = forgetting(symptoms)
  if (!explains) return []
  const summary =
    'The target behaves as if it had been restarted with another state: what it held is gone at once, or back as it was earlier'
  return [{ id: '*: forgets all that it held', summary, explains, rank: 0, cost: single }]
}

/** More than any width of a family. */
const contradicted = 1_000

const single = 10
const generic = 12
/** A family is worth more than one fault, and less than two. */
const family = 15

/** The scopes of a family of faults, the widest first. */
const scopesOf = ({ id, area }: Operation): readonly string[] => ['*', area, id.slice(0, id.lastIndexOf('.')), id]

const isWithin = (scope: string, op: Operation): boolean => scopesOf(op).includes(scope)

/** The scopes of an operation with their width, but those that hold no more of what the fault may be in than a narrower one. */
const homesOf = (op: Operation, { fault, shown }: Suspect): readonly (readonly [width: number, scope: string])[] => {
  const keys = isUnchecked(fault) ? [fault.label] : [...shown].map(({ slug }) => slug)
  const possible = [...new Set(keys.flatMap((key) => [...(homesIn(operations).get(key) ?? [op])]))]
  const scopes = scopesOf(op)
  return [...scopes.entries()].filter(([width, scope]) => {
    const within = possible.filter((one) => isWithin(scope, one))
    const narrower = scopes[width + 1]
    return narrower === undefined || !within.every((one) => isWithin(narrower, one))
  })
}

/** Operations by what they check, and by the slugs of their clauses. */
const homesIn = memoised((all: readonly Operation[]): ReadonlyMap<string, ReadonlySet<Operation>> => {
  const homes = new Map<string, Set<Operation>>()
  for (const op of all)
    for (const clause of clausesOf(op)) {
      const slug = slugOfFinding(clause.id, op)
      for (const key of [slug, ...familiesOf(clause, slug).map(([label]) => label)])
        getOrInsert(homes, key, () => new Set()).add(op)
    }
  return homes
})

/** Faults of one kind that operations of one scope have in common. */
interface Family {
  /** The place of the scope among those of an operation, the widest first. */
  readonly width: number
  readonly scope: string
  readonly members: Explained[]
}

const familyHypotheses = (
  singles: readonly Explained[],
  symptoms: readonly Symptom[],
  passed: ReadonlySet<string>,
): readonly Hypothesis[] => {
  const families = new Map<string, Family>()
  for (const told of singles.filter(({ fault }) => !isNameless(fault))) {
    const op = operations.find(({ id }) => id === told.fault.operation)
    for (const [width, scope] of op ? homesOf(op, told) : []) {
      const key = `${width} ${scope}: ${told.fault.label}`
      getOrInsert(families, key, () => ({ width, scope, members: [] })).members.push(told)
    }
  }
  const judged = judgedIn(passed)
  /** What answers some of its calls is there. */
  const isRefuted = ({ scope, members }: Family): boolean =>
    members[0]?.fault.label === absence && isAnyAccepted(scope, symptoms, passed)
  return [...families.values()].filter((one) => !isRefuted(one)).flatMap((one) => familyOf(one, judged))
}

const familyOf = ({ width, scope, members }: Family, judged: readonly Judged[]): readonly Hypothesis[] => {
  const [first] = members
  const shown = new Set(members.flatMap((told) => [...told.shown]))
  const across = new Set(members.map(({ fault }) => fault.operation)).size
  const broken = new Set([...shown].map(({ finding }) => finding.clause)).size
  if (!first || broken < 2) return []
  const held = heldOf(scope, first.fault, shown, judged)
  // Within one operation it takes more symptoms to see a family, unless they are all there is of one check.
  const isOneCheck = held === 0 && scope === first.fault.operation && areOfOneCheck(first.fault, shown)
  if (across < 2 && broken < 3 && !isOneCheck) return []
  // Most of what a family of faults would break, and that was judged, is broken.
  if (held > broken) return []
  return [
    {
      id: `${scope}: ${first.fault.label}`,
      summary: `${behaving(scope)} as if ${textOf(first, [...shown])}`,
      explains: together(members),
      // Of two that explain the same, the one that nothing speaks against; then the wider.
      rank: (held > 0 ? contradicted : 0) + 100 * width + Math.min(...members.map(({ rank }) => rank)),
      cost: family,
    },
  ]
}

/** What behaves so: the target, the operations on a resource or in an area, or one operation. */
const behaving = (scope: string): string =>
  scope === '*' ? 'The target behaves' : scope.includes('.') ? `${scope} behaves` : `The operations on ${scope} behave`

/** The text for many faults at once. */
const textOf = ({ fault }: Suspect, [symptom]: readonly Symptom[]): string =>
  (symptom?.clause && familiesOf(symptom.clause, symptom.slug).find(([label]) => label === fault.label)?.[1]) ??
  fault.text

/** A clause that held: its scopes, and the families of faults that would have broken it. */
interface Judged {
  readonly id: string
  readonly slug: string
  readonly scopes: readonly string[]
  readonly labels: readonly string[]
}

const judgedIn = (passed: ReadonlySet<string>): readonly Judged[] =>
  operations.flatMap((op) => {
    const scopes = scopesOf(op)
    return clausesOf(op)
      .filter(({ id }) => passed.has(id))
      .map((clause) => {
        const slug = slugOfFinding(clause.id, op)
        return { id: clause.id, slug, scopes, labels: familiesOf(clause, slug).map(([label]) => label) }
      })
  })

/** Whether all show that one thing is not checked: a member, the scopes of a token, or the grants of a user. */
const areOfOneCheck = (fault: Fault, shown: ReadonlySet<Symptom>): boolean => {
  const checks = [...shown].map(({ clause }) =>
    clause?.kind === 'constraint' ? `${clause.place}.${spell(clause.constraint.path)}` : clause?.kind,
  )
  return isUnchecked(fault) && new Set(checks).size === 1
}

/** How many clauses held, of what a family of faults would break. */
const heldOf = (scope: string, fault: Fault, shown: ReadonlySet<Symptom>, judged: readonly Judged[]): number => {
  const clauses = new Set([...shown].map(({ finding }) => finding.clause))
  const slugs = new Set([...shown].map(({ slug }) => slug))
  const isOfFamily = ({ labels, slug }: Judged): boolean =>
    isUnchecked(fault) ? labels.includes(fault.label) : slugs.has(slug)
  return judged.filter((one) => one.scopes.includes(scope) && !clauses.has(one.id) && isOfFamily(one)).length
}
