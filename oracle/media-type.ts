// Judges the media type under which a JSON body comes; whether the body is JSON is decided elsewhere.

import { surelyClauseOf } from './clauses.js'
import { type Deviation, deviation } from './judgement.js'
import type { Step } from './step.js'

/** Types of what surely is no JSON. JSON is text and bytes as well, so that plain text and octets are no lie. */
const others =
  /^\s*(?:(?:image|audio|video|font|multipart)\/|text\/(?:html|xml|css|csv|markdown)\b|application\/(?:xml|xhtml\+xml|pdf|zip)\b)/i

/** A type is no part of the document, so that a wrong one breaks what follows from HTTP. */
export const judgeMediaType = ({ op, reply: { body, contentType } }: Step): readonly Deviation[] =>
  body !== undefined && contentType !== undefined && others.test(contentType)
    ? [
        {
          ...deviation(surelyClauseOf(op, 'json'), 'content-type', 'JSON under its own type', contentType),
          level: 'should',
        },
      ]
    : []
