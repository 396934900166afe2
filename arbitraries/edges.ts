// What of a call may go to the edge of what the document allows, or beyond it: a value of its body, its query or its path; nothing is drawn here.

import type { Operation } from '../models/language/operation.js'
import { type Args, type Body, isRef, type Scalar } from '../models/language/plan.js'
import { type Constraint, constraintsOf, type TSchema } from '../models/language/schema.js'
import { absent, almostIntegers, deviationsFrom, hasContainer, neverNamed, valueAt, withValueAt } from './deviations.js'

/** The call with one of its values as close to a bound as it may be, and with that value beyond the bound. */
interface Edge {
  readonly within: readonly Args[]
  readonly beyond: readonly Args[]
}

/** Every edge of a call, each worked out when asked for; `n` makes texts distinct. */
export const edgesOf = (op: Operation, args: Args, n: number): readonly (() => Edge)[] => [
  ...constraintsIn(op.body)
    .filter(({ path }) => hasContainer(args.body, path))
    .map((one) => () => inBody(args, one, n)),
  ...constraintsIn(op.query).map((one) => () => inQuery(args, one, n)),
  ...Object.entries(op.params)
    .filter(([, param]) => typeof param === 'object' || param === 'integer')
    .map(
      ([name, param]) =>
        () =>
          inPath(args, name, param),
    ),
]

const constraintsIn = (schema: TSchema | undefined): readonly Constraint[] => (schema ? constraintsOf(schema) : [])

const inBody = (args: Args, constraint: Constraint, n: number): Edge => {
  const { path } = constraint
  const { wrong, right } = deviationsFrom(constraint, valueAt(args.body, path), n)
  const withAll = (values: readonly unknown[]): readonly Args[] =>
    values.map((value) => ({ ...args, body: withValueAt(args.body, path, value) as Body }))
  return { within: withAll(right.filter((value) => value !== absent)), beyond: withAll(wrong) }
}

const inQuery = (args: Args, constraint: Constraint, n: number): Edge => {
  const [name = ''] = constraint.path
  const { [name]: base, ...rest } = args.query ?? {}
  const { wrong, right } = deviationsFrom(constraint, base, n)
  const withAll = (values: readonly unknown[]): readonly Args[] =>
    values.flatMap((value) => {
      if (value === absent) return [{ ...args, query: rest }]
      return typeof value === 'object' ? [] : [{ ...args, query: { ...rest, [name]: value as Scalar } }]
    })
  return { within: withAll(right), beyond: withAll([...wrong, ...almostIntegers(constraint)]) }
}

/** A path that names nothing: what never was and, for an integer, what is none. */
const inPath = (args: Args, name: string, param: Operation['params'][string]): Edge => {
  const own = args.path?.[name]
  const never = typeof param === 'object' ? [neverNamed(param)] : []
  const isInteger = param === 'integer' || (typeof param === 'object' && param.type === 'integer')
  const malformed = isInteger ? ['x-1', isRef(own) ? { ...own, suffix: 'x' } : `${own}x`] : []
  const beyond = [...never, ...malformed].map((value) => ({ ...args, path: { ...args.path, [name]: value } }))
  return { within: [], beyond }
}
