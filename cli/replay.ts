// `touchstone replay`: sends a finding's program again and shows, step by step, then and now.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pc from 'picocolors'
import { loadTarget, nearest, type Target, TargetError } from '../config/target-file.js'
import { clean } from '../driver/clean-up.js'
import type { Swept } from '../driver/leftovers.js'
import { createNonce } from '../driver/nonce.js'
import { isMadeAgain, resend } from '../driver/replay.js'
import type { Sent } from '../driver/session.js'
import { survey } from '../driver/survey.js'
import { redactOutcome } from '../history/masking.js'
import type { Finding } from '../history/record.js'
import { whyUnsent } from '../history/unsent.js'
import type { Outcome } from '../history/wire.js'
import { operationById } from '../models/index.js'
import { changesIn } from '../oracle/blame.js'
import { clauseNamed } from '../oracle/clauses.js'
import { findingIdOf } from '../oracle/judgement.js'
import { startEmbedded } from '../reference/serve.js'
import { embeddedTarget } from '../reference/target.js'
import { clip, type FindingFile, findingFile, shellWord, targetFlag, visibleLine } from '../reports/index.js'
import { claimFolder } from '../suites/claim.js'
import { connect } from '../suites/connect.js'
import { makeFolder } from '../suites/folder.js'
import { beginLedger, tidy } from '../suites/ledger.js'
import { preflight } from '../suites/preflight.js'
import { evidenceIn } from './evidence.js'
import { hasColor } from './print.js'
import { lineOf } from './sweep.js'
import { textOf } from './text.js'

export interface ReplayOptions {
  readonly target?: string | undefined
  readonly cwd: string
  readonly out: string
  readonly json: boolean
}

/**
 * @param named a file of the folder findings, or the id of a finding, cause or broken clause of the run in `out`
 * @returns 0 when the deviation is gone, 1 when it shows again, 3 when it can't be told
 * @throws TargetError where the finding's file or the target file is no good, or a run writes to `out`
 */
export const replayFinding = async (named: string, options: ReplayOptions): Promise<number> => {
  const { finding, target: shownBy } = readFinding(existsSync(named) ? named : await fileOf(named, options.out))
  const { target, isEmbedded, unreachable, close } = await openTarget(options, shownBy, finding.replay)
  if (unreachable !== undefined) return giveUp(finding, target, unreachable, options)
  makeFolder(options.out)
  const free = await claimFolder(options.out).catch(async (error: unknown) => {
    await close()
    throw error
  })
  const nonce = createNonce(target.environment.safety.prefix, Date.now())
  const ledger = join(options.out, 'ledger.ndjson')
  beginLedger(ledger, nonce, isEmbedded ? undefined : target.baseUrl)
  const connection = await connect(target, join(options.out, 'replay.ndjson'), ledger, { nonce })
  try {
    await survey(connection.session)
    const from = connection.session.creations.length
    const origin = connection.session.originOf('replay')
    const confirming = { ...origin, phase: 'confirm', confirms: finding.id } as const
    const { sent, looks } = await resend(connection.session, confirming, finding.steps, finding.nonce ?? '')
    const now = sent.map((one) => ({ ...one, outcome: redactOutcome(one.outcome) }))
    const result = resultOf(finding, sent, looks)
    await clean(connection.session, { ...origin, phase: 'clean-up' }, from)
    // What came into being beside, such as the tags of a volume, is no creation of its own.
    const left = isEmbedded ? [] : await leftBy(() => tidy(target, nonce, ledger, tidyMs))
    if (left.length > 0) process.stderr.write(connection.redact(`${[...left, sweepHint(options)].join('\n')}\n`))
    return show(finding, now, result, { baseUrl: target.baseUrl, json: options.json, redact: connection.redact })
  } finally {
    free()
    await connection.close()
    await close()
  }
}

/** A target that is not ready is not waited for, beyond what each read is: a finding can be replayed at another time. */
const timesAskedAgain = 0

/** Sends nothing more, and says why. */
const giveUp = (finding: Finding, { baseUrl }: Target, reason: string, { json }: ReplayOptions): number => {
  const why = reason.replace('then run again', 'then replay again')
  if (json)
    process.stdout.write(
      `${JSON.stringify({ finding: finding.id, target: baseUrl, reproduced: 'unknown', steps: [] })}\n`,
    )
  process.stderr.write(`touchstone: nothing was replayed: ${why}\n`)
  return 3
}

/** The longest that is looked for what was left. */
const tidyMs = 30_000

/** What was not removed, or why that is not known: what the finding shows is told all the same. */
const leftBy = async (tidied: () => Promise<readonly Swept[]>): Promise<readonly string[]> => {
  try {
    return (await tidied()).filter(({ result }) => result === 'failed').map(lineOf)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return [`warning: what the replay made may be left on the target: ${why}`]
  }
}

const sweepHint = ({ target, out }: ReplayOptions): string =>
  ['To remove what is left: touchstone sweep --out', shellWord(out), ...targetFlag(target)].join(' ')

/** What another target has shown tells nothing when it is sent to the embedded one. */
const openTarget = async (
  { target, cwd }: ReplayOptions,
  shownBy: FindingFile['target'] | undefined,
  command: string,
): Promise<{
  readonly target: Target
  readonly isEmbedded: boolean
  /** Why nothing that is sent to it would be answered now. */
  readonly unreachable?: string | undefined
  readonly close: () => Promise<void>
}> => {
  const loaded = await loadTarget({ target, cwd, env: process.env })
  if (loaded) {
    const { wrong, unreachable } = await preflight(loaded, new Set(), { times: timesAskedAgain })
    if (wrong !== undefined) throw new TargetError(wrong)
    return { target: loaded, isEmbedded: false, unreachable, close: async () => undefined }
  }
  if (shownBy !== undefined && shownBy.name !== 'embedded')
    throw new TargetError(
      `expected the target that showed the finding, ${shownBy.name} at ${shownBy.baseUrl}; found no target file in ${cwd} or above it. Name one, or a URL, with --target.${/ --target /.test(command) ? ` The run had it so: ${visibleLine(command)}` : ''}`,
    )
  const { server, baseUrl, secrets, hooks } = await startEmbedded()
  return { target: embeddedTarget({ baseUrl, secrets: [...secrets] }, hooks), isEmbedded: true, close: server.close }
}

/** Where the last run wrote the finding of that id, or the first finding of the cause or of the clause. */
const fileOf = async (id: string, out: string): Promise<string> => {
  const { results, reason } = await evidenceIn(out)
  const ofCause = results?.causes.find((one) => one.id === id)?.findings[0]
  const ofClause = results?.findings.find((one) => one.clause === id)?.id
  const file = join(out, findingFile(ofCause ?? ofClause ?? id))
  if (existsSync(file)) return file
  const known = [...(results?.findings ?? []), ...(results?.causes ?? [])].map((one) => one.id)
  const meant = nearest(id, known)
  const hint =
    meant === undefined ? `It has ${clip(known.join(', '), 300) || 'none'}.` : `Did you mean ${JSON.stringify(meant)}?`
  throw new TargetError(
    `expected a file of the folder findings, or the id of a finding, cause or broken clause of the run in ${out}; received ${JSON.stringify(id)}${results ? `. ${hint}` : `: ${reason}.`} --out names another run.`,
  )
}

const readFinding = (file: string): Pick<FindingFile, 'finding'> & Partial<FindingFile> => {
  let parsed: unknown
  try {
    parsed = JSON.parse(textOf(readFileSync(file)))
  } catch (error) {
    throw new TargetError(
      `cannot read ${file}: ${error instanceof Error ? error.message : String(error)}; expected a file from findings/`,
    )
  }
  const { finding, target } = (parsed ?? {}) as Partial<FindingFile>
  if (!finding || !Array.isArray(finding.steps) || typeof finding.clause !== 'string')
    throw new TargetError(
      `${file} holds no finding: expected an object with "finding", as a run writes it into findings/`,
    )
  return { finding, ...(target && { target }) }
}

const outcomeLine = (outcome: Outcome | undefined): string =>
  outcome === undefined
    ? 'not sent'
    : 'lost' in outcome
      ? (whyUnsent(outcome) ?? `no reply (${outcome.lost})`)
      : `${outcome.status} ${visibleLine(JSON.stringify(outcome.body) ?? outcome.text ?? '')}`

/** Whether a call shows the finding: by itself, or as the judge tells it of one call before blame is laid. */
const isShownBy =
  ({ id, clause, operation }: Finding) =>
  (one: Sent): boolean => {
    const { deviations } = one.judgement
    if (deviations.some((deviation) => findingIdOf(deviation) === id || deviation.clause === clause)) return true
    const write = operationById(operation)
    const kind = id.slice(clause.length + 1)
    if (kind === 'refused-within') return deviations.some((deviation) => deviation.clause === `${one.op.id}.accepts`)
    return (kind === 'lost' || kind === 'changed') && write !== undefined && changesIn(one, write).length > 0
  }

const isTaken = (outcome: Outcome | undefined): boolean =>
  outcome !== undefined && 'status' in outcome && outcome.status < 300

type Result = (typeof results)[keyof typeof results]

const resultOf = (finding: Finding, sent: readonly Sent[], looks: readonly Sent[]): Result => {
  // What the last call would show a look before it may show already.
  if ([...looks, ...sent.slice(-1)].some(isShownBy(finding))) return results.yes
  if (sent.some(({ outcome }) => whyUnsent(outcome) !== undefined)) return results.withheld
  if (sent.some(({ outcome }) => 'lost' in outcome)) return results.lost
  // What the last call made, or how it was answered, may be what was wrong.
  const before = finding.steps.slice(0, -1)
  if (!isMadeAgain(before, sent)) return results.unmade
  if (before.some(({ outcome }, i) => isTaken(outcome) && !isTaken(sent[i]?.outcome))) return results.untaken
  if (clauseNamed(finding.clause)?.kind === 'emits') return results.unheard
  return finding.confirmed === false ? results.alone : results.no
}

interface Shown {
  readonly baseUrl: string
  readonly json: boolean
  readonly redact: (text: string) => string
}

const show = (finding: Finding, sent: readonly Sent[], result: Result, { baseUrl, json, redact }: Shown): number => {
  const steps = finding.steps.map((step, i) => ({
    line: step.line,
    before: step.outcome,
    now: sent[i]?.outcome ?? null,
  }))
  const colors = pc.createColors(hasColor())
  const lines = json
    ? [JSON.stringify({ finding: finding.id, target: baseUrl, reproduced: result.word, steps })]
    : [
        `${colors.bold(finding.clause)}  ${visibleLine(finding.requires)}`,
        ...steps.map(
          ({ line, before, now }, i) =>
            `${i + 1}. ${visibleLine(line)}\n   then ${outcomeLine(before)}\n   now  ${outcomeLine(now ?? undefined)}`,
        ),
        '',
        `reproduced: ${colors[result.colour](result.text)}  (${baseUrl})`,
      ]
  process.stdout.write(redact(`${lines.join('\n')}\n`))
  return result.exitCode
}

const unknown = (reason: string) => ({
  word: 'unknown',
  text: `could not be told, as ${reason}`,
  colour: 'yellow' as const,
  exitCode: 3,
})

const results = {
  yes: { word: 'yes', text: 'yes', colour: 'red', exitCode: 1 },
  no: { word: 'no', text: 'no', colour: 'green', exitCode: 0 },
  lost: unknown('a call had no reply'),
  withheld: unknown(
    'a call was not sent: a replay changes only what it made itself, and sends only what the target file allows; to try it, send the calls by hand to something of your own (they are in the .curl.sh beside the finding)',
  ),
  unmade: unknown('a call that made something before makes nothing now'),
  untaken: unknown('a call that was accepted before is not now: what it is about may be gone'),
  unheard: unknown('a replay reads no events'),
  alone: unknown('it did not show again in the run either: it may need what came before'),
} as const
