// The embedded target as a target file would describe it.

import { defaults } from '../config/schema.js'
import type { Hooks, Target } from '../config/target-file.js'
import { embeddedEnvironment } from './environment.js'

/** Where it is, and the secret of each token by name. */
export interface Reached {
  readonly baseUrl: string
  readonly secrets: readonly (readonly [string, string])[]
}

/** @param hooks as starting it gives them; none before it is started */
export const embeddedTarget = ({ baseUrl, secrets }: Reached, hooks: Hooks = {}): Target => ({
  environment: embeddedEnvironment(),
  baseUrl,
  secrets: new Map(secrets),
  vocabulary: {},
  pace: {
    perSecond: undefined,
    concurrency: defaults.pace.concurrency,
    requestTimeoutMs: defaults.pace.requestTimeoutMs,
    settleMs: defaults.pace.settleMs,
    listLagMs: 0,
  },
  hooks,
  attachmentField: 'file',
})
