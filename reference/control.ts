// The embedded server's way in beside the interface: hooks are called and events read over HTTP; not a part of the interface.

import type { HookName } from '../models/language/plan.js'
import type { Embedded } from './embedded.js'
import { envelope, type Reply } from './reply.js'

/** Where it stands, outside the version segment. */
export const controlPath = '/_control'

const hookNames: Readonly<Record<HookName, true>> = {
  deleteNode: true,
  setLiveMigration: true,
  setVolumeMigrating: true,
  putObjects: true,
}

const isHookName = (name: unknown): name is HookName => typeof name === 'string' && Object.hasOwn(hookNames, name)

/** `GET /events` lists the events so far, `POST /hook` with `{name, args}` calls a hook. */
export const control = (embedded: Embedded, method: string, pathname: string, body: unknown): Reply => {
  const at = `${method} ${pathname.slice(controlPath.length)}`
  if (at === 'GET /events') return { status: 200, body: embedded.events() }
  if (at !== 'POST /hook') return envelope(404, '', `expected GET /events or POST /hook, received ${at}`)
  const { name, args } = (typeof body === 'object' && body !== null ? body : {}) as Readonly<Record<string, unknown>>
  if (!isHookName(name)) return envelope(400, 'name', `expected one of ${Object.keys(hookNames).join(', ')}`)
  if (!Array.isArray(args)) return envelope(400, 'args', 'expected an array')
  embedded.hook(name, args)
  return { status: 200, body: {} }
}
