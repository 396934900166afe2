// The embedded target seen from another thread: its environment, and hooks that go through its control address.

import { defaults } from '../config/schema.js'
import type { Target } from '../config/target-file.js'
import type { HookName } from '../models/language/plan.js'
import { embeddedEnvironment } from './environment.js'

export interface Remote {
  readonly baseUrl: string
  readonly controlUrl: string
  readonly secrets: readonly (readonly [string, string])[]
}

const hookNames: readonly HookName[] = ['deleteNode', 'setLiveMigration', 'setVolumeMigrating', 'putObjects']

const callHook =
  (controlUrl: string, name: HookName) =>
  async (...args: readonly unknown[]): Promise<void> => {
    const reply = await fetch(`${controlUrl}/hook`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name, args }),
    })
    const text = await reply.text()
    if (!reply.ok) throw new Error(`suite defect: the embedded target's hook ${name} failed: ${text}`)
  }

/** What a target file for it would say. */
export const embeddedTarget = ({ baseUrl, controlUrl, secrets }: Remote): Target => ({
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
  hooks: {
    ...Object.fromEntries(hookNames.map((name) => [name, callHook(controlUrl, name)])),
    readEvents: async () => {
      const reply = await fetch(`${controlUrl}/events`)
      return (await reply.json()) as { action: string }[]
    },
  },
  attachmentField: 'file',
})
