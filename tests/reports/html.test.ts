import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RecordLine } from '../../history/record.js'
import { applyExpected } from '../../reports/expected.js'
import { fold } from '../../reports/fold.js'
import { htmlReport } from '../../reports/html.js'
import { html, ownText } from '../../reports/page/template.js'
import { seed } from '../seed.js'
import { clean, hostile, largeRecord, onlyUp, type onlyUpCause, sample, start } from './sample.js'

const report = (lines: readonly RecordLine[]): string => htmlReport(fold(lines))

/** The tags of a page with the names of their attributes: what must not depend on any text. */
const skeleton = (page: string): string[] =>
  Array.from(
    page.replace(/<(style|script)>.*?<\/\1>/gs, '').matchAll(/<(\/?[a-z0-9]+)((?:\s+[a-z-]+(?:="[^"]*")?)*)\s*\/?>/gi),
    ([, name, attributes]) => `${name}${(attributes ?? '').replaceAll(/="[^"]*"/g, '')}`,
  )

/** The same record with every text that comes from outside replaced. */
function withText(text: string): RecordLine[] {
  const finding = {
    ...onlyUp,
    summary: text,
    received: text,
    because: [text],
    source: text,
    requires: text,
    expected: text,
  }
  const steps = onlyUp.steps.map((step) => ({ ...step, line: text, outcome: { status: 200, body: { [text]: text } } }))
  return [
    {
      ...start,
      target: { name: text, baseUrl: text },
      command: text,
      defects: [{ id: text, source: text, text, reading: text }],
    },
    ...sample.slice(1, -1),
    { type: 'finding', finding: { ...finding, id: 'volumes.resize.only-up:x', steps } },
    { type: 'choice', id: 'refusal.status', value: `value ${text}`, step: 1 },
    { type: 'trouble', kind: 'inconclusive', text },
    { type: 'left', kind: text, key: text, reason: text },
    { type: 'end', durationMs: 1, verdict: 'nonconforming' },
  ]
}

describe('what is left on the target', () => {
  it('stands together where it is of one kind and left for one reason', () => {
    const left = Array.from({ length: 1200 }, (_, i) => ({ kind: 'firewalls', key: String(i), reason: 'it was over' }))
    const page = htmlReport({ ...fold(clean), left })
    expect(page).toContain('Left on the target (1,200)')
    expect(page.match(/: it was over/g)).toHaveLength(1)
    expect(page).toContain('<summary>1,188 others</summary>')
  })
})

describe('report.html', () => {
  it('answers the question, and says what was tested', () => {
    expect(report(sample)).toMatch(
      /<strong>It does not conform\.<\/strong> 2 causes break 2 requirements of the document; 1 of them decides the verdict\./,
    )
    const some = fold(clean)
    const all = some.clauses.map((clause) => ({ ...clause, verdict: 'pass' }) as const)
    expect(htmlReport(some)).toContain('<strong>It conforms as far as it was tested.</strong>')
    expect(htmlReport({ ...some, clauses: all })).toContain('<strong>It conforms.</strong>')
    expect(report(clean.slice(0, -1))).toMatch(/<strong>Inconclusive\.<\/strong>.*cut-short/s)
    for (const fact of [
      'staging',
      'https://api.staging.example/v4',
      '4.175.0',
      'touchstone run --target staging.config.json --seed 42',
      '42',
    ])
      expect(report(sample)).toContain(fact)
  })

  it('shows each finding with the rows of its form', () => {
    const page = report(sample)
    for (const label of ['requires', 'sent', 'expected', 'received', 'because'])
      expect(page).toContain(`<dt>${label}</dt>`)
    expect(page).toContain('POST /volumes/7/resize {&quot;size&quot;:10}')
    expect(page).toMatch(/The calls that show it <span class="quiet">2 steps, of 31 before shrinking<\/span>/)
    expect(page).toMatch(
      /<code id="[^"]*-replay">touchstone replay findings\/volumes\.resize\.only-up\.json --out \. --target &lt;file or URL&gt;<\/code>/,
    )
  })

  it('asks whoever replays a finding for the target, unless that is the embedded one', () => {
    const embedded = report([{ ...start, target: { ...start.target, name: 'embedded' } }, ...sample.slice(1)])
    expect(embedded).toContain('touchstone replay findings/volumes.resize.only-up.json --out .</code>')
  })

  it('has a row for each clause, which links to its finding', () => {
    const page = report(sample)
    expect(page.match(/<tr id="clause-[^"]*" data-kind=/g)).toHaveLength(start.clauses.length)
    expect(page).toContain('href="#finding-volumes.resize.only-up"')
    expect(page).toContain('id="finding-volumes.resize.only-up"')
  })

  it('says what would make an untestable clause testable', () => {
    expect(report(sample)).toMatch(/no fixture &quot;domains&quot;.*→ list a domain under fixtures\.domains/s)
  })

  it('quotes of each cause the sentence that it is named after, not that of the finding that tells it', () => {
    const results = fold(sample)
    const quoted = results.clauses.map((clause) => ({ ...clause, quote: `The document on ${clause.id}.` }))
    const [cause, ...others] = results.causes
    const named = { ...cause, id: 'volumes.create: refuses 32 of volumes.create.label.maxLength' } as typeof onlyUpCause
    const page = htmlReport({ ...results, clauses: quoted, causes: [{ ...cause, ...named }, ...others] as never })
    expect(page).toContain('<blockquote><p>The document on volumes.create.label.maxLength.</p>')
  })

  it('takes nothing off an operation for what cannot be decided on any target', () => {
    const undecided = { ...start.clauses[0], id: 'volumes.create.quota' } as (typeof start.clauses)[0]
    const lines = (remedy?: string): readonly RecordLine[] => [
      { ...start, clauses: [start.clauses[0], undecided] as typeof start.clauses },
      { type: 'exercised', clause: 'volumes.create.label.maxLength', step: 2 },
      { type: 'untestable', clause: undecided.id, reason: 'no quota is shown', ...(remedy && { remedy }) },
    ]
    expect(report(lines())).toContain('✓ create 1/1')
    expect(report(lines('name a quota'))).toContain('◐ create 1/2')
  })

  it('has the register of the defects of the document', () => {
    expect(report(sample)).toContain('those of the other lists are a choice')
  })

  it('shows on its first screen the call by which a cause shows, with its caller and what was expected and received', () => {
    const page = htmlReport(fold(sample))
    const first = page.slice(0, page.indexOf('<nav'))
    expect(first).toContain(
      '<code>POST /volumes/7/resize {&quot;size&quot;:10}</code> as owner<br>expected: 4xx, errors[].field',
    )
    expect(first).toContain('received: <code>200 {&quot;id&quot;:7,&quot;size&quot;:10}</code>')
  })

  it('marks an expected finding, and names a stale one at the top', () => {
    const page = htmlReport(
      applyExpected(fold(sample), [{ id: onlyUp.id, reason: 'known since May' }, 'volumes.create.label.maxLength:x']),
    )
    expect(page).toContain('expected: known since May')
    expect(page.indexOf('<b>stale</b>')).toBeLessThan(page.indexOf('<main'))
  })

  it('has ids that are all different, and links that all lead somewhere', () => {
    const page = report(largeRecord(400))
    const ids = Array.from(page.matchAll(/\sid="([^"]*)"/g), ([, id]) => id)
    expect(new Set(ids).size).toBe(ids.length)
    for (const [, to] of page.matchAll(/href="#([^"]*)"/g)) expect(ids).toContain(to)
  })

  it('loads nothing from elsewhere, and allows its own script and style alone', () => {
    const page = report(hostile)
    expect(page).not.toMatch(/<(link|img|iframe|object|embed|base|audio|video|form [^>]*action)/)
    expect(page.replaceAll(/="[^"]*"/g, '=""')).not.toMatch(/<[^>]*\s(src|style|on[a-z]+)=/)
    expect(page.match(/href="(?!#)/g)).toBeNull()
    for (const tag of ['script', 'style']) {
      const text = new RegExp(`<${tag}>(.*?)</${tag}>`, 's').exec(page)?.[1] ?? ''
      expect(page).toContain(`${tag}-src &#39;sha256-${createHash('sha256').update(text).digest('base64')}&#39;`)
    }
  })

  it('has the same markup whatever a target sends', () => {
    const harmless = skeleton(report(withText('x')))
    expect(harmless.length).toBeGreaterThan(100)
    const words = fc.constantFrom(
      '<',
      '>',
      '"',
      "'",
      '&',
      '</script>',
      '</style>',
      '<!--',
      '-->',
      ']]>',
      '<img src=x onerror=a>',
      '\u202e',
      '\u0000',
      '`',
      '=',
      ' ',
      'a',
      '{{',
      '${',
    )
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: words, minLength: 1 }), fc.string({ unit: 'binary', minLength: 1 })),
        (text) => {
          expect(skeleton(report(withText(text)))).toEqual(harmless)
        },
      ),
      { seed, numRuns: 60 },
    )
  })

  it('shows characters that deceive as escapes', () => {
    const page = report(hostile)
    expect(page).not.toMatch(/[^\P{C}\n]/u)
    expect(page).toContain('\\u202egnp.exe')
  })

  it('stays below 2 MB for 1,500 clauses, however many and however long the findings are', () => {
    expect(Buffer.byteLength(report(largeRecord(1_500)))).toBeLessThan(1_250_000)
    const received = '日'.repeat(50_000)
    const findings = Array.from(
      { length: 1_500 },
      (_, index): RecordLine => ({
        type: 'finding',
        finding: { ...onlyUp, id: `${onlyUp.id}:${index}`, received, summary: received },
      }),
    )
    const page = report([...largeRecord(1_500), ...findings])
    expect(Buffer.byteLength(page)).toBeLessThan(2_000_000)
    expect(page).toContain('Too many to show in full')
  })

  it('says that no request was sent, where none was', () => {
    expect(report([start, { type: 'end', durationMs: 1, verdict: 'inconclusive' }])).toContain('No request was sent.')
  })
})

describe('the template', () => {
  it('escapes text and leaves markup made by itself', () => {
    expect(html`<a title="${'"<>'}">${html`<b>${'&'}</b>`}${['<', 1]}</a>`.html).toBe(
      '<a title="&quot;&lt;&gt;"><b>&amp;</b>&lt;1</a>',
    )
  })

  it('does not take an object from a record for markup', () => {
    const forged = JSON.parse('{"html":"<script>"}')
    expect(() => html`${forged}`).toThrow(/suite defect/)
  })

  it('refuses a script of our own that would end itself', () => {
    expect(() => ownText('x</script>')).toThrow(/suite defect/)
  })
})
