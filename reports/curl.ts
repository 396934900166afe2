// A finding as a shell script of curl commands, for people without this suite; of the last reply it judges the status alone.
import type { Finding, RecordedStep } from '../history/record.js'
import type { WireCall } from '../history/wire.js'
import {
  type Captured,
  type Context,
  capturedIn,
  isOf,
  joinParts,
  shellQuote,
  type Ways,
  withNonce,
} from './curl-parts.js'
import { madeIn, removalText, tagsGiven, takesId } from './curl-removal.js'
import { findingRows, outcomeLine, tokenName } from './finding-text.js'
import type { Results } from './results-schema.js'
import { visibleJson, visibleLine } from './visible.js'

/**
 * The script. Secrets come from environment variables, one a token (`$TOKEN_OWNER`); the target from `$BASE_URL`.
 * Ids in paths that an earlier reply of the program gave are captured when it runs; other ids stay as recorded. What a step made
 * is removed at the end, where one of the operations does that. The exit code is that of `touchstone replay`.
 */
export function curlScript(
  finding: Finding,
  target: { readonly baseUrl: string },
  operations: Results['operations'] = [],
): string {
  const ways = waysIn(operations)
  const context: Context = {
    finding,
    tokens: tokenVariables(finding.steps),
    captures: captureIds(finding.steps, ways),
    ...ways,
    nonce: usableNonce(finding),
  }
  const steps = finding.steps.map((step, index) => stepText(context, step, index))
  return `${[...header(context, target), ...steps, ...footer(finding)].join('\n')}\n`
}

function header(context: Context, target: { readonly baseUrl: string }): string[] {
  const { finding, tokens, captures, nonce } = context
  return [
    '#!/bin/sh',
    comment(`${finding.clause}  (${finding.level}; ${finding.source})`),
    comment(finding.summary),
    '#',
    '# Sends the steps of this finding, prints each reply with its status, and removes what it made.',
    '# Exit code: 1 where the finding shows again, 0 where it does not, 3 where the status does not tell.',
    '# Ids that are not captured from a reply are those of the recorded run: put in your own where they differ.',
    '# It waits up to WAIT seconds (60) for a status that was waited for; PAUSE=5 waits before each step as well.',
    ...(nonce === undefined ? [] : ['# Names contain $NONCE: where they are taken, set it to other letters, as many.']),
    'set -u',
    `[ -n "\${BASE_URL:-}" ] || BASE_URL=${shellQuote(visibleLine(target.baseUrl))}`,
    ...(nonce === undefined ? [] : [`[ -n "\${NONCE:-}" ] || NONCE=${shellQuote(nonce)}`]),
    ...[...tokens].map(
      ([name, variable]) =>
        `[ -n "\${${variable}:-}" ] || { echo 'set ${variable} to the secret of this token' >&2; exit 3; }  ${comment(`token ${name === '?' ? 'unknown' : name}`)}`,
    ),
    '',
    'send() {',
    '  curl --silent --show-error --globoff --path-as-is --max-time 30 --write-out \'\\n%{http_code}\\n\' "$@"',
    '}',
    ...(finding.steps.some(
      (_, index) => awaited(finding.steps, index) !== undefined || restless(context, index).length > 0,
    )
      ? SEND_UNTIL
      : []),
    ...(captures.size > 0
      ? [
          'first_id() {',
          // Without jq: the first member called "id", which is the record's own where it comes before nested ones.
          `  printf '%s' "$1" | tr -d '\\n' | grep -o '"id"[[:space:]]*:[[:space:]]*[0-9]*' | head -n 1 | grep -o '[0-9]*$'`,
          '}',
        ]
      : []),
    ...removalText(context),
  ]
}

const SEND_UNTIL = [
  'send_until() {',
  '  shown=$1',
  '  shift',
  `  left=\${WAIT:-60}`,
  '  while :; do',
  '    got=$(send "$@")',
  '    if [ "$left" -le 0 ] || printf \'%s\' "$got" | grep -q "\\"status\\"[[:space:]]*:[[:space:]]*\\"$shown\\""; then break; fi',
  '    left=$((left - 1))',
  '    sleep 1',
  '  done',
  '  printf \'%s\\n\' "$got"',
  '}',
]

/** The status that a look at something showed, where the program went on from there. */
function awaited(steps: readonly RecordedStep[], index: number): string | undefined {
  const { call, outcome } = steps[index] as RecordedStep
  if (index === steps.length - 1 || call.method !== 'GET' || 'lost' in outcome || outcome.status >= 300)
    return undefined
  return statusIn(steps[index] as RecordedStep)
}

/** The status that a reply showed. */
function statusIn({ outcome }: RecordedStep): string | undefined {
  const body = 'lost' in outcome ? undefined : outcome.body
  const status = typeof body === 'object' && body !== null && 'status' in body ? body.status : undefined
  return typeof status === 'string' && /^[a-z_-]+$/.test(status) ? status : undefined
}

const isRemoval = ({ call, outcome }: RecordedStep): boolean =>
  call.method === 'DELETE' && !('lost' in outcome) && outcome.status < 300

/** What a step names that was made by an earlier one, and has not been seen at rest since, with where it is looked at. */
function restless({ finding: { steps }, captures, restsOf }: Context, index: number) {
  const step = steps[index] as RecordedStep
  if (step.unsettled === true || awaited(steps, index) !== undefined) return []
  return [...captures].flatMap(([from, captured]) => {
    const rests = restsOf(steps[from] as RecordedStep)
    const isNamed = (one: RecordedStep): boolean =>
      Object.entries(one.call.path).some(([name, value]) => capturedIn([captured], name, value) !== undefined)
    if (from >= index || rests === undefined || !isNamed(step)) return []
    const about = steps.slice(0, index).filter((one, at) => at === from || isNamed(one))
    const isOver = about.some(isRemoval) || statusIn(about.at(-1) as RecordedStep) === rests.status
    return isOver ? [] : [{ captured, rests, step: steps[from] as RecordedStep }]
  })
}

function stepText(context: Context, step: RecordedStep, index: number): string {
  const { finding, captures } = context
  const earlier = [...captures].filter(([from]) => from < index).map(([, captured]) => captured)
  const captured = captures.get(index)
  const undo = context.undoOf(step)
  return [
    '',
    comment(`step ${index + 1} of ${finding.steps.length}, as ${tokenName(step.call)}: ${step.line}`),
    ...(step.call.file === undefined
      ? []
      : ['# The bytes of the file are not in the record: as many zero bytes are sent in their place.']),
    ...(index === 0 || step.unsettled === true ? [] : [`sleep "\${PAUSE:-0}"`]),
    ...restless(context, index).map((one) => restText(context, one)),
    `reply=$(${command(context, step.call, earlier, awaited(finding.steps, index))})`,
    `printf '%s\\n' "$reply"`,
    comment(`recorded: ${outcomeLine(step.outcome, 600)}`),
    ...((undo === undefined || takesId(undo)) && tagsGiven(step.call).length === 0 ? [] : [`${madeIn(index)}=yes`]),
    ...(captured === undefined ? [] : captureText(captured)),
  ].join('\n')
}

/** The command that looks at what was made until it has come to rest. */
function restText(context: Context, { captured, rests, step }: ReturnType<typeof restless>[number]): string {
  const token = step.call.as === null ? undefined : context.tokens.get(step.call.as)
  const parts = rests.path
    .split(/\{\w+\}/)
    .flatMap((text, at) => [...(at === 0 ? [] : [{ text: '', variable: captured.variable }]), { text }])
  const header = token === undefined ? '' : `--header "Authorization: Bearer $${token}" `
  return `send_until ${rests.status} ${header}"$BASE_URL"${joinParts(parts, shellQuote)} >/dev/null`
}

const captureText = ({ variable, value, used }: Captured): string[] => [
  `${variable}=$(first_id "$reply")`,
  ...(used ? [`[ -n "$${variable}" ] || { echo 'the reply has no id for the steps that follow' >&2; exit 3; }`] : []),
  comment(`${variable} was ${value} in the recorded run`),
]

function command(context: Context, call: WireCall, earlier: readonly Captured[], status: string | undefined): string {
  const variable = call.as === null ? undefined : context.tokens.get(call.as)
  const quote = (text: string): string => withNonce(context, text)
  const parts = [
    ...(call.file === undefined ? [] : [`head -c ${Math.max(0, Math.floor(call.file.bytes))} /dev/zero |`]),
    `${status === undefined ? 'send' : `send_until ${status}`} --request ${shellQuote(visibleLine(call.method))}`,
    ...(variable === undefined ? [] : [`--header "Authorization: Bearer $${variable}"`]),
    ...(call.body === undefined
      ? []
      : [`--header ${shellQuote('Content-Type: application/json')}`, `--data-raw ${quote(visibleJson(call.body))}`]),
    ...(call.file === undefined ? [] : [`--form ${quote(formPart(call.file))}`]),
    `"$BASE_URL"${urlText(call, earlier, quote)}`,
  ]
  return parts.join(' \\\n  ')
}

/** The URL, quoted, with ids that earlier replies gave as variables. */
function urlText(call: WireCall, earlier: readonly Captured[], quote: (text: string) => string): string {
  const [path = '', ...query] = call.url.split('?')
  const used = Object.entries(call.path).flatMap(([name, value]) => {
    const captured = capturedIn(earlier, name, value)
    return captured === undefined ? [] : [captured]
  })
  const parts: { readonly text: string; readonly variable?: string }[] = path.split('/').flatMap((segment, index) => {
    const captured = used.find(({ value }) => value === segment)
    const slash = index === 0 ? [] : [{ text: '/' }]
    return [...slash, captured === undefined ? { text: segment } : { text: '', variable: captured.variable }]
  })
  return joinParts([...parts, ...query.map((text) => ({ text: `?${text}` }))], quote)
}

/** A nonce that stands for itself in JSON and in URLs, and occurs in what is sent. */
function usableNonce({ nonce, steps }: Finding): string | undefined {
  if (nonce === undefined || !/^[A-Za-z0-9-]{4,}$/.test(nonce)) return undefined
  return steps.some(({ call }) => `${call.url} ${JSON.stringify(call.body ?? '')}`.includes(nonce)) ? nonce : undefined
}

/** Steps whose reply carries an id that a later step has in its path, or that what they made is removed by. */
function captureIds(steps: readonly RecordedStep[], { undoOf }: Pick<Ways, 'undoOf'>): Map<number, Captured> {
  const captures = new Map<number, Captured>()
  for (const [index, step] of steps.entries()) {
    const { call, outcome } = step
    if ('lost' in outcome || outcome.status >= 300) continue
    const id = idOf(outcome.body)
    const resource = call.operation.split('.')[0] ?? ''
    const used = steps
      .slice(index + 1)
      .some((later) => Object.entries(later.call.path).some(([name, value]) => value === id && isOf(name, resource)))
    const known = [...captures.values()].some((captured) => captured.value === id && captured.resource === resource)
    const undo = undoOf(step)
    const isRemoved = undo !== undefined && takesId(undo)
    if (id !== undefined && (used || isRemoved) && !known)
      captures.set(index, { variable: `id_${index + 1}`, resource, value: id, used })
  }
  return captures
}

/** What was made is that of an accepted call, as far as the operations tell. */
const waysIn = (operations: Results['operations']): Ways => {
  const known = new Map(operations.map((one) => [one.id, one]))
  const madeBy = ({ call, outcome }: RecordedStep) =>
    'lost' in outcome || outcome.status >= 300 ? undefined : known.get(call.operation)
  return {
    undoOf: (step) => madeBy(step)?.undo,
    restsOf: (step) => madeBy(step)?.rests,
    untag: known.get('tags.create')?.undo,
  }
}

function idOf(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('id' in body)) return undefined
  return Number.isSafeInteger(body.id) && Number(body.id) >= 0 ? String(body.id) : undefined
}

/** Environment variable of each token that the steps use: `owner` is `TOKEN_OWNER`. */
function tokenVariables(steps: readonly RecordedStep[]): Map<string, string> {
  const variables = new Map<string, string>()
  for (const { call } of steps) {
    if (call.as === null || variables.has(call.as)) continue
    const word = call.as
      .toUpperCase()
      .replace(/[^A-Z0-9]+/g, '_')
      .replace(/^_+|_+$/g, '')
    const base = word === '' ? 'TOKEN' : `TOKEN_${word}`
    const taken = [...variables.values()].filter((name) => name === base || name.startsWith(`${base}__`)).length
    variables.set(call.as, taken === 0 ? base : `${base}__${taken + 1}`)
  }
  return variables
}

const footer = (finding: Finding): string[] => [
  '',
  ...findingRows(finding, 600)
    .filter(([label]) => ['requires', 'expected', 'received', 'because'].includes(label))
    .flatMap(([label, text]) =>
      text.split('\n').map((line, index) => comment(`${(index === 0 ? label : '').padEnd(9)} ${line}`)),
    ),
  ...conclusion(finding),
]

/** Whether it shows again, as far as the status of the last reply tells: where another kind of status was expected. */
function conclusion({ expected, steps, confirmed }: Finding): string[] {
  const outcome = steps.at(-1)?.outcome
  const due = /^([245])xx/.exec(expected)?.[1]
  const then = outcome === undefined || 'lost' in outcome ? undefined : String(outcome.status)[0]
  const untold = ["echo 'reproduced: compare the last reply with what is expected'", 'conclusion=3']
  // What did not show again in the run may need what came before: then its last reply alone tells nothing.
  if (due === undefined || then === undefined || due === then || confirmed === false)
    return [...untold, 'exit "$conclusion"']
  return [
    `case $(printf '%s\\n' "$reply" | tail -n 1) in`,
    "  429 | 503) echo 'reproduced: not told, since it was refused for now'; conclusion=3 ;;",
    `  ${then}??) echo 'reproduced: yes'; conclusion=1 ;;`,
    `  ${due}??) echo 'reproduced: no'; conclusion=0 ;;`,
    `  *) ${untold.join('; ')} ;;`,
    'esac',
    'exit "$conclusion"',
  ]
}

/** A part for curl's --form: quotes and backslashes have a meaning of their own in its value. */
const formPart = ({ field, name }: { readonly field: string; readonly name: string }): string =>
  `${visibleLine(field).replaceAll('=', '%3D')}=@-;filename="${visibleLine(name).replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`

const comment = (text: string): string => `# ${visibleLine(text)}`
