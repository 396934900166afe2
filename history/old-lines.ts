// Reads what lines of earlier versions left unsaid from their names and times: which run of a program, what for, what was raced.

import { principal } from '../models/language/access.js'
import type { Environment } from '../models/language/environment.js'
import type { CallEntry, Entry, Phase, Remark } from './entry.js'

/** Programs that look after another one carry its name: `volumes.resize.only-up (cleaning up)`. */
const suffixes: readonly (readonly [text: string, phase: Phase])[] = [
  [' (cleaning up)', 'clean-up'],
  [' (confirming)', 'confirm'],
]

/** The entries as a newer version would have recorded them, as far as that can be told. */
export const completed = (entries: readonly Entry[], environment: Environment): readonly (Entry | Remark)[] => {
  const history: (Entry | Remark)[] = []
  let instance = 0
  let program: string | undefined
  let surveyed: string | undefined
  let group = { first: undefined as CallEntry | undefined, end: 0 }
  for (const entry of entries) {
    const [, phase] = suffixes.find(([text]) => entry.program.endsWith(text)) ?? []
    const main = entry.program.replace(/ \([\w ]+\)$/, '')
    const account = isSurvey(entry, environment) ? principal(environment, entry.call.as).account?.name : undefined
    if (surveyed !== undefined && account !== surveyed) history.push({ kind: 'surveyed', account: surveyed })
    surveyed = account
    if (main !== program) {
      if (program !== undefined) history.push({ kind: 'ended', program, instance })
      instance += 1
      program = main
    }
    if (entry.kind === 'blank') continue
    const origin = {
      program: main,
      instance,
      ...(phase && { phase }),
      ...(account !== undefined && { phase: 'survey' as const }),
    }
    if (entry.kind === 'hook') {
      history.push({ ...entry, ...origin })
      continue
    }
    const isRaced =
      /^race on [\w-]+$/.test(entry.program) && group.first?.program === entry.program && entry.startedAt <= group.end
    group = isRaced ? { ...group, end: Math.max(group.end, entry.endedAt) } : { first: entry, end: entry.endedAt }
    history.push({ ...entry, ...origin, ...(/^race on/.test(entry.program) && { group: group.first?.n ?? 0 }) })
  }
  if (program !== undefined) history.push({ kind: 'ended', program, instance })
  return history
}

const isSurvey = (entry: Entry, { exclusive }: Environment): entry is CallEntry =>
  entry.kind === 'call' && entry.program === 'survey' && exclusive
