// A call as it goes over the wire, and its outcome; types alone.

/** A call in wire values: what the client sends, less the secret. */
export interface WireCall {
  /** Operation id. */
  readonly operation: string
  readonly method: string
  /** Path with its parameters filled in, and the query, relative to the base URL. */
  readonly url: string
  /** Name of the token; null when no credential is sent, `?` when unknown. */
  readonly as: string | null
  readonly path: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  /** JSON value; absent when no body is sent. */
  readonly body?: unknown
  /** A file sent as multipart/form-data in place of a JSON body. */
  readonly file?: { readonly field: string; readonly name: string; readonly bytes: number }
}

/** The reply, or why there was none. */
export type Outcome =
  | {
      readonly status: number
      /** Parsed JSON; absent when the body was empty or not JSON. */
      readonly body?: unknown
      /** The body as text where it was not JSON. */
      readonly text?: string
      readonly contentType?: string
    }
  | {
      readonly lost: 'timeout' | 'reset' | 'refused' | 'tls' | 'too-large' | 'malformed' | 'foreign'
      /** Status of the reply where that is known, and its body is not. */
      readonly replied?: number
      readonly detail?: string
    }
