// The suite's probes, walks, journeys and random programs for Quarry's areas, run in this process; reports nothing.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { probeFor } from '../../../arbitraries/probes.js'
import { programSeed } from '../../../arbitraries/programs.js'
import { loadTarget } from '../../../config/target-file.js'
import { runProgram } from '../../../driver/programs.js'
import { randomWalk } from '../../../driver/random-walk.js'
import type { Session } from '../../../driver/session.js'
import { survey } from '../../../driver/upkeep.js'
import { walkable, walkList } from '../../../driver/walk.js'
import type { Finding, RecordLine } from '../../../history/record.js'
import { operations } from '../../../models/index.js'
import { clausesOf } from '../../../models/language/derive.js'
import type { Area } from '../../../models/language/operation.js'
import { connect } from '../../../suites/connect.js'
import { hash, type Options } from './options.js'
import { hooksOf, type Shape, start, targetFile } from './target.js'

export interface Selection {
  /** Clauses to probe; all where it is left out. */
  readonly clauses?: RegExp
  /** Probe one clause in so many, which ones depends on the seed; all where it is left out. */
  readonly oneIn?: number
  /** Random programs for each area. */
  readonly programs: number
  readonly walks: boolean
  /** Whether the first finding that gates is the end. */
  readonly untilFound: boolean
}

export interface Examination {
  readonly findings: readonly Finding[]
  /** Suite defects, and what was inconclusive. */
  readonly troubles: readonly string[]
  readonly lines: readonly RecordLine[]
}

const AREAS: readonly Area[] = ['networking', 'managed', 'tags']

/** Everything that a run of the suite finds on a Quarry with these options. */
export const examine = async (options: Options, shape: Shape, selection: Selection): Promise<Examination> => {
  const running = await start(options, shape)
  const folder = mkdtempSync(join(tmpdir(), 'quarry-'))
  const lines: RecordLine[] = []
  const isOver = (): boolean => selection.untilFound && gating(findingsOf(lines)).length > 0
  try {
    const path = join(folder, 'touchstone.config.json')
    writeFileSync(path, JSON.stringify(targetFile(running.baseUrl, shape)))
    const target = await loadTarget({ target: path, cwd: folder, env: {} })
    if (!target) throw new Error('the target file was not read')
    const hooks = shape.hooks ? hooksOf(running.baseUrl) : {}
    const files = [join(folder, 'run.ndjson'), join(folder, 'ledger.ndjson')] as const
    const watch = (line: RecordLine): void => void lines.push(line)
    const { session, close } = await connect({ ...target, hooks }, ...files, { nonce: `ts-${options.seed}q`, watch })
    await survey(session)
    await probe(session, selection, options.seed, isOver)
    if (selection.walks) await walk(session, isOver)
    await randomWalks(session, selection, options.seed, isOver)
    await close()
  } finally {
    await running.end()
    rmSync(folder, { recursive: true, force: true })
  }
  const troubles = lines.flatMap((line) => (line.type === 'trouble' ? [`${line.kind}: ${line.text}`] : []))
  return { findings: findingsOf(lines), troubles, lines }
}

export const gating = (findings: readonly Finding[]): readonly Finding[] =>
  findings.filter(({ level }) => level === 'must' || level === 'pinned')

const findingsOf = (lines: readonly RecordLine[]): readonly Finding[] =>
  lines.flatMap((line) => (line.type === 'finding' ? [line.finding] : []))

const own = operations.filter(({ area }) => AREAS.includes(area))

const isSelected = ({ clauses, oneIn = 1 }: Selection, id: string, seed: number): boolean =>
  (clauses?.test(id) ?? true) && hash(`${seed} ${id}`) % oneIn === 0

const probe = async (session: Session, selection: Selection, seed: number, isOver: () => boolean): Promise<void> => {
  for (const clause of own.flatMap(clausesOf)) {
    if (isOver()) return
    if (!isSelected(selection, clause.id, seed)) continue
    const found = probeFor(clause, session.context)
    if (found.kind !== 'program' || found.program.missing.length > 0) continue
    const { untested } = await runProgram(session, found.program, clause)
    if (untested !== undefined) session.options.emit({ type: 'untested', clause: clause.id, reason: untested })
  }
}

const walk = async (session: Session, isOver: () => boolean): Promise<void> => {
  for (const op of own.filter(walkable))
    for (const sizes of [
      { records: 27, pageSize: 25 },
      { records: 102, pageSize: undefined },
    ])
      if (!isOver() && (session.options.environment.safety.maxLive.default ?? 20) >= sizes.records)
        await walkList(session, { op, ...sizes })
}

const randomWalks = async (
  session: Session,
  { programs }: Selection,
  seed: number,
  isOver: () => boolean,
): Promise<void> => {
  for (const area of AREAS) {
    const some = own.filter((op) => op.area === area)
    if (programs === 0) return
    for (const seeds of fc.sample(programSeed(some, 20), { seed, numRuns: programs }))
      if (!isOver()) await randomWalk(session, `random over ${area}`, seeds)
  }
}
