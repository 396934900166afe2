// What a fault is and how its rows are written; no fault.

export type AreaName = 'volumes' | 'object-storage' | 'networking' | 'managed' | 'support' | 'tags'

export interface Fault {
  /** As the options take it. */
  readonly name: string
  /** The sentence of the document that it breaks. */
  readonly breaks: string
  /** Clauses one of which should tell of it. */
  readonly expected: RegExp
  /** Whose programs should find it. */
  readonly areas: readonly AreaName[]
  /** In what way it goes wrong, such as a bound that is moved. */
  readonly operator: string
}

export type Row = readonly [name: string, breaks: string, expected: RegExp]

const operatorOf = (name: string): string => {
  if (/[+-]1$/.test(name)) return 'bound'
  if (/\(every third time\)$/.test(name)) return 'every third time'
  if (/\(half of the time\)$/.test(name)) return 'half of the time'
  if (/^event /.test(name)) return 'event'
  if (/^(?:scope|token|unrestricted) ?|\.(?:scope|token|unrestricted|grant)$/.test(name)) return 'access'
  if (/^(?:page|pages|page_size|results)(?:\.|$)/.test(name)) return 'page'
  if (/isolation$/.test(name)) return 'isolation'
  if (/\.(?:bytes|fraction|text)$/.test(name)) return 'value'
  return /\.(?:required|enum|format|nullable)$/.test(name) ? 'body' : 'sentence'
}

export const faultsOf = (areas: readonly AreaName[], rows: readonly Row[]): readonly Fault[] =>
  rows.map(([name, breaks, expected]) => ({ name, breaks, expected, areas, operator: operatorOf(name) }))

/** The area of a route by its path. */
export const areaOf = (path: string): AreaName => path.split('/')[1] as AreaName
