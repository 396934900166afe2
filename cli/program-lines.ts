// A planned program as readable lines; the ids that a target would give stand as "id of step 1".

import type { Args, Program, Step } from '../models/language/plan.js'
import { isRef } from '../models/language/plan.js'

/** `1  arrange  volumes.create({"size":20}) as owner`, a line a step. */
export const programLines = ({ steps, restore = [] }: Program): readonly string[] => {
  const all = [...steps.map((step) => [step.role, step] as const), ...restore.map((step) => ['restore', step] as const)]
  return all.map(([role, step], index) => `${String(index + 1).padStart(2)}  ${role.padEnd(7)}  ${stepLine(step)}`)
}

const widest = 200

const stepLine = (step: Step): string => {
  if ('hook' in step) return `hook ${step.hook}(${step.args.map(shown).join(', ')})`
  return `${step.operation}(${argumentsOf(step).join(', ')}) as ${step.as?.startsWith('!') ? 'a wrong token' : (step.as ?? 'nobody')}${step.unsettled ? ', at once' : ''}`
}

const argumentsOf = ({ path, query, body, file }: Args): readonly string[] => [
  ...Object.entries(path ?? {}).map(([name, value]) => `${name} ${bare(value)}`),
  ...Object.entries(query ?? {}).map(([name, value]) => `${name}=${bare(value)}`),
  ...(body === undefined ? [] : [cut('$raw' in body ? String(body.$raw) : shown(body))]),
  ...(file ? [`file ${file.name}`] : []),
]

const bare = (value: unknown): string => (typeof value === 'string' ? cut(value) : shown(value))

/** JSON, with a reference as words. */
const shown = (value: unknown): string => {
  if (isRef(value)) return `${value.field ?? 'id'} of step ${value.$step + 1}`
  if (Array.isArray(value)) return `[${value.map(shown).join(',')}]`
  if (typeof value === 'object' && value !== null)
    return `{${Object.entries(value)
      .map(([name, member]) => `${JSON.stringify(name)}:${shown(member)}`)
      .join(',')}}`
  return cut(JSON.stringify(value) ?? 'nothing')
}

const cut = (text: string): string => (text.length > widest ? `${text.slice(0, widest)}…` : text)
