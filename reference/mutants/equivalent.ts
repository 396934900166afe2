// Why some mutants are not caught: each line is a property of the document, not a gap that nobody looked at.

/** The mutants that are not caught, as a pattern of their ids, by the reason. */
const explanations: Readonly<Record<string, RegExp>> = {
  'no refusal of this operation is about a member, so nothing is blamed': /: blames another field$/,
  'the time of the last update may change at any moment': /: shows a wrong updated$/,
  'an account has one range in a region and an assignment stays in one region, so the rule is never the only one due':
    /: drops (?:every second time )?ip(?:s|v4)\.assign\.one-range$/,
  'a second range for a node is a second one in its region, which another rule forbids as well':
    /: drops (?:every second time )?ipv6-ranges\.create\.one-per-node$/,
  'whether a call may leave that member out is not said':
    /^(?:managed-(?:contacts|credentials|node-settings)|firewall-rules|object-keys|object-urls|ips)\.\w+: demands \w+$/,
  'the bounds of paging are only inferred for this list, and promise nothing':
    /^(?:buckets|clusters|object-keys|tags|tickets|ticket-replies)\.(?:list|view): (?:lowers|raises) [\w.-]+\.query\.page/,
  'the bounds of paging are not shown for this list, so one page alone may be counted from 0; of several, a walk tells':
    /^(?:volumes|buckets|clusters|ips|object-keys|tags|tickets|ticket-replies)\.(?:list|view): counts the page from 0$/,
  'whether a setting may be left out is not said, as either may be meant to be given with the other':
    /^bucket-access\.(?:allow|update): demands \w+$/,
  'nothing is surely refused here, so no error is shown':
    /^clusters\.list: (?:calls errors something else|leaves out the reason)$/,
  'that a ticket is closed shows in the order of the list alone, and open ones may stand in any order':
    /^tickets\.close: (?:takes effect though refused|does half though refused|loses its effect|puts back|reaches)|^tickets\.view: shows by turns/,
  'a tag that is not there may be an empty list': /^tags\.view: drops tags\.view\.path\.tagLabel\.exists$/,
  'the record is not shown, so an id that is no cluster may be of another kind': /^clusters\.view: shows a wrong id$/,
  "that an entry's own id is the node's is not said": /^managed-node-settings\.(?:view|update): shows a wrong id$/,
  'a value that no request may send says nothing, where the record is not shown':
    /^buckets\.(?:create|view): shows a wrong (?:cluster|acl)$|^(?:bucket-[\w.]+|bucket-certificates\.\w+|object-acl\.update): clears (?:acl|cluster|cors_enabled)$/,
  'no call says the type of an address that was there before': /^ips\.update: (?:shows a wrong|clears) type$/,
  'the fields of a pool are not shown, so one pool cannot be told from another': /^ipv6-pools\.list: /,
  'no address of three characters is one that every target takes': /address\.minLength$/,
  'how the address of a tcp service is written is not said, so any one may be refused': /: refuses tcp of /,
  'the states of monitoring are not shown':
    /^managed-services\.(?:dis|en)able: (?:loses its effect|takes effect though refused|does half though refused|puts back|reaches)|^managed-services\.update: puts back what was before managed-services\.(?:dis|en)able$/,
  'no operation shows what was attached':
    /^ticket-attachments\.create: (?:loses its effect|takes effect though refused|does half though refused|puts back|reaches)/,
  // Of the second order.
  'a state that passes by itself is met once in a run':
    /^volumes\.(?:clone|resize): drops every second time volumes\.\w+\.active-only/,
  'it changes the same members each time, so nothing else could come back': /^([\w.-]+): puts back what was before \1$/,
  'both change the same members, so nothing else could come back':
    /^volumes\.(?:attach: puts back what was before volumes\.detach|detach: puts back what was before volumes\.attach)$/,
  'that is the member that the call changes itself':
    /^(?:(?:managed-credentials|object-keys)\.update: clears label|volumes\.(?:resize: clears size|detach: clears node_id))$/,
  'it changes the label alone, and a label that is given to two is another fault':
    /^(?:managed-credentials|object-keys)\.update: reaches/,
  'an object has no empty form': /: clears (?:phone|ssh)$/,
  'certificates and the ACLs of objects are no members of a bucket':
    /^(?:bucket-certificates\.\w+|object-acl\.update): (?:puts back|reaches|does half)|: puts back what was before (?:bucket-certificates\.\w+|object-acl\.update)$/,
  'tickets stay for good, so that no ticket with a subject is made to be closed or to be given an attachment':
    /^(?:tickets\.close|ticket-attachments\.create): clears \w+$/,
  'nothing of the kind is deleted and comes back under the same name':
    /^(?:tickets\.create|ticket-replies\.create|ips\.allocate|firewall-devices\.create): takes up what was deleted$/,
  'what a record shows of a member that was left out is not said':
    /^(?:managed-credentials|object-keys)\.create: takes up what was deleted$|^managed-credentials\.update-password: (?:clears username|reaches another account's)$/,
  'whether a name is unique in an account or beyond it is not said':
    /: counts with what is of other accounts for [\w.-]+\.(?:label-unique|unique-label)$/,
  'how long the name of what was deleted stays taken is not said':
    /: counts with what is deleted for [\w.-]+\.(?:label-unique|unique-label)$/,
  'what is deleted or of another account has no part in a firewall of this one':
    /: counts with what is (?:deleted|of other accounts) for firewall[\w.-]+\.(?:live-migration|one-active|one-nodebalancer)$/,
  'what is deleted or of another account is attached to no node of this one':
    /: counts with what is (?:deleted|of other accounts) for volumes\./,
  'the newest is what the call itself names or makes':
    /: counts but for the newest for (?:volumes\.attach|firewalls\.(?:create|update)|firewall-devices\.\w+|ipv6-ranges\.create)\./,
  'addresses are not deleted, those of others are on other nodes, and none is newer than the others':
    /^ip(?:s|v4)\.\w+: counts [\w ]+ for ip(?:s|v4)\.\w+\.(?:one-private|one-range|shared-swap|public-left)$/,
  'fixtures alone fill that list, with less than two pages':
    /^(?:clusters|managed-issues|managed-node-settings|ips|vlans)\.list: later pages/,
  'what a page shows of an object beside its identity is not said':
    /^(?:tags\.view|firewall-devices\.list): later pages show other values$/,
  'an account has one range in a region, which makes less than two pages': /^ipv6-ranges\.list: later pages/,
  'a reply has none of the members that are changed': /^ticket-replies\.list: later pages show other values$/,
  'the second call on it repeats the first':
    /^(?:managed-node-settings|object-acl)\.update: loses its effect the second time$/,
  'a share is no member of an address, so there is no half of it': /^ip(?:s|v4)\.share: does half/,
  'only a whole run shares so often, and shows it by the ranges that it then deletes':
    /^ip(?:s|v4)\.share: loses its effect from the third time on$/,
  'what was deleted may count for a quota, so that the run ends inconclusive':
    /^ipv6-ranges\.create: counts with what is deleted/,
  'nothing of another account is of that kind meanwhile':
    /^(?:firewall-devices|ipv6-ranges)\.delete: reaches another account's$|^volumes\.detach: reaches another account's$|^ipv6-ranges\.create: counts with what is of other accounts/,
  'the oldest is of the target file, and attached to nothing': /^volumes\.detach: reaches the oldest other$/,
  'what comes of giving the same service again is not said': /^firewall-devices\.create: emits though nothing changes/,
  'a run cancels once': /^object-storage\.cancel: (?:loses its effect|does half)/,
  'what it changes besides is what the model notes of other things, and no reply shows it':
    /^(?!tags\.|firewalls\.create)[\w.-]+: leaves the rest as it was$/,
  'what the target file lends changes in no list':
    /^(?:clusters|managed-issues|vlans)\.(?:list|view): (?:shows by turns|some pages)/,
  'fixtures alone fill that list, or what has one in a region: less than two pages, or none of the standard size':
    /^(?:ips|ipv6-ranges|managed-node-settings)\.list: some pages/,
  'the standard size is not shown for this list, or what it has stays for good':
    /^(?:volumes|buckets|object-keys|tags|tickets|ticket-replies)\.(?:list|view): some pages of the standard size/,
  'two rules forbid a second range, and a single one cannot be without its oldest':
    /^ipv6-ranges\.create: counts but for /,
  'the oldest is what the call itself names or what is elsewhere': /^volumes\.attach: counts but for the oldest /,
  'the first that was made is in the way, which no call has changed and which has no second':
    /^firewall(?:s|-devices)\.(?:create|delete): counts but for [\w ]+ for firewall[\w.-]+\.(?:live-migration|one-nodebalancer|label-unique)$|^firewalls\.update: counts but for every second for firewalls\.update\.label-unique$/,
  'no call makes it, or none gives a member that another one changes':
    /^(?:ips\.(?:update|assign)|ipv4\.\w+|managed-node-settings\.update|object-storage\.cancel): puts back what it was made with$/,
  'it does not change, so that a view of it has nothing of before':
    /^(?:ipv6-ranges|firewall-devices)\.view: shows by turns/,
  'what shows the change when asked again may be a replica that was behind, as nothing else shows it':
    /^(?:buckets\.(?:list|view)|firewalls\.list|firewall-rules\.view|managed-node-settings\.view): shows by turns/,
  'a service is named by its id and its type together': /^firewall-devices\.create: blames a member that is right$/,
  'no subject of the kind is given where a reply is made':
    /^ticket-replies\.create: changes of what it names (?:\w+_id|vlan|region)$/,
  "the name that null brings back is the provider's": /^ips\.update: loses its effect the second time$/,
}

/** One line on why a mutant survives; undefined where it should not. */
export const explanationOf = (mutantId: string): string | undefined =>
  Object.entries(explanations).find(([, pattern]) => pattern.test(mutantId))?.[0]
