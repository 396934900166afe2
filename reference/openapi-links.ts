// Links of the OpenAPI document: from what a reply shows to the calls that take it; derived from what paths name.

import type { AnyTable, Operation } from '../models/language/operation.js'

type Json = Readonly<Record<string, unknown>>

/**
 * The links of an operation's accepted reply, by the id of the operation that they lead to.
 * @param word a word of the interface, as the document is to spell it
 */
export const linksOf = (all: readonly Operation[], op: Operation, word: (word: string) => string): Json =>
  Object.fromEntries(
    all.flatMap((next) => {
      const parameters = parametersFor(op, next)
      if (next === op || parameters === undefined) return []
      const spelled = Object.entries(parameters).map(([name, from]) => [word(name), spellIn(from, word)])
      return [[next.id, { operationId: next.id, parameters: Object.fromEntries(spelled) }]]
    }),
  )

/** Runtime expressions for every path parameter of the next call; undefined where they can't be told from this one. */
const parametersFor = (op: Operation, next: Operation): Readonly<Record<string, string>> | undefined => {
  const table = 'table' in op.reply ? op.reply.table : undefined
  const names = Object.keys(next.params)
  if (table === undefined || names.length === 0) return undefined
  const found = names.map((name) => [name, sourceOf(op, table, next, name)] as const)
  const isShown = found.some(([, from]) => from?.startsWith('$response'))
  return isShown && found.every(([, from]) => from !== undefined)
    ? (Object.fromEntries(found) as Readonly<Record<string, string>>)
    : undefined
}

const sourceOf = (op: Operation, table: AnyTable, next: Operation, name: string): string | undefined => {
  const reference = next.params[name]
  const shown = (member: string): string => `$response.body#/${op.reply.kind === 'record' ? '' : 'data/0/'}${member}`
  if (typeof reference === 'object' && reference.table === table)
    return shown([reference.field, name].find((one) => one !== undefined && isField(table, one)) ?? 'id')
  if (op.params[name] !== undefined) return `$request.path.${name}`
  if (name === 'clusterId' && isField(table, 'cluster')) return shown('cluster')
  return undefined
}

/** Models keep some fields that no reply shows. */
const isField = ({ fields }: AnyTable, name: string): boolean => fields.some((field) => field === name)

const spellIn = (expression: string, word: (word: string) => string): string =>
  expression.replace(/[\w-]+$/, (member) => word(member))
