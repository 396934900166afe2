// Keeps the reports of an earlier run where a run has none of its own to put in their place.

import { existsSync, readdirSync, readFileSync, renameSync, rmdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { outputNames, reportNames } from '../reports/names.js'
import { makeFolder } from './folder.js'

const folderName = 'earlier'

/**
 * Moves what a run has written into `out` to a folder in it, unless that run sent nothing either.
 * @returns the folder, where it holds the reports of an earlier run
 */
export const keepEarlier = (out: string): string | undefined => {
  const folder = join(out, folderName)
  if (isOfUse(out)) {
    makeFolder(folder)
    for (const name of outputNames) {
      rmSync(join(folder, name), { recursive: true, force: true })
      if (existsSync(join(out, name))) renameSync(join(out, name), join(folder, name))
    }
  }
  return isOfUse(folder) ? folder : undefined
}

/** Removes what was kept so, for a run that has reports of its own: whoever takes the folder would take those for a part of them. */
export const dropEarlier = (out: string): void => {
  const folder = join(out, folderName)
  if (!isOfUse(folder)) return
  for (const name of outputNames) rmSync(join(folder, name), { recursive: true, force: true })
  if (readdirSync(folder).length === 0) rmdirSync(folder)
}

/** Whether a folder holds the results of a run that sent something. */
const isOfUse = (folder: string): boolean => {
  const file = join(folder, reportNames.json)
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as { readonly requests?: number }).requests !== 0
  } catch {
    return false
  }
}
