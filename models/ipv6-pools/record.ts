// The IPv6 pool: the document shows no field of it and no call makes one, so nothing of it is remembered.
import type { Table } from '../language/world.js'

export const pools: Table<Record<string, never>> = {
  name: 'ipv6-pools',
  fields: [],
  identify: () => undefined,
  nameless: true,
  change: { lasting: [], outside: [], renewable: false },
  closable: false,
}
