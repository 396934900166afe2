// The programs that reached something, kept in a folder from night to night; how new ones are made of them is not decided here.

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { StepSeed } from '../arbitraries/programs.js'
import { operationById } from '../models/index.js'
import { makeFolder } from './folder.js'

/** A program of the corpus. */
interface Entry {
  readonly format: 1
  readonly steps: readonly StepSeed[]
  /** What it was the first to reach. */
  readonly reached: readonly string[]
  /** Ids of the findings that it showed. */
  readonly findings: readonly string[]
}

export interface Corpus {
  /** Those that showed findings come first. */
  readonly programs: () => readonly (readonly StepSeed[])[]
  /** How many of them showed findings. */
  readonly finders: number
  /** How many things its programs have reached, each counted once. */
  readonly reached: () => number
  /**
   * Keeps a program where it reached something that none before has, or showed a finding; returns how many things are new.
   * @throws Error of the system where it cannot be written; it is kept for the rest of the night then
   */
  readonly take: (steps: readonly StepSeed[], labels: ReadonlySet<string>, findings: readonly string[]) => number
}

/**
 * Opens a corpus; the folder is made where it is not there. Programs with operations that this version does not know are left out.
 * @throws Error that names the file which is no program of a corpus
 */
export const openCorpus = (folder: string): Corpus => {
  makeFolder(folder)
  const entries = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => readEntry(join(folder, name)))
    .filter(({ steps }) => steps.every(({ operation }) => operationById(operation) !== undefined))
  const byName = new Map(entries.map((entry) => [nameOf(entry), entry]))
  const known = new Set(entries.flatMap(({ reached }) => reached))
  const sorted = [...entries].sort((a, b) => Number(b.findings.length > 0) - Number(a.findings.length > 0))
  const programs = sorted.map(({ steps }) => steps)
  return {
    programs: () => programs,
    finders: entries.filter(({ findings }) => findings.length > 0).length,
    reached: () => known.size,
    take: (steps, labels, findings) => {
      const fresh = [...labels].filter((label) => !known.has(label))
      if (fresh.length === 0 && findings.length === 0) return 0
      for (const label of fresh) known.add(label)
      const before = byName.get(nameOf({ steps }))
      if (!before) programs.push(steps)
      const entry: Entry = { format: 1, steps, reached: [...(before?.reached ?? []), ...fresh].sort(), findings }
      byName.set(nameOf(entry), entry)
      writeEntry(folder, entry)
      return fresh.length
    },
  }
}

/** What a program is called by its steps. */
const nameOf = ({ steps }: Pick<Entry, 'steps'>): string =>
  createHash('sha256').update(JSON.stringify(steps)).digest('hex').slice(0, 16)

const readEntry = (file: string): Entry => {
  const wrong = (received: string): Error =>
    new Error(`${file}: expected a program that fuzz --corpus has written, received ${received}; remove it`)
  let entry: Partial<Entry> | null
  try {
    entry = JSON.parse(readFileSync(file, 'utf8')) as Partial<Entry> | null
  } catch (error) {
    throw wrong(error instanceof Error ? error.message : String(error))
  }
  const isWhole =
    entry?.format === 1 &&
    [entry.steps, entry.reached, entry.findings].every(Array.isArray) &&
    entry.steps?.every((step) => typeof step?.operation === 'string' && Array.isArray(step.positions))
  if (!isWhole) throw wrong(JSON.stringify(entry).slice(0, 80))
  return entry as Entry
}

/** Written whole or not at all, so that a night may be killed at any time, and another one may write the same program. */
const writeEntry = (folder: string, entry: Entry): void => {
  const file = join(folder, `${nameOf(entry)}.json`)
  const part = `${file}.${process.pid}.part`
  writeFileSync(part, `${JSON.stringify(entry)}\n`)
  renameSync(part, file)
}
