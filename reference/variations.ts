// Legal ways in which the embedded target can differ from its plain self, by name; none of them is a fault.

import type { EmbeddedOptions } from './embedded.js'
import { plainVariation, type Variation } from './handler.js'

type Options = Pick<EmbeddedOptions, 'variation' | 'restAfter' | 'randomIds'>

/** What a variation does, and how. */
export interface NamedVariation {
  readonly text: string
  readonly options: Options
}

const one = (text: string, variation: Partial<Variation>): NamedVariation => ({ text, options: { variation } })

const named = {
  'all-422': one('every refusal has the status 422', { refusalStatus: () => 422 }),
  'hidden-403': one('404 where another would say 403', {
    refusalStatus: (due) => {
      const status = plainVariation.refusalStatus(due)
      return status === 403 ? 404 : status
    },
  }),
  'dotted-fields': one('field is a path with dots: rules.inbound', { fieldStyle: 'dotted' }),
  'bracketed-fields': one('field is a path with brackets: rules[inbound]', { fieldStyle: 'brackets' }),
  'all-errors': one('a refusal tells every cause at once', { allErrors: true }),
  'omitted-field': one('an error has no field where no member is to blame (at most a should)', { omitField: true }),
  descending: one('lists run the other way round', { descending: true }),
  'random-ids': { text: 'ids have gaps between them', options: { randomIds: true } },
  'ids-by-account': one('each account counts its resources anew, but for volumes', { idsByAccount: true }),
  'ids-again': one('what is made has the lowest id that nothing has', { idsAgain: true }),
  'extra-fields': one('replies carry more than is shown', { extraFields: true }),
  strict: one('refuses wherever the document is silent', { strict: true }),
  bare: one('records that are not shown have only what none can leave out', { bare: true }),
  'dates-with-milliseconds': one('dates end with milliseconds and Z: 2026-01-01T00:00:00.000Z', {
    dates: 'milliseconds',
  }),
  'dates-with-zone': one('dates end with Z: 2026-01-01T00:00:00Z', { dates: 'zone' }),
  otherwise: one('an IPv6 range is shown with its prefix length', { otherwise: true }),
  'wordy-reasons': one('reasons repeat what the document requires', { reasons: 'requirement' }),
  'zero-pages': one('an empty collection has 0 pages', { emptyPages: 0 }),
  trailing: one('the replies to an attachment and a resize show the volume as it was, that to a creation no node', {
    trailing: true,
  }),
  'created-201': one('what is created is answered 201', { createdStatus: 201 }),
  'slow-rest': { text: 'what was changed comes to rest after 25 further calls', options: { restAfter: 25 } },
  'instant-rest': { text: 'what was changed is at rest with the next call', options: { restAfter: 0 } },
} as const satisfies Readonly<Record<string, NamedVariation>>

export type VariationName = keyof typeof named | 'everything'

const together: readonly (keyof typeof named)[] = [
  'all-422',
  'bracketed-fields',
  'all-errors',
  'omitted-field',
  'descending',
  'random-ids',
  'ids-by-account',
  'extra-fields',
  'strict',
  'bare',
  'dates-with-milliseconds',
  'otherwise',
  'wordy-reasons',
  'zero-pages',
  'trailing',
  'created-201',
  'slow-rest',
]

/** The options of several variations in one; where they differ about the same thing, the last one counts. */
export const combined = (all: readonly Options[]): Options => ({
  ...Object.assign({}, ...all),
  variation: Object.assign({}, ...all.map(({ variation }) => variation)),
})

/** By name, with a line of text each. */
export const namedVariations: Readonly<Record<VariationName, NamedVariation>> = {
  ...named,
  everything: {
    text: `${together.join(', ')}: all that go together`,
    options: combined(together.map((name) => named[name].options)),
  },
}

export const variationNames = Object.keys(namedVariations) as readonly VariationName[]

/** By name, as options of the embedded target. */
export const variations = Object.fromEntries(
  variationNames.map((name) => [name, namedVariations[name].options]),
) as Readonly<Record<VariationName, Options>>

/** The first two names that say different things about the same matter, and the matter. */
export const conflictAmong = (names: readonly VariationName[]): readonly [string, string, string] | undefined => {
  const said = new Map<string, { readonly by: string; readonly value: unknown }>()
  for (const name of names) {
    const { variation, ...others } = variations[name]
    for (const [matter, value] of Object.entries({ ...variation, ...others })) {
      const before = said.get(matter)
      if (before && before.value !== value) return [before.by, name, matter]
      said.set(matter, { by: name, value })
    }
  }
  return undefined
}
