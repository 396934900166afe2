import { expect, test, vi } from 'vitest'
import { positiveNumber, readFlags, shareOf, wholeNumber } from '../../scripts/flags.js'

const usage = 'usage: npm run it -- [prefix]'

/** What comes of reading those arguments: what was read, or how the process would end and what it would say. */
const reading = (
  args: readonly string[],
  read: (flags: ReturnType<typeof readIt>) => unknown = ({ values, positionals }) => [{ ...values }, positionals],
) => {
  const said = { out: '', err: '' }
  const hear = (name: 'out' | 'err') => (text: unknown) => {
    said[name] += String(text)
    return true
  }
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(hear('out')),
    vi.spyOn(process.stderr, 'write').mockImplementation(hear('err')),
    vi.spyOn(process, 'exit').mockImplementation((code) => {
      throw code
    }),
  ]
  const { argv } = process
  process.argv = ['node', 'it.js', ...args]
  try {
    return read(readIt())
  } catch (code) {
    return [code, said]
  } finally {
    process.argv = argv
    for (const spy of spies) spy.mockRestore()
  }
}

const readIt = () => readFlags(usage, { hands: { type: 'string', default: '2' } }, 1)

test('a script asked for help prints its usage and ends with 0', () => {
  expect(reading(['--help'])).toEqual([0, { out: `${usage}\n`, err: '' }])
})

test.each([
  [['--nope'], "Unknown option '--nope'"],
  [['--hands'], "Option '--hands <value>' argument missing"],
  [['tags', 'volumes'], '"volumes" is one argument too many'],
])('%j ends with 2, says what is wrong and how it is used', (args, text) => {
  expect(reading(args)).toEqual([2, { out: '', err: `${text}\n\n${usage}\n` }])
})

test('what is known is read', () => {
  expect(reading(['tags', '--hands', '3'])).toEqual([{ hands: '3' }, ['tags']])
})

test('what is no number, or no share, ends with 2 and not with nothing done', () => {
  expect(reading([], ({ refuse }) => wholeNumber('many', 'times', refuse))).toEqual([
    2,
    { out: '', err: `times: expected a whole number, received "many"\n\n${usage}\n` },
  ])
  expect(reading([], ({ refuse }) => shareOf('3', '--sample', refuse))).toMatchObject([2, { out: '' }])
  expect(reading([], ({ refuse }) => shareOf('3/10', '--sample', refuse))).toEqual([3, 10])
})

test('what has to be 1 or more is not 0', () => {
  const hands = (text: string) => reading([], ({ refuse }) => positiveNumber(text, '--hands', refuse))
  expect(hands('0')).toEqual([2, { out: '', err: `--hands: expected 1 or more, received 0\n\n${usage}\n` }])
  expect(hands('many')).toMatchObject([2, { out: '' }])
  expect(hands('3')).toBe(3)
})
