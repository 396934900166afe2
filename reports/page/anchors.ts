// Where things stand in report.html: permanent, so that a link sent today leads to the same thing in a report of tomorrow.
import { fileSlug } from '../names.js'
import { type Html, html } from './template.js'

export const causeAnchor = (id: string): string => `cause-${fileSlug(id)}`
export const findingAnchor = (id: string): string => `finding-${fileSlug(id)}`
export const clauseAnchor = (id: string): string => `clause-${fileSlug(id)}`
export const areaAnchor = (area: string): string => `area-${fileSlug(area)}`
export const operationAnchor = (id: string): string => `operation-${fileSlug(id)}`

/** A link to the thing itself, to be copied. */
export const permalink = (anchor: string, what: string): Html =>
  html`<a class="permalink" href="#${anchor}" aria-label="Link to ${what}">#</a>`

/** A button that copies the text of an element; hidden where no script runs. */
export const copyButton = (element: string, what: string): Html =>
  html`<button type="button" class="copy" data-copy="${element}" aria-label="Copy ${what}" hidden>Copy</button>`
