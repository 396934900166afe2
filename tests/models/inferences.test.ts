// Inferences by kind: what follows in the same way from the same sentence, or from HTTP, has one level everywhere.
import { expect, test } from 'vitest'
import { allClauses } from '../../models/index.js'
import type { Clause } from '../../models/language/derive.js'

type Level = Clause['level']

interface Inference {
  readonly of: RegExp
  readonly level: Level
  /** Ids at another level, and the sentence that makes the difference. */
  readonly but?: Readonly<Record<string, Level>>
}

const said = 'must'

const inferences: Readonly<Record<string, Inference>> = {
  'a refused call changes nothing': {
    of: /\.refusal\.unchanged$/,
    level: 'should',
    // "otherwise the tag is not created"
    but: { 'tags.create.refusal.unchanged': said },
  },
  'a member of the wrong JSON type is refused': { of: /\.body\.[^ ]+\.type$/, level: 'should' },
  'a body that is no JSON is refused': { of: /\.body\.json$/, level: 'should' },
  'an id in a path names something that is there': { of: /\.path\.\w+\.exists$/, level: 'should' },
  'an id in a path is of its type': { of: /\.path\.\w+\.type$/, level: 'should' },
  'bounds of paging where no sentence gives them': {
    of: /^(?:buckets|clusters|object-keys|tags|tickets|ticket-replies)\.\w+\.query\.page(?:_size)?\.\w+$/,
    level: 'choice',
  },
  'a write on a volume needs read_write on it': {
    of: /^volumes\.(?:update|delete|resize|attach|detach)\.volume-grant$/,
    level: 'should',
    // "attach and detach need read_write permission on both the volume and the node"
    but: { 'volumes.attach.volume-grant': said, 'volumes.detach.volume-grant': said },
  },
  'a token under another scheme is refused': { of: /\.token\.scheme$/, level: 'should' },
  'what is unique may be given again to what has it': { of: /\.(?:own|same)-label$/, level: 'should' },
  'a secret is not shown': { of: /\.(?:password-hidden|no-secret|private-key-hidden)$/, level: 'should' },
  'a refusal has a 4xx status': { of: /\.refusal\.status$/, level: 'should' },
  'every error has a field': { of: /\.refusal\.field-present$/, level: 'should' },
  'what is not said of restricted users': { of: /\.restricted$/, level: 'choice' },
  'what is subject, credential or bucket of something else may be unknown': {
    of: /^(?:tickets|managed-services|object-keys)\.\w+\.body\..*\.exists$/,
    level: 'choice',
  },
}

test.each(Object.entries(inferences))('one level for: %s', (_, { of, level, but = {} }) => {
  const alike = allClauses().filter(({ id }) => of.test(id))
  expect(alike.length).toBeGreaterThan(0)
  const odd = alike.filter((clause) => clause.level !== (but[clause.id] ?? level))
  expect(odd.map((clause) => `${clause.level} ${clause.id}`)).toEqual([])
})
