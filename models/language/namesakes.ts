// Plans what tells two resources of one name apart: what is done to the one leaves the other; whether they may be is not said here.

import type { Made, Plan } from './plan.js'

/**
 * Where the second one was made, the first is renamed and the second viewed, and so once more when the first is removed. A removal by
 * name takes both, and that both are gone when they are cleaned up could be a removal that was sent twice.
 */
export const sparesNamesake = (
  plan: Plan,
  { resource, param, name = 'label' }: { readonly resource: string; readonly param: string; readonly name?: string },
  first: Made,
  second: Made,
): void => {
  const provided = second.step
  const path = { [param]: first.id }
  const look = () => plan.check(`${resource}.view`, { path: { [param]: second.id }, provided })
  // By one name they are looked for when each still has it, so that the second is named as well.
  plan.check(`${resource}.update`, { path, body: { [name]: plan.name() }, provided })
  look()
  plan.check(`${resource}.update`, { path, body: { [name]: second.field(name) }, provided })
  plan.call(`${resource}.delete`, { path, provided })
  look()
}
