// Writes what a team starts with: a commented target file and a CI workflow; it asks nothing and calls no target.

import { existsSync } from 'node:fs'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { searchPlaces } from '../config/source.js'
import { inFolder, isReadInRoot, pathOf } from './pipeline-folders.js'
import { type CiKind, pipelines } from './pipelines.js'

export interface InitOptions {
  readonly cwd: string
  /** Overwrites what is there in the working directory. */
  readonly force: boolean
  /** The CI system whose pipeline is written. */
  readonly ci: CiKind
}

export interface InitResult {
  /** Paths relative to `cwd`, with `/`. */
  readonly written: readonly string[]
  /** Those that were left alone because something is there already. */
  readonly kept: readonly string[]
  /** What to do next, in this order. */
  readonly next: readonly string[]
}

/**
 * `touchstone init`. A target file of another format counts as one that is there.
 * @throws the file system's error where a file can't be written
 */
export async function init({ cwd, force, ci }: InitOptions): Promise<InitResult> {
  const present = (await readdir(cwd)).find((entry) => searchPlaces.includes(entry))
  const pipeline = pipelines[ci]
  const root = (isReadInRoot(ci) && repositoryOf(cwd)) || cwd
  const folder = slashed(relative(root, cwd))
  const pathInRoot = pathOf(pipeline.path, folder)
  const pipelineFile = slashed(join(relative(cwd, root), pathInRoot))
  const written: string[] = []
  const kept: string[] = []
  for (const [path, content] of [
    [targetFilePath, targetFileTemplate()],
    [pipelineFile, inFolder(ci, pipeline.content, folder)],
  ] as const) {
    if (path === targetFilePath && present !== undefined && !force) kept.push(present)
    else if (await write(join(cwd, path), content, force && !isOutside(path))) written.push(path)
    else kept.push(path)
  }
  const next = [
    `say in ${present ?? targetFilePath} where the target is, and which environment variables hold its tokens`,
    "run `npx touchstone doctor`: it says what is wrong, and what can't be tested yet",
    `${pipeline.next(pathInRoot)}, so that ${pipelineFile} runs`,
  ]
  return { written, kept, next }
}

/** Prints what was written and, unless `quiet`, what was not and why, and what to do next. */
export function tellInit({ written, kept, next }: InitResult, quiet: boolean): void {
  for (const path of written) process.stdout.write(`wrote ${path}\n`)
  if (quiet) return
  for (const path of kept) process.stderr.write(`touchstone: left ${path} alone; ${howToReplace(path)}\n`)
  process.stderr.write(`\nNext:\n${next.map((line, i) => `  ${i + 1}. ${line}\n`).join('')}`)
}

const howToReplace = (path: string): string =>
  isOutside(path) ? 'it is outside of the working directory: remove it to have it written anew' : '--force overwrites'

/** Whether a path of a result leads out of the working directory: what is there is never overwritten. */
const isOutside = (path: string): boolean => path.startsWith('../')

/** The target file to start with. `complete` uncomments every example, which shows that each would be accepted. */
export function targetFileTemplate({ complete }: { readonly complete: boolean } = { complete: false }): string {
  const body = parts.flatMap(({ says, code, needed }) => [
    ...lines(says).map((line) => `  // ${line}`),
    ...lines(complete ? code.replaceAll('// ', '') : code).map((line) =>
      needed || complete ? `  ${line}` : `  // ${line}`,
    ),
    '',
  ])
  return `// What Touchstone has to know of the target; docs/target-file.md lists every key.
// \`npx touchstone doctor\` says what can't be tested yet, and what would make it testable.

import { defineTarget } from 'touchstone'

export default defineTarget({
${body.join('\n').trimEnd()}
})
`
}

/** The root of the repository that a folder is in: only there CI systems read pipelines. */
function repositoryOf(folder: string): string | undefined {
  if (existsSync(join(folder, '.git'))) return folder
  const above = dirname(folder)
  return above === folder ? undefined : repositoryOf(above)
}

const slashed = (path: string): string => path.split(sep).join('/')

const targetFilePath = 'touchstone.config.ts'

/** Whether it was written: not where something is there and may not be overwritten. */
async function write(path: string, content: string, force: boolean): Promise<boolean> {
  await mkdir(dirname(path), { recursive: true })
  try {
    await writeFile(path, content, { flag: force ? 'w' : 'wx' })
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}

function lines(text: string): readonly string[] {
  return text.split('\n')
}

interface Part {
  readonly says: string
  readonly code: string
  /** Not commented out. */
  readonly needed?: true
}

const parts: readonly Part[] = [
  {
    says: 'What reports call the target, and the address that all paths are relative to (with its version segment).',
    code: `name: 'staging',\nbaseUrl: 'https://api.staging.example/v4',`,
    needed: true,
  },
  {
    says: 'true only where nobody else changes these accounts during a run: counts and absences are then judged too.',
    code: 'exclusive: false,',
    needed: true,
  },
  {
    says: 'Secrets stay in the environment. A token with few scopes shows that the others are asked for.',
    code: `tokens: [
  { name: 'owner', user: 'owner', scopes: '*', secret: { env: 'TOUCHSTONE_TOKEN' } },
  // { name: 'volumes-reader', user: 'owner', scopes: ['volumes:read_only'], secret: { env: 'TOUCHSTONE_TOKEN_RO' } },
],`,
    needed: true,
  },
  {
    says: 'Whom the tokens stand for. A restricted user shows that grants are asked for.',
    code: `accounts: [{ name: 'main', balance: 'positive', managed: false }],
users: [
  { name: 'owner', account: 'main', restricted: false },
  { name: 'limited', account: 'main', restricted: true, grants: { global: ['add_volumes'], nodes: { 101: 'read_write' } } },
],`,
  },
  {
    says: "What exists and the interface can't create. Leave out what there is not: it is reported as untestable.",
    code: `fixtures: {
  regions: [{ id: 'r1', vlans: true }],
  clusters: [{ id: 'c1' }],
  nodes: [{ id: 101, region: 'r1', label: 'web-1', memoryGiB: 16, configs: [501], ipv4: { public: ['203.0.113.7'] } }],
  nodebalancers: [{ id: 301, region: 'r1' }],
  domains: [{ id: 401 }],
  vlans: [{ label: 'lan-1', region: 'r1' }],
  buckets: [{ cluster: 'c1', label: 'photos', objects: ['a/1.jpg'] }],
  dns: [{ name: 'host.example', address: '203.0.113.7' }],
},`,
  },
  {
    says: 'How the target spells a word of the document.',
    code: `vocabulary: { node_id: 'instance_id' },`,
  },
  {
    says: `How far a run may go. Everything it creates has a name that begins with the prefix. Where others use the accounts, next to
nothing of support tickets is tested unless 'tickets.create' is allowed, and nothing of new addresses without 'ips.allocate':
neither can be taken back.`,
    code: `safety: { prefix: 'ts', maxLive: { default: 20, volumes: 10 }, maxVolumeGiB: 20, allow: [] },`,
  },
  {
    says: 'How fast it may go, and how patient it is.',
    code: `pace: { rate: '20/s', concurrency: 24, requestTimeoutMs: 10_000, settleMs: 60_000, listLagMs: 0 },`,
  },
  {
    says: "What the interface can't do, done by you.",
    code: `hooks: {
  reset: async () => {},
  setLiveMigration: async (id, on) => {},
},`,
  },
]
