// Leaves `100 Continue` out of what a connection reads: a target may send it unasked, and the HTTP client would drop the connection.

import { buildConnector } from 'undici'

/** Connects as the HTTP client does, but accepts interim replies that nobody asked for (RFC 9110, 15.2). */
export const connectorWithoutInterim = (options: buildConnector.BuildOptions): buildConnector.connector =>
  withoutInterim(buildConnector(options))

/** Connects as another connector does, but accepts such replies. */
export const withoutInterim =
  (connect: buildConnector.connector): buildConnector.connector =>
  (to, done) =>
    connect(to, (...result) => {
      const [error, socket] = result
      if (error) return done(error, null)
      const read = socket.read.bind(socket)
      const leftOut = createFilter()
      socket.read = (size?: number) => leftOut(read(size) as Buffer | null)
      done(null, socket)
    })

/** The beginning of an interim reply; no JSON text contains it. */
const starts = ['HTTP/1.1 100', 'HTTP/1.0 100']
/** So many characters of it are needed to recognise it. */
const leastBytes = 'HTTP/'.length

/** So many bytes of an interim reply are waited for at most. */
const mostBytes = 65_536

/** Whether an interim reply begins; where too little is there to tell, it may. */
const isInterim = (bytes: Buffer): boolean => {
  const text = bytes.toString('latin1', 0, 12)
  return text.length >= leastBytes && starts.some((start) => start.startsWith(text))
}

/** Takes chunks as they are read and returns them without interim replies. An incomplete one is kept back until its end has come. */
export const createFilter = (): ((piece: Buffer | null) => Buffer | null) => {
  let begun: Buffer | undefined
  return (piece) => {
    if (piece === null) return null
    let bytes = begun ? Buffer.concat([begun, piece]) : piece
    begun = undefined
    while (isInterim(bytes)) {
      const end = bytes.indexOf('\r\n\r\n')
      if (end < 0) {
        // The HTTP client says what is wrong with one that has no end.
        if (bytes.length > mostBytes) return bytes
        begun = bytes
        return null
      }
      bytes = bytes.subarray(end + 4)
    }
    return bytes.length > 0 ? bytes : null
  }
}
