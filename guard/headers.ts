// Which headers go on from one connection to the next, and how bodies are framed; values by turns with their names, as they came.

/** Fields that are about one connection alone (RFC 9110, 7.6.1). */
const hopByHop = new Set(['connection', 'keep-alive', 'proxy-connection', 'te', 'transfer-encoding', 'upgrade'])

const valuesOf = (headers: readonly string[], name: string): string =>
  headers.flatMap((value, i) => (i % 2 === 1 && headers[i - 1]?.toLowerCase() === name ? [value] : [])).join()

const wordsOf = (value: string): readonly string[] => value.split(',').map((word) => word.trim().toLowerCase())

/** Without the fields that are about this connection, those that `Connection` names included. */
const endToEnd = (headers: readonly string[], without: readonly string[] = []): string[] => {
  const dropped = new Set([...hopByHop, ...wordsOf(valuesOf(headers, 'connection')), ...without])
  const kept: string[] = []
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i] as string
    if (!dropped.has(name.toLowerCase())) kept.push(name, headers[i + 1] as string)
  }
  return kept
}

/** What the target is sent: the same, to its host, with the body framed as the client has framed it. */
export const onward = (headers: readonly string[], method: string, host: string): string[] => {
  const isChunked = valuesOf(headers, 'transfer-encoding') !== ''
  const kept = endToEnd(headers, isChunked ? ['host', 'content-length'] : ['host'])
  const sent = ['Host', host, ...kept]
  if (isChunked) sent.push('Transfer-Encoding', 'chunked')
  // Node.js would announce a body otherwise.
  else if (valuesOf(headers, 'content-length') === '' && ['POST', 'PUT', 'PATCH'].includes(method))
    sent.push('Content-Length', '0')
  if (wordsOf(valuesOf(headers, 'te')).includes('trailers')) sent.push('TE', 'trailers', 'Connection', 'TE, keep-alive')
  return sent
}

/** What the client is sent: the same; how the body is framed depends on the client's own connection. */
export const backward = (headers: readonly string[]): string[] => endToEnd(headers)
