// What a target makes by itself, on an account that nobody else uses.
import { expect, test } from 'vitest'
import { pageOf, told } from '../models/stories.js'

test.each([
  ['bears no name of the run, so that no call of it made this', { id: 3, label: 'default' }, 'should'],
  ['bears a name of the run', { id: 3, label: 'ts-n1-a' }, 'must'],
  ['bears such a name in capitals', { id: 3, label: 'TS-N1-a' }, 'must'],
  ['tells no name', { id: 3 }, 'must'],
])('a key that nothing made %s', (_, record, level) =>
  expect(
    told([['object-keys.list', {}, 200, pageOf(record)]], { closed: ['object-keys'], nonce: 'ts-n1' }).deviations,
  ).toEqual([`${level} object-keys.list.only-live`]),
)
