// Finds the operation that a request's method and path name, from the registry; what the operation answers is decided elsewhere.

import findMyWay from 'find-my-way'
import type { Method, Operation } from '../models/language/operation.js'
import type { Path } from '../models/language/world.js'

export type Route =
  | { readonly op: Operation; readonly path: Path }
  /** The path exists, for these methods alone. */
  | { readonly allow: readonly Method[] }
  /** No operation has such a path. */
  | undefined

export type Routes = (method: string, pathname: string) => Route

/** As long as a path can be, so that no name is too long for the router but not for the model. */
const maxParamLength = 65_536

/**
 * A router over the operations. Literal segments win over parameters, a slash at the end is ignored, and values are
 * percent-decoded.
 */
export const createRoutes = (operations: readonly Operation[]): Routes => {
  const router = findMyWay({ ignoreTrailingSlash: true, maxParamLength })
  for (const op of operations) router.on(op.method, op.path.replace(/\{(\w+)\}/g, ':$1'), nothing, op)
  const methods = [...new Set(operations.map(({ method }) => method))]
  return (method, pathname) => {
    const found = isMethod(method, methods) ? router.find(method, pathname) : null
    if (found) return { op: found.store as Operation, path: { ...found.params } as Path }
    const allow = methods.filter((other) => router.find(other, pathname) !== null)
    return allow.length > 0 ? { allow } : undefined
  }
}

const nothing = (): void => undefined

const isMethod = (method: string, methods: readonly Method[]): method is Method =>
  (methods as readonly string[]).includes(method)
