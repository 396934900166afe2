// What an update without tags leaves of those of a volume or a firewall: what there was or nothing, and nothing else.
import { describe, expect, test } from 'vitest'
import { firewalls } from '../../models/firewalls/record.js'
import { patch } from '../../models/language/changes.js'
import type { World } from '../../models/language/world.js'
import { volumes } from '../../models/volumes/record.js'
import { findingsOf, leaves, replies } from './faulty.js'

interface Updating {
  readonly refs: Readonly<Record<string, { readonly key: string }>>
}

const clearing = {
  'volumes.update': leaves('volumes.update', (after: World, _, { refs }: Updating) =>
    patch(after, volumes, refs.volumeId?.key ?? '', { tags: [] }),
  ),
  'firewalls.update': leaves('firewalls.update', (after: World, _, { refs }: Updating) =>
    patch(after, firewalls, refs.firewallId?.key ?? '', { tags: [] }),
  ),
}

describe.each(['volumes.update', 'firewalls.update'] as const)('%s', (id) => {
  const clause = `${id}.adds-no-tags`

  test('a target with which a tag comes back breaks it', async () => {
    const fault = replies(id, (record) => ({ ...record, tags: [...(record.tags as readonly string[]), 'back-again'] }))
    expect(await findingsOf(clause, fault)).toContain(clause)
  })

  test('a target that keeps the tags, or clears them, does not', async () => {
    expect(await findingsOf(clause, {})).toEqual([])
    expect(await findingsOf(clause, clearing[id])).toEqual([])
  })
})
