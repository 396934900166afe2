// A guard in this process, and seeded clients that work on a target through it at the same time; no tests.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { onTestFinished } from 'vitest'
import { type GuardOptions, guard } from '../../cli/guard.js'
import { judgeHere, type OpenJudging } from '../../guard/thread.js'
import type { Results } from '../../reports/results-schema.js'
import { heard } from '../cli/invoke.js'

export interface Guarded {
  readonly exitCode: number
  readonly results: Results
  readonly out: string
  readonly err: string
  /** Where everything was written. */
  readonly folder: string
  /** Text of a file in the output folder. */
  readonly file: (name: string) => string
}

/** What a guard of the target comes to while `use` sends requests through it. @param target a URL or the content of a target file */
export const guarded = async (
  target: string | object,
  use: (origin: string) => Promise<unknown>,
  more: Partial<GuardOptions> = {},
  open: OpenJudging = judgeHere,
): Promise<Guarded> => {
  const folder = mkdtempSync(join(tmpdir(), 'guard-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  if (typeof target !== 'string') writeFileSync(join(folder, 'target.json'), JSON.stringify(target))
  const options: GuardOptions = {
    target: typeof target === 'string' ? target : 'target.json',
    cwd: folder,
    out: 'out',
    listen: { host: '127.0.0.1', port: 0 },
    level: 'must',
    reports: ['html', 'junit', 'json'],
    json: false,
    quiet: true,
    command: 'touchstone guard',
    ...more,
  }
  const file = (name: string): string => readFileSync(join(folder, name), 'utf8')
  const { result, out, err } = await heard(() => guard(options, use, open))
  return { exitCode: result, results: JSON.parse(file('out/results.json')), out, err, folder, file }
}

interface Kind {
  readonly path: string
  readonly make: (label: string) => object
  readonly change: (label: string) => object
}

const kinds: readonly Kind[] = [
  { path: '/volumes', make: (label) => ({ label, region: 'r1', size: 20 }), change: (label) => ({ label }) },
  { path: '/networking/firewalls', make: (label) => ({ label, rules }), change: (label) => ({ label }) },
  { path: '/managed/contacts', make: (name) => ({ name, email: 'a@b.test' }), change: (name) => ({ name }) },
]
const rules = { inbound: [], outbound: [], inbound_policy: 'ACCEPT', outbound_policy: 'ACCEPT' }

/** What a client does next: of which kind, to which of all that clients have made, under which of few names. */
const deed = fc.record({
  kind: fc.nat(kinds.length - 1),
  verb: fc.constantFrom('make', 'make', 'view', 'view', 'list', 'change', 'change', 'remove'),
  which: fc.nat(5),
  label: fc.constantFrom('ann', 'bob', 'cy', 'dee', 'eve'),
})
type Deed = typeof deed extends fc.Arbitrary<infer T> ? T : never

/** Clients that change what the others have made, all at once. @returns how many requests were answered */
export const playClients = async (
  baseUrl: string,
  secrets: readonly string[],
  { seed, clients = 4, deeds = 40 }: { readonly seed: number; readonly clients?: number; readonly deeds?: number },
): Promise<number> => {
  const made: string[][] = kinds.map(() => [])
  let answered = 0
  const plans = fc.sample(fc.array(deed, { minLength: deeds, maxLength: deeds }), { seed, numRuns: clients })
  const play = async (plan: readonly Deed[], secret: string): Promise<void> => {
    for (const { kind, verb, which, label } of plan) {
      const { path, make, change } = kinds[kind] as Kind
      const ids = made[kind] as string[]
      const id = ids[ids.length - 1 - (which % Math.max(1, ids.length))]
      const call = async (method: string, below: string, body?: object) => {
        const reply = await fetch(baseUrl + path + below, {
          method,
          headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
          ...(body && { body: JSON.stringify(body) }),
        })
        answered += 1
        return { ok: reply.ok, body: (await reply.json()) as { readonly id?: number } }
      }
      if (verb === 'list') await call('GET', '')
      else if (verb === 'make' || id === undefined) {
        const reply = await call('POST', '', make(label))
        if (reply.ok) ids.push(String(reply.body.id))
      } else if (verb === 'view') await call('GET', `/${id}`)
      else if (verb === 'change') await call('PUT', `/${id}`, change(label))
      else await call('DELETE', `/${id}`)
    }
  }
  await Promise.all(plans.map((plan, i) => play(plan, secrets[i % secrets.length] as string)))
  return answered
}
