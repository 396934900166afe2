// The document's own oddities, gaps and contradictions, and the reading taken of each; not findings about any target.

export interface Defect {
  /** Permanent and readable. */
  readonly id: string
  /** Section and row or sentence of the document. */
  readonly source: string
  /** What is odd about it. */
  readonly text: string
  /** What the suite takes it to mean, and what it therefore asks for. */
  readonly reading: string
}

const storage = 'Endpoints / Object Storage'
const managed = 'Endpoints / Managed'
const networking = 'Endpoints / Networking'

const general: readonly Defect[] = [
  {
    id: 'error-status-codes',
    source: 'Errors, "HTTP status codes for each error condition: not shown"',
    text: 'No status code is given for any error; the only code given at all is 200.',
    reading: 'A refusal is an error envelope with any 4xx status. Which one, and whether always the same, is observed.',
  },
  {
    id: 'error-field-without-member',
    source: 'Resources and their fields, "Error envelope"',
    text: 'Every error has a field with the name of the offending field, also errors that no field is to blame for.',
    reading:
      'field names the member where one member is to blame. Elsewhere its value is free, and leaving it out is at most a should.',
  },
  {
    id: 'read-write-and-read-only',
    source: 'Authentication, "Scopes in use"',
    text: 'It is not said whether a read_write scope includes the read_only scope of its family.',
    reading: 'Not decided: a token with the one is neither required to be accepted nor to be refused for the other.',
  },
  {
    id: 'scopes-of-personal-tokens',
    source:
      'Authentication, "Two schemes"; Endpoints, "a personal access token is accepted on every endpoint that lists one"',
    text: 'Scopes are called those of OAuth, and a personal access token is accepted wherever one is listed: it is not said whether such a token is limited to scopes.',
    reading:
      'A token has the scopes that the target file gives it; a personal access token to which scopes mean nothing is entered with all of them.',
  },
  {
    id: 'grants-of-restricted-users',
    source: 'Authentication, "Permission rules beyond scopes"',
    text: 'Permission rules are given for a few operations; what restricted users may do with all others is open.',
    reading: 'A restricted user may be refused wherever no rule is given. The rules that are given are musts.',
  },
  {
    id: 'tag-relation',
    source: 'Volume, tags; Firewall, tags; Tags',
    text: 'Volumes and firewalls carry tags and there are tag resources, but nothing says how the two hang together; firewalls are not among the objects that tags are applied to.',
    reading:
      'A tag resource that is applied to a volume or removed from it is applied to or removed from its tags. Whether a label that was only set on an object exists as a tag, and whether firewalls count, is open.',
  },
  {
    id: 'remnant-of-the-brand',
    source: 'Firewall, "linode-equivalent value node"; Preamble',
    text: 'The brand is said to be replaced everywhere by node, but a remark on the device type still carries it.',
    reading: 'The type of a device is node or nodebalancer.',
  },
  {
    id: 'events-out-of-reach',
    source: 'Events, "How events are read or delivered … not shown"',
    text: 'Nine kinds of events are emitted, and no operation reads them.',
    reading: 'Events are judged only where the target file has a hook that reads them.',
  },
]

const volumeDefects: readonly Defect[] = [
  {
    id: 'gb-and-gib',
    source: 'Volume, size; Endpoints / Volumes, "Volume create body", size; Limits, "Volume label"',
    text: 'The size of a volume is in GiB when it is shown or resized, but in GB when it is created or limited.',
    reading: 'One number in one unit: a volume that is created with size 20 is shown with size 20.',
  },
  {
    id: 'volume-page-bounds',
    source: 'Endpoints, "their bounds and defaults are not shown"',
    text: 'The volume list has page and page_size without the bounds and defaults that every other list has.',
    reading:
      'Only the type of both is asked for, and the arithmetic of an envelope is judged as far as it goes without a page size.',
  },
  {
    id: 'volume-view-pages',
    source: 'Endpoints, "For the volumes list and volume view"',
    text: 'page and page_size are listed for the view of one volume, which has no pages.',
    reading: 'They are parameters of the right type, with no effect that could be judged.',
  },
  {
    id: 'migration-without-operation',
    source: 'Errors, "volume migration or clone to a data center without VLAN support"',
    text: 'A condition names the migration of a volume and its clone to another data center while a VLAN is attached: no operation migrates, the clone takes a label alone, and volumes have no VLANs.',
    reading: 'No operation can be brought into that condition, so no clause is made of it.',
  },
  {
    id: 'migrating-is-no-status',
    source: 'Volume status, Delete',
    text: 'A migrating volume cannot be deleted, but migrating is none of the states of a volume, and no field shows it.',
    reading:
      'The target file tells which volumes migrate, or a hook brings it about; otherwise the rule is untestable.',
  },
  {
    id: 'volume-transitions',
    source: 'Volume status, "Transitions: not shown"',
    text: 'Three states are named, and no transition between them.',
    reading:
      'A volume may become active by itself. What may be done to one that is not active is open where no rule is given.',
  },
  {
    id: 'volumes-past-the-profile',
    source: 'Limits, "Volumes per node"',
    text: 'The number of volumes past the profile is given without saying whether those within the profile count, and for nodes of less than 16 GB not at all.',
    reading: 'Volumes past the profile alone are counted, and what lies between two readings of the limit is open.',
  },
]

const storageDefects: readonly Defect[] = [
  {
    id: 'cluster-scopes',
    source: `${storage}, clusters; Authentication`,
    text: 'No scope is listed for the list and the view of clusters.',
    reading:
      'Whether they need a credential at all is observed; the unrestricted token with all scopes is what probes send.',
  },
  {
    id: 'buckets-of-a-cluster',
    source: `${storage}, GET /object-storage/buckets/{clusterId}`,
    text: 'A list that is neither said to be paginated nor given an envelope.',
    reading: 'Records in the collection envelope or in another one; which, is observed.',
  },
  {
    id: 'method-required-with-default',
    source: `${storage}, "Object URL create body", method`,
    text: 'method is required and has a default.',
    reading: 'A call without it may be refused, or is taken as one with GET.',
  },
  {
    id: 'key-body-required',
    source: `${storage}, "Key create body"`,
    text: 'Which members of a key and of its bucket_access are required is not marked, as it is in every other body.',
    reading: 'Probes give all of them. Leaving one out, bucket_access itself excepted, is open.',
  },
  {
    id: 'certificate-boolean',
    source: `${storage}, GET /object-storage/buckets/{clusterId}/{bucket}/ssl`,
    text: 'It returns a boolean, though bodies are objects elsewhere; whether it stands alone or in a member is not said.',
    reading: 'A bare boolean, or an object with a boolean in it.',
  },
  {
    id: 'certificate-line-breaks',
    source: `${storage}, "line breaks as backslash-n in request bodies"`,
    text: 'Line breaks are to be written as backslash-n, which is how JSON writes a line break anyway.',
    reading: 'The JSON string holds line breaks; no second escaping is done.',
  },
  {
    id: 'two-ways-to-set-access',
    source: `${storage}, POST and PUT /object-storage/buckets/{clusterId}/{bucket}/access`,
    text: 'Two methods take the same body on the same path, and no difference between them is given.',
    reading: 'Both set what is given. What becomes of a member that is left out is open for both.',
  },
]

const managedDefects: readonly Defect[] = [
  {
    id: 'views-that-need-write',
    source: `${managed}, GET /managed/contacts/{contactId} and GET /managed/credentials/{credentialId}`,
    text: 'The views of a contact and of a credential need account:read_write, though the lists that show the same need account:read_only.',
    reading: 'Taken as written: a token without account:read_write is refused on both views.',
  },
  {
    id: 'literal-linode-settings',
    source: `${managed}, "The path segment linode-settings is literal"`,
    text: 'One path keeps the word that is replaced by node everywhere else.',
    reading: 'Taken as written.',
  },
  {
    id: 'managed-services-list',
    source: `${managed}, GET /managed/services`,
    text: 'A list that is neither said to be paginated nor among the lists that take page and page_size.',
    reading: 'Records in the collection envelope or in another one; which, is observed.',
  },
  {
    id: 'sshkey-beside-an-id',
    source: `${managed}, GET /managed/credentials/sshkey and GET /managed/credentials/{credentialId}`,
    text: 'A fixed path stands where another operation has an id.',
    reading: 'Ids are integers, so sshkey is always the fixed path.',
  },
  {
    id: 'contact-required',
    source: `${managed}, "Contact body"`,
    text: 'No member of a contact is marked as required.',
    reading: 'Probes give all of them; leaving one out is open.',
  },
  {
    id: 'address-url-of-tcp',
    source: `${managed}, "Service body", address`,
    text: 'The address is a URL for both types of service, but a tcp service has none of the usual ones, and no URL has three characters.',
    reading: 'A URL for the type url. How an address is written for the type tcp is open; its length is not.',
  },
  {
    id: 'ip-or-any',
    source: `${managed}, "Node SSH settings body", ip`,
    text: 'ip is an IP string with the default any, which is none.',
    reading: 'An IP address or the word any.',
  },
]

const networkingDefects: readonly Defect[] = [
  {
    id: 'scope-ips-read',
    source: `${networking}, GET /networking/ipv6/ranges/{range}; Authentication`,
    text: 'One operation lists the scope ips:read where its neighbours list ips:read_only, and both are among the scopes in use.',
    reading:
      'Taken as written: ips:read is a scope of its own. A token that has another scope of the family and not this one is neither required to be accepted nor to be refused.',
  },
  {
    id: 'skip-ipv6-rdns-in-a-body',
    source: `${networking}, GET /networking/ips`,
    text: 'skip_ipv6_rdns is listed among the body properties of a GET, whose body means nothing in HTTP.',
    reading:
      'Whether it is taken from the body or from the query, or refused, is open. Where it is sent in both and accepted, its effect is asked for.',
  },
  {
    id: 'pages-of-the-ip-list',
    source: `${networking}, GET /networking/ips; "List endpoints for firewalls …"`,
    text: 'The list of IP addresses is paginated, but missing among the networking lists that take page and page_size.',
    reading: 'The collection envelope is asked for, and no bounds of page and page_size.',
  },
  {
    id: 'ipv4-paths-take-ipv6',
    source: `${networking}, POST /networking/ipv4/assign and /networking/ipv4/share`,
    text: 'Both are equivalent to operations that take IPv6 ranges too, under a path that says ipv4.',
    reading: 'Equivalent in everything, IPv6 ranges included.',
  },
  {
    id: 'ranges-with-and-without-prefix',
    source: 'IP assignment object, address; Endpoints / Networking, "IP rules", Share',
    text: 'The same range carries its prefix length when it is assigned, and must not when it is shared, viewed or deleted.',
    reading:
      'Taken as written. In replies either form is read, with the prefix length that was asked for where there is one.',
  },
  {
    id: 'range-limits-overlap',
    source: 'Limits, "IPv6"',
    text: 'One range for an account in a region leaves no case in which a second range for a node is the only fault.',
    reading: 'The limit of one range for a node is stated, but cannot be shown by itself.',
  },
  {
    id: 'vlan-identity',
    source: 'Limits; Endpoints / Support, "Ticket open body", vlan',
    text: 'VLANs are named by label and region in tickets, have no id, and no operation creates or shows one.',
    reading: 'A VLAN is told by label and region within its account, where a record carries both.',
  },
  {
    id: 'firewall-deleted-status',
    source: 'Firewall, status; Firewall status',
    text: 'deleted is a status of a firewall, though a firewall that has it was deleted.',
    reading: 'After its deletion a firewall may be refused as unknown or shown with the status deleted.',
  },
  {
    id: 'firewall-devices-member',
    source: 'Firewall; "The firewall view response omits devices"',
    text: 'devices is among the fields of a firewall, and the view is said to leave it out.',
    reading: 'The view carries no devices; whether other replies do is open.',
  },
  {
    id: 'rules-left-out',
    source: `${networking}, PUT /networking/firewalls/{firewallId}/rules`,
    text: 'It replaces all rulesets with the given values, and does not say what becomes of those that are not given.',
    reading: 'What is given is what is shown afterwards; what is left out is open.',
  },
  {
    id: 'one-nodebalancer-in-an-array',
    source: `${networking}, "Firewall create body", devices`,
    text: 'nodebalancers is an array that holds exactly one id.',
    reading: 'Two are refused, as the limit of one node balancer for a firewall says.',
  },
]

const otherDefects: readonly Defect[] = [
  {
    id: 'attachment-form-field',
    source: 'Endpoints / Support, POST /support/tickets/{ticketId}/attachments',
    text: 'The name of the form field that carries the file is not shown.',
    reading: 'The target file may name it. It counts as right once a file was taken under it.',
  },
  {
    id: 'vlan-among-subjects',
    source: 'Endpoints / Support, "Ticket open body"',
    text: 'A VLAN is a subject of a ticket too, but it is not among the ID attributes of which only one may be set.',
    reading: 'A VLAN beside an ID attribute is open.',
  },
  {
    id: 'descriptions-of-two-lengths',
    source: 'Limits, "Support"',
    text: 'The description of a ticket has at most 65000 characters, that of a reply 65535.',
    reading: 'Taken as written.',
  },
  {
    id: 'unrestricted-and-grants',
    source: 'Endpoints / Tags; Authentication',
    text: 'Only unrestricted users may create tags, and yet creating one asks for read_write on every object, which they have on all of their account.',
    reading: 'The rule can be shown with objects of another account alone, and is asked for with those.',
  },
]

export const defects: readonly Defect[] = [
  ...general,
  ...volumeDefects,
  ...storageDefects,
  ...managedDefects,
  ...networkingDefects,
  ...otherDefects,
]
