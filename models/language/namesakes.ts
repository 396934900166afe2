// Plans what tells two resources of one name apart: what is done to the one leaves the other; whether they may be is not said here.

import type { Made, Plan } from './plan.js'

/**
 * Where the second one was made, the first is removed and the second viewed. A removal by name takes both, and that both are gone
 * when they are cleaned up could be a removal that was sent twice.
 */
export const sparesNamesake = (
  plan: Plan,
  { resource, param }: { readonly resource: string; readonly param: string },
  first: Made,
  second: Made,
): void => {
  const provided = second.step
  plan.call(`${resource}.delete`, { path: { [param]: first.id }, provided })
  plan.check(`${resource}.view`, { path: { [param]: second.id }, provided })
}
