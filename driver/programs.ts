// Runs a whole program in a session, and confirms findings that a single acceptance does not prove.
import type { Clause } from '../models/language/derive.js'
import type { Program } from '../models/language/plan.js'
import { finish, type ProgramOutcome, performAll } from './conduct.js'
import { confirm } from './confirm.js'
import { begin } from './running.js'
import type { Session } from './session.js'

/** A program that has run up to its pause, or to its end. */
export interface Started {
  /** Runs the rest once the pause is over; other programs may run until then. */
  readonly end: () => Promise<ProgramOutcome>
}

/** Begins a program; the clause is the one that it is there to show, if any. */
export const startProgram = async (session: Session, program: Program, clause?: Clause): Promise<Started> => {
  const { clock, sleep } = session.options
  const { before, ms } = program.pause ?? { before: program.steps.length, ms: 0 }
  const running = begin(session, program.name, clause ? { clause: clause.id } : {})
  const stoppedBefore = await performAll(running, program.steps.slice(0, before))
  const pausedAt = clock()
  const rest = async (): Promise<string | undefined> => {
    const leftMs = pausedAt + ms - clock()
    if (leftMs > 0) await sleep(leftMs)
    return performAll(running, program.steps.slice(before))
  }
  const end = async (): Promise<ProgramOutcome> => {
    const stopped = stoppedBefore ?? (await rest())
    const outcome = await finish(running, stopped, program.restore)
    if (!outcome.isPassing || !clause || session.isBeside) return outcome
    return { ...outcome, findings: [...outcome.findings, ...(await confirm(session, program, clause))] }
  }
  return { end }
}

/** Runs a program from its beginning to its end. */
export const runProgram = async (session: Session, program: Program, clause?: Clause): Promise<ProgramOutcome> =>
  (await startProgram(session, program, clause)).end()
