// What of the embedded target is switched while it runs: variations by name, a fault by id, and when things come to rest.

import { nearest } from '../config/target-file.js'
import { operations } from '../models/index.js'
import type { Rest, Settings } from './embedded.js'
import { type Mutant, mutantsOf } from './mutants/mutants.js'
import { combined, conflictAmong, type VariationName, variationNames, variations } from './variations.js'
import type { Worlds } from './worlds.js'

export interface SwitchSettings {
  readonly variations: readonly VariationName[]
  /** Id of a mutant. */
  readonly fault?: string
  /** In place of what a variation says. */
  readonly restAfter?: Rest
}

export type Switches = ReturnType<typeof createSwitches>

/** @param base what holds beneath everything that is switched */
export const createSwitches = (worlds: Worlds, base: Settings = {}) => {
  let names: readonly VariationName[] = []
  let restAfter: Rest | undefined
  let mutant: Mutant | undefined
  let armed: ReturnType<Mutant['arm']> | undefined
  const apply = (): void => {
    const chosen = combined([base, ...names.map((name) => variations[name])])
    worlds.adjust({
      ...chosen,
      ...(base.fault && { fault: base.fault }),
      ...(armed && { fault: armed.fault }),
      ...(restAfter !== undefined && { restAfter }),
    })
  }
  return {
    settings: (): SwitchSettings => ({
      variations: names,
      ...(mutant && { fault: mutant.id }),
      ...(restAfter !== undefined && { restAfter }),
    }),
    /** How often the present fault made a difference. */
    activations: (): number => armed?.activations() ?? 0,
    setVariations: (next: readonly VariationName[]): void => {
      names = next
      apply()
    },
    setFault: (next: Mutant | undefined): void => {
      mutant = next
      armed = next?.arm()
      apply()
    },
    setRest: (next: Rest | undefined): void => {
      restAfter = next
      apply()
    },
  }
}

/** Ids of all faults. */
export const faultIds = (): readonly string[] => operations.flatMap((op) => mutantsOf(op).map(({ id }) => id))

/** @throws Error that says what was expected, and what may have been meant */
export const faultNamed = (id: string): Mutant => {
  const all = operations.filter((op) => id.startsWith(`${op.id}:`)).flatMap((op) => mutantsOf(op))
  const found = all.find((mutant) => mutant.id === id)
  if (found) return found
  const ids = faultIds()
  const near = nearest(id, ids) ?? ids.find((one) => one.includes(id))
  throw new Error(`no mutant ${JSON.stringify(id)}.${meant(near)} \`touchstone serve --fault list\` shows all.`)
}

/** @throws Error that says what was expected, and what may have been meant */
export const variationsNamed = (names: readonly string[]): readonly VariationName[] => {
  for (const name of names) {
    if ((variationNames as readonly string[]).includes(name)) continue
    throw new Error(
      `expected one of ${variationNames.join(', ')}; received ${JSON.stringify(name)}.${meant(nearest(name, variationNames))}`,
    )
  }
  const conflict = conflictAmong(names as readonly VariationName[])
  if (conflict) throw new Error(`${conflict[0]} and ${conflict[1]} differ about ${conflict[2]}; leave one out.`)
  return names as readonly VariationName[]
}

const meant = (near: string | undefined): string => (near === undefined ? '' : ` Did you mean ${JSON.stringify(near)}?`)
