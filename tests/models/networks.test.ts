import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fewestFor, sameAddresses } from '../../models/language/networks.js'
import { seed } from '../seed.js'

/** Networks within 192.0.2.0/27, as the first address and the length of the prefix. */
const network = fc
  .record({ at: fc.integer({ min: 0, max: 31 }), prefix: fc.integer({ min: 27, max: 32 }) })
  .map(({ at, prefix }) => ({ at: at - (at % 2 ** (32 - prefix)), size: 2 ** (32 - prefix), prefix }))
const networks = fc.array(network, { maxLength: 6 })
type Networks = readonly { readonly at: number; readonly size: number; readonly prefix: number }[]

const spell = (some: Networks) => some.map(({ at, prefix }) => `192.0.2.${at}/${prefix}`)
const addresses = (some: Networks) =>
  new Set(some.flatMap(({ at, size }) => Array.from({ length: size }, (_, i) => at + i)))

/** Counted from the top: a network whose addresses are all there is one, another one is the sum of its halves. */
const count = (all: ReadonlySet<number>, at = 0, size = 32): number => {
  const inside = Array.from({ length: size }, (_, i) => at + i).filter((one) => all.has(one)).length
  return inside === size ? 1 : inside === 0 ? 0 : count(all, at, size / 2) + count(all, at + size / 2, size / 2)
}

describe('networks together', () => {
  it('are the same where they name the same addresses', () => {
    fc.assert(
      fc.property(networks, networks, (one, other) => {
        const [a, b] = [addresses(one), addresses(other)]
        expect(sameAddresses(spell(one), spell(other))).toBe(a.size === b.size && [...a].every((at) => b.has(at)))
      }),
      { seed },
    )
    expect(sameAddresses(['2001:DB8::/33', '2001:db8:8000::/33'], ['2001:db8::/32'])).toBe(true)
    expect(sameAddresses(['any', '192.0.2.0/24'], ['192.0.2.0/24', 'any'])).toBe(true)
    expect(sameAddresses(['any'], ['all'])).toBe(false)
  })

  it('take as few networks as name their addresses', () => {
    fc.assert(
      fc.property(networks, (some) => {
        expect(fewestFor(spell(some))).toBe(count(addresses(some)))
      }),
      { seed },
    )
    expect(fewestFor(['::/0', '2001:db8::/32', '0.0.0.0/1', '128.0.0.0/1'])).toBe(2)
  })
})
