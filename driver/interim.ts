// Leaves `100 Continue` out of what a connection reads: a target may send it unasked, and the HTTP client would drop the connection.

import { buildConnector } from 'undici'

/** Connects as the HTTP client does; a client has to take interim replies that it did not ask for (RFC 9110, 15.2). */
export const connectorWithoutInterim = (options: buildConnector.BuildOptions): buildConnector.connector => {
  const connect = buildConnector(options)
  return (to, done) =>
    connect(to, (...result) => {
      const [error, socket] = result
      if (error) return done(error, null)
      const read = socket.read.bind(socket)
      const leftOut = createFilter()
      socket.read = (size?: number) => leftOut(read(size) as Buffer | null)
      done(null, socket)
    })
}

/** What begins so is no part of a JSON text. */
const starts = ['HTTP/1.1 100', 'HTTP/1.0 100']
/** So much of it has to be there to be taken for its beginning. */
const leastBytes = 'HTTP/'.length

/** Whether an interim reply begins; where too little is there to tell, it may. */
const isInterim = (bytes: Buffer): boolean => {
  const text = bytes.toString('latin1', 0, 12)
  return text.length >= leastBytes && starts.some((start) => start.startsWith(text))
}

/** Takes in what is read piece by piece, and returns it without interim replies; one of which a part is still to come is kept back. */
export const createFilter = (): ((piece: Buffer | null) => Buffer | null) => {
  let begun: Buffer | undefined
  return (piece) => {
    if (piece === null) return null
    let bytes = begun ? Buffer.concat([begun, piece]) : piece
    begun = undefined
    while (isInterim(bytes)) {
      const end = bytes.indexOf('\r\n\r\n')
      if (end < 0) {
        begun = bytes
        return null
      }
      bytes = bytes.subarray(end + 4)
    }
    return bytes.length > 0 ? bytes : null
  }
}
