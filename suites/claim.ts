// Keeps a folder to one run at a time: two would delete each other's record and lose each other's ledger.

import { once } from 'node:events'
import { realpathSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TargetError } from '../config/target-file.js'
import { hashOf } from '../models/language/hash.js'

/** Frees the folder. */
export type Free = () => void

/**
 * Listens at an address made of the folder's path; that ends with the process, however it ends. Without an address nothing is claimed.
 *
 * @throws TargetError where another run, sweep or replay writes to the folder
 */
export const claimFolder = async (folder: string): Promise<Free> => {
  const address = addressOf(folder)
  const first = await listenAt(address)
  if (first) return first
  if (await isAnswered(address))
    throw new TargetError(
      `another run, sweep or replay writes to ${folder} now: name a folder of its own with --out, or wait until that one is over`,
    )
  // That of a run that was killed.
  await rm(address, { force: true }).catch(() => undefined)
  // A temporary folder that takes nothing keeps no run from its work.
  return (await listenAt(address)) ?? (() => undefined)
}

const listenAt = async (address: string): Promise<Free | undefined> => {
  const server = createServer((socket) => socket.destroy())
  server.unref()
  try {
    await once(server.listen(address), 'listening')
    return () => void server.close()
  } catch {
    return undefined
  }
}

const addressOf = (folder: string): string => {
  const name = `touchstone-${hashOf(realpathSync(folder)).toString(36)}`
  return process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : join(tmpdir(), name)
}

const isAnswered = async (address: string): Promise<boolean> => {
  const socket = connect(address)
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
