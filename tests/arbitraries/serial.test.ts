// Names that a run gives, and names that people give after it.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isNameOfRun, nameOfRun, tagOfRun } from '../../arbitraries/serial.js'
import { seed } from '../seed.js'

const nonce = 'ts-00abc7l'
const words = fc.stringMatching(/^[a-z]{1,9}$/)
const whatever = fc.oneof(fc.constantFrom('', ': a text', ' Ä', '_B.C', '-keep', '.txt', '9', 'x9z'), words)

test('what a run named is known by its name, whatever follows it, and by no other run', () => {
  fc.assert(
    fc.property(fc.nat(500_000), words, whatever, (n, word, rest) => {
      const names = [nameOfRun(nonce, n), tagOfRun(nonce, word)]
      expect(names.map((name) => isNameOfRun(nonce, name + rest))).toEqual([true, true])
      expect(names.map((name) => isNameOfRun('ts-00abc', name + rest))).toEqual([false, false])
    }),
    { seed },
  )
})

test('what people name after a run, by words or by numbers, is no name of the run', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(words, fc.nat(9999).map(String)), { minLength: 1, maxLength: 4 }), (parts) => {
      const said = ['', 'tag-'].map((start) => start + parts.join('-'))
      expect(said.filter((one) => isNameOfRun(nonce, `${nonce}-${one}`))).toEqual([])
    }),
    { seed },
  )
})

test('no two names of a run are the same', () => {
  expect(new Set(Array.from({ length: 30_000 }, (_, n) => nameOfRun(nonce, n))).size).toBe(30_000)
})
