// What can end a command early, and the exit code and message that each gets; no command.

import { CommanderError } from 'commander'
import { TargetError } from '../config/target-file.js'
import { isOfLimit, raiseLimit } from './open-files.js'

/** The command line asks for something that can't be done; the message says what to do instead. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** What it returns; what it throws, as what a flag asks for in vain. */
export const asUsage = <T>(flag: string, work: () => T): T => {
  try {
    return work()
  } catch (error) {
    throw new UsageError(`${flag}: ${wordsOf(error)}`)
  }
}

export interface Ending {
  readonly exitCode: number
  /** For standard error; undefined where everything has been said. */
  readonly message: string | undefined
}

/** Errors of the file system that are about what the user named, not about the machine running out of something. */
const usersOwn = new Set(['EACCES', 'EEXIST', 'EISDIR', 'ENOENT', 'ENOTDIR', 'EPERM', 'EROFS', 'ELOOP', 'ENAMETOOLONG'])

/** Whether the environment asks for stacks. */
export const isDebugging = (): boolean => !['', '0', 'false'].includes(process.env.TOUCHSTONE_DEBUG ?? '')

/** @param debug whether a stack may be shown */
export const endingOf = (error: unknown, debug: boolean): Ending => {
  if (error instanceof CommanderError) return { exitCode: error.exitCode === 0 ? 0 : 2, message: undefined }
  if (error instanceof TargetError || error instanceof UsageError)
    return { exitCode: 2, message: `touchstone: ${error.message}` }
  if (isOfLimit(error)) return { exitCode: 2, message: `touchstone: too many files are open at a time: ${raiseLimit}` }
  if (isSystemError(error))
    return { exitCode: usersOwn.has(error.code) ? 2 : 3, message: `touchstone: ${systemMessage(error)}` }
  return { exitCode: 3, message: defectMessage(error, debug) }
}

interface SystemError extends Error {
  readonly code: string
  readonly syscall: string
  readonly path?: string
}

const isSystemError = (error: unknown): error is SystemError =>
  error instanceof Error && 'syscall' in error && 'code' in error && typeof error.code === 'string'

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'this user may not',
  EPERM: 'this user may not',
  EEXIST: 'something of that name is there already',
  EISDIR: 'it is a folder',
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of its path is no folder',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the space that this user has on the disk is used up',
  EFBIG: 'the file is larger than this user may write',
  EADDRINUSE: 'the port is taken',
}

const deeds: Readonly<Record<string, string>> = { mkdir: 'make the folder', scandir: 'read the folder', rm: 'remove' }

const systemMessage = ({ code, syscall, path, message }: SystemError): string =>
  path === undefined
    ? message
    : `cannot ${deeds[syscall] ?? syscall} ${path}: ${reasons[code] ?? message}. Name another path, or correct that one.`

const wordsOf = (error: unknown): string =>
  isSystemError(error) ? systemMessage(error) : error instanceof Error ? error.message : String(error)

const defectMessage = (error: unknown, debug: boolean): string => {
  const said = error instanceof Error ? error.message : String(error)
  const head = said.startsWith('suite defect: ') ? said : `suite defect: ${said}`
  if (debug && error instanceof Error && error.stack !== undefined) return `${head}\n${error.stack}`
  return `${head}\nThis is a fault of touchstone, not of the target. Set TOUCHSTONE_DEBUG=1 to see where it happened.`
}
