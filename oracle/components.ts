// The strongly connected components of a graph; knows nothing of calls.

/** For each node those that it leads to. */
type Edges = readonly (readonly number[])[]

/**
 * The components, each before those that it leads to (Kosaraju's algorithm).
 * @param order the nodes as their components are to come where nothing else tells
 */
export const componentsOf = (edges: Edges, order: readonly number[]): readonly (readonly number[])[] => {
  const back = edges.map((): number[] => [])
  for (const [node, next] of edges.entries()) for (const one of next) back[one]?.push(node)
  const [seen, met] = [new Set<number>(), new Set<number>()]
  const left = order.toReversed().flatMap((node) => reachedFrom(edges, node, seen))
  return left
    .reverse()
    .map((node) => reachedFrom(back, node, met))
    .filter(({ length }) => length > 0)
}

/** The unseen nodes that a node leads to, itself included, each after all that it leads to. */
const reachedFrom = (edges: Edges, from: number, seen: Set<number>): number[] => {
  const left: number[] = []
  const path: { readonly node: number; readonly next: Iterator<number> }[] = []
  const enter = (node: number): void => {
    if (seen.has(node)) return
    seen.add(node)
    path.push({ node, next: (edges[node] ?? []).values() })
  }
  enter(from)
  for (let top = path.at(-1); top; top = path.at(-1)) {
    const { value, done } = top.next.next()
    if (!done) enter(value)
    else {
      left.push(top.node)
      path.pop()
    }
  }
  return left
}
