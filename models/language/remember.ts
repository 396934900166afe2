// A function of texts that keeps what it has read; for readings that are dear and asked for again and again.

const most = 4096

/** The same function, which reads a text once; all is forgotten when there is too much of it. */
export const remember = <T>(read: (text: string) => T): ((text: string) => T) => {
  const kept = new Map<string, T>()
  return (text) => {
    const known = kept.get(text)
    if (known !== undefined || kept.has(text)) return known as T
    const value = read(text)
    if (kept.size >= most) kept.clear()
    kept.set(text, value)
    return value
  }
}
