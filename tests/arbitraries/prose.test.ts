import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { likeness } from '../../arbitraries/likeness.js'
import { planProgram } from '../../arbitraries/plan.js'
import { probeFor } from '../../arbitraries/probes.js'
import { arrange, programSeed } from '../../arbitraries/programs.js'
import { openProse } from '../../arbitraries/prose.js'
import { nameOfRun } from '../../arbitraries/serial.js'
import { operationById, operations } from '../../models/index.js'
import { type Clause, clausesOf } from '../../models/language/derive.js'
import type { Operation } from '../../models/language/operation.js'
import type { CallStep, Plan } from '../../models/language/plan.js'
import { isPlainText } from '../../models/language/promises.js'
import { embeddedEnvironment } from '../../reference/environment.js'

const prose = await openProse(7)
const numbers = Array.from({ length: 100 }, (_, n) => n)
const bounds = [1, 2, 13, 64, 1000]

const contextFrom = (start: number, isForeign = false) => {
  let n = start
  return {
    environment: embeddedEnvironment(),
    nonce: 'ts-p',
    next: () => n++,
    certificate: () => ({ certificate: '', private_key: '' }),
    prose,
    isForeign,
  }
}

const planned = (write: (plan: Plan) => string, start: number, isForeign = false): string => {
  let text = ''
  planProgram('texts', contextFrom(start, isForeign), (plan) => {
    text = write(plan)
  })
  return text
}

describe('prose', () => {
  test('is the same from the same seed, in any order, and another from another', async () => {
    const again = await openProse(7)
    const other = await openProse(8)
    const texts = numbers.map((n) => prose.any(n, 64))
    expect(numbers.toReversed().map((n) => again.any(n, 64))).toEqual(texts.toReversed())
    expect(numbers.map((n) => other.any(n, 64))).not.toEqual(texts)
  })

  test.each(bounds)('keeps to %i characters, by whatever is called a character, and is never empty', (most) => {
    for (const n of numbers)
      for (const text of [prose.plain(n, most), prose.any(n, most)]) {
        const graphemes = [...new Intl.Segmenter().segment(text)].length
        expect([text.length, [...text].length, graphemes]).toEqual(Array(3).fill(text.length))
        expect(text.length).toBeGreaterThan(0)
        expect(text.length).toBeLessThanOrEqual(most)
      }
  })

  test('stays what it is in every normal form, and has no blanks where a target may trim', () => {
    for (const n of numbers) {
      const text = prose.any(n, 300)
      expect(['NFC', 'NFD', 'NFKC', 'NFKD'].map((form) => text.normalize(form))).toEqual(Array(4).fill(text))
      expect(text.trim().replaceAll('  ', ' ')).toBe(text)
    }
  })

  test('is in many scripts, and some of it is long', () => {
    const scripts = ['Arab', 'Armn', 'Cyrl', 'Geor', 'Grek', 'Han', 'Hebr', 'Thai']
    const texts = numbers.map((n) => prose.any(n, 1000))
    for (const script of scripts) {
      const letter = new RegExp(`\\p{Script=${script}}`, 'u')
      expect(
        texts.some((text) => letter.test(text)),
        script,
      ).toBe(true)
    }
    expect(Math.max(...texts.map(({ length }) => length))).toBeGreaterThan(300)
  })
})

describe('what plans write', () => {
  test('begins with a name of the run, is plain where any target must take it, and may be odd elsewhere', () => {
    for (const n of numbers) {
      const text = planned((plan) => plan.text(64), n)
      expect(text).toMatch(/^ts-p-[0-9a-z]+: \S/)
      expect(isPlainText(text)).toBe(true)
      expect(planned((plan) => plan.oddText(64), n)).toMatch(/^ts-p-[0-9a-z]+ \S/)
      expect(planned((plan) => plan.label(64), n)).toMatch(/^ts-p-[0-9a-z]+$/)
      expect(planned((plan) => plan.label(64), n, true)).toMatch(/^ts-p-[0-9a-z]+ .*\P{ASCII}/u)
    }
  })

  test('makes no two programs unlike that differ in nothing else', () => {
    const alike = numbers.map((n) => likeness({ notes: planned((plan) => plan.text(200), n), size: 20 }, 'ts-p'))
    expect(new Set(alike)).toEqual(new Set(['{"notes":"~","size":20}']))
  })

  test('is never like a plain one where it is as long as it may be', () => {
    const bounds = operations.flatMap((op) =>
      clausesOf(op).filter((clause) => clause.kind === 'constraint' && clause.constraint.keyword === 'maxLength'),
    )
    const twinsOf = (clause: Clause | undefined): readonly string[] => {
      const probe = clause && probeFor(clause, contextFrom(0))
      const steps = probe?.kind === 'program' ? probe.program.steps : []
      return steps.flatMap((step) => ('role' in step && step.role === 'twin' ? [likeness(step, 'ts-p')] : []))
    }
    const alike = bounds.filter((clause) => {
      const plain = clausesOf(operationById(clause.operation) as Operation).find(({ kind }) => kind === 'token')
      return twinsOf(clause).some((twin) => twinsOf(plain).includes(twin))
    })
    expect(bounds.length).toBeGreaterThan(30)
    expect(alike.map(({ id }) => id)).toEqual([])
  })

  test('shrinks to names in random programs', () => {
    const tickets = operations.filter(({ id }) => id === 'tickets.create')
    const { counterexample } = fc.check(
      fc.property(programSeed(tickets, 6), (steps) => steps.length < 3),
      { seed: 3 },
    )
    const bodies = (counterexample?.[0] ?? []).map((seed) => {
      const op = tickets[0]
      if (!op) throw new Error('no such operation')
      const call = arrange(op, { ...seed, edge: null, full: false }, contextFrom(0)).steps.at(-1) as CallStep
      return (call.body as { readonly summary: string }).summary
    })
    expect(bodies).toEqual(Array(3).fill(nameOfRun('ts-p', 0)))
  })
})
