// Embedded servers for tests, closed when the test ends; no test.

import { onTestFinished } from 'vitest'
import type { Outcome, WireCall } from '../../history/wire.js'
import { createEmbedded, type Embedded } from '../../reference/embedded.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { createAnswer } from '../../reference/gateway.js'
import { prepare, type ServeOptions, startEmbedded } from '../../reference/serve.js'
import { startServer } from '../../reference/server.js'
import { createWorlds } from '../../reference/worlds.js'
import { secrets } from '../driver/hostile.js'

/** A server over an implementation that notes its calls; it runs until the test ends. */
export const noting = async (
  answer: (call: WireCall) => Outcome = () => ({ status: 200, body: {} }),
  options: ServeOptions = {},
) => {
  const calls: WireCall[] = []
  const handle = (call: WireCall): Outcome => {
    calls.push(call)
    return answer(call)
  }
  const embedded: Embedded = { ...createEmbedded({ environment: embeddedEnvironment() }), handle }
  const worlds = createWorlds({ make: () => embedded, secrets })
  const server = await startServer(createAnswer({ ...prepare(options).gateway, worlds }))
  onTestFinished(server.close)
  return { ...server, calls, origin: new URL(server.baseUrl).origin }
}

/** The embedded target, until the test ends. */
export const embeddedTarget = async (options: ServeOptions = {}) => {
  const target = await startEmbedded(options)
  onTestFinished(target.server.close)
  return target
}
