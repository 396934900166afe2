// The mark by which runs on one account see each other: a tag with the run's name and when it ends at the latest; the first to leave one goes first.

import { buildCall } from '../history/calls.js'
import { listedIn, openWalk } from '../history/pages.js'
import { operationById } from '../models/index.js'
import type { Operation } from '../models/language/operation.js'
import { isMadeName } from './nonce.js'
import { ownerTokens } from './reach.js'
import type { Session } from './session.js'

interface Mark {
  readonly label: string
  /** Milliseconds since the epoch. */
  readonly endsAt: number
}

const word = '-run-'
/** Longer than any run: a mark that says so is none. */
const longestMs = 7 * 24 * 3_600_000

export const markOf = (nonce: string, endsAt: number): string =>
  `${nonce}${word}${Math.ceil(endsAt / 1000).toString(36)}`

/** Whether a name is that of a mark. */
export const isMark = (name: string): boolean => /-run-[0-9a-z]{6,7}$/.test(name)

const markIn = (prefix: string, label: unknown, now: number): readonly Mark[] => {
  if (typeof label !== 'string' || !isMark(label) || !isMadeName(prefix, label)) return []
  const endsAt = Number.parseInt(label.slice(label.lastIndexOf(word) + word.length), 36) * 1000
  return endsAt > now && endsAt < now + longestMs ? [{ label, endsAt }] : []
}

interface ClaimOptions {
  /** Names of runs that are surely over: earlier ones that wrote to the same folder. */
  readonly over: readonly string[]
  /** Milliseconds since the epoch at which the run has ended at the latest. */
  readonly endsAt: number
  readonly now: () => number
  readonly say: (text: string) => void
}

const lookEveryMs = 5000
const tellEveryMs = 60_000

const lister = operationById('tags.list') as Operation
const maker = operationById('tags.create') as Operation
const remover = operationById('tags.delete') as Operation

/**
 * Waits until no other run is at the account, and leaves a mark. One that was killed is waited for until it would have ended.
 * @returns why the run is not to go on, where its time ended first; a target that keeps no tags is used without
 */
export const claimAccount = async (
  session: Session,
  { over, endsAt, now, say }: ClaimOptions,
): Promise<string | undefined> => {
  const { environment, nonce } = session.options
  const [owner] = ownerTokens(environment)
  if (!owner) return undefined
  const label = markOf(nonce, endsAt)
  const origin = session.originOf('mark')
  /** Marks of other runs, the first to end first. */
  const others = async (): Promise<readonly Mark[]> => {
    const marks: Mark[] = []
    const goesOn = openWalk()
    for (let page = 1; ; page += 1) {
      const args = { as: owner.token, ...(page > 1 && { query: { page } }) }
      const outcome = await session.options.transport.send(buildCall(lister, args), 0)
      const body = 'status' in outcome && outcome.status < 300 ? outcome.body : undefined
      for (const one of listedIn(body)) marks.push(...markIn(environment.safety.prefix, one.label, now()))
      if (!goesOn(body, page))
        return marks.filter(
          (mark) => mark.label !== label && !over.some((run) => mark.label.startsWith(`${run}${word}`)),
        )
    }
  }
  for (let toldAt = Number.NEGATIVE_INFINITY; !session.isOver(); ) {
    const [met] = await others()
    if (!met) {
      await session.send(origin, maker, { as: owner.token, body: { label } }, 'read')
      // Two that have seen nothing of each other both leave one: the later name gives way.
      const [first] = (await others()).filter((mark) => mark.label < label)
      if (!first) return undefined
      await session.send(origin, remover, { as: owner.token, path: { tagLabel: label } }, 'clean')
    } else if (now() - toldAt >= tellEveryMs) {
      toldAt = now()
      say(
        `another run is at this account (tag ${met.label}): waiting until it has ended, ${new Date(met.endsAt).toISOString()} at the latest; if it was killed, touchstone sweep removes its tag`,
      )
    }
    await session.options.sleep(lookEveryMs)
  }
  return 'another run was at this account for all of its time'
}
