// Numbers that stand for texts; no secret is safe behind one.

/** A number below 2^32 that depends on the text alone (FNV-1a). */
export const hashOf = (text: string): number => {
  let value = 0x811c9dc5
  for (const character of text) value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0
  return value
}
