// Which headers and parameters may show what lets others in, and which surely don't; by their names alone.

const secretWords =
  /auth(?!ority|enticate|or(?!iz))|cookie|token|secret|key|passw|pwd|session|credential|signature|jwt/i

/** Whether a header, or a parameter of a query or of a header, is one by whose value a caller may be known. */
export const mayShowSecret = (name: string): boolean => secretWords.test(name) && !isPlainHeader(name)

/** Whether a header is one that carries no credential, by the standards of HTTP or by wide use; of others nobody can know. */
export const isPlainHeader = (name: string): boolean =>
  plain.has(name.toLowerCase()) || plainFamilies.test(name) || challenges.test(name)

const challenges = /^(www|proxy)-authenticate$/i

const plainFamilies =
  /^(:|accept(-|$)|access-control-|content-|if-|sec-(fetch|ch)-|sec-websocket-(key|accept|version|extensions)$|x-forwarded-(for|host|port|proto|prefix|server|scheme|ssl|method|uri)$|x-b3-|x-cache|([\w-]+-)?cache(-status|-lookup)?$|x-ratelimit-|x-rate-limit-|ratelimit|cf-(ray|cache))/i

const plain = new Set(
  `age allow alt-svc cache-control connection date dnt etag expect expires forwarded from host idempotency-key keep-alive
  last-modified link location max-forwards origin pragma prefer preference-applied priority range referer report-to
  reporting-endpoints request-id retry-after sec-gpc server server-timing strict-transport-security te timing-allow-origin
  traceparent tracestate trailer transfer-encoding upgrade upgrade-insecure-requests user-agent vary via warning
  x-correlation-id x-filter x-frame-options x-content-type-options x-powered-by x-real-ip x-request-id x-requested-with
  x-response-time x-runtime x-served-by x-spec-version x-xss-protection`.split(/\s+/),
)
