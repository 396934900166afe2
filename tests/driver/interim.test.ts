import { expect, test } from 'vitest'
import { createFilter } from '../../driver/interim.js'

const reply = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}'

/** What is left of bytes that are read in pieces of a size. */
const left = (bytes: string, size: number): string => {
  const filter = createFilter()
  let text = ''
  for (let i = 0; i < bytes.length; i += size)
    text += filter(Buffer.from(bytes.slice(i, i + size)))?.toString('latin1') ?? ''
  return text
}

test.each([
  ['a 100 in one piece', 'HTTP/1.1 100 Continue\r\n\r\n', 1000],
  ['one whose end comes later', 'HTTP/1.1 100 Continue\r\nx: y\r\n\r\n', 20],
  ['two, the second of which is cut in its first line', 'HTTP/1.0 100 Continue\r\n\r\nHTTP/1.1 100\r\n\r\n', 34],
])('%s is left out', (_, interim, size) => {
  expect(left(interim + reply, size)).toBe(reply)
})

test.each([
  ['a final reply', reply, 1000],
  ['one whose body comes a byte at a time', `${reply.slice(0, -2)}"HTTP/1.1 100"`, 1],
  ['other interim replies', `HTTP/1.1 103 Early Hints\r\n\r\n${reply}`, 1000],
])('%s stays as it is', (_, bytes, size) => {
  expect(left(bytes, size)).toBe(bytes)
})

test('one that never ends is not kept for ever, and is handed on', () => {
  const filter = createFilter()
  const more = Buffer.alloc(1 << 16, 'a')
  expect(filter(Buffer.from('HTTP/1.1 100 Continue\r\nx: '))).toBeNull()
  expect(filter(more)?.length).toBeGreaterThan(more.length)
  expect(filter(more)?.equals(more)).toBe(true)
})
