// `touchstone replay FILE`: sends a finding's program again and shows, step by step, then and now.
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pc from 'picocolors'
import { loadTarget, type Target, TargetError } from '../config/target-file.js'
import { resend } from '../driver/replay.js'
import type { Sent } from '../driver/session.js'
import { clean, survey } from '../driver/upkeep.js'
import { redactOutcome } from '../history/masking.js'
import type { Finding, Outcome } from '../history/record.js'
import { findingIdOf } from '../oracle/shrink.js'
import { embeddedTarget } from '../reference/remote.js'
import { startEmbedded } from '../reference/serve.js'
import { visibleLine } from '../reports/index.js'
import { connect } from '../suites/connect.js'

export interface ReplayOptions {
  readonly target?: string
  readonly cwd: string
  readonly out: string
  readonly json: boolean
}

/**
 * @returns 0 when the deviation is gone, 1 when it shows again, 3 when the target did not answer
 * @throws TargetError where the finding's file or the target file is no good
 */
export const replayFile = async (file: string, options: ReplayOptions): Promise<number> => {
  const finding = readFinding(file)
  const { target, close } = await openTarget(options)
  mkdirSync(options.out, { recursive: true, mode: 0o700 })
  const connection = await connect(target, join(options.out, 'replay.ndjson'), join(options.out, 'ledger.ndjson'))
  try {
    await survey(connection.session)
    const from = connection.session.creations.length
    const { sent } = await resend(connection.session, 'replay', finding.steps, finding.nonce ?? '')
    await clean(connection.session, 'replay', from)
    const now = sent.map((one) => ({ ...one, outcome: redactOutcome(one.outcome) }))
    return show(finding, now, target.baseUrl, options.json, connection.redact)
  } finally {
    await connection.close()
    await close()
  }
}

const openTarget = async ({
  target,
  cwd,
}: ReplayOptions): Promise<{ readonly target: Target; readonly close: () => Promise<void> }> => {
  const loaded = await loadTarget({ ...(target !== undefined && { target }), cwd, env: process.env })
  if (loaded) return { target: loaded, close: async () => undefined }
  const { remote, hooks, server } = await startEmbedded()
  return { target: { ...embeddedTarget(remote), hooks }, close: server.close }
}

const readFinding = (file: string): Finding => {
  let parsed: unknown
  try {
    parsed = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new TargetError(
      `cannot read ${file}: ${error instanceof Error ? error.message : String(error)}; expected a file from findings/`,
    )
  }
  const finding = (parsed as { readonly finding?: Finding } | null)?.finding
  if (!finding || !Array.isArray(finding.steps) || typeof finding.clause !== 'string')
    throw new TargetError(
      `${file} holds no finding: expected an object with "finding", as a run writes it into findings/`,
    )
  return finding
}

const outcomeLine = (outcome: Outcome | undefined): string =>
  outcome === undefined
    ? 'not sent'
    : 'lost' in outcome
      ? `no reply (${outcome.lost})`
      : `${outcome.status} ${visibleLine(JSON.stringify(outcome.body) ?? outcome.text ?? '')}`

/** The deviation may be found at the end under another clause of the same step: the finding's own counts first. */
const isShown = ({ id, clause }: Finding, last: Sent | undefined): boolean =>
  last?.judgement.deviations.some(
    (deviation) => findingIdOf(deviation) === id || deviation.clause === clause || deviation.level === 'must',
  ) ?? false

const show = (
  finding: Finding,
  sent: readonly Sent[],
  baseUrl: string,
  json: boolean,
  redact: (text: string) => string,
): number => {
  const print = (text: string): void => void process.stdout.write(redact(text))
  const again = isShown(finding, sent.at(-1))
  const isLost = sent.some(({ outcome }) => 'lost' in outcome)
  const verdict = again ? 'shows again' : isLost ? 'could not be told' : 'is gone'
  const steps = finding.steps.map((step, i) => ({
    line: step.line,
    before: step.outcome,
    now: sent[i]?.outcome ?? null,
  }))
  if (json) print(`${JSON.stringify({ finding: finding.id, target: baseUrl, verdict, steps })}\n`)
  else {
    print(`${pc.bold(finding.clause)}  ${visibleLine(finding.requires)}\n`)
    for (const [i, { line, before, now }] of steps.entries()) {
      process.stdout.write(
        `${i + 1}. ${visibleLine(line)}\n   then ${outcomeLine(before)}\n   now  ${outcomeLine(now ?? undefined)}\n`,
      )
    }
    print(`${again ? pc.red(verdict) : pc.green(verdict)} at ${baseUrl}\n`)
  }
  return again ? 1 : isLost ? 3 : 0
}
