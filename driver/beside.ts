// A session for a program that runs beside others: it shares belief and record, and each call waits until no call under way could affect it.

import { buildCall, recorded } from '../history/calls.js'
import { type Admission, type Claim, claimOf, claimOfHook, createAdmission } from './admission.js'
import { atOnce } from './at-once.js'
import { usesFixtures } from './locks.js'
import type { Planned, Session } from './session.js'

/** The most calls of one program at a time; its further calls wait. */
const mostOfOne = 6

/** How a program takes part in what programs do side by side. */
export interface Part {
  /** Of two calls that may go, the one of higher rank goes first. */
  readonly rank: number
  readonly sleep: Session['options']['sleep']
  /** Waits for the late locks of the program, the first time that it is called. */
  readonly takeLate: () => Promise<void>
  /** Told of calls when they are over. */
  readonly note: (claims: readonly Claim[], from: number, until: number) => void
}

/** The part of what waits for no locks, and of whose calls nobody is told. */
export const looselyIn = ({ options: { sleep } }: Session): Part => ({
  rank: 0,
  sleep,
  takeLate: async () => undefined,
  note: () => undefined,
})

/** The session as it sends several calls at a time, where that saves waiting. */
export const sideBySide = (session: Session, width: number): Session =>
  width === 1
    ? session
    : besideOthers(
        session,
        createAdmission(width, () => false),
        looselyIn(session),
      )

/** The program removes what it made itself. Its deviations are no findings. */
export const besideOthers = (session: Session, admission: Admission, part: Part): Session => {
  const { rank, sleep, takeLate } = part
  const own = session.hasty()
  const { attachmentField, environment, clock } = session.options
  const isAboutFixtures = ({ op, args }: Planned): boolean =>
    usesFixtures({ ...args, role: 'check', operation: op.id }, environment)
  const admit = async <T>(calls: readonly Planned[], what: () => Promise<T>, isSingly = false): Promise<T> => {
    if (calls.some(isAboutFixtures)) await takeLate()
    const claims = calls.map((one) => claimed(one, isSingly))
    return enter(claims, what)
  }
  const enter = <T>(claims: readonly Claim[], what: () => Promise<T>): Promise<T> =>
    admission.admit(
      claims,
      async () => {
        const from = clock()
        try {
          return await what()
        } finally {
          part.note(claims, from, clock())
        }
      },
      rank,
    )
  const claimed = ({ op, args }: Planned, isSingly = false): Claim =>
    claimOf(session.world(), op, buildCall(op, args, attachmentField), isSingly)
  const isTelling = ({ op, args }: Planned): boolean =>
    own.options.hooks.readEvents !== undefined &&
    session.fold.isTelling(op, recorded(buildCall(op, args, attachmentField)))
  let isHolding = false
  const send: Session['send'] = (origin, op, args, role) => {
    if (isHolding) return own.send(origin, op, args, role)
    const singly = isTelling({ op, args })
    return admit([{ op, args }], () => own.send({ ...origin, ...(singly && { singly }) }, op, args, role), singly)
  }
  return session.patient({
    ...own,
    options: { ...own.options, sleep },
    isBeside: true,
    each: (things, what) => atOnce(mostOfOne, things, what),
    originOf: (program) => ({ ...own.originOf(program), beside: true }),
    send,
    sendReads: (origin, reads) => Promise.all(reads.map(({ op, args }) => send(origin, op, args, 'read'))),
    hold: (read, what) =>
      admit([read], async () => {
        isHolding = true
        try {
          return await what()
        } finally {
          isHolding = false
        }
      }),
    sendTogether: (origin, lanes) => admit(lanes.flat(), () => own.sendTogether(origin, lanes)),
    callHook: async (origin, name, args) => {
      await takeLate()
      await enter([claimOfHook(name)], () => own.callHook(origin, name, args))
    },
  })
}
