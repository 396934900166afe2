// Tests of the translation between the document's words and a target's.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ambiguityIn, createVocabulary, type Vocabulary } from '../../config/vocabulary.js'
import { documentWords } from '../../models/words.js'
import { seed } from '../seed.js'

const vocabulary = createVocabulary({
  node: 'instance',
  nodes: 'instances',
  node_id: 'instance_id',
  type: 'kind',
}) as Vocabulary

test('without words there is nothing to translate', () => {
  expect(createVocabulary({})).toBeUndefined()
})

describe('outward', () => {
  test.each([
    ['a member', { node_id: 7 }, { instance_id: 7 }],
    ['a member inside others', { devices: [{ nodes: [1] }] }, { devices: [{ instances: [1] }] }],
    ['a kind', { type: 'node', service_type: 'node' }, { kind: 'instance', service_type: 'instance' }],
    ['a kind inside an entity', { entity: { type: 'node' } }, { entity: { kind: 'instance' } }],
  ])('%s is spelled as the target spells it', (_, ours, theirs) => {
    expect(vocabulary.body(ours)).toEqual(theirs)
    expect(vocabulary.reply(theirs)).toEqual(ours)
  })

  test.each([
    ['a part of a word', { node_label: 'node', nodeId: 1 }],
    ['text that is no kind', { label: 'node', tags: ['node'], summary: 'node_id' }],
    ['what is no object', 'node'],
    ['null', null],
  ])('%s stays', (_, body) => {
    expect(vocabulary.body(body)).toEqual(body)
    expect(vocabulary.reply(body)).toEqual(body)
  })

  test.each([
    ['/volumes?node_id=node&x=1', '/volumes?instance_id=node&x=1'],
    ['/nodes/node', '/nodes/node'],
    ['/tags/a%20b?label=a+b%26', '/tags/a%20b?label=a+b%26'],
  ])('%s is sent as %s', (ours, theirs) => {
    expect(vocabulary.url(ours)).toBe(theirs)
  })
})

describe('inward', () => {
  test.each([
    ['instance_id', 'node_id'],
    ['devices.instances[0].kind', 'devices.nodes[0].type'],
    ['devices[instances][0]', 'devices[nodes][0]'],
    ['instance_id_2', 'instance_id_2'],
  ])('an error about %s is about %s', (theirs, ours) => {
    const reason = 'instance_id is missing'
    expect(vocabulary.reply({ errors: [{ field: theirs, reason }, null, 'instance_id'] })).toEqual({
      errors: [{ field: ours, reason }, null, 'instance_id'],
    })
  })

  test("the target's own spelling wins over ours beside it, in either order", () => {
    expect(vocabulary.reply({ node_id: 1, instance_id: 2 })).toEqual({ node_id: 2 })
    expect(vocabulary.reply({ instance_id: 2, node_id: 1 })).toEqual({ node_id: 2 })
  })

  test('a member called __proto__ is a member', () => {
    const body = JSON.parse('{"__proto__":{"instance_id":1}}')
    expect(JSON.stringify(vocabulary.reply(body))).toBe('{"__proto__":{"node_id":1}}')
  })
})

test('a value is spelled as the target spells it in that member, and otherwise as it is', () => {
  const { value } = createVocabulary({ values: { status: { active: 'ready' } } }) as Vocabulary
  const spelled = [value('status', 'active'), value('status', 'creating'), value('state', 'active')]
  expect(spelled).toEqual(['ready', 'creating', 'active'])
})

test("a client of the target is refused in the target's words", () => {
  const refused = (field: string) => ({ errors: [{ field, reason: 'no' }] })
  expect(vocabulary.serving.reply(refused('devices.nodes[0].type'))).toEqual(refused('devices.instances[0].kind'))
})

test('words that change places do so without loss', () => {
  const swapped = createVocabulary({ a: 'b', b: 'a' }) as Vocabulary
  expect(swapped.body({ a: 1, b: 2 })).toEqual({ b: 1, a: 2 })
})

test('what goes out comes back', () => {
  const word = fc.constantFrom('node', 'nodes', 'node_id', 'type', 'label', 'errors', 'field')
  const { body } = fc.letrec((tie) => ({
    body: fc.oneof({ maxDepth: 4 }, word, fc.integer(), fc.array(tie('body')), fc.dictionary(word, tie('body'))),
  }))
  fc.assert(
    fc.property(body, (given) => {
      fc.pre(!JSON.stringify(given).includes('"field":'))
      expect(vocabulary.reply(vocabulary.body(given))).toEqual(given)
    }),
    { seed },
  )
})

describe('a word that could mean two things', () => {
  const said = (file: Parameters<typeof ambiguityIn>[0]) => ambiguityIn(file, documentWords())

  test.each([
    [
      'that of another member',
      { label: 'name' },
      '"name" for "label", while "name" of the document is spelled so as well',
    ],
    ['given twice', { node_id: 'server', region: 'server' }, '"server" for "node_id", while "region"'],
  ])('is %s', (_, file, text) => {
    expect(said(file)).toContain(text)
  })

  test.each([
    ['is spelled otherwise itself', { label: 'name', name: 'title' }],
    ['trades places', { label: 'name', name: 'label' }],
    ['stays as it is', { label: 'label' }],
    ['is of another group', { segments: { volumes: 'label' }, node_id: 'server_id' }],
  ])('is none where the other one %s', (_, file) => {
    expect(said(file)).toBeUndefined()
  })
})
