// Pipelines of a folder: CI systems read them in the root of the repository, so that they have to go into the folder by themselves.

import type { CiKind } from './pipelines.js'

/** What is changed in a pipeline line by line, for a folder; undefined where a pipeline may lie anywhere. */
const changes: Readonly<Record<CiKind, ((folder: string) => readonly (readonly [RegExp, string])[]) | undefined>> = {
  github: (folder) => [
    [/^name: conformance$/m, `$&-${slugOf(folder)}`],
    [/^permissions:\n(?: .*\n)+/m, `$&\ndefaults:\n  run:\n    working-directory: ${folder}\n`],
    [/^( *)cache: npm$/gm, "$&\n$1cache-dependency-path: '**/package-lock.json'"],
    // What steps take or keep; steps that are no commands know no working directory.
    [/^( {10}path: )(?=\S)/gm, `$1${folder}/`],
  ],
  gitlab: (folder) => [
    // Jobs and caches of all pipelines that a repository includes are known by their names alone.
    [/^(?:\.touchstone|conformance|report|fuzz)(?=:)/gm, `$&-${slugOf(folder)}`],
    [/(?:extends: \.touchstone|key: touchstone-corpus)$/gm, `$&-${slugOf(folder)}`],
    [/^ *(?:before|after)_script:\n/gm, `$&    - cd "${folder}"\n`],
    [/\b(?:files|paths): \[|\bjunit: /g, `$&${folder}/`],
  ],
  kubernetes: undefined,
}

/** A folder as a part of a name. */
const slugOf = (folder: string): string => folder.replace(/[^A-Za-z0-9._-]+/g, '-')

/** Where the pipeline of a folder is kept, so that each folder of a repository may have one; '' for the root itself. */
export const pathOf = (path: string, folder: string): string =>
  folder === '' ? path : path.replace(/\.\w+$/, `-${slugOf(folder)}$&`)

/** Whether a CI system reads its pipelines in the root of a repository alone. */
export const isReadInRoot = (ci: CiKind): boolean => changes[ci] !== undefined

/**
 * A pipeline that works in a folder, and keeps what is written there.
 * @param folder from the root of the repository, with `/`; '' for that itself
 */
export const inFolder = (ci: CiKind, content: string, folder: string): string =>
  folder === ''
    ? content
    : (changes[ci]?.(folder) ?? []).reduce((text, [pattern, by]) => text.replace(pattern, by), content)
