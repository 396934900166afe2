// Progress on standard error: a live bar on a terminal, a plain line now and then elsewhere.
import cliProgress from 'cli-progress'
import { proxyText } from '../config/proxy.js'
import { count } from '../reports/index.js'
import type { Advance } from '../suites/advance.js'
import type { OpenRun } from '../suites/run.js'

export interface Progress {
  readonly say: (text: string) => void
  /** Takes in what has been planned, or has ended. */
  readonly advance: (advance: Advance) => void
  readonly end: () => void
}

export interface ProgressOptions {
  readonly quiet: boolean
  readonly stream?: NodeJS.WriteStream
  /** Milliseconds of a clock that never goes back. */
  readonly clock?: () => number
}

/** A plain line comes after so long, once so much more is done; and after so long in any case: CI systems end what is silent. */
const plainEveryMs = 10_000
const plainEveryShare = 0.05
const plainAtLeastEveryMs = 60_000

/** How often to see whether a line is due: some programs take minutes, and none may end meanwhile. */
const beatMs = 1000

/** @param tasks what the run has to do; each turns out to be some programs when it is planned, and counts as one until then */
export const createProgress = (
  { name, baseUrl, proxy, context }: Pick<OpenRun, 'name' | 'baseUrl' | 'proxy' | 'context'>,
  tasks: number,
  { quiet, stream = process.stderr, clock = () => performance.now() }: ProgressOptions,
): Progress => {
  const isLive = stream.isTTY === true && !quiet
  const bar = new cliProgress.SingleBar(
    { format: '{bar} {percentage} %  {text}', stream, clearOnComplete: true, hideCursor: true },
    cliProgress.Presets.shades_classic,
  )
  const counted: Count = { isPlanned: false, total: tasks, done: 0, findings: new Set(), doubted: [], ms: 0 }
  const startedAt = clock()
  let spoken = { done: 0, at: startedAt }
  const say = (text: string): void => void (quiet || stream.write(`${isLive ? '\n' : ''}touchstone: ${text}\n`))
  say(`testing ${name} at ${baseUrl}${proxyText(proxy)}, seed ${context.options.seed}`)

  const isDue = (now: number): boolean => {
    const waited = now - spoken.at
    const share = (counted.done - spoken.done) / counted.total
    return waited >= plainAtLeastEveryMs || (waited >= plainEveryMs && share >= plainEveryShare)
  }

  const show = (): void => {
    const now = clock()
    counted.ms = now - startedAt
    if (isLive) {
      if (!bar.isActive) bar.start(counted.total, 0, { text: '' })
      bar.setTotal(counted.total)
      bar.update(counted.done, { text: textOf(counted) })
    } else if (isDue(now)) {
      spoken = { done: counted.done, at: now }
      say(textOf(counted))
    }
  }

  const beat = quiet ? undefined : setInterval(show, beatMs).unref()

  return {
    say,
    advance: (advance) => {
      if (advance.type === 'doubted') counted.doubted = advance.ids
      else counted.isPlanned = true
      if (advance.type === 'planned') counted.total += advance.programs - advance.tasks
      if (advance.type === 'ended') {
        counted.done += 1
        for (const id of advance.findings) counted.findings.add(id)
      }
      if (!quiet && counted.isPlanned) show()
    },
    end: () => {
      clearInterval(beat)
      bar.stop()
    },
  }
}

interface Count {
  /** Until then there is no program that could end. */
  isPlanned: boolean
  total: number
  done: number
  /** Ids. */
  readonly findings: Set<string>
  /** Ids of what is to show once more, alone, before it counts. */
  doubted: readonly string[]
  ms: number
}

const textOf = ({ isPlanned, total, done, ms, ...seen }: Count): string => {
  if (!isPlanned) return `seeing what there is, and planning, ${timeText(ms)}`
  return [
    `${done} of ${total} programs`,
    timeText(ms),
    ...(done === 0
      ? []
      : [rateText((done * 1000) / Math.max(ms, 1)), `about ${timeText((ms / done) * Math.max(total - done, 0))} left`]),
    findingsText(seen),
  ].join(', ')
}

const findingsText = ({ findings, doubted }: Pick<Count, 'findings' | 'doubted'>): string => {
  const open = doubted.filter((id) => !findings.has(id)).length
  if (open === 0) return findings.size === 0 ? 'no findings' : count(findings.size, 'finding')
  return findings.size === 0 ? `${open} to be confirmed` : `${count(findings.size, 'finding')}, ${open} to be confirmed`
}

const rateText = (perSecond: number): string => {
  const [per, unit] = perSecond * 60 < 0.5 ? [3600, 'h'] : perSecond < 1 ? [60, 'min'] : [1, 's']
  return `${Math.round(perSecond * per)}/${unit}`
}

/** `1:05`, `2:00:07` */
const timeText = (ms: number): string => {
  const seconds = Math.round(ms / 1000)
  const two = (part: number): string => String(part % 60).padStart(2, '0')
  const minutes = Math.floor(seconds / 60)
  return minutes < 60 ? `${minutes}:${two(seconds)}` : `${Math.floor(minutes / 60)}:${two(minutes)}:${two(seconds)}`
}
