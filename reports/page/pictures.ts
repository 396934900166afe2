// The pictures of the model in report.html: states and transitions of each resource, coloured by what the run has shown.
import type { Results } from '../results-schema.js'
import { byOperation, type Counts, countVerdicts } from '../tally.js'
import { operationAnchor } from './anchors.js'
import { modelPictures } from './model-pictures.js'
import type { Picture } from './picture.js'
import { type Html, html, NOTHING } from './template.js'

const LINE = 15

/** Below a picture of its own resource an operation is called by its verb alone. */
export const labelIn = (resource: string, operation: string): string =>
  operation.startsWith(`${resource}.`) ? operation.slice(resource.length + 1) : operation

type Shown = 'broken' | 'passed' | 'partly' | 'unreached' | 'aside'

const MARK: Readonly<Record<Shown, string>> = { broken: '✗', passed: '✓', partly: '◐', unreached: '○', aside: '·' }

const MEANING: readonly (readonly [Shown, string])[] = [
  ['passed', 'all of its clauses that can be tested passed'],
  ['partly', 'some passed, others were not decided, or need more in the target file'],
  ['broken', 'a clause of it is broken'],
  ['unreached', 'none was reached'],
]

/** What the run has shown of an operation. */
function shownOf(counts: Counts | undefined): Shown {
  if (counts === undefined) return 'aside'
  if (counts.finding > 0) return 'broken'
  if (counts.pass === 0) return counts.untested + counts.untestable > 0 ? 'unreached' : 'aside'
  return counts.untested + counts.untestable > 0 ? 'partly' : 'passed'
}

/** Every resource of the areas that the run was about. */
export function picturesHtml(results: Results): Html {
  const counts = new Map(
    byOperation(results).map(({ id, clauses }) => [id, countVerdicts(clauses.filter(isDecidable))]),
  )
  const some = modelPictures.filter((picture) => operationsOf(picture).some((id) => counts.has(id)))
  const known = [...some.filter(isDrawn), ...some.filter((picture) => !isDrawn(picture))]
  if (known.length === 0) return html`<p>None of the operations is known to this version.</p>`
  return html`<p class="quiet">What makes, changes and removes each resource, as the model has it; beside each operation how many of its clauses passed. Links lead to the clauses.</p>
<ul class="legend marks">${MEANING.map(
    ([shown, text]) => html`<li><b class="m-${shown}">${MARK[shown]}</b> <span class="quiet">${text}</span></li>`,
  )}</ul>
<div class="pictures">${known.map((picture) => pictureHtml(picture, counts))}</div>`
}

/** What no target can show says nothing of this one. */
const isDecidable = ({ verdict, remedy }: Results['clauses'][number]): boolean =>
  verdict !== 'untestable' || remedy !== undefined

const isDrawn = ({ nodes }: Picture): boolean => nodes.length > 0

const operationsOf = ({ nodes, edges, others }: Picture): string[] => [
  ...[...nodes, ...edges].flatMap(({ operations }) => operations),
  ...others,
]

type AllCounts = ReadonlyMap<string, Counts>

function pictureHtml(picture: Picture, counts: AllCounts): Html {
  const others = picture.others.filter((id) => counts.has(id))
  const drawing = isDrawn(picture) ? drawingHtml(picture, counts) : NOTHING
  return html`<figure><figcaption>${picture.name}</figcaption>${drawing}
${
  others.length === 0
    ? NOTHING
    : html`<p class="chips">${others.map((id) => {
        const shown = shownOf(counts.get(id))
        return html` <a class="m-${shown}" href="#${operationAnchor(id)}">${MARK[shown]} ${labelIn(picture.name, id)} ${tally(counts.get(id))}</a>`
      })}</p>`
}</figure>
`
}

function drawingHtml({ name, width, height, nodes, edges }: Picture, counts: AllCounts): Html {
  const line = (id: string, x: number, y: number): Html => {
    const shown = shownOf(counts.get(id))
    const text = `${MARK[shown]} ${labelIn(name, id)} ${tally(counts.get(id))}`.trim()
    const label = html`<text x="${x}" y="${y}" class="m-${shown}">${text}</text>`
    return counts.has(id) ? html`<a href="#${operationAnchor(id)}">${label}</a>` : label
  }
  const drawnNodes = nodes.map(({ kind, x, y, w, h, name: state, operations }) =>
    kind === 'state'
      ? html`<rect class="state" x="${x - w / 2}" y="${y - h / 2}" width="${w}" height="${h}" rx="7"/><text class="state-name" x="${x}" y="${y - h / 2 + 19}">${state}</text>${operations.map((id, index) => line(id, x, y - h / 2 + 19 + LINE * (index + 1)))}`
      : html`<circle class="dot" cx="${x}" cy="${y}" r="6"/>${kind === 'end' ? html`<circle class="ring" cx="${x}" cy="${y}" r="9"/>` : NOTHING}`,
  )
  const drawnEdges = edges.map(
    ({ path, x, y, operations }) =>
      html`<path class="edge" d="${path}" marker-end="url(#arrow)"/>${operations.map((id, index) => line(id, x, y + 4 + LINE * (index - (operations.length - 1) / 2)))}`,
  )
  const said = nodes.filter(({ kind }) => kind === 'state').map((node) => node.name)
  return html`<div class="scroll" role="region" aria-label="States of ${name}" tabindex="0"><svg class="picture" viewBox="-8 -12 ${width + 16} ${height + 24}" width="${width + 16}" height="${height + 24}" role="group" aria-label="${name}: ${said.join(', ')}">${drawnEdges}${drawnNodes}</svg></div>`
}

const tally = (counts: Counts | undefined): string => {
  if (counts === undefined) return ''
  const all = counts.pass + counts.finding + counts.untested + counts.untestable
  return `${counts.pass}/${all}`
}

/** The arrowhead of all pictures; put into a page once. */
export const ARROW: Html = html`<svg width="0" height="0" class="defs" aria-hidden="true"><defs><marker id="arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path d="M0 0L10 5L0 10z" class="head"/></marker></defs></svg>`
