// Finds the operation that a request's method and path name, from the registry; what the operation answers is decided elsewhere.

import findMyWay from 'find-my-way'
import type { Method, Operation } from '../models/language/operation.js'
import type { Path } from '../models/language/world.js'

/** An operation, and what a path has in place of its parameters. */
export interface Found {
  readonly op: Operation
  readonly path: Path
}

export type Route =
  | Found
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

/** The same where it does not matter which methods a path has. */
export const createFinder = (operations: readonly Operation[]) => {
  const routes = createRoutes(operations)
  return (method: string, pathname: string): Found | undefined => {
    const route = routes(method, pathname)
    return route && 'op' in route ? route : undefined
  }
}

const nothing = (): void => undefined

const isMethod = (method: string, methods: readonly Method[]): method is Method =>
  (methods as readonly string[]).includes(method)
