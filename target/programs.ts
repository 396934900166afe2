// Runs a whole program in a session, and insists where one acceptance proves nothing.
import type { Clause } from '../models/derive.js'
import type { Program } from '../models/plan.js'
import { begin, finish, type ProgramOutcome, performAll, unheld } from './conduct.js'
import { insist } from './insist.js'
import type { Session } from './session.js'

/** Runs a program; a clause is given where the program is there to show it. */
export const runProgram = async (session: Session, program: Program, clause?: Clause): Promise<ProgramOutcome> => {
  const running = begin(session, program.name)
  const stopped = await performAll(running, program.steps, clause)
  const outcome = await finish(running, stopped, clause, program.restore)
  if (outcome.untested !== unheld || !clause) return outcome
  const finding = await insist(session, program, clause)
  return finding ? { ...outcome, findings: [...outcome.findings, finding] } : outcome
}
