// Sequences of writes on the embedded target, and on targets that are right once and alone, and wrong again or beside others.
import { expect, test } from 'vitest'
import { planProgram } from '../../arbitraries/plan.js'
import { everyPair, sequences } from '../../arbitraries/sequences.js'
import { undisturbed } from '../../driver/disturbed.js'
import { runProgram } from '../../driver/programs.js'
import { survey } from '../../driver/survey.js'
import { buckets } from '../../models/buckets/record.js'
import { firewalls } from '../../models/firewalls/record.js'
import { operationById } from '../../models/index.js'
import { drop, patch } from '../../models/language/changes.js'
import type { Operation } from '../../models/language/operation.js'
import { find, gone, live, type World } from '../../models/language/world.js'
import { credentials } from '../../models/managed-credentials/record.js'
import { services } from '../../models/managed-services/record.js'
import { objectKeys } from '../../models/object-keys/record.js'
import { volumes } from '../../models/volumes/record.js'
import type { EmbeddedOptions } from '../../reference/embedded.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { inProcess } from '../../reference/in-process.js'
import { secondOrderOf } from '../../reference/mutants/second-order.js'
import { type VariationName, variations } from '../../reference/variations.js'
import { partOf } from '../parts.js'
import { leaves, spares } from './faulty.js'

const found = async (name: string, options: Partial<EmbeddedOptions>): Promise<readonly string[]> => {
  const { session } = inProcess({ environment: embeddedEnvironment(), ...options })
  await survey(session)
  const sequence = sequences().find((one) => one.name === name)
  if (!sequence) throw new Error(`no sequence ${name}`)
  const { findings, untested } = await undisturbed(() => {
    const program = planProgram(name, session.context, sequence.write)
    expect(program.missing).toEqual([])
    return runProgram(session, program)
  })
  return [
    ...findings.filter(({ level }) => level === 'must').map(({ clause }) => clause),
    ...(untested ? [untested] : []),
  ]
}

test.each([1, 2, 3, 5])('a row of %i numbers has every pair of them, and each again after all others', (count) => {
  const row = everyPair(count)
  const pairs = row.slice(1).map((after, i) => `${row[i]} ${after}`)
  expect(new Set(pairs).size).toBe(count * count)
  expect(row).toHaveLength(Math.max(3, count * count + count))
  for (const each of new Set(row))
    expect(new Set(row.slice(row.indexOf(each), row.lastIndexOf(each) + 1)).size).toBe(count)
})

test.each(sequences().map(({ name }) => name))('%s, as the document has it', async (name) => {
  expect(await found(name, {})).toEqual([])
})

const odd: readonly VariationName[] = ['descending', 'ids-by-account', 'slow-rest', 'bare']
test.each(partOf(odd, 4))('no sequence finds anything on a target that is %s', async (variation) => {
  for (const { name } of sequences()) expect(await found(name, variations[variation])).toEqual([])
})

const faults: readonly (readonly [sequence: string, mutant: string])[] = [
  ['writes on volumes', 'volumes.update: loses its effect the second time'],
  ['writes on volumes', 'volumes.update: clears node_id'],
  ['writes on volumes', 'volumes.resize: puts back what was before volumes.update'],
  ['writes on firewalls', 'firewalls.update: loses its effect from the third time on'],
  ['writes on firewalls', 'firewall-rules.update: reaches the oldest other'],
  ['writes on buckets', 'bucket-access.update: puts back what was before bucket-access.allow'],
  ['writes on buckets', 'buckets.create: takes up what was deleted'],
  ['writes on managed-services', "managed-services.update: reaches another account's"],
  ['writes on managed-services', 'managed-services.enable: clears notes'],
  ['writes on managed-contacts', 'managed-contacts.delete: reaches the newest other'],
  ['writes on object-keys', "object-keys.delete: reaches another account's"],
  ['writes on object-keys', 'object-keys.update: loses its effect from the third time on'],
  ['writes on managed-contacts', 'managed-contacts.update: puts back what it was made with'],
  ['writes on managed-services', 'managed-services.view: shows by turns what was before'],
]

test.each(partOf(faults, 3))('%s find %s', async (sequence, id) => {
  const op = operationById(id.slice(0, id.indexOf(':'))) as Operation
  const mutant = secondOrderOf(op).find((one) => one.id === id)
  if (!mutant) throw new Error(`no mutant ${id}; there are ${secondOrderOf(op).map((one) => one.id)}`)
  const { fault, activations } = mutant.arm()
  expect(await found(sequence, { fault })).not.toEqual([])
  expect(activations()).toBeGreaterThan(0)
})

test('what is not emptied is found', async () => {
  const keeps = leaves('managed-services.update', (after, before, { path, body }: Emptying) =>
    body.credentials?.length === 0
      ? patch(after, services, path.serviceId, {
          credentials: find(before, services, path.serviceId)?.credentials ?? [],
        })
      : after,
  )
  expect(await found('writes on managed-services', { fault: keeps })).toContain(
    'managed-services.update.shows.credentials',
  )
})

interface Emptying {
  readonly path: { readonly serviceId: string }
  readonly body: { readonly credentials?: readonly number[] }
}

test('what is not removed after a change of it is found', async () => {
  const stays = leaves('firewalls.delete', (after, before, { path }: Removing) =>
    find(before, firewalls, path.firewallId)?.status === 'disabled' ? before : after,
  )
  expect(await found('firewalls.update, then firewalls.delete', { fault: stays })).toContain('firewalls.list.only-live')
})

test('what is left of something that was removed shows on another of its name', async () => {
  const keeps = leaves('buckets.create', (after, before, { body }: Naming) => {
    const key = `${body.cluster}/${body.label}`
    const left = gone(before, buckets, key)?.entity.certificate === true
    return left ? patch(after, buckets, key, { certificate: true }) : after
  })
  expect(await found('writes on buckets', { fault: keeps })).toContain('bucket-certificates.view.none-at-first')
})

test('what a copy of a copy has by default, and not as the first one has it, is found', async () => {
  const resets = leaves('volumes.clone', (after, before, { path, made }: Cloning) =>
    find(before, volumes, path.volumeId)?.since?.label?.by === 'volumes.clone'
      ? patch(after, volumes, made, { size: 20 })
      : after,
  )
  expect(await found('volumes.clone of what it made', { fault: resets })).toContain('volumes.clone.same-size')
})

interface Cloning {
  readonly path: { readonly volumeId: string }
  readonly made: string
}

interface Naming {
  readonly body: { readonly cluster: string; readonly label: string }
}

interface Removing {
  readonly path: { readonly firewallId: string }
}

test('what reaches all that are alike but for their names shows on a bystander', async () => {
  const renamesAlike = leaves('object-keys.update', (after, before, { path, body }: Renaming) => {
    const access = JSON.stringify(find(before, objectKeys, path.keyId)?.access)
    return live(after, objectKeys)
      .filter((key) => body.label !== undefined && JSON.stringify(key.access) === access)
      .reduce<World>((world, { key }) => patch(world, objectKeys, key, { label: body.label as string }), after)
  })
  expect(await found('writes on object-keys', { fault: renamesAlike })).toContain('object-keys.list.shows.label')
})

test('what removes all that are alike but for their names shows on those that stay', async () => {
  const removesAlike = leaves('managed-services.delete', (after, before, { path }: Deleting) =>
    live(after, services)
      .filter(({ address }) => address === find(before, services, path.serviceId)?.address)
      .reduce<World>((world, { key }) => drop(world, services, key), after),
  )
  expect(await found('writes on managed-services', { fault: removesAlike })).toContain('managed-services.list.complete')
})

test('what changes all that names a resource shows on what does', async () => {
  const forgets = leaves('managed-credentials.update', (after, _, { path }: Changing) =>
    live(after, services)
      .filter(({ credentials }) => credentials?.includes(Number(path.credentialId)))
      .reduce<World>((world, { key }) => patch(world, services, key, { credentials: [] }), after),
  )
  expect(await found('writes on managed-credentials', { fault: forgets })).toContain(
    'managed-services.view.shows.credentials',
  )
})

interface Changing {
  readonly path: { readonly credentialId: string }
}

test('what removes all that have a name in common which may be left out shows on those that stay', async () => {
  const removesAlike = leaves('managed-credentials.revoke', (after, before, { path }: Changing) => {
    const { username } = find(before, credentials, path.credentialId) ?? {}
    return live(after, credentials)
      .filter((one) => username !== undefined && one.username === username)
      .reduce<World>((world, { key }) => drop(world, credentials, key), after)
  })
  expect(await found('writes on managed-credentials', { fault: removesAlike })).toContain(
    'managed-credentials.list.complete',
  )
})

interface Deleting {
  readonly path: { readonly serviceId: string }
}

interface Renaming {
  readonly path: { readonly keyId: string }
  readonly body: { readonly label?: string }
}

interface OfVolume {
  readonly refs: {
    readonly volumeId: { readonly status?: string; readonly updated?: string; readonly created?: string }
  }
}

test('a rule that is lost once a resource has been changed is found by what is refused of it then', async () => {
  const fault = spares('volumes.attach', 'same-region', ({ refs: { volumeId } }: OfVolume) => {
    return volumeId.status === 'active' && volumeId.updated !== volumeId.created
  })
  expect(await found('writes on volumes', { fault })).toContain('volumes.attach.same-region')
})

test('a name that another one has is refused in each state of what asks for it', async () => {
  const fault = spares('firewalls.update', 'label-unique', ({ refs: { firewallId } }: OfFirewall) => {
    return firewallId.status === 'disabled'
  })
  expect(await found('writes on firewalls', { fault })).toContain('firewalls.update.label-unique')
})

interface OfFirewall {
  readonly refs: { readonly firewallId: { readonly status?: string } }
}

test('a rule that holds only once a resource has come to rest is found by what is refused of it before', async () => {
  const fault = spares(
    'volumes.attach',
    'same-region',
    ({ refs: { volumeId } }: OfVolume) => volumeId.status === 'creating',
  )
  expect(await found('first writes on volumes', { ...variations['slow-rest'], fault })).toContain(
    'volumes.attach.same-region',
  )
})

test('a rule that is lost for what another operation has made is found by what is refused of that', async () => {
  let copies: readonly string[] = []
  const fault = {
    operation: (op: Operation) => {
      const changed = spares(
        'volumes.resize',
        'only-up',
        ({ refs: { volumeId } }: { refs: { volumeId: { key: string } } }) => copies.includes(volumeId.key),
      ).operation?.(op)
      if (op.id !== 'volumes.clone' || !op.apply) return changed ?? op
      const { apply } = op
      return {
        ...op,
        apply: (facts: never) => {
          const { world } = facts as { readonly world: World }
          const after = apply(facts)
          const before = new Set(live(world, volumes).map(({ key }) => key))
          copies = [...copies, ...live(after, volumes).flatMap(({ key }) => (before.has(key) ? [] : [key]))]
          return after
        },
      } as Operation
    },
  }
  expect(await found('volumes.clone of what it made', { fault })).toContain('volumes.resize.only-up')
})
