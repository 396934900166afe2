// The VLAN as the target file lists it; its record is not shown by the document, and no call makes one.
import type { VlanFixture } from '../language/environment.js'
import type { Table } from '../language/world.js'

/** Identity of a VLAN: labels are told apart by account and region, which is all that a ticket names it by. */
export const vlanKey = (account: string | undefined, region: string, label: string): string =>
  `${account ?? ''}/${region}/${label}`

export const vlans: Table<VlanFixture> = {
  name: 'vlans',
  fields: ['label', 'region'],
  identify: ({ label, region }, _, account) =>
    typeof label === 'string' && typeof region === 'string' ? vlanKey(account, region, label) : undefined,
  bare: () => ({}),
  change: { lasting: ['label', 'region'], outside: [], renewable: true },
  closable: false,
}
