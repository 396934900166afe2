// The suite's probes, walks and random programs for some areas, run in this process against an open harbour; reports nothing.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { probeFor } from '../../../arbitraries/probes.js'
import { programSeed } from '../../../arbitraries/programs.js'
import { loadTarget, type Target } from '../../../config/target-file.js'
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
import type { Oddities } from './oddities.js'
import { type Harbour, openHarbour } from './server.js'
import { targetFile, type Wanted } from './target.js'

export interface Selection extends Wanted {
  readonly areas: readonly Area[]
  /** Clauses to probe; all where it is left out. */
  readonly clause?: RegExp
  /** Random programs for each area. */
  readonly programs: number
  readonly walks: boolean
  /** Whether a finding that gates is the end. */
  readonly untilFound?: boolean
}

export interface Examination {
  readonly findings: readonly Finding[]
  /** Suite defects, and what was inconclusive. */
  readonly troubles: readonly string[]
  readonly lines: readonly RecordLine[]
  readonly requests: number
  /** How often the fault took effect. */
  readonly struck: number
}

/** The findings at must level against a harbour with these oddities. */
export const examine = async (oddities: Oddities, selection: Selection): Promise<Examination> => {
  const harbour = await openHarbour(oddities)
  const folder = mkdtempSync(join(tmpdir(), 'harbour-'))
  const lines: RecordLine[] = []
  // The probes of an area call others as well, which are not there.
  const mine = new Set(own(selection).map(({ id }) => id))
  const gating = () =>
    findingsOf(lines).filter(
      ({ level, operation, clause }) =>
        // What a refused call does all the same is told as an inference.
        (level === 'must' || level === 'pinned' || clause.endsWith('.refusal.unchanged')) && mine.has(operation),
    )
  const isOver = (): boolean => selection.untilFound === true && gating().length > 0
  try {
    const target = await load(harbour, folder, selection)
    const { session, close } = await connect(target, join(folder, 'run.ndjson'), join(folder, 'ledger.ndjson'), {
      nonce: `ts-${oddities.seed}x`,
      watch: (line) => void lines.push(line),
    })
    await survey(session)
    await probeAll(session, selection, isOver)
    if (selection.walks) await walkAll(session, selection, isOver)
    await randomWalks(session, selection, oddities.seed, isOver)
    await close()
  } finally {
    await harbour.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return {
    findings: gating(),
    troubles: lines.flatMap((line) => (line.type === 'trouble' ? [`${line.kind}: ${line.text}`] : [])),
    lines,
    requests: harbour.world.state.requests,
    struck: harbour.world.struck,
  }
}

const findingsOf = (lines: readonly RecordLine[]): readonly Finding[] =>
  lines.flatMap((line) => (line.type === 'finding' ? [line.finding] : []))

const load = async (harbour: Harbour, folder: string, wanted: Wanted): Promise<Target> => {
  const { hooks, ...file } = targetFile(harbour, wanted)
  const path = join(folder, 'touchstone.config.json')
  writeFileSync(path, JSON.stringify(file))
  const target = await loadTarget({ target: path, cwd: folder, env: {} })
  if (!target) throw new Error('the target file was not read')
  return { ...target, hooks: hooks ?? {} }
}

const own = ({ areas }: Selection) =>
  operations
    .filter(({ area }) => areas.includes(area))
    // What removes everything comes last.
    .sort((a, b) => Number(a.id.startsWith('object-storage.')) - Number(b.id.startsWith('object-storage.')))

const probeAll = async (session: Session, selection: Selection, isOver: () => boolean): Promise<void> => {
  for (const clause of own(selection).flatMap(clausesOf)) {
    if (selection.clause && !selection.clause.test(clause.id)) continue
    const probe = probeFor(clause, session.context)
    if (probe.kind !== 'program' || probe.program.missing.length > 0) continue
    await runProgram(session, probe.program, clause)
    if (isOver()) return
  }
}

const walkAll = async (session: Session, selection: Selection, isOver: () => boolean): Promise<void> => {
  for (const op of own(selection).filter(walkable)) {
    if (isOver()) return
    await walkList(session, { op, records: 27, pageSize: 25 })
  }
}

const randomWalks = async (
  session: Session,
  { areas, programs }: Selection,
  seed: number,
  isOver: () => boolean,
): Promise<void> => {
  for (const area of areas) {
    const some = operations.filter((op) => op.area === area)
    if (programs === 0) return
    for (const seeds of fc.sample(programSeed(some, 20), { seed, numRuns: programs })) {
      if (isOver()) return
      await randomWalk(session, 'random', seeds)
    }
  }
}
