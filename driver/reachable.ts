// Connects to a target once and sends nothing, to learn whether anything that is sent could come to it.

import { buildConnector } from 'undici'
import type { Target } from '../config/target-file.js'
import { connectingTo } from './connections.js'
import { type Lost, lossOf } from './loss.js'

/** Why no connection was made; undefined where one was. */
export const lossOfConnecting = ({ baseUrl, tls, pace }: Target): Promise<Lost | undefined> => {
  const { origin, protocol, host, hostname, port } = new URL(baseUrl)
  const connect = buildConnector(connectingTo({ origin, connections: 1, timeoutMs: pace.requestTimeoutMs, tls }))
  return new Promise((resolve) => {
    connect({ protocol, host, hostname, port }, (error, socket) => {
      socket?.destroy()
      resolve(error ? lossOf(error, '') : undefined)
    })
  })
}
