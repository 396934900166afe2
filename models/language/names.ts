// What a record is called: resources have a label, contacts a name, tickets a summary.
import type { WireRecord } from './world.js'

/** The names that a record or a body has. */
export const namesOf = ({ label, name, summary }: WireRecord): readonly string[] =>
  [label, name, summary].filter((one) => typeof one === 'string')

/** What it is called; undefined where it has no name. */
export const nameOf = (record: WireRecord): string | undefined => namesOf(record)[0]
