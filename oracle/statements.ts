// Asks the statements and choices of an operation about a reply; the rules themselves stand in the models.

import { slugIn } from '../models/language/derive.js'
import { isObject } from '../models/language/objects.js'
import type { Replied } from '../models/language/operation.js'
import { sureOf } from '../models/language/sure.js'
import type { World } from '../models/language/world.js'
import { surelyClauseOf } from './clauses.js'
import { readSurely } from './facts.js'
import { type Deviation, deviation } from './judgement.js'
import { circumstances, received, type Step } from './step.js'

/** Asks a rule about a reply. A rule that throws is a defect of the suite, never a finding. */
const ask = <T>(id: string, defects: string[], question: () => T): T | undefined => {
  try {
    return question()
  } catch (error) {
    defects.push(
      `suite defect: ${id} cannot read this reply (${error instanceof Error ? error.message : String(error)})`,
    )
    return undefined
  }
}

interface Spoken {
  readonly deviations: readonly Deviation[]
  readonly held: readonly string[]
  readonly choices: readonly { readonly id: string; readonly value: string }[]
  readonly defects: readonly string[]
}

export const silent: Spoken = { deviations: [], held: [], choices: [], defects: [] }

/** The deviations that statements about refusals as well find in one. */
export const speakOfRefusal = ({ op, call, reply }: Step): readonly Deviation[] =>
  (op.statements ?? []).flatMap(({ id, text, brokenByRefusal }) => {
    const how = brokenByRefusal?.(call.body, reply.body)
    return how === undefined ? [] : [deviation(surelyClauseOf(op, slugIn(op, id)), 'broken', text, how)]
  })

type Rule = NonNullable<Step['op']['statements']>[number]

/** The one member of a record that a question reads; undefined where it reads several, or none. */
const memberRead = (replied: Replied, question: (replied: Replied) => unknown): string | undefined => {
  if (!isObject(replied.reply)) return undefined
  const read = new Set<string>()
  const get = (record: object, name: string | symbol): unknown => {
    read.add(String(name))
    return Reflect.get(record, name)
  }
  question({ ...replied, reply: new Proxy(replied.reply, { get }) })
  const [only, ...others] = read
  return others.length === 0 ? only : undefined
}

const broken = (step: Step, rule: Rule, replied: Replied, how: string): Deviation => {
  const clause = surelyClauseOf(step.op, slugIn(step.op, rule.id))
  const about = step.op.reply.kind === 'record' ? memberRead(replied, (one) => rule.holds(one)) : undefined
  return {
    ...deviation(clause, 'broken', rule.text, how, circumstances(step)),
    ...(about !== undefined && { about }),
  }
}

/** The deviations, evidence and choices that the operation's statements find in the reply. */
export const speak = (step: Step, after: World): Spoken => {
  const { statements = [], choices: observables = [] } = step.op
  if (statements.length === 0 && observables.length === 0) return silent
  // It is unknown what was asked for.
  if (step.read.repeated.length > 0) return silent
  const deviations: Deviation[] = []
  const held: string[] = []
  const choices: { readonly id: string; readonly value: string }[] = []
  const defects: string[] = []
  const { facts } = readSurely(step.op, step.call, step.read)
  const replied = { ...facts, after: sureOf(after), status: step.reply.status, reply: step.reply.body }
  for (const rule of statements) {
    const holds = ask(rule.id, defects, () => rule.holds(replied))
    if (holds === true) held.push(rule.id)
    if (holds === false) deviations.push(broken(step, rule, replied, received(step.reply)))
    if (typeof holds === 'string') deviations.push(broken(step, rule, replied, holds))
  }
  for (const { id, observe } of observables) {
    const value = ask(id, defects, () => observe(replied))
    if (value !== undefined) choices.push({ id, value: String(value) })
  }
  return { deviations, held, choices, defects }
}
