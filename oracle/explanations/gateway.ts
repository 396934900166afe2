// What stands before a target answers in its place: nothing is learnt of the target from that, not even whether the call reached it.

import { type Environment, suppositions } from '../../models/language/environment.js'
import type { Reply } from '../step.js'
import { type Explanation, isAllowed } from './explanation.js'

export const gateway: Explanation = {
  name: 'gateway',
  supposes: suppositions.gateway,
  cost: 1,
  refutes: 'nothing does: its reply says nothing of the target',
  bound:
    'the statuses with which only gateways and the servers of a connection answer, and tokens forgotten for less than ten seconds',
}

/** Statuses with which what stands before a target answers, never the target itself. */
const isOfGateway = (status: number): boolean =>
  [407, 429, 502, 503, 504, 511].includes(status) ||
  (status >= 520 && status <= 530) ||
  status === 598 ||
  status === 599

/** Statuses with which the server of a connection answers for itself, other than in the envelope of the interface. */
const ofConnection = [408, 413, 421, 425, 431]

/** Whether something else than the target may have answered. */
export const isFromGateway = ({ status, body }: Reply, environment: Environment): boolean =>
  (isOfGateway(status) || (body === undefined && ofConnection.includes(status))) && isAllowed(environment, gateway)

/** `gateway 503` */
export const nameOf = ({ status }: Pick<Reply, 'status'>): string => `${gateway.name} ${status}`
