// Why a call emits no event: by which clause it is refused, or what it leaves as it was; told of a call before and after it is sent.
import type { WireCall } from '../history/wire.js'
import { isObject } from '../models/language/objects.js'
import type { Operation } from '../models/language/operation.js'
import type { World } from '../models/language/world.js'
import { eventsOf } from './accepted.js'
import { certain } from './due.js'
import { readCall } from './facts.js'
import { expectationOf } from './judge.js'
import type { Judged } from './judgement.js'

/** Of a call that has been judged; undefined where nothing is known to forbid the event. */
export const whySilent = ({ call, judgement }: Pick<Judged, 'call' | 'judgement'>): string | undefined => {
  const { accepted, decisive, sure, withholds = [] } = judgement
  if (!accepted) return decisive ?? sure
  return withholds.length > 0 ? membersOf(call) : undefined
}

/** Of a call that is to be sent, as far as can be told. */
export const whySilentLater = (world: World, op: Operation, call: WireCall): string | undefined => {
  const read = readCall(world, op, call)
  const expectation = expectationOf(world, op, call, read)
  if (expectation.kind === 'refuse') return certain(expectation)[0]?.clause.id
  const { withholds = [] } = eventsOf({ op, read })
  return withholds.length > 0 ? membersOf(call) : undefined
}

const membersOf = ({ body }: WireCall): string => (isObject(body) ? Object.keys(body).sort().join() : '')
