// Texts that no address can hold as they are, and addresses that encode nothing.
import { expect, test } from 'vitest'
import { outstanding, pathIn } from '../../driver/ledger.js'
import { createVault } from '../../driver/vault.js'
import { buildCall } from '../../history/calls.js'
import { operationById } from '../../models/index.js'
import type { Operation } from '../../models/language/operation.js'

test('half of a surrogate pair can be named in a path, as it can be shown in a reply', () => {
  const call = buildCall(operationById('tags.view') as Operation, { path: { tagLabel: 'a\ud800' } })
  expect([call.url, call.path]).toEqual(['/tags/a%EF%BF%BD', { tagLabel: 'a\ud800' }])
})

test('a secret with half of a surrogate pair is taken out of texts', () => {
  const vault = createVault(new Map())
  vault.hearOutcome({ status: 200, body: { secret_key: 'canary-\ud800-0123456789' } })
  expect(vault.text('its key is canary-\ud800-0123456789')).toBe('its key is «redacted»')
})

test('a line of a ledger whose address encodes nothing is read as it stands', () => {
  const line = { step: 1, kind: 'tags', operation: 'tags.delete', url: '/tags/100%' } as const
  expect(pathIn({ ...line, event: 'creating' })).toEqual({ tagLabel: '100%' })
  expect(
    outstanding([
      { ...line, event: 'created', key: '100%' },
      { ...line, event: 'removed' },
    ]),
  ).toEqual([])
})
