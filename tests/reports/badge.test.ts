import { DOMParser } from '@xmldom/xmldom'
import { expect, test } from 'vitest'
import { badge } from '../../reports/badge.js'
import { fold } from '../../reports/fold.js'
import { clean, hostile, sample } from './sample.js'

test.each([
  ['broken', sample, 'interface 4.175.0: nonconforming, 2 broken'],
  ['clean', clean, 'interface 4.175.0: conforms, 1 passed'],
])('the badge of a %s run tells the verdict and what it rests on', (_, lines, label) => {
  const svg = new DOMParser().parseFromString(badge(fold(lines)), 'image/svg+xml').documentElement
  expect(svg?.getAttribute('aria-label')).toBe(label)
})

test('whatever a target is called, its badge is well-formed', () => {
  const svg = new DOMParser().parseFromString(badge(fold(hostile)), 'image/svg+xml').documentElement
  expect(svg?.getElementsByTagName('script').length).toBe(0)
  expect(svg?.getElementsByTagName('title').length).toBe(1)
})
