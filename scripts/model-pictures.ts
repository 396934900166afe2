// Draws the states and transitions of each resource: watched on the embedded target while probes run, laid out by Graphviz.
import { Graphviz } from '@hpcc-js/wasm-graphviz'
import { probeFor } from '../arbitraries/probes.js'
import { runProgram } from '../driver/programs.js'
import { survey } from '../driver/survey.js'
import type { Outcome, WireCall } from '../history/wire.js'
import { allTables, operations } from '../models/index.js'
import { clausesOf } from '../models/language/derive.js'
import type { AnyTable, Operation } from '../models/language/operation.js'
import { referencesOf, removedBy } from '../models/language/references.js'
import type { AnyEntity, World } from '../models/language/world.js'
import { embeddedEnvironment } from '../reference/environment.js'
import { inProcess } from '../reference/in-process.js'
import type { Picture } from '../reports/page/picture.js'
import { labelIn } from '../reports/page/pictures.js'

/** What tells the state of a resource that has more than one, and a word for each of its values. */
const states: Readonly<Record<string, (entity: AnyEntity) => string>> = {
  volumes: ({ status }) => String(status),
  firewalls: ({ status }) => String(status),
  tickets: ({ closed }) => (closed === true ? 'closed' : 'open'),
  'managed-services': ({ monitored }) => (monitored === false ? 'not monitored' : 'monitored'),
}

const start = 'start'
const end = 'deleted'
const itself = 'by itself'

interface Transition {
  readonly table: string
  readonly from: string
  readonly to: string
  /** Operation, or that it happened by itself. */
  readonly by: string
}

const stateOf = (table: AnyTable, entity: AnyEntity): string => states[table.name]?.(entity) ?? 'there'

/** What a call has changed, entity by entity. */
const changes = (before: World, after: World, by: string): Transition[] =>
  allTables().flatMap((table): Transition[] => {
    const [old, now] = [before, after].map(
      (world) => world.tables.get(table.name)?.live ?? new Map<string, AnyEntity>(),
    )
    const seen = (key: string): Transition[] => {
      const [from, to] = [old?.get(key), now?.get(key)]
      if (from === to) return []
      const states = { from: from ? stateOf(table, from) : start, to: to ? stateOf(table, to) : end }
      const drifted = from && to && table.drifts?.(from).some((one) => stateOf(table, one as AnyEntity) === states.to)
      return [{ table: table.name, ...states, by: drifted && states.from !== states.to ? itself : by }]
    }
    return [...new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])])].flatMap(seen)
  })

/** Kinds of clauses whose probes reach the states. */
const telling: ReadonlySet<string> = new Set(['general', 'refusal', 'silence', 'statement', 'effect', 'shows'])

/** Runs the probes of every operation that is no read, and watches the embedded target's world. */
const watched = async (): Promise<readonly Transition[]> => {
  const found = new Map<string, Transition>()
  for (const op of operations.filter(({ method }) => method !== 'GET')) {
    const { session, embedded } = inProcess({ environment: embeddedEnvironment() })
    const { handle } = embedded
    const watching = (call: WireCall): Outcome => {
      const before = embedded.world()
      const outcome = handle(call)
      for (const one of changes(before, embedded.world(), call.operation))
        if (call.method !== 'GET' || one.by === itself) found.set(JSON.stringify(one), one)
      return outcome
    }
    Object.assign(embedded, { handle: watching })
    await survey(session)
    for (const clause of clausesOf(op).filter(({ kind }) => telling.has(kind))) {
      const probe = probeFor(clause, session.context)
      if (probe.kind === 'program' && probe.program.missing.length === 0)
        await runProgram(session, probe.program, clause)
    }
  }
  return [...found.values()]
}

/** The table that an operation is about. */
const homeOf = (op: Operation): string => {
  const { id, makes, reply } = op
  const shown = 'table' in reply ? reply.table : referencesOf(op).at(-1)?.[1].table
  return (makes ?? removedBy(op)?.table ?? shown)?.name ?? id.slice(0, id.lastIndexOf('.'))
}

/** Every picture, in the order of the registry; an operation that changes nothing stands below that of its resource. */
export const modelPictures = async (): Promise<readonly Picture[]> => {
  const graphviz = await Graphviz.load()
  const transitions = await watched()
  const drawn = new Set(transitions.map(({ by }) => by))
  return [...new Set(operations.map(homeOf))].flatMap((name): Picture[] => {
    const own = transitions.filter(({ table }) => table === name)
    const others = operations.filter((op) => homeOf(op) === name && !drawn.has(op.id)).map(({ id }) => id)
    if (own.length === 0)
      return others.length === 0 ? [] : [{ name, width: 0, height: 0, nodes: [], edges: [], others }]
    return [{ name, ...layout(graphviz, name, own), others }]
  })
}

type Drawing = Omit<Picture, 'name' | 'others'>

/** Ten characters beside the name: a mark, and how many clauses of how many. */
const besideName = '          '
const order = new Map(operations.map(({ id }, index) => [id, index]))
const byRegistry = (a: string, b: string): number => (order.get(a) ?? -1) - (order.get(b) ?? -1)
const operationsBetween = (all: readonly Transition[], from: string, to: string): string[] =>
  [...new Set(all.filter((one) => one.from === from && one.to === to).map(({ by }) => by))].sort(byRegistry)

const characterWidth = 6.7
const lineHeight = 15
const inches = (points: number): string => (points / 72).toFixed(3)

interface Laid {
  readonly bb: string
  readonly objects: readonly { readonly name: string; readonly pos: string }[]
  readonly edges?: readonly {
    readonly tail: number
    readonly head: number
    readonly pos: string
    readonly lp?: string
  }[]
}

const layout = (graphviz: Graphviz, resource: string, all: readonly Transition[]): Drawing => {
  const states = [...new Set(all.flatMap(({ from, to }) => [from, to]))].sort(
    (a, b) => Number(b === start) - Number(a === start) || Number(a === end) - Number(b === end) || (a < b ? -1 : 1),
  )
  const nodes = states.map((name) => {
    const within = name === start || name === end ? [] : operationsBetween(all, name, name)
    const longest = Math.max(name.length + 2, ...within.map((id) => labelIn(resource, id).length + besideName.length))
    const isDot = name === start || name === end
    return {
      name,
      within,
      w: isDot ? 18 : Math.ceil(longest * characterWidth) + 20,
      h: isDot ? 18 : 30 + within.length * lineHeight,
    }
  })
  const pairs = states.flatMap((from) =>
    states.flatMap((to) => {
      const by = from === to ? [] : operationsBetween(all, from, to)
      return by.length === 0 ? [] : [{ from, to, by }]
    }),
  )
  const dot = `digraph { rankdir=TB; nodesep=0.5; ranksep=0.35; node [shape=box, fixedsize=true, label=""]; edge [fontname="Courier", fontsize=11, arrowhead=none];
${nodes.map(({ name, w, h }) => `"${name}" [width=${inches(w)}, height=${inches(h)}]`).join('\n')}
${pairs.map(({ from, to, by }) => `"${from}" -> "${to}" [label="${by.map((id) => `${labelIn(resource, id)}${besideName}`).join('\\n')}"]`).join('\n')}
}`
  const laid = JSON.parse(graphviz.layout(dot, 'json', 'dot')) as Laid
  return placed(laid, nodes, pairs)
}

const placed = (
  laid: Laid,
  nodes: readonly {
    readonly name: string
    readonly within: readonly string[]
    readonly w: number
    readonly h: number
  }[],
  pairs: readonly { readonly from: string; readonly to: string; readonly by: readonly string[] }[],
): Drawing => {
  const [, , width = 0, height = 0] = laid.bb.split(',').map(Number)
  /** Graphviz counts from below. */
  const point = (text: string): readonly [number, number] => {
    const [x = 0, y = 0] = text.split(',').map(Number)
    return [Math.round(x), Math.round(height - y)]
  }
  return {
    width: Math.ceil(width),
    height: Math.ceil(height),
    nodes: nodes.map(({ name, within, w, h }) => {
      const [x, y] = point(laid.objects.find((one) => one.name === name)?.pos ?? '0,0')
      return { name, x, y, w, h, kind: name === start ? 'start' : name === end ? 'end' : 'state', operations: within }
    }),
    edges: (laid.edges ?? []).map((edge) => {
      const [from, to] = [laid.objects[edge.tail]?.name, laid.objects[edge.head]?.name]
      const [x, y] = point(edge.lp ?? '0,0')
      const spline = edge.pos.split(' ').map((text) => point(text.replace(/^[es],/, '')).join(' '))
      const [first, ...rest] = edge.pos.startsWith('e,') ? [...spline.slice(1), spline[0]] : spline
      return {
        path: `M${first}C${rest.slice(0, rest.length - (rest.length % 3)).join(' ')}`,
        x,
        y,
        operations: pairs.find((pair) => pair.from === from && pair.to === to)?.by ?? [],
      }
    }),
  }
}

/** The generated file. */
export const picturesFile = (pictures: readonly Picture[]): string =>
  `// Generated from models/ by scripts/model-pictures.ts; \`npm run docs\` writes it anew.
import type { Picture } from './picture.js'

export const modelPictures: readonly Picture[] = [
${pictures.map((picture) => `  ${JSON.stringify(picture)},`).join('\n')}
]
`
