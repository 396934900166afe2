// `touchstone judge --stdin`: exchanges in, a line of JSON each; judgements out as they stand, then findings and causes; nothing is sent.

import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { loadTarget } from '../config/target-file.js'
import { exchangeSchema } from '../library/exchange-schema.js'
import type { Exchange, Judged } from '../library/history.js'
import { check } from '../library/options.js'
import { openHistoryOf } from '../library/settling.js'
import { refuseUnknownNames } from '../suites/names.js'
import { UsageError } from './errors.js'

export interface JudgeLinesOptions {
  readonly target?: string | undefined
  readonly cwd: string
  readonly level: 'must' | 'should'
}

/** As many calls as may still be found to overlap with one that comes late. */
const behind = 16

/**
 * @param print takes a line of output
 * @returns the exit code: 0 conforms, 1 nonconforming, 3 nothing was judged
 * @throws UsageError naming the line that is no exchange, TargetError where the target file is no good
 */
export const judgeLines = async (
  input: Readable,
  options: JudgeLinesOptions,
  print: (line: string) => void,
): Promise<number> => {
  const target = await loadTarget({ ...options, env: process.env, secrets: 'optional' })
  if (target) refuseUnknownNames(target)
  const history = openHistoryOf(target, target ? new URL(target.baseUrl).pathname.replace(/\/+$/, '') : '/v4', behind)
  const say = (type: string, value: object): void => print(JSON.stringify({ type, ...value }))
  let number = 0
  let ignored = 0
  for await (const told of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    number += 1
    // Some shells put a byte order mark before what they pass on.
    const line = number === 1 ? told.replace(/^\ufeff/, '') : told
    if (line.trim() === '') continue
    if (history.add(readLine(line, number)) === undefined) ignored += 1
    for (const call of history.settled()) say('call', call)
  }
  for (const call of history.close()) say('call', call)
  const judged = history.judge()
  for (const finding of judged.findings) say('finding', finding)
  for (const cause of judged.causes) say('cause', cause)
  const verdict = verdictOf(judged, options.level)
  const { calls, findings, causes, undecided } = judged
  const counts = { calls: calls.length, findings: findings.length, causes: causes.length }
  say('end', { verdict, ...counts, undecided: undecided.length, ignored })
  return { conforms: 0, nonconforming: 1, inconclusive: 3 }[verdict]
}

type Verdict = 'conforms' | 'nonconforming' | 'inconclusive'

const verdictOf = ({ calls, findings }: Judged, level: JudgeLinesOptions['level']): Verdict => {
  if (findings.some((one) => level === 'should' || one.level !== 'should')) return 'nonconforming'
  return calls.some(({ verdict }) => verdict !== 'inconclusive') ? 'conforms' : 'inconclusive'
}

/** Reads a line as an exchange. @throws UsageError that names the line and what is wrong with it */
const readLine = (line: string, number: number): Exchange => {
  const where = `standard input, line ${number}`
  try {
    const value: unknown = JSON.parse(line)
    check(where, exchangeSchema, value)
    return value as Exchange
  } catch (error) {
    const told =
      error instanceof SyntaxError
        ? `${where}: expected an exchange as JSON, received ${line.slice(0, 80)}. Correct the line.`
        : (error as Error).message
    throw new UsageError(`${told} docs/library.md has its form.`)
  }
}
