// Mutants that are wrong in what they show or tell of, on later pages, by turns, or when nothing happened.
import { operations } from '../../models/index.js'
import { errorsIn } from '../../models/language/error-envelope.js'
import type { Operation } from '../../models/language/operation.js'
import type { WireRecord } from '../../models/language/world.js'
import { type Mutant, mutant } from './mutants.js'

export const wrongRepliesOf = (op: Operation): readonly Mutant[] => [
  ...laterPages(op),
  ...somePages(op),
  ...waverings(op),
  ...misblames(op),
  ...loudness(op),
]

interface Page {
  readonly data: readonly unknown[]
  readonly page: number
  readonly pages: number
  readonly results: number
}

/** Right on the first page, wrong on those that follow. */
const laterPages = (op: Operation): readonly Mutant[] => {
  if (op.reply.kind !== 'page') return []
  const edit = (what: string, change: (body: Page, last: unknown) => object): Mutant =>
    mutant(op, 'later pages', what, (activate) => {
      let last: unknown
      return {
        body: (body, at) => {
          const page = body as Page
          if (at.id !== op.id || !Array.isArray(page?.data)) return body
          if (page.page === 1) last = page.data.at(-1)
          if (page.page < 2 || last === undefined || page.data.length === 0) return body
          activate()
          return change(page, last)
        },
      }
    })
  return [
    edit('begin with the last record of the first', (body, last) => ({ ...body, data: [last, ...body.data.slice(1)] })),
    edit('lack their first record', (body) => ({ ...body, data: body.data.slice(1) })),
    edit('show other values', (body) => ({
      ...body,
      data: body.data.map((one) => ({ ...(one as object), label: 'x', summary: 'x', name: 'x' })),
    })),
  ]
}

/** Events that should not come. */
const loudness = (op: Operation): readonly Mutant[] =>
  (op.emits ?? []).flatMap(({ event, when, alone }) => {
    const emitting = (kind: string, isWrong: (accepted: boolean, isDue: boolean) => boolean): Mutant =>
      mutant(op, kind, event, (activate) => ({
        events: (events, at, accepted) => {
          if (at.id !== op.id || !isWrong(accepted, events.includes(event))) return events
          activate()
          return [...events, event]
        },
      }))
    return [
      emitting('emits twice', (accepted, isDue) => accepted && isDue),
      emitting('emits though refused', (accepted) => !accepted),
      ...(when && alone === undefined
        ? [emitting('emits though nothing changes', (accepted, isDue) => accepted && !isDue)]
        : []),
      mutant(op, 'emits another in place of', event, (activate) => ({
        events: (events, at) => {
          if (at.id !== op.id || !events.includes(event)) return events
          activate()
          return events.map((one) => (one === event ? anotherThan(event) : one))
        },
      })),
    ]
  })

const kinds = [...new Set(operations.flatMap(({ emits = [] }) => emits.map(({ event }) => event)))]

const anotherThan = (event: string): string => kinds[(kinds.indexOf(event) + 1) % kinds.length] ?? event

/** Wrong in pages of one size alone, or in those that others follow. */
const somePages = (op: Operation): readonly Mutant[] => {
  if (op.reply.kind !== 'page') return []
  const edit = (
    what: string,
    isMeant: (body: Page, size: unknown) => boolean,
    change: (body: Page) => object,
  ): Mutant =>
    mutant(op, 'some pages', what, (activate) => ({
      body: (body, at, _before, _after, { facts }) => {
        const page = body as Page
        const { page_size: size } = facts.query as { readonly page_size?: unknown }
        if (at.id !== op.id || !Array.isArray(page?.data) || page.pages < 2 || !isMeant(page, size)) return body
        activate()
        return change(page)
      },
    }))
  const withoutFirst = (body: Page): object => ({ ...body, data: body.data.slice(1) })
  const isLast = ({ page, pages }: Page): boolean => page === pages
  return [
    edit('of the smallest size lack a record', (body, size) => size === 25 && isLast(body), withoutFirst),
    edit('of the standard size lack a record', (body, size) => size === undefined && isLast(body), withoutFirst),
    edit(
      'that fill up show a record twice',
      ({ page, pages }) => page < pages,
      (body) => ({ ...body, data: [...body.data.slice(0, -1), body.data[0]] }),
    ),
  ]
}

/** Shows what it showed before, and what there is, by turns. */
const waverings = (op: Operation): readonly Mutant[] =>
  op.method === 'GET' && (op.reply.kind === 'record' || op.reply.kind === 'page')
    ? [
        mutant(op, 'shows by turns', 'what was before', (activate) => {
          const shown = new Map<string, { readonly now: string; readonly before?: string }>()
          let count = 0
          return {
            body: (body, at, _before, _after, { facts, caller }) => {
              if (at.id !== op.id || errorsIn(body) !== undefined) return body
              const key = JSON.stringify([facts.path, facts.query, caller.token?.name])
              const now = JSON.stringify(body)
              const last = shown.get(key)
              if (last?.now !== now) shown.set(key, { now, ...(last && { before: last.now }) })
              const before = shown.get(key)?.before
              count += 1
              if (before === undefined || count % 2 === 1) return body
              activate()
              return JSON.parse(before)
            },
          }
        }),
      ]
    : []

/** Blames a member that is right. */
const misblames = (op: Operation): readonly Mutant[] =>
  Object.keys(op.body?.properties ?? {}).length > 1
    ? [
        mutant(op, 'blames a member that is right', '', (activate) => ({
          body: (body, at, _before, _after, { facts }) => {
            const errors = errorsIn(body) as readonly WireRecord[] | undefined
            if (at.id !== op.id || !errors) return body
            const sent = Object.keys(facts.body as object)
            const blamed = errors.map(({ field }) => String(field))
            const right = sent.find((name) => !blamed.some((field) => field.split(/[.[]/)[0] === name))
            if (right === undefined || blamed.every((field) => field === '')) return body
            activate()
            return { errors: errors.map((error) => (error.field ? { ...error, field: right } : error)) }
          },
        })),
      ]
    : []
