// What tests of published schemas share: the schema with every object closed.

/** The published schema with every object closed that is not open on purpose, so that a member it does not know is caught. */
export const closed = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]))
  return 'properties' in schema ? { additionalProperties: false, ...inner } : inner
}
