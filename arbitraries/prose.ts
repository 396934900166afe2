// Free text as people write it, in many scripts, by faker from a seed: the same number always gives the same text.
import type { Faker } from '@faker-js/faker'

/** Texts of at most so many characters; equal numbers give equal texts. */
export interface Prose {
  /** Printable ASCII on one line, blank at neither end. */
  readonly plain: (n: number, most: number) => string
  /** In any script, on one line, and equal in every Unicode normal form, so that a target that normalises shows it unchanged. */
  readonly any: (n: number, most: number) => string
}

/** One locale for each script: left to right and right to left, with and without blanks. */
const scripts = {
  arabic: () => import('@faker-js/faker/locale/ar'),
  armenian: () => import('@faker-js/faker/locale/hy'),
  chinese: () => import('@faker-js/faker/locale/zh_CN'),
  cyrillic: () => import('@faker-js/faker/locale/ru'),
  georgian: () => import('@faker-js/faker/locale/ka_GE'),
  greek: () => import('@faker-js/faker/locale/el'),
  hebrew: () => import('@faker-js/faker/locale/he'),
  japanese: () => import('@faker-js/faker/locale/ja'),
  thai: () => import('@faker-js/faker/locale/th'),
}

/** An instance of one's own: the package's are shared with whoever else uses it. Its index would load every locale. */
const ownOf = ({ faker }: { readonly faker: Faker }): Faker =>
  new (faker.constructor as new (options: { readonly locale: Faker['rawDefinitions'] }) => Faker)({
    locale: faker.rawDefinitions,
  })

/** Loads what is needed; nothing is loaded before. */
export const openProse = async (seed: number): Promise<Prose> => {
  const [english, ...others] = (
    await Promise.all([import('@faker-js/faker/locale/en'), ...Object.values(scripts).map((load) => load())])
  ).map(ownOf) as [Faker, ...Faker[]]
  return {
    plain: (n, most) => {
      english.seed([seed, n])
      return fitting(writings(english, n).filter(isPrintable), most)
    },
    any: (n, most) => {
      const faker = others[n % others.length] as Faker
      faker.seed([seed, n])
      return fitting(writings(faker, n).filter(isStable), most)
    },
  }
}

/** One text in so many is long, the others are some names and a sentence. */
const longOneIn = 16
const most = { names: 3, sentences: 30 }

const writings = ({ person, lorem }: Faker, n: number): readonly string[] => {
  const count = n % longOneIn === longOneIn - 1 ? most.sentences : 1
  const names = Array.from({ length: most.names }, () => person.fullName())
  return [...names, ...Array.from({ length: count }, () => lorem.sentence(4))].join(' ').split(/\s+/)
}

const isPrintable = (word: string): boolean => /^[!-~]+$/.test(word)

const isStable = (word: string): boolean =>
  /^(?=.*[^ -~])[\p{L}\p{P}\p{N}]+$/u.test(word) &&
  ['NFC', 'NFD', 'NFKC', 'NFKD'].every((form) => word.normalize(form) === word)

/** As many words as there is room for; part of the first where that is too long. */
const fitting = (words: readonly string[], most: number): string => {
  const [first = '語'] = words
  let text = [...first].slice(0, most).join('')
  for (const word of words.slice(1)) {
    if (text.length + 1 + word.length > most) break
    text += ` ${word}`
  }
  return text
}
