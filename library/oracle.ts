// `touchstone/oracle`: calls and replies of any client in, judgements, findings, causes and the believed world out; nothing is sent.

import { loadFixtures, type TargetFile } from '../config/target-file.js'
import { refuseUnknownNames } from '../suites/names.js'
import { givenExchange } from './exchange-schema.js'
import type { History } from './history.js'
import { anything, check, optionsOf, text } from './options.js'
import { openHistoryOf } from './settling.js'

export type { Finding } from '../history/record.js'
export type { Deviation } from '../oracle/judgement.js'
export type { BelievedWorld, Cause, Exchange, History, Judged, JudgedCall, SentRequest } from './history.js'

export interface HistoryOptions {
  /**
   * What is known of the target, as a target file says it: accounts, users, tokens with their secrets, fixtures, pins,
   * vocabulary. Without it everything is learnt from the calls, and less can be held against the target.
   */
  readonly target?: string | Partial<TargetFile>
  /** What stands before the paths of the interface; `/v4` when left out, and nothing as well. */
  readonly prefix?: string
}

/**
 * Opens a history. Several clients may be recorded in one, calls may overlap, and clients that are not recorded may be
 * at the target as well: what they could have done is not held against it.
 * @throws TargetError naming every problem of the target file, TypeError naming each option that is unknown or ill-typed
 * @example
 * const history = await openHistory({ target: { tokens: [{ name: 'owner', scopes: '*', secret }] } })
 * history.add({ request: { method: 'GET', url: '/volumes', as: 'owner' }, reply: { status: 200, body }, startedAt: 0, endedAt: 12 })
 * expect(history.judge().findings).toEqual([])
 */
export const openHistory = async (options: HistoryOptions = {}): Promise<History> => {
  check('openHistory(options)', historySchema, options)
  const { target: file, prefix = '/v4' } = options
  const target = file === undefined ? undefined : await loadFixtures(file, process.cwd())
  if (target) refuseUnknownNames(target)
  const { settled: _, close: __, ...history } = openHistoryOf(target, prefix)
  return {
    ...history,
    add: (exchange) => {
      check('add(exchange)', givenExchange, exchange)
      return history.add(exchange)
    },
  }
}

const historySchema = optionsOf<HistoryOptions>({ target: anything, prefix: text })
