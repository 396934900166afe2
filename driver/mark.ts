// The mark by which runs on one account see each other: a tag with the run's name and an expiry, renewed while the run lasts. The first to leave one goes first.

import { buildCall } from '../history/calls.js'
import type { Origin } from '../history/entry.js'
import { bodyOf, isAccepted } from '../history/outcomes.js'
import { listedIn, pagesOf } from '../history/pages.js'
import { operationById } from '../models/index.js'
import { ownerTokens } from '../models/language/access.js'
import type { Operation } from '../models/language/operation.js'
import { endOf, isMadeName, isMark, markOf, runOf } from './nonce.js'
import type { Session } from './session.js'

export interface Mark {
  readonly label: string
  readonly run: string
  /** Milliseconds since the epoch. */
  readonly endsAt: number
}

/** A mark that claims to count longer than this is none. */
const longestMs = 7 * 24 * 3_600_000
/** How long a mark counts beyond the longest wait within a step. The mark of a killed run soon expires. */
const leastFreshMs = 30_000
const renewEveryMs = 15_000

/** Reads a name as a mark that still counts; undefined if it is none. */
export const markIn = (prefix: string, label: unknown, now: number): Mark | undefined => {
  if (typeof label !== 'string' || !isMark(label) || !isMadeName(prefix, label)) return undefined
  const endsAt = endOf(label)
  return endsAt > now && endsAt < now + longestMs ? { label, run: runOf(label), endsAt } : undefined
}

interface HoldOptions {
  /** Names of runs that are certainly over: earlier ones with the same folder. */
  readonly over: readonly string[]
  readonly now: () => number
  readonly say: (text: string) => void
}

/** An account that is reserved for a run while it lasts. */
export interface Hold {
  /**
   * Waits until no other run is at the account, and leaves a mark; a target that keeps no tags is used without.
   * @returns why the run is not to go on, where its time ended first
   */
  readonly claim: () => Promise<string | undefined>
  /** Replaces the mark by a newer one. */
  readonly renew: (session: Session) => Promise<void>
  /** Why the run must not go on: its mark expired and another run came; undefined if it may. */
  readonly lost: () => string | undefined
}

const lookEveryMs = 5000
const tellEveryMs = 60_000

const lister = operationById('tags.list') as Operation
const maker = operationById('tags.create') as Operation
const remover = operationById('tags.delete') as Operation

/** Whatever comes of a mark, no program tells of it. */
const originIn = (session: Session): Origin => ({ ...session.originOf('mark'), phase: 'mark' })

export const holdAccount = (session: Session, { over, now, say }: HoldOptions): Hold => {
  const { environment, nonce, settleMs, transport, sleep } = session.options
  const token = ownerTokens(environment)[0]?.token ?? null
  let held: Mark | undefined
  let renewAt = 0
  let lost: string | undefined

  /** Marks of other runs. */
  const others = async (): Promise<readonly Mark[]> => {
    const marks: Mark[] = []
    const ask = async (query: { readonly page?: number }): Promise<unknown> => {
      const outcome = await transport.send(buildCall(lister, { as: token, query }), 0)
      return isAccepted(outcome) ? bodyOf(outcome) : undefined
    }
    for await (const body of pagesOf(ask, (page) => page))
      marks.push(...listedIn(body).flatMap(({ label }) => markIn(environment.safety.prefix, label, now()) ?? []))
    return marks.filter(({ run }) => run !== nonce && !over.includes(run))
  }

  /** The mark that was left; undefined if the target does not keep it. */
  const leave = async (through: Session): Promise<Mark | undefined> => {
    const endsAt = now() + leastFreshMs + settleMs
    const label = markOf(nonce, endsAt)
    renewAt = now() + renewEveryMs
    const sent = await through.send(originIn(through), maker, { as: token, body: { label } }, 'read')
    return sent.judgement.accepted === true ? { label, run: nonce, endsAt } : undefined
  }

  const remove = async (through: Session, { label }: Mark): Promise<void> => {
    await through.send(originIn(through), remover, { as: token, path: { tagLabel: label } }, 'clean')
  }

  /** Leaves the mark of this run; false if another run has left one meanwhile and comes first. */
  const take = async (): Promise<boolean> => {
    held = await leave(session)
    // Two runs that did not see each other both leave one: the later name gives way.
    const [first] = (await others()).filter(({ run }) => run < nonce)
    if (!held || !first) return true
    await remove(session, held)
    held = undefined
    return false
  }

  const claim = async (): Promise<string | undefined> => {
    if (token === null) return undefined
    let toldAt: number | undefined
    while (!session.isOver()) {
      const [met] = await others()
      if (!met && (await take())) return undefined
      if (met && (toldAt === undefined || now() - toldAt >= tellEveryMs)) {
        toldAt = now()
        say(
          `another run is at this account (tag ${met.label}): waiting until it has ended; if it was killed, until ${new Date(met.endsAt).toISOString()}, or until touchstone sweep has removed the tag, with the --out of that run`,
        )
      }
      await sleep(lookEveryMs)
    }
    return toldAt === undefined ? undefined : 'another run was at this account for all of its time'
  }

  const renew = async (through: Session): Promise<void> => {
    if (!held || now() < renewAt || session.isOver()) return
    const before = held
    renewAt = now() + renewEveryMs
    const [met] = now() > before.endsAt ? await others() : []
    if (met) lost = `another run (tag ${met.label}) came to this account while this one stood still`
    const left = await leave(through)
    if (!left) return
    held = left
    await remove(through, before)
  }

  return { claim, renew, lost: () => lost }
}
