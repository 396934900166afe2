// Reads off a refusal's program the call that is refused of a resource however it came to be; nothing is planned or sent here.
import { operations } from '../models/index.js'
import type { AnyTable } from '../models/language/operation.js'
import type { Args, Made, Plan } from '../models/language/plan.js'

/** The first call that a refusal's program expects to be refused, where it arranges nothing but the resource. */
export const firstProbe = (plan: Plan, table: AnyTable, made: Made, probe: (plan: Plan) => void): Args | undefined => {
  let found: Args | undefined
  let isOpen = true
  const close = (): Made => {
    isOpen = false
    return made
  }
  const listening: Plan = {
    ...plan,
    make: (other) => ((other as AnyTable) === table ? made : close()),
    call: close,
    twin: close,
    check: close,
    hook: () => void close(),
    later: () => void close(),
    draft: (operation) => operations.find(({ id }) => id === operation)?.draft(listening) ?? {},
    probe: (_, args) => {
      if (isOpen && args?.unsettled !== true && args?.as === undefined) found ??= args
      return close()
    },
  }
  probe(listening)
  return found
}
