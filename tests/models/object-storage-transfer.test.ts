import { expect, test } from 'vitest'
import { conversation, refusal, told } from './conversation.js'

test.each([
  ['an object of whatever members', { used: 1, quota: null }, []],
  ['a bare number', 12, ['should object-storage-transfer.view.record']],
  ['a list', [], ['should object-storage-transfer.view.record']],
])('a transfer shown as %s is judged', (_, body, findings) => {
  expect(told(conversation().hear('object-storage-transfer.view', {}, body))).toEqual(findings)
})

test('the transfer of a debtor must be shown as well, that of a restricted user need not', () => {
  const asked = (as: string) => told(conversation().hear('object-storage-transfer.view', { as }, refusal(), 403))
  expect(asked('debtor')).toContain('must object-storage-transfer.view.accepts')
  expect(asked('limited')).toEqual([])
})
