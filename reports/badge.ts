// The verdict as a small picture in SVG, for a README or a dashboard; a function of results.json.

import { html } from './page/template.js'
import type { Results } from './results-schema.js'
import { countVerdicts } from './tally.js'
import { figure } from './visible.js'

const COLOURS: Readonly<Record<Results['verdict'], string>> = {
  conforms: '#1a7f47',
  nonconforming: '#b3121e',
  inconclusive: '#7a4e00',
}

const HEIGHT = 20
/** Of the font below, at its widest. */
const CHARACTER = 6.8

/** `interface 4.175.0 | conforms, 2,104 clauses`: what passed is named, so that a narrow selection shows. */
export function badge(results: Results): string {
  const label = `interface ${results.interface}`
  const { pass, finding } = countVerdicts(results.clauses)
  const told = results.verdict === 'nonconforming' ? `${figure(finding)} broken` : `${figure(pass)} passed`
  const value = `${results.verdict}, ${told}`
  const [left, right] = [label, value].map((text) => Math.ceil(text.length * CHARACTER) + 14) as [number, number]
  const text = (x: number, said: string) =>
    html`<text x="${x}" y="14" text-anchor="middle" fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">${said}</text>`
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="${HEIGHT}" role="img" aria-label="${label}: ${value}"><title>${results.target.name}, ${label}: ${value}</title><clipPath id="r"><rect width="${left + right}" height="${HEIGHT}" rx="3"/></clipPath><g clip-path="url(#r)"><rect width="${left}" height="${HEIGHT}" fill="#4a4f57"/><rect x="${left}" width="${right}" height="${HEIGHT}" fill="${COLOURS[results.verdict]}"/></g>${text(left / 2, label)}${text(left + right / 2, value)}</svg>
`.html
}
