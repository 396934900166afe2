// A call with its reply and the facts about both, as all parts of the judge read them; nothing is judged here.

import type { Outcome, WireCall } from '../history/wire.js'
import type { Operation } from '../models/language/operation.js'
import { type AnyEntity, find, type World } from '../models/language/world.js'
import type { Expectation } from './due.js'
import type { Read } from './facts.js'
import { doubtsIn } from './grounds.js'
import { brief, type Deviation, type Fact, type Judgement } from './judgement.js'
import { provenance, removalOf } from './provenance.js'

export type Reply = Extract<Outcome, { readonly status: number }>

export interface Step {
  readonly world: World
  readonly op: Operation
  readonly call: WireCall
  readonly reply: Reply
  readonly read: Read
  readonly expectation: Expectation
}

export const received = ({ status, body, text }: Reply): string =>
  `${status} ${body === undefined ? brief(text ?? '') : brief(body)}`

/** Values of what the call names, with the steps that established them. */
export const circumstances = ({ read, world }: Step, blamed: readonly string[] = []): readonly Fact[] =>
  read.named.flatMap(({ reference, resolution }) => {
    if (resolution.kind === 'gone') {
      const { gone } = resolution
      return [removalOf(reference.table, gone.entity.key, gone)]
    }
    if (resolution.kind !== 'found') return []
    const entity: AnyEntity = find(world, reference.table, resolution.entity.key) ?? resolution.entity
    const named = blamed.filter((field) => entity[field] !== undefined)
    return provenance(reference.table, entity, named.length > 0 ? named : undefined)
  })

/** Makes the judgement of a call from its parts. */
export const finish = (
  step: Step,
  fields: Partial<Judgement> & { readonly deviations: readonly Deviation[] },
): Judgement => {
  const { expectation, read, call, world } = step
  const doubts = world.environment.exclusive ? undefined : doubtsIn(expectation, read, call)
  return {
    expects: expectation.kind,
    verdict: fields.deviations.length > 0 ? 'finding' : 'pass',
    accepted: undefined,
    possible: [...expectation.due.map(({ clause }) => clause.id), ...expectation.silences.map(({ text }) => text)],
    ...(doubts && { doubts }),
    ...(!world.environment.exclusive && expectation.due.some(({ certain }) => !certain) && { unsure: true as const }),
    world,
    held: [],
    choices: [],
    ...fields,
  }
}
