import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { curlFile, fileSlug, findingFile } from '../../reports/names.js'
import { seed } from '../seed.js'

describe('the file name of a finding', () => {
  it('is its id where that is a file name', () => {
    expect(findingFile('volumes.resize.only-up')).toBe('findings/volumes.resize.only-up.json')
    expect(curlFile('volumes.resize.only-up')).toBe('findings/volumes.resize.only-up.curl.sh')
  })

  it('never leaves its folder, and is one that any file system takes', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.constantFrom('../../etc/passwd', '..', '', 'con', 'a/b', '.x', '-rf'),
        ),
        (id) => {
          expect(fileSlug(id)).toMatch(/^[A-Za-z0-9_][A-Za-z0-9._-]{0,110}$/)
          expect(fileSlug(id)).not.toMatch(/\.\.|^(con|nul|aux|prn)(\.|$)/i)
        },
      ),
      { seed },
    )
  })

  it('differs for ids that differ only in what a file name can not hold, in case, or beyond its length', () => {
    const long = 'x'.repeat(200)
    const ids = ['a:b', 'a;b', 'a-b', 'A-b', 'a b', '', '.', '..', `${long}1`, `${long}2`, 'labels[].max', 'labels.max']
    expect(new Set(ids.map((id) => fileSlug(id).toLowerCase())).size).toBe(ids.length)
  })
})
