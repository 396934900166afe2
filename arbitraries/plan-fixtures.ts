// The names and fixtures of a plan: fresh names with the nonce of the run, and what the target file has.

import type { Environment } from '../models/language/environment.js'
import { aFixture, aNode, type Need } from '../models/language/needs.js'
import type { Plan } from '../models/language/plan.js'
import { proseMark } from './likeness.js'
import type { Choose } from './plan-tokens.js'
import type { Prose } from './prose.js'
import { nameOfRun, tagOfRun } from './serial.js'

/** What every plan of a run shares. */
export interface PlanContext {
  readonly environment: Environment
  /** A text that every name made in this run contains; letters, digits and hyphens. */
  readonly nonce: string
  /** Yields 0, 1, 2 …; never the same number twice in a run. */
  readonly next: () => number
  /** What people write; names stand for it where it is left out. */
  readonly prose?: Prose
  /** Whether texts may be in any script. */
  readonly isForeign?: boolean
  readonly certificate: () => { readonly certificate: string; readonly private_key: string }
  /** Where programs start to look if any fixture will do, so that programs side by side take different ones. */
  readonly rotation?: number
  /** Where series of turns begin, so that steps that are planned one by one differ; 0 when left out. */
  readonly turn?: number
}

/** How many tags plans choose from. */
const differentTags = 5

/** Letters that no earlier call returned; `length` at least 1, and only 26 to the power of it are different. */
export const letters = (n: number, length: number): string => {
  let rest = n
  let word = ''
  for (let i = 0; i < length; i += 1) {
    word += String.fromCharCode(97 + (rest % 26))
    rest = Math.floor(rest / 26)
  }
  return word
}

type Names = Pick<Plan, 'name' | 'text' | 'label' | 'oddText' | 'tag' | 'turn'>

/** The names of a plan, each new. */
export const namesOf = ({ nonce, next, prose, isForeign = false, turn: begin = 0 }: PlanContext): Names => {
  const turns = new Map<string, number>()
  const name = (): string => nameOfRun(nonce, next())
  /** A fresh name, and words behind it. */
  const named = (most: number, between: string, words: ((n: number, most: number) => string) | undefined): string => {
    const n = next()
    const start = nameOfRun(nonce, n)
    const room = most - start.length - between.length
    return words && room > 0 ? `${start}${between}${words(n, room)}` : start
  }
  const oddText = (most: number): string => named(most, ' ', prose?.any ?? (() => 'Ä'))
  return {
    name,
    text: (most) => (isForeign ? oddText(most) : named(most, proseMark, prose?.plain)),
    label: (most) => (isForeign ? oddText(most) : name()),
    oddText,
    tag: (word = letters(next() % differentTags, 1)) => tagOfRun(nonce, word),
    turn: (series) => {
      const turn = turns.get(series) ?? begin
      turns.set(series, turn + 1)
      return turn
    },
  }
}

type Fixtures = Pick<
  Plan,
  | 'region'
  | 'cluster'
  | 'node'
  | 'nodebalancer'
  | 'domain'
  | 'volumeFixture'
  | 'vlan'
  | 'bucketFixture'
  | 'dns'
  | 'managedIssue'
>

/** Fixtures of the first account; where none fits, one that stands in until the plan is given up. */
export const fixturesOf = ({ environment, rotation = 0 }: PlanContext, choose: Choose): Fixtures => {
  const { fixtures, accounts } = environment
  const home = accounts[0]?.name
  const seek = <T extends object>(
    items: readonly T[] | undefined,
    where: ((item: T) => boolean) | undefined,
    need: Need,
    standIn: T,
  ): T => {
    const own = (items ?? []).filter(
      (item) => !('account' in item) || item.account === undefined || item.account === home,
    )
    return choose(rotated(where ? own.filter(where) : own, rotation), need) ?? standIn
  }
  return {
    region: (where, need = aFixture('regions', 'a region')) => seek(fixtures.regions, where, need, { id: 'none' }),
    cluster: (where, need = aFixture('clusters', 'a cluster')) => seek(fixtures.clusters, where, need, { id: 'none' }),
    node: (where, need = aNode('a node')) => seek(fixtures.nodes, where, need, { id: 0, region: 'none' }),
    nodebalancer: (where, need = aFixture('nodebalancers', 'a node balancer')) =>
      seek(fixtures.nodebalancers, where, need, { id: 0 }),
    domain: (where, need = aFixture('domains', 'a domain')) => seek(fixtures.domains, where, need, { id: 0 }),
    volumeFixture: (where, need = aFixture('volumes', 'a volume among the fixtures')) =>
      seek(fixtures.volumes, where, need, { id: 0 }),
    vlan: (where, need = aFixture('vlans', 'a VLAN')) =>
      seek(fixtures.vlans, where, need, { label: 'none', region: 'none' }),
    bucketFixture: (where, need = aFixture('buckets', 'a bucket among the fixtures')) =>
      seek(fixtures.buckets, where, need, { cluster: 'none', label: 'none' }),
    dns: (where, need = aFixture('dns', 'a forward DNS entry')) =>
      seek(fixtures.dns, where, need, { name: 'none', address: '0.0.0.0' }),
    managedIssue: (where, need = aFixture('managedIssues', 'a Managed issue')) =>
      seek(fixtures.managedIssues, where, need, { id: 0 }),
  }
}

/** From where programs of this context begin to look. */
const rotated = <T>(items: readonly T[], rotation: number): readonly T[] => {
  const at = rotation % Math.max(1, items.length)
  return [...items.slice(at), ...items.slice(0, at)]
}
