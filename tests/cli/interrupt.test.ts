// What signals do to a command, on a clock and with signals of the test's own.
import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { onInterrupt } from '../../cli/interrupt.js'

const listening = (hangUp = false) => {
  const source = new EventEmitter()
  const seen: string[] = []
  let ms = 0
  const interrupt = onInterrupt(() => void seen.push('end'), {
    hangUp,
    source: source as unknown as NodeJS.Process,
    now: () => ms,
    exit: (code) => void seen.push(`exit ${code}`),
  })
  const at = (time: number, signal: string): boolean => {
    ms = time
    return source.emit(signal)
  }
  return { at, seen, interrupt, source }
}

test('one Ctrl-C that comes twice, from the terminal and from npx, is one', () => {
  const { at, seen, interrupt } = listening()
  expect(interrupt.came()).toBe(false)
  at(5, 'SIGINT')
  at(55, 'SIGINT')
  at(1004, 'SIGTERM')
  expect(seen).toEqual(['end'])
  expect(interrupt.came()).toBe(true)
})

test.each(['SIGINT', 'SIGTERM'])('a later %s ends the command at once', (signal) => {
  const { at, seen } = listening()
  at(5, 'SIGINT')
  at(1005, signal)
  expect(seen).toEqual(['end', 'exit 130'])
})

test('a terminal that goes ends only the command that has things to remove', () => {
  expect(listening().at(5, 'SIGHUP')).toBe(false)
  const { at, seen } = listening(true)
  at(5, 'SIGHUP')
  expect(seen).toEqual(['end'])
})

test("signals that are given back are nobody's", () => {
  const { at, seen, interrupt, source } = listening(true)
  interrupt.release()
  expect(source.eventNames()).toEqual([])
  at(5, 'SIGINT')
  expect(seen).toEqual([])
})
