// A session for a program that runs beside others: it shares belief and record, and each call waits until no call under way could affect it.

import { buildCall } from '../history/calls.js'
import { type Admission, type Claim, claimOf } from './admission.js'
import type { Planned, Sent, Session } from './session.js'

/** The most calls of one program at a time; its further calls wait. */
const mostOfOne = 6

/** The program removes what it made itself. Its deviations are no findings. */
export const besideOthers = (
  session: Session,
  admission: Admission,
  sleep: Session['options']['sleep'],
  rank = 0,
): Session => {
  const admit: Admission['admit'] = (claims, what) => admission.admit(claims, what, rank)
  const own = session.hasty()
  const { attachmentField } = session.options
  const claimed = ({ op, args }: Planned): Claim => claimOf(session.world(), op, buildCall(op, args, attachmentField))
  let isHolding = false
  // One call at a time: other programs use the time that it takes.
  const send: Session['send'] = (origin, op, args, role) => {
    const sendNow = (): Promise<Sent> => own.send(origin, op, args, role)
    return isHolding ? sendNow() : admit([claimed({ op, args })], sendNow)
  }
  return session.patient({
    ...own,
    options: { ...own.options, sleep },
    isBeside: true,
    each: async (things, what) => {
      const done = []
      for (let i = 0; i < things.length; i += mostOfOne)
        done.push(...(await Promise.all(things.slice(i, i + mostOfOne).map(what))))
      return done
    },
    branch: () => besideOthers(session, admission, sleep, rank),
    originOf: (program) => ({ ...own.originOf(program), beside: true }),
    send,
    sendReads: async (origin, reads) => {
      const sent: Sent[] = []
      for (const { op, args } of reads) sent.push(await send(origin, op, args, 'read'))
      return sent
    },
    hold: (read, what) =>
      admit([claimed(read)], async () => {
        isHolding = true
        try {
          return await what()
        } finally {
          isHolding = false
        }
      }),
    sendTogether: (origin, lanes) => admit(lanes.flat().map(claimed), () => own.sendTogether(origin, lanes)),
    callHook: (origin, name, args) => admit(['everything'], () => own.callHook(origin, name, args)),
  })
}
