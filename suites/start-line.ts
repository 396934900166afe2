// The first line of a record: what was asked for, what is known of the target, and all that can be shown; it starts nothing.
import type { Target } from '../config/target-file.js'
import { packageVersion } from '../config/version.js'
import type { ClauseEntry, RecordLine, Rests, Undo } from '../history/record.js'
import { defects } from '../models/defects.js'
import { quoteOf } from '../models/document/quoted.js'
import { interfaceVersion, operations, removerOf, viewerOf } from '../models/index.js'
import { clausesOf } from '../models/language/derive.js'
import { type Environment, suppositions } from '../models/language/environment.js'
import type { Operation } from '../models/language/operation.js'
import { explanations } from '../oracle/explanations/index.js'
import { allChoices } from './choices.js'
import { isSelected } from './filter.js'
import type { RunContext, RunOptions } from './options.js'

/** The first line of a record: what was asked for, what is known of the target, and all that can be shown. */
export const startLine = (
  {
    options,
    startedAt,
    embedded,
    isJudged = false,
  }: {
    readonly options: Pick<RunOptions, 'command' | 'level'> & Partial<Pick<RunOptions, 'seed' | 'filters'>>
    readonly startedAt: number
    readonly embedded?: RunContext['embedded']
    /** Whether what others do is judged, and nothing sent. */
    readonly isJudged?: boolean
  },
  { environment, baseUrl }: Pick<Target, 'environment' | 'baseUrl'>,
): Extract<RecordLine, { type: 'start' }> => ({
  type: 'start',
  format: 1,
  suite: { version: packageVersion() },
  interface: interfaceVersion,
  target: { name: environment.name, baseUrl },
  ...(options.seed !== undefined && { seed: options.seed }),
  startedAt: new Date(startedAt).toISOString(),
  command: options.command,
  level: options.level,
  ...(options.filters && options.filters.shard[1] > 1 && { shard: options.filters.shard }),
  ...((isJudged || embedded) && { leaves: false as const }),
  setting: environment,
  clauses: clauseEntries(environment.pins).map((entry) =>
    options.filters && !isSelected(options.filters, entry) ? { ...entry, selected: false } : entry,
  ),
  operations: operations.map((op) => {
    const { id, area, method, path, scopes } = op
    const undo = undoOf(op)
    const rests = restsOf(op)
    return { id, area, method, path, scopes: scopes ?? [], ...(undo && { undo }), ...(rests && { rests }) }
  }),
  choices: allChoices().map(({ id, text }) => ({ id, text, pinned: environment.pins[id] ?? null })),
  explanations: explanations.map(({ name }) => ({ name, text: suppositions[name] })),
  defects,
})

/** How what an operation makes is removed: by its id, or by the names under which the request has it. */
const undoOf = ({ makes, body }: Operation): Undo | undefined => {
  const remover = makes && removerOf(makes)
  if (!remover) return undefined
  const takes = Object.entries(remover.params).map(([name, reference]) => {
    if (typeof reference === 'object' && reference.table === makes) return [name, reference.field ?? 'id'] as const
    const member = [name, name.replace(/Id$/, '')].find((one) => body?.properties[one] !== undefined)
    return [name, member ?? name] as const
  })
  return { method: remover.method, path: remover.path, takes: Object.fromEntries(takes) }
}

/** Where to look until what an operation makes has come to rest, where that takes time. */
const restsOf = ({ makes }: Operation): Rests | undefined => {
  const status = makes?.settled && makes.rest?.status
  const path = makes && viewerOf(makes)?.path
  return typeof status === 'string' && path !== undefined ? { path, status } : undefined
}

/** Every clause, and the pinned choices that are no clause of their own (the status of a kind of reply). */
const clauseEntries = (pins: Environment['pins']): readonly ClauseEntry[] => {
  const entries = operations.flatMap((op) =>
    clausesOf(op).map((clause): ClauseEntry => {
      const { id, area, operation, level, source, text } = clause
      const pinned = pins[id] === undefined ? level : 'pinned'
      return { id, area, operation, level: pinned, source, text, quote: quoteOf(op, clause) }
    }),
  )
  const known = new Set(entries.map(({ id }) => id))
  const pinned = allChoices().filter(({ id, pin }) => pins[id] !== undefined && !known.has(id) && pin !== 'time')
  return [
    ...entries,
    ...pinned.map(
      ({ id, text, area, operation }): ClauseEntry => ({
        id,
        area: area ?? 'all',
        operation: operation ?? 'all',
        level: 'pinned',
        source: 'target file, pins',
        text,
      }),
    ),
  ]
}
