import { expect, test } from 'vitest'
import { createRunReader } from '../../checker/recording.js'
import { variations } from '../../target/variations.js'
import { exchangeOf, gating, judgeExchanges, judgeRun, linesOf, stepsOf } from './traffic.js'

test('rerun', async () => {
  for (const seed of [1, 2, 3]) {
  const lines = await linesOf({ programs: 30, seed })
  const reader = createRunReader(() => 'ts-t')
  for (const [i, l] of lines.entries()) reader.add(JSON.parse(JSON.stringify(l)), `x:${i}`)
  const rec = reader.recording('x')
  const t0 = Date.now()
  const judged = judgeRun(rec)
  const steps = stepsOf(lines)
  console.log(steps.length, judged.steps.length, rec.sequential, Date.now() - t0, judged.found.map(f => f.id))
  let bad = 0
  for (const [i, s] of steps.entries()) {
    const j = judged.steps[i]!
    if (s.verdict !== j.verdict || s.expects !== j.judgement.expects) if (bad++ < 10) console.log(s.n, s.program, s.call.operation, s.verdict, j.verdict, s.expects, j.judgement.expects, JSON.stringify(s.call.body), s.findings, j.deviations.map(d => [d.clause, d.expected, d.received, d.because]))
  }
  console.log('differ', bad)
  }
}, 300_000)

test('har', async () => {
  for (const [name, options] of Object.entries(variations)) {
    const lines = await linesOf({ programs: 15, seed: 5, ...options })
    const all = stepsOf(lines).map(exchangeOf)
    for (const known of [true, false]) for (const cut of [0, 0.3, 0.7]) for (const strip of [false, true]) {
      const part = all.slice(Math.floor(all.length * cut)).map(e => strip ? { ...e, as: null } : e)
      const t0 = Date.now()
      const judged = judgeExchanges(part, known)
      const g = gating(judged)
      const s = judged.found.filter(f => f.deviation.level === 'should').map(f => f.id)
      if (g.length || s.length || name === 'plain') console.log(name, known, cut, strip, part.length, Date.now() - t0, g, s)
      for (const f of judged.found.filter(f => g.includes(f.id)).slice(0, 3)) console.log(JSON.stringify(f.deviation, null, 1), f.steps.map(s => [s.event.call.method, s.event.call.url, s.event.call.as, JSON.stringify(s.event.call.body)?.slice(0, 300), JSON.stringify(s.event.outcome).slice(0, 400)]))
    }
  }
}, 600_000)
