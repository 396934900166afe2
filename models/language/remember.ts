// Memoizes a function of a text, for parsing that is slow and often repeated.

const most = 4096

/** The same function with a memory, which is emptied when it grows too large. */
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
