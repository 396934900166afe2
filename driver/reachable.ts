// Connects to a target once and sends nothing, to learn whether anything that is sent could come to it.

import type { Socket } from 'node:net'
import { buildConnector } from 'undici'
import type { Target } from '../config/target-file.js'
import { connectingTo } from './connections.js'
import { type Lost, lossOf } from './loss.js'

/** In TLS 1.3 a client has its connection before it is told that its certificate will not do. */
const secondThoughtMs = 500

/** Why no connection was made, or why one was ended over who the client is; undefined where it stands. */
export const lossOfConnecting = ({ baseUrl, tls, pace }: Target): Promise<Lost | undefined> => {
  const { origin, protocol, host, hostname, port } = new URL(baseUrl)
  const connect = buildConnector(connectingTo({ origin, connections: 1, timeoutMs: pace.requestTimeoutMs, tls }))
  return new Promise((resolve) => {
    connect({ protocol, host, hostname, port }, (error, socket) => {
      if (error) return resolve(lossOf(error, ''))
      if (protocol === 'https:') return resolve(lossOfStanding(socket))
      socket.destroy()
      resolve(undefined)
    })
  })
}

/** Why a connection ended by itself, with an error. */
const lossOfStanding = (socket: Socket): Promise<Lost | undefined> =>
  new Promise((resolve) => {
    const end = (lost?: Lost): void => {
      clearTimeout(timer)
      socket.destroy()
      resolve(lost)
    }
    const timer = setTimeout(end, secondThoughtMs)
    socket.once('error', (error) => end(lossOf(error, '')))
    socket.once('close', () => end())
    socket.resume()
  })
