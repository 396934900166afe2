// A session for a program that runs beside others: it shares belief and record, and each call waits until no call under way could affect it.

import { buildCall } from '../history/calls.js'
import { type Admission, type Claim, claimOf } from './admission.js'
import type { Planned, Sent, Session } from './session.js'

/** What the program makes is its own to remove; what seems amiss in it is no finding. */
export const besideOthers = (session: Session, { admit }: Admission, sleep: Session['options']['sleep']): Session => {
  const own = session.hasty()
  const { hooks, attachmentField } = session.options
  const isCountedSingly = (event: string): boolean =>
    hooks.readEvents !== undefined && session.fold.isCountedSingly(event)
  const claimed = ({ op, args }: Planned): Claim =>
    claimOf(session.world(), op, buildCall(op, args, attachmentField), isCountedSingly)
  // One call at a time: the time on the way is used by other programs.
  const send: Session['send'] = (origin, op, args, role) =>
    admit([claimed({ op, args })], () => own.send(origin, op, args, role))
  return session.patient({
    ...own,
    options: { ...own.options, sleep },
    isBeside: true,
    each: (things, what) => Promise.all(things.map(what)),
    branch: () => besideOthers(session, { admit }, sleep),
    originOf: (program) => ({ ...own.originOf(program), beside: true }),
    send,
    sendReads: async (origin, reads) => {
      const sent: Sent[] = []
      for (const { op, args } of reads) sent.push(await send(origin, op, args, 'read'))
      return sent
    },
    sendTogether: (origin, lanes) => admit(lanes.flat().map(claimed), () => own.sendTogether(origin, lanes)),
    callHook: (origin, name, args) => admit(['everything'], () => own.callHook(origin, name, args)),
  })
}
