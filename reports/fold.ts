// The run record folded into results.json: a pure function of its lines, so that any report can be made again later.

import type { Finding, OperationEntry, RecordLine, RunVerdict } from '../history/record.js'
import { whyUnsent } from '../history/unsent.js'
import { getOrInsert } from '../models/language/get-or-insert.js'
import { type AccessTally, accessOf, noteAccess } from './access.js'
import { type AssumptionTally, assumptionsOf, emptyAssumptions, noteAssumed, noteAssumptions } from './assumptions.js'
import { withCauses } from './causes.js'
import { scarcity } from './evidence.js'
import type { ClauseVerdict, Results } from './results-schema.js'
import { cutTimeline } from './timeline.js'
import { betterFinding, compareText, gatesAt, NOT_REACHED, sortFindings, verdictOf } from './verdicts.js'

type Line<T extends RecordLine['type']> = Extract<RecordLine, { type: T }>
type Start = Line<'start'>
type Step = Line<'step'>
type Trouble = Results['troubles'][number]

/** Folds the lines of one run; throws when the first is not its `start` line, or a second `start` follows. */
export function fold(lines: Iterable<RecordLine>): Results {
  const tally = emptyTally()
  for (const line of lines) note(tally, line)
  return conclude(tally)
}

/** The same for lines that arrive bit by bit. */
export async function foldStream(lines: AsyncIterable<RecordLine> | Iterable<RecordLine>): Promise<Results> {
  const tally = emptyTally()
  for await (const line of lines) note(tally, line)
  return conclude(tally)
}

/** What has been seen so far; changed in place, since a record may have a million lines. */
interface Tally {
  start: Start | undefined
  end: Line<'end'> | undefined
  lastMs: number
  readonly requests: { readonly at: number; readonly ms: number; readonly lost: boolean }[]
  readonly operations: Map<
    string,
    { path: string; method: string; totalMs: number; slowestMs: number; replies: Map<string, number> }
  >
  readonly access: AccessTally
  /** Clause to the time of the requests that were sent to show it. */
  readonly spent: Map<string, number>
  readonly exercised: Map<string, { times: number; lastStep: number }>
  readonly untestable: Map<string, Line<'untestable'>>
  readonly untested: Map<string, string>
  /** Choice to value to number of times. */
  readonly choices: Map<string, Map<string, number>>
  readonly findings: Map<string, Finding>
  readonly assumed: AssumptionTally
  readonly troubles: Trouble[]
  /** Why the run ended before it had done everything. */
  cutShort: string | undefined
  /** By kind and key. */
  readonly left: Map<string, Results['left'][number]>
}

const emptyTally = (): Tally => ({
  start: undefined,
  end: undefined,
  lastMs: 0,
  requests: [],
  operations: new Map(),
  access: new Map(),
  spent: new Map(),
  exercised: new Map(),
  untestable: new Map(),
  untested: new Map(),
  choices: new Map(),
  findings: new Map(),
  assumed: emptyAssumptions(),
  troubles: [],
  cutShort: undefined,
  left: new Map(),
})

function note(tally: Tally, line: RecordLine): void {
  if (line.type !== 'start' && tally.start === undefined)
    throw new Error(`run record: expected its first line to be of type "start", received "${line.type}"`)
  switch (line.type) {
    case 'start':
      noteStart(tally, line)
      return
    case 'step':
      noteStep(tally, line)
      return
    case 'exercised':
      noteEvidence(tally, line)
      return
    case 'untestable':
      if (!tally.untestable.has(line.clause)) tally.untestable.set(line.clause, line)
      return
    case 'untested':
      if (!tally.untested.has(line.clause)) tally.untested.set(line.clause, line.reason)
      return
    case 'choice':
      noteChoice(tally, line)
      return
    case 'finding': {
      const known = tally.findings.get(line.finding.id)
      tally.findings.set(line.finding.id, known === undefined ? line.finding : betterFinding(known, line.finding))
      return
    }
    case 'withdrawn':
      tally.findings.delete(line.finding)
      return
    case 'trouble':
      noteTrouble(tally, line)
      return
    case 'traffic':
    case 'blank':
    case 'hook':
    case 'surveyed':
    case 'events':
    case 'walked':
    case 'ended':
      // Part of the story of a program, not of what is reported.
      return
    case 'assumed':
      noteAssumed(tally.assumed, [line.assumed])
      return
    case 'left':
      if (line.gone) tally.left.delete(`${line.kind}/${line.key}`)
      else tally.left.set(`${line.kind}/${line.key}`, { kind: line.kind, key: line.key, reason: line.reason })
      return
    case 'end':
      tally.end = line
  }
}

/** Its advice is told once, with the run, and not with each clause that it kept from being decided. */
function noteTrouble(tally: Tally, { kind, text, advice }: Line<'trouble'>): void {
  tally.troubles.push({ kind, text: advice === undefined ? text : `${text}; ${advice}` })
  if (kind === 'cut-short') tally.cutShort ??= text
}

/** What was observed as the target file pins it is evidence of that pin. */
function noteChoice(tally: Tally, { id, value, step }: Line<'choice'>): void {
  const values = getOrInsert(tally.choices, id, () => new Map<string, number>())
  values.set(value, (values.get(value) ?? 0) + 1)
  const isPinned = tally.start?.clauses.some((clause) => clause.id === id && clause.level === 'pinned')
  if (isPinned && String(tally.start?.setting.pins[id]) === value)
    noteEvidence(tally, { type: 'exercised', clause: id, step })
}

function noteEvidence({ exercised }: Tally, { clause, step, times = 1 }: Line<'exercised'>): void {
  const before = exercised.get(clause) ?? { times: 0, lastStep: step }
  exercised.set(clause, { times: before.times + times, lastStep: Math.max(before.lastStep, step) })
}

function noteStart(tally: Tally, line: Start): void {
  if (tally.start !== undefined)
    throw new Error(
      `run record: two runs in one file (started ${tally.start.startedAt} and ${line.startedAt}); report each by itself, or merge their results`,
    )
  tally.start = line
}

function noteStep(tally: Tally, step: Step): void {
  const { call, outcome, at, ms } = step
  tally.lastMs = Math.max(tally.lastMs, at + ms)
  if (whyUnsent(outcome) !== undefined) return
  noteAccess(tally.access, step)
  if (step.clause !== undefined) tally.spent.set(step.clause, (tally.spent.get(step.clause) ?? 0) + ms)
  const operation = getOrInsert(tally.operations, call.operation, () => ({
    path: call.url.replace(/\?.*$/s, ''),
    method: call.method,
    totalMs: 0,
    slowestMs: 0,
    replies: new Map<string, number>(),
  }))
  const lost = 'lost' in outcome
  const reply = lost ? 'lost' : String(outcome.status)
  operation.replies.set(reply, (operation.replies.get(reply) ?? 0) + 1)
  operation.totalMs += ms
  operation.slowestMs = Math.max(operation.slowestMs, ms)
  tally.requests.push({ at, ms, lost })
  noteAssumptions(tally.assumed, step)
}

function conclude(tally: Tally): Results {
  const { start, end } = tally
  if (start === undefined)
    throw new Error(
      'run record: expected a first line of type "start", received none: it is empty, or was cut off in that line',
    )
  const clauses = start.clauses.map((clause) => judgeClause(tally, clause))
  const diagnosed = withCauses([...tally.findings.values()], clauses)
  const judged = {
    requests: tally.requests.length,
    configuration: {
      command: start.command,
      level: start.level,
      exclusive: start.setting.exclusive,
      tokens: start.setting.tokens.map((token) => token.name),
      fixtures: countFixtures(start),
      ...(start.shard && { shard: start.shard }),
      ...(start.leaves === false && { leaves: false as const }),
      ...(start.expects && { expects: start.expects }),
      ...(start.pinnedIn && { pinnedIn: start.pinnedIn }),
    },
    clauses,
  }
  const body = {
    ...judged,
    operations: foldOperations(tally, start),
    access: accessOf(tally.access, tally.findings),
    findings: sortFindings(diagnosed.findings, clauses),
    causes: diagnosed.causes,
    assumed: [...assumptionsOf(tally.assumed)]
      .map(([explanation, { times, text }]) => {
        const supposed = start.explanations?.find(({ name }) => name === explanation)?.text
        return { explanation, times, text: supposed === undefined ? text : `${supposed}; first: ${text}` }
      })
      .sort((a, b) => b.times - a.times || compareText(a.explanation, b.explanation)),
    choices: foldChoices(tally, start),
    troubles: [...tally.troubles, ...ownTroubles(tally, start, scarcity(judged))],
    defects: start.defects,
    left: [...tally.left.values()],
    timeline: cutTimeline(tally.requests),
  }
  return {
    format: 1,
    suite: start.suite,
    interface: start.interface,
    target: { name: start.target.name, baseUrl: start.target.baseUrl },
    ...(start.seed !== undefined && { seed: start.seed }),
    startedAt: start.startedAt,
    durationMs: end?.durationMs ?? Math.ceil(tally.lastMs),
    verdict: verdictOf(body),
    ...body,
  }
}

function judgeClause(tally: Tally, clause: Start['clauses'][number]): Results['clauses'][number] {
  const { id, area, operation, level, source, text, quote } = clause
  const exercised = tally.exercised.get(id)
  const shown = [...tally.findings.values()].filter((finding) => finding.clause === id)
  const verdict = clauseVerdict(tally, clause, shown.length > 0)
  const steps = [exercised?.lastStep, ...shown.map((finding) => finding.steps.at(-1)?.n)].filter((n) => n !== undefined)
  return {
    id,
    area,
    operation,
    level,
    source,
    text,
    ...(quote !== undefined && { quote }),
    verdict,
    exercised: exercised?.times ?? 0,
    ...(steps.length > 0 ? { lastStep: Math.max(...steps) } : {}),
    ...whyNot(tally, id, verdict),
    ...(tally.spent.has(id) && { ms: tally.spent.get(id) ?? 0 }),
  }
}

function clauseVerdict(tally: Tally, { id, level, selected }: Start['clauses'][number], shown: boolean): ClauseVerdict {
  if (shown) return 'finding'
  if (selected === false) return 'not-selected'
  if ((tally.exercised.get(id)?.times ?? 0) > 0) return 'pass'
  if (tally.untestable.has(id)) return 'untestable'
  return level === 'choice' && tally.choices.has(id) ? 'observed' : 'untested'
}

type Why = Pick<Results['clauses'][number], 'reason' | 'remedy' | 'needs'>

function whyNot(tally: Tally, id: string, verdict: ClauseVerdict): Why {
  if (verdict === 'untested')
    return { reason: tally.untested.get(id) ?? tally.cutShort ?? unshown(tally, id) ?? NOT_REACHED }
  const missing = tally.untestable.get(id)
  if (verdict !== 'untestable' || missing === undefined) return {}
  const { reason, remedy, needs } = missing
  return { reason, ...(remedy !== undefined && { remedy }), ...(needs && { needs }) }
}

/** Of a member that replies need not have: that those of the operation that were accepted had none to compare. */
function unshown({ operations }: Tally, id: string): string | undefined {
  const [, operation, member] = /^(.+)\.shows\.([^.]+)$/.exec(id) ?? []
  const isAccepted = [...(operations.get(operation ?? '')?.replies.keys() ?? [])].some((reply) => /^2\d\d$/.test(reply))
  return member !== undefined && isAccepted ? `no reply showed ${member} where its value was known` : undefined
}

function foldOperations(tally: Tally, start: Start): Results['operations'] {
  const known = new Set(start.operations.map(({ id }) => id))
  const strays = [...tally.operations]
    .filter(([id]) => !known.has(id))
    .map(([id, { method, path }]) => ({ id, area: 'other', method, path }))
  return [...start.operations, ...strays].map(
    ({ id, area, method, path, undo, rests }: Omit<OperationEntry, 'scopes'>) => {
      const seen = tally.operations.get(id)
      const replies = [...(seen?.replies ?? [])].sort(([a], [b]) => compareText(a, b))
      return {
        id,
        area,
        method,
        path,
        ...(undo && { undo }),
        ...(rests && { rests }),
        requests: replies.reduce((sum, [, times]) => sum + times, 0),
        replies: Object.fromEntries(replies),
        totalMs: seen?.totalMs ?? 0,
        slowestMs: seen?.slowestMs ?? 0,
      }
    },
  )
}

/** The choices announced at the start, then the clauses of level `choice` that were observed as well. */
function foldChoices(tally: Tally, start: Start): Results['choices'] {
  const announced = new Set(start.choices.map(({ id }) => id))
  const clauses = start.clauses
    .filter(({ id }) => tally.choices.has(id) && !announced.has(id))
    .map(({ id, text }) => ({ id, text, pinned: start.setting.pins[id] ?? null }))
  return [...start.choices, ...clauses].map(({ id, text, pinned }) => ({
    id,
    text,
    observed: [...(tally.choices.get(id) ?? [])]
      .sort(([a, times], [b, others]) => others - times || compareText(a, b))
      .map(([value]) => value),
    pinned,
  }))
}

/** What the record shows to be wrong with the run itself, without a line that says so. */
function ownTroubles(tally: Tally, start: Start, scarce: string | undefined): Trouble[] {
  const clauses = new Set(start.clauses.map(({ id }) => id))
  const choices = new Set(start.choices.map(({ id }) => id))
  const strays = [
    ...[...tally.exercised.keys()].filter((id) => !clauses.has(id)),
    ...[...tally.findings.values()].map(({ clause }) => clause).filter((id) => !clauses.has(id)),
    ...[...tally.choices.keys()].filter((id) => !clauses.has(id) && !choices.has(id)),
  ]
  const troubles: Trouble[] = [...new Set(strays)].map((id) => ({
    kind: 'suite-defect',
    text: `suite defect: the record has evidence for "${id}", which its start line does not list`,
  }))
  if (scarce !== undefined && tally.troubles.length === 0) troubles.push({ kind: 'inconclusive', text: scarce })
  if (tally.end === undefined) {
    const advice =
      start.leaves === false ? 'run it again' : 'sweep what it left with touchstone sweep, then run it again'
    troubles.push({ kind: 'cut-short', text: `the run was cut short: its record has no end line; ${advice}` })
  } else if (tally.troubles.length === 0 && troubles.length === 0)
    troubles.push(...disagreement(tally, start, tally.end.verdict))
  return troubles
}

/** Whoever ran it may know of a reason that no line states: a verdict is never improved by a report. */
function disagreement(tally: Tally, start: Start, said: RunVerdict): Trouble[] {
  const shown = [...tally.findings.values()].some((finding) => gatesAt(finding.level, start.level))
  if (said === 'conforms' || (said === 'nonconforming' && shown)) return []
  const missing = said === 'inconclusive' ? 'says why' : 'shows a finding that gates'
  return [{ kind: 'inconclusive', text: `the run called itself ${said}, but no line of its record ${missing}` }]
}

function countFixtures(start: Start): Record<string, number> {
  const counts = Object.entries(start.setting.fixtures).map(([kind, list]) => [kind, list.length] as const)
  return Object.fromEntries(counts.filter(([, n]) => n > 0))
}
