// What programs act on that they have not made: what the target file lends, which all who use it at a time change alike.

const resources = [
  'volumes',
  'firewalls',
  'firewall-devices',
  'firewall-rules',
  'ips',
  'ipv4',
  'ipv6-ranges',
  'managed-node-settings',
  'object-acl',
]

/** Whether an operation, named by its id, is of a resource such that its programs act on lent nodes, volumes and objects. */
export const actsOnLent = (operation: string): boolean =>
  resources.includes(operation.slice(0, operation.lastIndexOf('.')))
