// Why some mutants are not caught: each line is a property of the document, not a gap that nobody looked at.

const explanations: readonly (readonly [pattern: RegExp, why: string])[] = [
  [/: blames another field$/, 'no refusal of this operation is about a member, so nothing is blamed'],
  [/: shows a wrong updated$/, 'the time of the last update may change at any moment'],
  [
    /: drops ip(?:s|v4)\.assign\.one-range$/,
    'an account has one range in a region and an assignment stays in one region, so the rule is never the only one due',
  ],
  [
    /: drops ipv6-ranges\.create\.one-per-node$/,
    'a second range for a node is a second one in its region, which another rule forbids as well',
  ],
  [
    /^(?:managed-(?:contacts|credentials|node-settings)|firewall-rules|object-keys|object-urls|ips)\.\w+: demands \w+$/,
    'whether a call may leave that member out is not said',
  ],
  [
    /^(?:buckets|clusters|object-keys|tags|tickets|ticket-replies)\.(?:list|view): (?:lowers|raises) [\w.-]+\.query\.page/,
    'the bounds of paging are only inferred for this list, and promise nothing',
  ],
  [
    /^bucket-access\.(?:allow|update): demands \w+$/,
    'whether a setting may be left out is not said, as either may be meant to be given with the other',
  ],
  [
    /^clusters\.list: (?:calls errors something else|leaves out the reason)$/,
    'nothing is surely refused here, so no error is shown',
  ],
  [
    /^tickets\.close: takes effect though refused$/,
    'that a ticket is closed shows in the order of the list alone, and open ones may stand in any order',
  ],
  [/^tags\.view: drops tags\.view\.path\.tagLabel\.exists$/, 'a tag that is not there may be an empty list'],
  [/^clusters\.view: shows a wrong id$/, 'the record is not shown, so an id that is no cluster may be of another kind'],
  [/^managed-node-settings\.(?:view|update): shows a wrong id$/, "that an entry's own id is the node's is not said"],
  [
    /^buckets\.(?:create|view): shows a wrong (?:cluster|acl)$/,
    'a value that no request may send says nothing, where the record is not shown',
  ],
  [/^ips\.update: shows a wrong type$/, 'no call says the type of an address that was there before'],
  [/^ipv6-pools\.list: /, 'the fields of a pool are not shown, so one pool cannot be told from another'],
  [/address\.minLength$/, 'no address of three characters is one that every target takes'],
  [/: refuses tcp of /, 'how the address of a tcp service is written is not said, so any one may be refused'],
  [
    /^managed-services\.(?:dis|en)able: (?:loses its effect|takes effect though refused)$/,
    'the states of monitoring are not shown',
  ],
  [
    /^ticket-attachments\.create: (?:loses its effect|takes effect though refused)$/,
    'no operation shows what was attached',
  ],
]

/** One line on why a mutant survives; undefined where it should not. */
export const explanationOf = (mutantId: string): string | undefined =>
  explanations.find(([pattern]) => pattern.test(mutantId))?.[1]
