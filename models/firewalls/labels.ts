// The label rules of a firewall as refusals, shared by its creation and its update; not the label's length.
import { known, or, type Ternary } from '../language/clause.js'
import type { Args, Plan } from '../language/plan.js'
import { exists, live, type World } from '../language/world.js'
import { firewalls } from './record.js'
import { calmNode } from './services.js'

interface Labelled {
  readonly world: World
  readonly account: string | undefined
  readonly body: { readonly label?: string }
  readonly refs?: { readonly firewallId?: { readonly key: string } }
}

interface Naming {
  readonly operation: string
  readonly source: string
  /** A call that gives that label, each to a firewall of its own. */
  readonly send: (plan: Plan, label: unknown) => Args
}

const limits = 'Limits, "Firewall label"'
const separators = '._-'
const longest = 32

const isAscii = (character: string | undefined): boolean => /^[A-Za-z0-9]$/.test(character ?? '')

/** Letters and digits beyond ASCII may or may not count as alphanumeric. */
const isOutside = (character: string | undefined): Ternary =>
  isAscii(character) ? false : /^[\p{L}\p{N}\p{M}]$/u.test(character ?? '') ? undefined : true

/** Blanks and line feeds around a label may be taken off before it is looked at. */
const endsWrong = (label: string): Ternary => {
  const characters = [...label.trim()]
  return or(isOutside(characters[0]), isOutside(characters.at(-1))) || (label === label.trim() ? false : undefined)
}

/** The first and the last one apart, which have a rule of their own. */
const holdsWrong = (label: string): Ternary =>
  or(
    ...[...label]
      .slice(1, -1)
      .filter((character) => !separators.includes(character))
      .map(isOutside),
  )

/** The same character twice surely breaks the rule; two different ones in a row may be meant as well. */
const repeats = (label: string): Ternary => /--|__|\.\./.test(label) || (/[._-]{2}/.test(label) ? undefined : false)

const isTaken = ({ world, account, body, refs }: Labelled): Ternary =>
  exists(
    world,
    firewalls,
    account,
    ({ key, label }) => (key === refs?.firewallId?.key ? false : known(label, body.label, (a, b) => a === b)),
    body.label,
  )

const fold = (label: unknown): unknown => (typeof label === 'string' ? label.toLowerCase() : undefined)

const isAlike = ({ world, account, body, refs }: Labelled): boolean => {
  const folded = fold(body.label)
  return live(world, firewalls).some(
    (other) =>
      other.key !== refs?.firewallId?.key &&
      fold(other.label) === folded &&
      (other.label !== body.label || other.account !== account),
  )
}

/** Whether a deleted firewall had the label: it has a status of its own, so it may count as a firewall still. */
const isBuried = ({ world, body }: Labelled): boolean => {
  const folded = fold(body.label)
  return world.tables.get(firewalls.name)?.gone.some(({ entity }) => fold(entity.label) === folded) === true
}

const given =
  (test: (label: string) => Ternary) =>
  ({ body }: Labelled): Ternary =>
    body.label === undefined ? false : test(body.label)

/** Labels made from a new name: the middle, the beginning and the end of it changed. */
const tries =
  (
    { operation, send }: Naming,
    wrong: readonly ((name: string) => string)[],
    right: readonly ((name: string) => string)[],
  ) =>
  (plan: Plan): void => {
    for (const label of wrong) plan.probe(operation, send(plan, label(plan.name())))
    for (const label of right) plan.twin(operation, send(plan, label(plan.name())))
  }

/** One clause for each thing that the document says of a firewall's label, its length apart. */
export const labelRefusals = (naming: Naming) => {
  const { operation, send } = naming
  return [
    {
      id: `${operation}.label-ends`,
      source: limits,
      text: 'A label begins and ends with a letter or a digit.',
      fields: ['label'],
      when: given(endsWrong),
      probe: tries(
        naming,
        ['-', '_', '.', '!'].flatMap((mark) => [(name: string) => mark + name, (name: string) => name + mark]),
        [(name) => `7${name}`, (name) => `${name}7`, (name) => `A${name}Z`],
      ),
    },
    {
      id: `${operation}.label-characters`,
      source: limits,
      text: 'A label holds nothing but letters, digits, hyphens, underscores and periods.',
      fields: ['label'],
      when: given(holdsWrong),
      probe: tries(
        naming,
        [' ', '/', ':', '@', '!', '[', '^', '`', '+', ','].map((mark) => (name: string) => `${name}${mark}x`),
        ['-', '_', '.'].map((mark) => (name: string) => `${name}${mark}x`),
      ),
    },
    {
      id: `${operation}.label-repeats`,
      source: limits,
      text: 'A label has no two hyphens, underscores or periods in a row.',
      fields: ['label'],
      when: given(repeats),
      probe: tries(
        naming,
        ['--', '__', '..'].map((marks) => (name: string) => `${name}${marks}x`),
        ['-x-', '_x_', '.x.'].map((marks) => (name: string) => `${name}${marks}x`),
      ),
    },
    {
      id: `${operation}.label-unique`,
      source: limits,
      text: 'No two firewalls have the same label.',
      fields: ['label'],
      when: (facts: Labelled) => (facts.body.label === undefined ? false : isTaken(facts)),
      probe: (plan: Plan) => {
        const renamed = plan.make(firewalls)
        const name = plan.name()
        // They differ in the last of as many characters as a label may have, and the one is free once it was left.
        const stem = name.padEnd(longest - 1, 'x')
        const [before, after] = [`${stem}a`, `${stem}b`]
        const path = { firewallId: renamed.id }
        plan.call('firewalls.update', { path, body: { label: before } })
        plan.probe(operation, send(plan, before))
        plan.call('firewalls.update', { path, body: { label: after } })
        plan.probe(operation, send(plan, after))
        plan.call('firewalls.update', { path, body: { status: 'disabled' } })
        plan.probe(operation, send(plan, after))
        // What is assigned to something keeps its label as well.
        const node = plan.attempt(() => calmNode(plan))
        if (node) {
          plan.check('firewall-devices.create', { path, body: { id: node.id, type: 'node' } })
          plan.probe(operation, send(plan, after))
        }
        plan.twin(operation, send(plan, before))
        // Nor is a label taken because another one begins with it.
        plan.twin(operation, send(plan, name))
      },
    },
  ]
}

/** What the document does not say of labels. */
export const labelSilences = ({ operation, source, send }: Naming) => [
  {
    id: `${operation}.label-alike`,
    source,
    text: 'Whether labels that differ in case alone, or that another account uses, count as the same is not said.',
    when: (facts: Labelled) => facts.body.label !== undefined && isAlike(facts),
    probe: (plan: Plan) => {
      const name = plan.name()
      plan.make(firewalls, { label: `${name}x` })
      plan.check(operation, send(plan, `${name}X`))
    },
  },
  {
    id: `${operation}.label-of-deleted`,
    source: `${source}; Firewall status`,
    text: 'Whether the label of a deleted firewall can be given again is not said.',
    when: (facts: Labelled) => facts.body.label !== undefined && isBuried(facts),
    probe: (plan: Plan) => {
      const label = plan.name()
      plan.call('firewalls.delete', { path: { firewallId: plan.make(firewalls, { label }).id } })
      plan.check(operation, send(plan, label))
    },
  },
]
