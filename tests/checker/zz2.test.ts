import { expect, test } from 'vitest'
import { probeFor } from '../../arbitraries/probes.js'
import { createRunReader } from '../../checker/recording.js'
import { clausesOf } from '../../models/derive.js'
import { operations, operationById } from '../../models/index.js'
import { inProcess } from '../../target/in-process.js'
import { mutantsOf } from '../../target/mutants.js'
import { runProgram } from '../../target/programs.js'
import { survey } from '../../target/upkeep.js'
import { embeddedSetting } from '../../target/setting.js'
import { exchangeOf, firstLine, gating, judgeExchanges, judgeRun, stepsOf } from './traffic.js'

test('probes', async () => {
  const { session, lines } = inProcess({ setting: embeddedSetting() })
  await survey(session)
  for (const op of operations) for (const clause of clausesOf(op)) {
    const probe = probeFor(clause, session.context)
    if (probe.kind !== 'program' || op.guarded) continue
    await runProgram(session, probe.program, clause)
  }
  const reader = createRunReader(() => 'ts-t')
  for (const [i, l] of [firstLine(), ...lines].entries()) reader.add(JSON.parse(JSON.stringify(l)), `x:${i}`)
  const rec = reader.recording('x')
  const t0 = Date.now()
  const judged = judgeRun(rec)
  const steps = stepsOf(lines)
  console.log(steps.length, judged.steps.length, Date.now() - t0, judged.found.map(f => f.id), steps.filter(s => s.verdict === 'finding').length)
  let bad = 0
  for (const [i, s] of steps.entries()) {
    const j = judged.steps[i]!
    if (s.verdict !== j.verdict) if (bad++ < 10) console.log(s.n, s.program, s.call.operation, s.verdict, j.verdict, s.expects, j.judgement.expects, JSON.stringify(s.call.body), s.findings, j.deviations.map(d => [d.clause, d.expected, d.received, d.because]))
  }
  console.log('differ', bad)
  for (const known of [true, false]) for (const cut of [0, 0.2, 0.5, 0.8]) {
    const all = stepsOf(lines).map(exchangeOf)
    const part = all.slice(Math.floor(all.length * cut))
    const t1 = Date.now()
    const j = judgeExchanges(part, known)
    console.log(known, cut, part.length, Date.now() - t1, gating(j))
    for (const f of j.found.slice(0, 3)) console.log(JSON.stringify(f.deviation, null, 1), f.steps.map(s => [s.event.call.method, s.event.call.url, s.event.call.as, JSON.stringify(s.event.call.body)?.slice(0, 300), JSON.stringify(s.event.outcome).slice(0, 400)]))
  }
}, 600_000)

test('mutants', async () => {
  const tally: Record<string, [number, number, number, number]> = {}
  const missed: string[] = []
  for (const op of operations.filter(o => /volumes|firewalls|managed-contacts|object-keys|tickets/.test(o.id))) for (const mutant of mutantsOf(op).filter((_, i) => i % 7 === 0)) {
    const { fault, activations } = mutant.arm()
    const { session, lines } = inProcess({ setting: embeddedSetting(), fault })
    await survey(session)
    const clauses = clausesOf(op).filter(c => c.id === mutant.clause)
    for (const clause of [...clauses, ...clausesOf(op).slice(0, 30)]) {
      const probe = probeFor(clause, session.context)
      if (probe.kind === 'program' && probe.program.missing.length === 0) await runProgram(session, probe.program, clause)
    }
    if (activations() === 0) continue
    const live = lines.some(l => l.type === 'finding' && l.finding.level === 'must')
    const all = stepsOf(lines).map(exchangeOf)
    const known = judgeExchanges(all, true), un = judgeExchanges(all, false)
    const t = (tally[mutant.kind] ??= [0, 0, 0, 0])
    t[0]++; if (live) t[1]++; if (gating(known).length) t[2]++; if (gating(un).length) t[3]++
    if (live && !gating(known).length) missed.push(mutant.id)
    if (gating(known).some(g => !g.startsWith(op.id.split('.')[0]!))) missed.push(`named ${mutant.id}: ${gating(known)}`)
  }
  console.log(tally, missed)
}, 1_200_000)
