// `touchstone replay`: sends a finding's program again and shows, step by step, then and now.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pc from 'picocolors'
import { loadTarget, nearest, type Target, TargetError } from '../config/target-file.js'
import { clean } from '../driver/clean-up.js'
import { createNonce } from '../driver/nonce.js'
import { resend } from '../driver/replay.js'
import type { Sent } from '../driver/session.js'
import { survey } from '../driver/survey.js'
import { redactOutcome } from '../history/masking.js'
import type { Finding } from '../history/record.js'
import type { Outcome } from '../history/wire.js'
import { findingIdOf } from '../oracle/shrink.js'
import { startEmbedded } from '../reference/serve.js'
import { embeddedTarget } from '../reference/target.js'
import { clip, type FindingFile, findingFile, visibleLine } from '../reports/index.js'
import { connect } from '../suites/connect.js'
import { makeFolder } from '../suites/folder.js'
import { beginLedger } from '../suites/ledger.js'
import { preflight } from '../suites/preflight.js'
import { evidenceIn } from './evidence.js'

export interface ReplayOptions {
  readonly target?: string | undefined
  readonly cwd: string
  readonly out: string
  readonly json: boolean
}

/**
 * @param named a file of the folder findings, or the id of a finding, cause or broken clause of the run in `out`
 * @returns 0 when the deviation is gone, 1 when it shows again, 3 when the target did not answer
 * @throws TargetError where the finding's file or the target file is no good
 */
export const replayFinding = async (named: string, options: ReplayOptions): Promise<number> => {
  const { finding, target: shownBy } = readFinding(existsSync(named) ? named : await fileOf(named, options.out))
  const { target, isEmbedded, close } = await openTarget(options, shownBy)
  makeFolder(options.out)
  const nonce = createNonce(target.environment.safety.prefix, Date.now())
  const ledger = join(options.out, 'ledger.ndjson')
  beginLedger(ledger, nonce, isEmbedded ? undefined : target.baseUrl)
  const connection = await connect(target, join(options.out, 'replay.ndjson'), ledger, { nonce })
  try {
    await survey(connection.session)
    const from = connection.session.creations.length
    const origin = connection.session.originOf('replay')
    const { sent } = await resend(connection.session, origin, finding.steps, finding.nonce ?? '')
    await clean(connection.session, { ...origin, phase: 'clean-up' }, from)
    const now = sent.map((one) => ({ ...one, outcome: redactOutcome(one.outcome) }))
    return show(finding, now, target.baseUrl, options.json, connection.redact)
  } finally {
    await connection.close()
    await close()
  }
}

/** What another target has shown tells nothing when it is sent to the embedded one. */
const openTarget = async (
  { target, cwd }: ReplayOptions,
  shownBy: FindingFile['target'] | undefined,
): Promise<{
  readonly target: Target
  readonly isEmbedded: boolean
  readonly close: () => Promise<void>
}> => {
  const loaded = await loadTarget({ target, cwd, env: process.env })
  if (loaded) {
    const { wrong } = await preflight(loaded)
    if (wrong !== undefined) throw new TargetError(wrong)
    return { target: loaded, isEmbedded: false, close: async () => undefined }
  }
  if (shownBy !== undefined && shownBy.name !== 'embedded')
    throw new TargetError(
      `expected the target that showed the finding, ${shownBy.name} at ${shownBy.baseUrl}; found no target file in ${cwd} or above it. Name one, or a URL, with --target.`,
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
    `expected a file of the folder findings, or the id of a finding, cause or broken clause of the run in ${out}; received ${JSON.stringify(id)}. ${results ? hint : `${reason}.`} --out names another run.`,
  )
}

const readFinding = (file: string): Pick<FindingFile, 'finding'> & Partial<FindingFile> => {
  let parsed: unknown
  try {
    parsed = JSON.parse(readFileSync(file, 'utf8'))
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
      ? `no reply (${outcome.lost})`
      : `${outcome.status} ${visibleLine(JSON.stringify(outcome.body) ?? outcome.text ?? '')}`

/** Whether the last step shows the finding: by its clause, or by the one under which the judge reports it for that step. */
const isShown = ({ id, clause, level }: Finding, last: Sent | undefined): boolean =>
  last?.judgement.deviations.some(
    (deviation) => findingIdOf(deviation) === id || deviation.clause === clause || deviation.level === level,
  ) ?? false

const show = (
  finding: Finding,
  sent: readonly Sent[],
  baseUrl: string,
  json: boolean,
  redact: (text: string) => string,
): number => {
  const again = isShown(finding, sent.at(-1))
  const isLost = sent.some(({ outcome }) => 'lost' in outcome)
  const result = again ? results.yes : isLost ? results.unknown : results.no
  const steps = finding.steps.map((step, i) => ({
    line: step.line,
    before: step.outcome,
    now: sent[i]?.outcome ?? null,
  }))
  const lines = json
    ? [JSON.stringify({ finding: finding.id, target: baseUrl, reproduced: result.word, steps })]
    : [
        `${pc.bold(finding.clause)}  ${visibleLine(finding.requires)}`,
        ...steps.map(
          ({ line, before, now }, i) =>
            `${i + 1}. ${visibleLine(line)}\n   then ${outcomeLine(before)}\n   now  ${outcomeLine(now ?? undefined)}`,
        ),
        '',
        `reproduced: ${result.colour(result.text)}  (${baseUrl})`,
      ]
  process.stdout.write(redact(`${lines.join('\n')}\n`))
  return result.exitCode
}

const results = {
  yes: { word: 'yes', text: 'yes', colour: pc.red, exitCode: 1 },
  no: { word: 'no', text: 'no', colour: pc.green, exitCode: 0 },
  unknown: {
    word: 'unknown',
    text: 'could not be told, as a call had no reply',
    colour: pc.yellow,
    exitCode: 3,
  },
}
