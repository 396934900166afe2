// Links of the OpenAPI document: from what a reply shows to the calls that take it, and from lists and creations to calls that name nothing; derived from what paths name.

import { type AnyTable, isListed, type Operation } from '../models/language/operation.js'

type Json = Readonly<Record<string, unknown>>

/**
 * The links of an operation's accepted reply, by the id of the operation that they lead to.
 * @param word a word of the interface, as the document is to spell it
 * @param exampleFor a body that can be sent to an operation as it stands
 */
export const linksOf = (
  all: readonly Operation[],
  op: Operation,
  word: (word: string) => string,
  exampleFor: (next: Operation) => unknown,
): Json =>
  Object.fromEntries(
    all.flatMap((next) => {
      const parameters = parametersFor(op, next)
      if (next === op || parameters === undefined) return []
      const spelled = Object.entries(parameters).map(([name, from]) => [word(name), spellIn(from, word)])
      // What is required seldom comes about by chance: a certificate, or an id of what nothing here makes.
      const body = (next.body?.required ?? []).length > 0 ? exampleFor(next) : undefined
      return [
        [
          next.id,
          {
            operationId: next.id,
            ...(spelled.length > 0 && { parameters: Object.fromEntries(spelled) }),
            ...(body !== undefined && { requestBody: body }),
          },
        ],
      ]
    }),
  )

/**
 * Runtime expressions for every path parameter of the next call; undefined where they can't be told from this one. Fuzzers call little
 * that no link names, so a call whose path names nothing has some as well: a creation follows the list of its kind, and any other what
 * makes something in its area, which it may show or go on with.
 */
const parametersFor = (op: Operation, next: Operation): Readonly<Record<string, string>> | undefined => {
  const table = 'table' in op.reply ? op.reply.table : undefined
  const names = Object.keys(next.params)
  if (names.length === 0) {
    const isNext = next.makes ? isListed(op.reply) && table === next.makes : op.makes && op.area === next.area
    return isNext ? {} : undefined
  }
  if (table === undefined) return undefined
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
