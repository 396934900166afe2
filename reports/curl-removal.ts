// The part of a finding's shell script that removes what the script made, however it ends; nothing that was there before.
import type { RecordedStep, Undo } from '../history/record.js'
import type { WireCall } from '../history/wire.js'
import { type Context, capturedIn, joinParts, withNonce } from './curl-parts.js'

/** Removes what was made, latest first, however the script ends. */
export function removalText(context: Context): string[] {
  const lines = [
    ...context.finding.steps.flatMap((_, index) => removalOf(context, index)).reverse(),
    // Last of all, since what carries them may bring them about again.
    ...tagRemovals(context),
  ]
  if (lines.length === 0) return []
  return [
    'remove() {',
    '  printf \'removing %s: \' "$3"',
    '  send --request "$1" --header "Authorization: Bearer $2" "$BASE_URL$3" | tail -n 1',
    '}',
    'clean_up() {',
    ...lines,
    '}',
    'trap clean_up EXIT',
    "trap 'exit 130' INT TERM",
  ]
}

/** The command that removes what a step made, once the step was sent. */
function removalOf(context: Context, index: number): string[] {
  const { finding, tokens, captures, undoOf } = context
  const step = finding.steps[index] as RecordedStep
  const undo = undoOf(step)
  const token = step.call.as === null ? undefined : tokens.get(step.call.as)
  const own = captures.get(index)
  const isOwn = undo !== undefined && (takesId(undo) ? own !== undefined : isNamedByRun(context, step.call, undo))
  if (!isOwn || token === undefined) return []
  const earlier = [...captures].filter(([from]) => from < index).map(([, captured]) => captured)
  const parts = undo.path.split('/').flatMap((segment, at) => {
    const slash = at === 0 ? [] : [{ text: '/' }]
    const [, name] = /^\{(\w+)\}$/.exec(segment) ?? []
    if (name === undefined) return [...slash, { text: segment }]
    const value = memberOf(step.call, undo, name)
    const captured = undo.takes[name] === 'id' ? own : capturedIn(earlier, name, value)
    return [...slash, captured ? { text: '', variable: captured.variable } : { text: encodeURIComponent(value) }]
  })
  const url = joinParts(parts, (text) => withNonce(context, text))
  const isMade = own?.variable ?? madeIn(index)
  return [`  [ -z "\${${isMade}:-}" ] || remove ${undo.method} "$${token}" ${url}`]
}

/** The commands that remove tags which came to be by being given to something. */
function tagRemovals(context: Context): string[] {
  const { finding, tokens, nonce, untag } = context
  if (untag === undefined || nonce === undefined) return []
  const given = new Map<string, string>()
  for (const [index, { call, outcome }] of finding.steps.entries()) {
    const token = call.as === null ? undefined : tokens.get(call.as)
    if (token === undefined || 'lost' in outcome || outcome.status >= 300) continue
    for (const label of tagsGiven(call).filter((one) => one.includes(nonce) && !given.has(one))) {
      const url = withNonce(context, untag.path.replace(/\{\w+\}/, encodeURIComponent(label)))
      given.set(label, `  [ -z "\${${madeIn(index)}:-}" ] || remove ${untag.method} "$${token}" ${url}`)
    }
  }
  return [...given.values()]
}

export const tagsGiven = ({ body }: WireCall): readonly string[] => {
  const { tags } = (body ?? {}) as { readonly tags?: unknown }
  return Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string') : []
}

/** What exists already may be answered as if it were new, so that only a name of the recorded run tells that nobody else has it. */
const isNamedByRun = ({ nonce }: Context, call: WireCall, undo: Undo): boolean =>
  nonce !== undefined && Object.keys(undo.takes).some((name) => memberOf(call, undo, name).includes(nonce))

export const madeIn = (index: number): string => `made_${index + 1}`

export const takesId = ({ takes }: Undo): boolean => Object.values(takes).includes('id')

/** What a call gave a parameter of the path below which its resource is removed. */
const memberOf = ({ path, body }: WireCall, { takes }: Undo, name: string): string => {
  const member = takes[name] ?? name
  const sent =
    typeof body === 'object' && body !== null ? (body as Readonly<Record<string, unknown>>)[member] : undefined
  return path[name] ?? (typeof sent === 'string' || typeof sent === 'number' ? String(sent) : '')
}
