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
    /^(?:volumes|buckets|clusters|ips|object-keys|tags|tickets|ticket-replies)\.(?:list|view): counts the page from 0$/,
    'the bounds of paging are not shown for this list, so one page alone may be counted from 0; of several, a walk tells',
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
    /^tickets\.close: (?:takes effect though refused|does half though refused|loses its effect the second time|puts back|reaches)/,
    'that a ticket is closed shows in the order of the list alone, and open ones may stand in any order',
  ],
  [/^tags\.view: drops tags\.view\.path\.tagLabel\.exists$/, 'a tag that is not there may be an empty list'],
  [/^clusters\.view: shows a wrong id$/, 'the record is not shown, so an id that is no cluster may be of another kind'],
  [/^managed-node-settings\.(?:view|update): shows a wrong id$/, "that an entry's own id is the node's is not said"],
  [
    /^buckets\.(?:create|view): shows a wrong (?:cluster|acl)$/,
    'a value that no request may send says nothing, where the record is not shown',
  ],
  [/^ips\.update: (?:shows a wrong|clears) type$/, 'no call says the type of an address that was there before'],
  [/^ipv6-pools\.list: /, 'the fields of a pool are not shown, so one pool cannot be told from another'],
  [/address\.minLength$/, 'no address of three characters is one that every target takes'],
  [/: refuses tcp of /, 'how the address of a tcp service is written is not said, so any one may be refused'],
  [
    /^managed-services\.(?:dis|en)able: (?:loses its effect|takes effect though refused|does half though refused|puts back|reaches)/,
    'the states of monitoring are not shown',
  ],
  [
    /^managed-services\.update: puts back what was before managed-services\.(?:dis|en)able$/,
    'the states of monitoring are not shown',
  ],
  [
    /^ticket-attachments\.create: (?:loses its effect|takes effect though refused)$/,
    'no operation shows what was attached',
  ],
  // Of the second order.
  [
    /^([\w.-]+): puts back what was before \1$/,
    'it changes the same members each time, so nothing else could come back',
  ],
  [
    /^volumes\.(?:attach: puts back what was before volumes\.detach|detach: puts back what was before volumes\.attach)$/,
    'both change the same members, so nothing else could come back',
  ],
  [
    /^(?:(?:managed-credentials|object-keys)\.update: clears label|volumes\.(?:resize: clears size|detach: clears node_id))$/,
    'that is the member that the call changes itself',
  ],
  [
    /^(?:managed-credentials|object-keys)\.update: reaches/,
    'it changes the label alone, and a label that is given to two is another fault',
  ],
  [/: clears (?:phone|ssh)$/, 'an object has no empty form'],
  [
    /^(?:bucket-certificates\.\w+|object-acl\.update): (?:puts back|reaches|does half)|: puts back what was before (?:bucket-certificates\.\w+|object-acl\.update)$/,
    'certificates and the ACLs of objects are no members of a bucket',
  ],
  [
    /^(?:bucket-[\w.]+|bucket-certificates\.\w+|object-acl\.update): clears (?:acl|cluster|cors_enabled)$/,
    'a value that no request may send says nothing, where the record is not shown',
  ],
  [/^tickets\.close: clears \w+$/, 'tickets stay for good, so that no ticket with a subject is made to be closed'],
  [
    /^(?:tickets\.create|ips\.allocate|firewall-devices\.create): takes up what was deleted$/,
    'nothing of the kind is deleted and comes back under the same name',
  ],
  [
    /^(?:managed-credentials|object-keys)\.create: takes up what was deleted$|^managed-credentials\.update-password: (?:clears username|reaches another account's)$/,
    'what a record shows of a member that was left out is not said',
  ],
  [
    /: counts with what is of other accounts for [\w.-]+\.(?:label-unique|unique-label)$/,
    'whether a name is unique in an account or beyond it is not said',
  ],
  [
    /: counts with what is deleted for [\w.-]+\.(?:label-unique|unique-label)$/,
    'how long the name of what was deleted stays taken is not said',
  ],
  [
    /: counts with what is (?:deleted|of other accounts) for firewall[\w.-]+\.(?:live-migration|one-active|one-nodebalancer)$/,
    'what is deleted or of another account has no part in a firewall of this one',
  ],
  [
    /: counts with what is (?:deleted|of other accounts) for volumes\./,
    'what is deleted or of another account is attached to no node of this one',
  ],
  [
    /: counts but for the newest for (?:volumes\.attach|firewalls\.create|firewall-devices\.\w+)\./,
    'the newest is what the call itself names or makes',
  ],
  [
    /^ips\.\w+: counts [\w ]+ for ips\.\w+\.(?:one-private|one-range|shared-swap)$|^ips\.assign: counts (?:with what is (?:deleted|of other accounts)|but for the newest) for ips\.assign\.public-left$/,
    'addresses are not deleted, those of others are on other nodes, and none is newer than the others',
  ],
  [
    /^(?:managed-issues|managed-node-settings|ips)\.list: later pages/,
    'fixtures alone fill that list, with less than two pages',
  ],
  [
    /^(?:tags\.view|firewall-devices\.list): later pages show other values$/,
    'what a page shows of an object beside its identity is not said',
  ],
  [
    /^firewall-devices\.create: emits though nothing changes/,
    'what comes of giving the same service again is not said',
  ],
  [/^object-storage\.cancel: (?:loses its effect|does half)/, 'a run cancels once'],
  [/^ips\.update: loses its effect the second time$/, "the name that null brings back is the provider's"],
]

/** One line on why a mutant survives; undefined where it should not. */
export const explanationOf = (mutantId: string): string | undefined =>
  explanations.find(([pattern]) => pattern.test(mutantId))?.[1]
