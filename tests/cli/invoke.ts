// Runs a command line in this process and catches what it says; and writes target files for the embedded target.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished, vi } from 'vitest'
import { execute } from '../../cli/execute.js'
import { type EmbeddedTarget, type ServeOptions, startEmbedded, targetFileOf } from '../../reference/serve.js'

export interface Said {
  readonly exitCode: number
  readonly out: string
  readonly err: string
}

/** What something says on standard output and standard error, and gives back. */
export const heard = async <T>(what: () => Promise<T>): Promise<Omit<Said, 'exitCode'> & { readonly result: T }> => {
  const said = { out: '', err: '' }
  const catching = (stream: NodeJS.WriteStream, name: 'out' | 'err') =>
    vi.spyOn(stream, 'write').mockImplementation((text) => {
      said[name] += String(text)
      return true
    })
  const spies = [catching(process.stdout, 'out'), catching(process.stderr, 'err')]
  try {
    const result = await what()
    return { result, ...said }
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}

/** What `touchstone ...args` prints and ends with. */
export const invoke = async (...args: readonly string[]): Promise<Said> => {
  const { result, out, err } = await heard(() => execute(args))
  return { exitCode: result, out, err }
}

/** A folder that is gone after the test. */
export const folder = (): string => {
  const path = mkdtempSync(join(tmpdir(), 'touchstone-cli-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
      .once('error', () => resolve(false))
      .listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })

/** Below the ports that systems hand out, lest another test be given one meanwhile; processes begin far apart. */
let nextPort = 20_000 + 10 * (process.pid % 1000)

/** A port that nobody listens at, another one each time. */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = nextPort
    nextPort += 1
    if (await isFree(port)) return port
  }
}

type File = ReturnType<typeof targetFileOf>

/** The embedded target, served until the test is over, and a target file for it. */
export const served = async (
  change: (file: File) => object = (file) => file,
  options: ServeOptions = {},
): Promise<{ readonly target: EmbeddedTarget; readonly file: string; readonly dir: string }> => {
  const target = await startEmbedded({ seed: 1, ...options })
  onTestFinished(() => target.server.close())
  const dir = folder()
  const file = join(dir, 'touchstone.config.json')
  writeFileSync(file, JSON.stringify(change(targetFileOf(target))))
  return { target, file, dir }
}

/** A call to a served target as its owner. */
export const callAsOwner = async (target: EmbeddedTarget, method: string, path: string, body?: object) => {
  const reply = await fetch(`${target.baseUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${target.secrets.get('owner')}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await reply.text()
  return { status: reply.status, body: text === '' ? undefined : JSON.parse(text) }
}
