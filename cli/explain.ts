// `touchstone explain`: a clause, an operation, a choice or a defect by its id, with the last evidence; it calls no target.

import { probeFor } from '../arbitraries/probes.js'
import { nearest } from '../config/target-file.js'
import { defects } from '../models/defects.js'
import { passagesFor } from '../models/document/quotes.js'
import { allClauses, operationById, operations } from '../models/index.js'
import { type Clause, clausesOf } from '../models/language/derive.js'
import { type Operation, sentWhere } from '../models/language/operation.js'
import { embeddedEnvironment } from '../reference/environment.js'
import { mutantsOf } from '../reference/mutants/mutants.js'
import { count, visible } from '../reports/index.js'
import { allChoices, type Choice } from '../suites/choices.js'
import { UsageError } from './errors.js'
import { type Evidence, evidenceIn } from './evidence.js'
import { planningFor } from './planning.js'
import { programLines } from './program-lines.js'
import { readingsFor } from './readings.js'
import { aligned } from './table.js'

export interface ExplainOptions {
  /** Folder whose results.json is the evidence, where there is one. */
  readonly out: string
  readonly json: boolean
}

interface Explanation {
  readonly facts: object
  readonly text: string
}

/** @throws UsageError where nothing has that id */
export const explain = async (id: string, { out, json }: ExplainOptions): Promise<number> => {
  const evidence = await evidenceIn(out)
  const explanation = explanationOf(clauseShown(id, evidence), evidence)
  if (!explanation) throw new UsageError(unknownId(id))
  process.stdout.write(json ? `${JSON.stringify(explanation.facts, null, 1)}\n` : `${visible(explanation.text)}\n`)
  return 0
}

/** The clause that a finding or a cause of that id broke; any other id as it is. */
const clauseShown = (id: string, { results }: Evidence): string => {
  const lead = results?.causes.find((cause) => cause.id === id)?.findings[0] ?? id
  return results?.findings.find((finding) => finding.id === lead)?.clause ?? id
}

const explanationOf = (id: string, evidence: Evidence): Explanation | undefined => {
  const clause = allClauses().find((one) => one.id === id)
  if (clause) return explainClause(clause, evidence)
  const op = operationById(id)
  if (op) return explainOperation(op, evidence)
  const choice = allChoices().find((one) => one.id === id)
  if (choice) return explainChoice(choice, evidence)
  const defect = defects.find((one) => one.id === id)
  return (
    defect && {
      facts: defect,
      text: `${defect.id}, a defect of the document (${defect.source})\n\n${defect.text}\nRead as: ${defect.reading}`,
    }
  )
}

/** The ids nearest in spelling, and those that hold the text. */
const unknownId = (id: string): string => {
  const known = [...operations, ...allClauses(), ...allChoices(), ...defects].map((one) => one.id)
  const within = known.filter((one) => one.includes(id)).slice(0, 4)
  const meant = nearest(id, known)
  const near = [...new Set([...(meant === undefined ? [] : [meant]), ...within])]
  const hint = near.length === 0 ? '' : ` Did you mean ${near.join(', ')}?`
  return `no clause or operation has the id ${JSON.stringify(id)}.${hint} \`touchstone list operations\` and \`touchstone list clauses\` show all.`
}

const explainClause = (clause: Clause, evidence: Evidence): Explanation => {
  const { id, level, source, text, operation, area } = clause
  const checked = howChecked(clause)
  const op = operationById(operation)
  const said = op ? passagesFor(op, clause).map((passage) => passage.text) : []
  const readings = readingsFor(id)
  const mutants = op ? mutantsOf(op).flatMap((mutant) => (mutant.clause === id ? [mutant.id] : [])) : []
  const { facts, lines } = evidenceOf(id, evidence)
  return {
    facts: { id, area, operation, level, source, text, quote: said, readings, checked, mutants, evidence: facts },
    text: [
      aligned([
        ['clause', `${id}  (${level})`],
        ['requires', text],
        ...said.map((one, i): [string, string] => [i === 0 ? 'document' : '', `“${one}”`]),
        ['source', source],
        ['operation', op ? `${op.method} ${op.path}, ${op.summary}` : operation],
        ...readings.flatMap(({ says, possible, taken }) => [
          ['can be read', `${says} ${possible}`],
          ['is read', taken],
        ]),
        ['checked', checked.by],
        ...mutants.map((mutant, i) => [i === 0 ? 'mutants' : '', mutant]),
      ]),
      ...(checked.program.length > 0
        ? ['', 'program, as planned for the embedded target:', ...checked.program.map((line) => `  ${line}`)]
        : []),
      '',
      ...lines,
    ].join('\n'),
  }
}

interface Checked {
  readonly by: string
  readonly program: readonly string[]
}

const howChecked = (clause: Clause): Checked => {
  const probe = probeFor(clause, planningFor(embeddedEnvironment()))
  if (probe.kind === 'none') return { by: `by no program: ${probe.reason}`, program: [] }
  if (probe.kind === 'passive') return { by: `wherever a reply of ${clause.operation} is judged`, program: [] }
  const roles = new Set(probe.program.steps.map(({ role }) => role))
  const by = roles.has('probe')
    ? `by a program: each probe must be ${clause.level === 'choice' ? 'answered, either way' : 'refused'}${roles.has('twin') ? ', each twin accepted' : ''}`
    : 'by a program: the reply of each check is judged'
  return { by, program: programLines(probe.program) }
}

const evidenceOf = (
  id: string,
  { results, reason, file }: Evidence,
): { readonly facts: object | null; readonly lines: readonly string[] } => {
  const clause = results?.clauses.find((one) => one.id === id)
  if (!results || !clause)
    return { facts: null, lines: [`evidence: none: ${results ? `${file} does not know it` : reason}`] }
  const { verdict, exercised, lastStep, reason: why, remedy } = clause
  const findings = results.findings.filter((finding) => finding.clause === id)
  const rows = [
    [
      'verdict',
      `${verdict}, decisive ${count(exercised, 'time')}${lastStep === undefined ? '' : `, last at step ${lastStep}`}`,
    ],
    ...(why === undefined ? [] : [['reason', why]]),
    ...(remedy === undefined ? [] : [['remedy', remedy]]),
    ...findings.map(({ summary }) => ['finding', summary]),
    ...findings.map(({ replay }) => ['replay', replay]),
  ]
  return {
    facts: {
      verdict,
      exercised,
      lastStep,
      reason: why,
      remedy,
      findings,
      startedAt: results.startedAt,
      target: results.target,
    },
    lines: [`evidence, from ${file} (${results.target.name}, ${results.startedAt}):`, aligned(rows, '  ')],
  }
}

const explainOperation = (op: Operation, { results }: Evidence): Explanation => {
  const clauses = clausesOf(op)
  const verdicts = new Map(results?.clauses.map(({ id, verdict }) => [id, verdict]))
  const { id, area, method, path, source, summary, scopes, guarded } = op
  const listed = clauses.map(({ id, level, text }) => ({ id, level, text, verdict: verdicts.get(id) ?? null }))
  return {
    facts: { id, area, method, path, source, summary, scopes: scopes ?? [], guarded: guarded ?? null, clauses: listed },
    text: [
      aligned([
        ['operation', id],
        ['request', `${method} ${path}`],
        ['does', summary],
        ['source', source],
        ['scopes', scopes === undefined ? 'none is listed' : scopes.join(', ')],
        ...(guarded === undefined ? [] : [['guarded', `${guarded}; sent ${sentWhere(op)}`]]),
      ]),
      '',
      `${count(clauses.length, 'clause')}:`,
      aligned(
        listed.map(({ id, level, text, verdict }) => [id, level, ...(verdicts.size > 0 ? [verdict ?? '-'] : []), text]),
        '  ',
      ),
    ].join('\n'),
  }
}

const explainChoice = (choice: Choice, { results, reason }: Evidence): Explanation => {
  const seen = results?.choices.find(({ id }) => id === choice.id)
  return {
    facts: { ...choice, observed: seen?.observed ?? null, pinned: seen?.pinned ?? null },
    text: aligned([
      ['choice', choice.id],
      ['about', choice.text],
      ['observed', results ? seen?.observed.join(', ') || 'nothing' : `none: ${reason}`],
      ['pinned', seen?.pinned == null ? `no; "pins" of the target file would fix it` : String(seen.pinned)],
    ]),
  }
}
