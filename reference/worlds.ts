// Which world of the embedded target a credential belongs to: one for all, or one for each credential; nothing of HTTP.

import { wrongToken } from '../models/language/access.js'
import { getOrInsert } from '../models/language/get-or-insert.js'
import type { Embedded, Settings, Snapshot } from './embedded.js'

/** A caller: the name of its token, null for nobody, and the state that it sees. */
export interface Identity {
  readonly as: string | null
  readonly world: string
  readonly embedded: Embedded
}

/** The states of all worlds by their names. */
export type WorldsSnapshot = ReadonlyMap<string, Snapshot>

export type Worlds = ReturnType<typeof createWorlds>

export interface WorldsOptions {
  readonly make: () => Embedded
  /** By token name. */
  readonly secrets: ReadonlyMap<string, string>
  /** Whether each credential has a world of its own; `SECRET@NAME` is that token in the world of that name. */
  readonly perToken?: boolean
}

/** The name of the world that everybody is in, unless each token has its own. */
export const commonWorld = 'main'

export const createWorlds = ({ make, secrets, perToken = false }: WorldsOptions) => {
  const tokens = new Map([...secrets].map(([name, secret]) => [secret, name]))
  const [owner = wrongToken] = secrets.keys()
  const common = make()
  const all = new Map([[commonWorld, common]])
  let settings: Settings | undefined
  const world = (name: string): Embedded =>
    getOrInsert(all, name, () => {
      const made = make()
      if (settings) made.adjust(settings)
      return made
    })
  /** Any other text is the first token, in a world of that name. */
  const ownWorld = (secret: string): Identity => {
    const at = secret.lastIndexOf('@')
    const name = at < 0 ? secret : secret.slice(at + 1)
    return { as: tokens.get(at < 0 ? secret : secret.slice(0, at)) ?? owner, world: name, embedded: world(name) }
  }
  return {
    /** @param secret undefined where no credential was sent, null for one that is no bearer token */
    identify: (secret: string | null | undefined): Identity => {
      const as = secret === undefined ? null : ((secret === null ? undefined : tokens.get(secret)) ?? wrongToken)
      return perToken && typeof secret === 'string' ? ownWorld(secret) : { as, world: commonWorld, embedded: common }
    },
    /** The world of that name; undefined where there is none yet. */
    find: (name: string): Embedded | undefined => all.get(name),
    names: (): readonly string[] => [...all.keys()],
    /** Puts settings in force in every world, and in those to come. */
    adjust: (next: Settings): void => {
      settings = next
      for (const one of all.values()) one.adjust(next)
    },
    snapshot: (): WorldsSnapshot => new Map([...all].map(([name, one]) => [name, one.snapshot()])),
    /** Worlds that have come about since are at their beginning again. */
    restore: (saved: WorldsSnapshot): void => {
      for (const [name, one] of all) {
        const state = saved.get(name)
        if (state) one.restore(state)
        else one.reset()
      }
    },
  }
}
