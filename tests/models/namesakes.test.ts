// Two resources of one name: a target that removes both when one is removed is found by the program that makes two.
import { expect, test } from 'vitest'
import { drop, patch } from '../../models/language/changes.js'
import type { Operation } from '../../models/language/operation.js'
import { type AnyEntity, find, live, type Table, type World } from '../../models/language/world.js'
import { contacts } from '../../models/managed-contacts/record.js'
import { objectKeys } from '../../models/object-keys/record.js'
import { volumes } from '../../models/volumes/record.js'
import type { Fault } from '../../reference/handler.js'
import { findingsOf, instead, leaves, refuses } from './faulty.js'

interface Removal {
  readonly world: World
  readonly refs: Readonly<Record<string, AnyEntity>>
}

/** Removes everything that has the name of what is removed. */
const byName = (resource: string, table: Table<never>, param: string, member: string): Fault => ({
  ...instead(`${resource}.delete`, () => ({
    apply: (({ world, refs }: Removal) =>
      live(world, table)
        .map((one) => one as unknown as AnyEntity)
        .filter((one) => one[member] === refs[param]?.[member])
        .reduce((before, { key }) => drop(before, table, key), world)) as unknown as NonNullable<Operation['apply']>,
  })),
})

test.each([
  ['object-keys', 'label-reused', objectKeys, 'keyId', 'label'],
  ['volumes', 'label-reused', volumes, 'volumeId', 'label'],
  ['managed-contacts', 'same-again', contacts, 'contactId', 'name'],
] as const)('%s: one is not removed with another of its name', async (resource, slug, table, param, member) => {
  const clause = `${resource}.create.${slug}`
  expect(await findingsOf(clause, {})).toEqual([])
  expect(await findingsOf(clause, byName(resource, table as never, param, member))).toContain(
    `${resource}.view.accepts`,
  )
})

interface Renaming {
  readonly path: Readonly<Record<string, string>>
  readonly body: Readonly<Record<string, unknown>>
}

test.each([
  ['object-keys', 'label-reused', objectKeys, 'keyId', 'label'],
  ['volumes', 'label-reused', volumes, 'volumeId', 'label'],
  ['managed-contacts', 'same-again', contacts, 'contactId', 'name'],
] as const)('%s: one is not renamed with another of its name', async (resource, slug, table, param, member) => {
  const all = leaves(`${resource}.update`, (after, before, { path, body }: Renaming) =>
    (live(before, table as never) as readonly AnyEntity[])
      .filter((one) => one[member] === find(before, table as Table<object>, path[param] ?? '')?.[member as never])
      .reduce<World>((world, { key }) => patch(world, table as Table<object>, key, { [member]: body[member] }), after),
  )
  expect(await findingsOf(`${resource}.create.${slug}`, all)).toContain(`${resource}.view.shows.${member}`)
})

test('a target that takes no name twice is asked no more', async () => {
  const taken = refuses('object-keys.create', ({ world, body }: { world: World; body: { label?: string } }) =>
    live(world, objectKeys).some(({ label }) => label === body.label),
  )
  expect(await findingsOf('object-keys.create.label-reused', taken)).toEqual([])
})
