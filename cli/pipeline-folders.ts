// Pipelines of a folder: CI systems read them in the root of the repository, so that they have to go into the folder by themselves.

import { shellQuote } from '../reports/curl-parts.js'
import type { CiKind } from './pipelines.js'

/** What is changed in a pipeline, for a folder; undefined where a pipeline may lie anywhere. */
const changes: Readonly<Record<CiKind, ((content: string, folder: string) => string) | undefined>> = {
  github: (content, folder) =>
    content
      // Runs of other folders have targets of their own: they need not wait, and must not take each other's place in the queue.
      .replace(/^(?:name:| {2}group:) conformance$/gm, (line) => `${line}-${slugOf(folder)}`)
      .replace(
        /^permissions:\n(?: .*\n)+/m,
        (all) => `${all}\ndefaults:\n  run:\n    working-directory: ${inYaml(folder)}\n`,
      )
      .replace(/^( *)cache: npm$/gm, "$&\n$1cache-dependency-path: '**/package-lock.json'")
      // What steps take or keep; steps that are no commands know no working directory.
      .replace(/^( {10}path: )(\S.*)$/gm, (_, key, path) => key + inYaml(`${folder}/${path}`)),
  gitlab: (content, folder) =>
    content
      // Jobs and caches of all pipelines that a repository includes are known by their names alone.
      .replace(/^(?:\.touchstone|conformance|report|fuzz)(?=:)/gm, (name) => `${name}-${slugOf(folder)}`)
      .replace(/(?:extends: \.touchstone|key: touchstone-corpus)$/gm, (name) => `${name}-${slugOf(folder)}`)
      .replace(/^ *(?:before|after)_script:\n/gm, (key) => `${key}    - ${inYaml(`cd ${shellQuote(folder)}`)}\n`)
      .replace(/(\b(?:files|paths): \[|\bjunit: )([^\]\n]+)/g, (_, key, path) => key + inYaml(`${folder}/${path}`)),
  kubernetes: undefined,
}

/** A text as YAML has it whatever is in it. */
const inYaml = (text: string): string => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "''")}'`)

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
  folder === '' ? content : (changes[ci]?.(content, folder) ?? content)
