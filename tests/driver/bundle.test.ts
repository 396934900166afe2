// Which programs are run as one.
import { expect, test } from 'vitest'
import { probeFor } from '../../arbitraries/probes.js'
import { bundleKey } from '../../driver/bundle.js'
import { operationById } from '../../models/index.js'
import { clausesOf } from '../../models/language/derive.js'
import type { Operation } from '../../models/language/operation.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { inProcess } from '../../reference/in-process.js'

const { session } = inProcess({ environment: embeddedEnvironment() })

const keyOf = (id: string): string | undefined => {
  const operation = id.split('.').slice(0, 2).join('.')
  const clause = clausesOf(operationById(operation) as Operation).find((one) => one.id === id)
  const probe = clause && probeFor(clause, session.context)
  if (!clause || probe?.kind !== 'program') throw new Error(`no program of ${id}`)
  return bundleKey(clause, probe.program, session.context.nonce)
}

test('Programs that end in the same call which cannot be taken back make it once, after all that is refused', () => {
  const key = keyOf('object-storage.cancel.token')
  expect(key).toBeDefined()
  expect(keyOf('object-storage.cancel.token.scheme')).toBe(key)
  expect(keyOf('object-storage.cancel.scope.object_storage-read_write')).not.toBe(key)
})
