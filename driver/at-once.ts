// Does something with many things, several at a time.

/** The results, in the order of the things. */
export const atOnce = async <T, R>(
  most: number,
  things: readonly T[],
  what: (thing: T) => Promise<R>,
): Promise<readonly R[]> => {
  const done: R[] = []
  for (let i = 0; i < things.length; i += most) done.push(...(await Promise.all(things.slice(i, i + most).map(what))))
  return done
}
