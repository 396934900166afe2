// Looks again at what programs beside each other have been told in different ways, so that it is known what changes it once more.

import { setImmediate as underWay } from 'node:timers/promises'
import { tableNamed, viewerOf } from '../models/index.js'
import type { AnyTable } from '../models/language/operation.js'
import { disputedIn } from '../models/language/sure.js'
import type { AnyEntity } from '../models/language/world.js'
import { tokenFor } from './paths.js'
import type { Session } from './session.js'
import { discover, view } from './survey.js'

/** The most things that are looked at again. */
const mostLooks = 12

/** Has another operation than the one that contradicted the others show each of them. What it shows is believed, and is no finding. */
export const lookAgain = async (session: Session): Promise<void> => {
  const origin = { ...session.originOf('what was told in different ways'), phase: 'settle' } as const
  for (const { table, entity, by } of disputed(session).slice(0, mostLooks)) {
    if (session.isOver()) return
    if (by.includes(viewerOf(table)?.id ?? '')) {
      const { account } = entity
      const isShown = (): boolean => !isDisputed(session, table, entity)
      await discover(session, origin, { table, path: {}, as: tokenFor(session, account) }, isShown)
    } else await view(session, origin, table, entity, {})
    await underWay()
  }
}

interface Disputed {
  readonly table: AnyTable
  readonly entity: AnyEntity
  /** The operations that contradicted others. */
  readonly by: readonly string[]
}

const disputed = (session: Session): readonly Disputed[] =>
  [...session.world().tables].flatMap(([name, { live }]) => {
    const table = tableNamed(name)
    if (!table) return []
    return [...live.values()].flatMap((entity) => {
      const by = disputedIn(entity).flatMap((field) => entity.since?.[field]?.by ?? [])
      return by.length > 0 ? [{ table, entity, by }] : []
    })
  })

const isDisputed = (session: Session, table: AnyTable, { key }: AnyEntity): boolean => {
  const now = session.world().tables.get(table.name)?.live.get(key)
  return now !== undefined && disputedIn(now).length > 0
}
