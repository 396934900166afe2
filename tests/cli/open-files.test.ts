// A limit on open files under which nothing goes is told with what to do.
import { expect, test } from 'vitest'
import { endingOf } from '../../cli/errors.js'
import { tooFewFiles } from '../../cli/open-files.js'

const limitedTo = (most: number) => {
  const files = new Set<number>()
  const open = (): number => {
    if (files.size >= most) throw Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' })
    files.add(files.size)
    return files.size - 1
  }
  const close = (file: number): void => void files.delete(file)
  return { files, open, close }
}

test('a process that may open few files is told to raise its limit, and keeps none of them open', () => {
  const few = limitedTo(7)
  expect(tooFewFiles('any', few)).toBe(
    'this process may open 7 more files, and needs at least 40: raise the limit on open files, as by ulimit -n 1024, then run it again',
  )
  expect(few.files.size).toBe(0)
})

test('one that may open many goes on, and keeps none of them open', () => {
  const many = limitedTo(200)
  expect(tooFewFiles('any', many)).toBe(undefined)
  expect(many.files.size).toBe(0)
})

test('running out of files later is a matter of the limit, and no defect of the suite', () => {
  const error = Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE', syscall: 'open', path: '/x' })
  expect(endingOf(error, false)).toEqual({
    exitCode: 2,
    message:
      'touchstone: too many files are open at a time: raise the limit on open files, as by ulimit -n 1024, then run it again',
  })
})
