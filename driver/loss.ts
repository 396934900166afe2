// Tells from an error of the HTTP client why no reply came.

import type { Outcome } from '../history/wire.js'
import { notConnected } from './connections.js'

export type Lost = Extract<Outcome, { lost: unknown }>

/** @param progress how far the reply had come, empty where none had begun */
export const lossOf = (error: Error, progress: string): Lost => {
  const code = codeOf(error)
  const told = error.message || (error.cause instanceof Error ? error.cause.message : '')
  const text = [code && !told.includes(code) ? `${code}: ${told}` : told, progress].filter(Boolean).join(', ')
  if (ours.has(code)) return { lost: 'refused', detail: `suite defect: ${text}; nothing was sent` }
  return { lost: kindOf(error, code), detail: text }
}

/** Requests that the HTTP client would not send. */
const ours = new Set(['UND_ERR_INVALID_ARG', 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH', 'UND_ERR_NOT_SUPPORTED'])

const kinds: Readonly<Record<string, Lost['lost']>> = {
  ECONNREFUSED: 'refused',
  ENOTFOUND: 'refused',
  EAI_AGAIN: 'refused',
  [notConnected]: 'refused',
  EHOSTUNREACH: 'refused',
  ENETUNREACH: 'refused',
  EADDRNOTAVAIL: 'refused',
  ETIMEDOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_OVERFLOW: 'too-large',
}

const tlsCode =
  /^(?:EPROTO$|ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH$|INVALID_CA$|CRL_)/

const kindOf = (error: Error, code: string): Lost['lost'] => {
  const known = kinds[code]
  if (known) return known
  if (tlsCode.test(code)) return 'tls'
  return isMalformed(error) ? 'malformed' : 'reset'
}

/** Whether the connection ended in the middle of a reply, which does not make the reply malformed. */
const isMalformed = ({ name, message }: Error): boolean =>
  name === 'HTTPParserError' && !message.includes('Invalid EOF state')

const codeOf = (error: Error): string => {
  const { code } = error as { readonly code?: unknown }
  return typeof code === 'string' ? code : ''
}
