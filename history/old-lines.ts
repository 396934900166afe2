// Reads what lines of earlier versions left unsaid from their names and times: which run of a program, what for, what was raced.

import { accountOf } from '../models/language/access.js'
import type { Environment } from '../models/language/environment.js'
import type { CallEntry, Entry, Remark } from './entry.js'
import type { Phase } from './phases.js'

/** Programs that look after another one carry its name: `volumes.resize.only-up (cleaning up)`. */
const suffixes: readonly (readonly [text: string, phase: Phase])[] = [
  [' (cleaning up)', 'clean-up'],
  [' (confirming)', 'confirm'],
]

/** The entries as a newer version would have recorded them, as far as that can be told. */
export const completed = (entries: readonly Entry[], environment: Environment): readonly (Entry | Remark)[] => {
  const history: (Entry | Remark)[] = []
  let instance = 0
  const programBefore = createChanges()
  const surveyBefore = createChanges()
  const groupOf = createGroups()
  const end = (account: string | undefined, program: string | undefined): void => {
    if (account !== undefined) history.push({ kind: 'surveyed', account })
    if (program !== undefined) history.push({ kind: 'ended', program, instance })
    if (program !== undefined || instance === 0) instance += 1
  }
  for (const entry of entries) {
    const main = entry.program.replace(/ \([\w ]+\)$/, '')
    const account = isSurvey(entry, environment) ? accountOf(environment, entry.call.as) : undefined
    end(surveyBefore(account), programBefore(main))
    if (entry.kind === 'blank') continue
    const phase = account === undefined ? phaseOf(entry) : 'survey'
    const group = entry.kind === 'call' ? groupOf(entry) : undefined
    const origin = { program: main, instance, ...(phase && { phase }), ...(group !== undefined && { group }) }
    history.push({ ...entry, ...origin })
  }
  end(undefined, programBefore(undefined))
  return history
}

/** What came before, whenever something else comes now. */
const createChanges = (): ((now: string | undefined) => string | undefined) => {
  let last: string | undefined
  return (now) => {
    const before = last
    last = now
    return before === now ? undefined : before
  }
}

const phaseOf = ({ program }: Entry): Phase | undefined => suffixes.find(([text]) => program.endsWith(text))?.[1]

/** Numbers the groups of calls that were raced, which overlap, by their first; undefined for a call that was not. */
const createGroups = (): ((entry: CallEntry) => number | undefined) => {
  let first: CallEntry | undefined
  let end = 0
  return (entry) => {
    const isNext = /^race on [\w-]+$/.test(entry.program) && first?.program === entry.program && entry.startedAt <= end
    end = isNext ? Math.max(end, entry.endedAt) : entry.endedAt
    if (!isNext) first = entry
    return /^race on/.test(entry.program) ? first?.n : undefined
  }
}

const isSurvey = (entry: Entry, { exclusive }: Environment): entry is CallEntry =>
  entry.kind === 'call' && entry.program === 'survey' && exclusive
