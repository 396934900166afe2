import { describe, expect, test } from 'vitest'
import { operations } from '../models/index.js'
import { clausesOf } from '../models/language/derive.js'

/**
 * Method, path and scopes of every operation, taken from the endpoint tables of the interface document by hand and never
 * from the registry. A dash stands where the document lists no scope.
 */
const table = `
GET    /volumes                                                          volumes:read_only
POST   /volumes                                                          volumes:read_write
GET    /volumes/{volumeId}                                               volumes:read_only
PUT    /volumes/{volumeId}                                               volumes:read_write
DELETE /volumes/{volumeId}                                               volumes:read_write
POST   /volumes/{volumeId}/attach                                        volumes:read_write nodes:read_write
POST   /volumes/{volumeId}/detach                                        volumes:read_write nodes:read_write
POST   /volumes/{volumeId}/clone                                         volumes:read_write
POST   /volumes/{volumeId}/resize                                        volumes:read_write

GET    /object-storage/buckets                                           object_storage:read_only
POST   /object-storage/buckets                                           object_storage:read_write
GET    /object-storage/buckets/{clusterId}                               object_storage:read_only
GET    /object-storage/buckets/{clusterId}/{bucket}                      object_storage:read_only
DELETE /object-storage/buckets/{clusterId}/{bucket}                      object_storage:read_write
POST   /object-storage/buckets/{clusterId}/{bucket}/access               object_storage:read_write
PUT    /object-storage/buckets/{clusterId}/{bucket}/access               object_storage:read_write
GET    /object-storage/buckets/{clusterId}/{bucket}/object-acl           object_storage:read_only
PUT    /object-storage/buckets/{clusterId}/{bucket}/object-acl           object_storage:read_write
GET    /object-storage/buckets/{clusterId}/{bucket}/object-list          object_storage:read_only
POST   /object-storage/buckets/{clusterId}/{bucket}/object-url           object_storage:read_write
GET    /object-storage/buckets/{clusterId}/{bucket}/ssl                  object_storage:read_only
POST   /object-storage/buckets/{clusterId}/{bucket}/ssl                  object_storage:read_write
DELETE /object-storage/buckets/{clusterId}/{bucket}/ssl                  object_storage:read_write
POST   /object-storage/cancel                                            object_storage:read_write
GET    /object-storage/clusters                                          -
GET    /object-storage/clusters/{clusterId}                              -
GET    /object-storage/keys                                              object_storage:read_only
POST   /object-storage/keys                                              object_storage:read_write
GET    /object-storage/keys/{keyId}                                      object_storage:read_only
PUT    /object-storage/keys/{keyId}                                      object_storage:read_write
DELETE /object-storage/keys/{keyId}                                      object_storage:read_write
GET    /object-storage/transfer                                          object_storage:read_only

GET    /managed/contacts                                                 account:read_only
POST   /managed/contacts                                                 account:read_write
GET    /managed/contacts/{contactId}                                     account:read_write
PUT    /managed/contacts/{contactId}                                     account:read_write
DELETE /managed/contacts/{contactId}                                     account:read_write
GET    /managed/credentials                                              account:read_only
POST   /managed/credentials                                              account:read_write
GET    /managed/credentials/sshkey                                       account:read_only
GET    /managed/credentials/{credentialId}                               account:read_write
PUT    /managed/credentials/{credentialId}                               account:read_write
POST   /managed/credentials/{credentialId}/revoke                        account:read_write
POST   /managed/credentials/{credentialId}/update                        account:read_write
GET    /managed/issues                                                   account:read_only
GET    /managed/issues/{issueId}                                         account:read_only
GET    /managed/linode-settings                                          account:read_only
GET    /managed/linode-settings/{nodeId}                                 account:read_only
PUT    /managed/linode-settings/{nodeId}                                 account:read_write
GET    /managed/services                                                 account:read_only
POST   /managed/services                                                 account:read_write
GET    /managed/services/{serviceId}                                     account:read_only
PUT    /managed/services/{serviceId}                                     account:read_write
DELETE /managed/services/{serviceId}                                     account:read_write
POST   /managed/services/{serviceId}/disable                             account:read_write
POST   /managed/services/{serviceId}/enable                              account:read_write
GET    /managed/stats                                                    account:read_only

GET    /networking/firewalls                                             firewall:read_only
POST   /networking/firewalls                                             firewall:read_write
GET    /networking/firewalls/{firewallId}                                firewall:read_only
PUT    /networking/firewalls/{firewallId}                                firewall:read_write
DELETE /networking/firewalls/{firewallId}                                firewall:read_write
GET    /networking/firewalls/{firewallId}/devices                        firewall:read_only
POST   /networking/firewalls/{firewallId}/devices                        firewall:read_write
GET    /networking/firewalls/{firewallId}/devices/{deviceId}             firewall:read_only
DELETE /networking/firewalls/{firewallId}/devices/{deviceId}             firewall:read_write
GET    /networking/firewalls/{firewallId}/rules                          firewall:read_only
PUT    /networking/firewalls/{firewallId}/rules                          firewall:read_write
GET    /networking/ips                                                   ips:read_only
POST   /networking/ips                                                   ips:read_write nodes:read_write
POST   /networking/ips/assign                                            ips:read_write nodes:read_write
POST   /networking/ips/share                                             ips:read_write nodes:read_write
GET    /networking/ips/{address}                                         ips:read_only
PUT    /networking/ips/{address}                                         ips:read_write
POST   /networking/ipv4/assign                                           ips:read_write nodes:read_write
POST   /networking/ipv4/share                                            ips:read_write nodes:read_write
GET    /networking/ipv6/pools                                            ips:read_only
GET    /networking/ipv6/ranges                                           ips:read_only
POST   /networking/ipv6/ranges                                           ips:read_write nodes:read_write
GET    /networking/ipv6/ranges/{range}                                   ips:read
DELETE /networking/ipv6/ranges/{range}                                   ips:read_write
GET    /networking/vlans                                                 nodes:read_only

GET    /support/tickets                                                  account:read_only
POST   /support/tickets                                                  account:read_write
GET    /support/tickets/{ticketId}                                       account:read_only
POST   /support/tickets/{ticketId}/attachments                           account:read_write
POST   /support/tickets/{ticketId}/close                                 account:read_write
GET    /support/tickets/{ticketId}/replies                               account:read_only
POST   /support/tickets/{ticketId}/replies                               account:read_write

GET    /tags                                                             account:read_only
POST   /tags                                                             account:read_write
GET    /tags/{tagLabel}                                                  account:read_only
DELETE /tags/{tagLabel}                                                  account:read_write
`

interface Row {
  readonly endpoint: string
  readonly scopes: readonly string[] | undefined
}

const rows: readonly Row[] = table
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => {
    const [method, path, ...scopes] = line.split(/ +/)
    return { endpoint: `${method} ${path}`, scopes: scopes[0] === '-' ? undefined : scopes }
  })

/** Facts that the document states for a whole section. */
const sizes: Readonly<Record<string, number>> = {
  volumes: 9,
  'object-storage': 23,
  managed: 25,
  networking: 25,
  support: 7,
  tags: 4,
}
const unrestrictedAreas = ['managed', 'tags']

/** The path parameters that are integers (of ticketId that is inferred, for its type is not shown); all others are strings. */
const integers = [
  'volumeId',
  'keyId',
  'contactId',
  'credentialId',
  'issueId',
  'nodeId',
  'serviceId',
  'firewallId',
  'deviceId',
  'ticketId',
]

const endpointOf = ({ method, path }: { readonly method: string; readonly path: string }): string => `${method} ${path}`
const byEndpoint = new Map(operations.map((op) => [endpointOf(op), op]))

describe('the registry', () => {
  test('the table has 93 rows, each once', () => {
    expect(new Set(rows.map(({ endpoint }) => endpoint)).size).toBe(93)
    expect(rows).toHaveLength(93)
  })

  test.each(rows)('$endpoint is an operation with the scopes $scopes', ({ endpoint, scopes }) => {
    expect(byEndpoint.get(endpoint)?.id).toBeDefined()
    expect(byEndpoint.get(endpoint)?.scopes).toEqual(scopes)
  })

  test('no operation has an endpoint that is not in the table', () => {
    const known = new Set(rows.map(({ endpoint }) => endpoint))
    expect(operations.map(endpointOf).filter((endpoint) => !known.has(endpoint))).toEqual([])
  })

  test('no two operations have the same id or the same endpoint', () => {
    expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length)
    expect(byEndpoint.size).toBe(operations.length)
  })

  test.each(Object.entries(sizes))('the area %s has %i operations', (area, size) => {
    const own = operations.filter((op) => op.area === area)
    expect(own).toHaveLength(size)
    expect(own.every(({ path }) => path.startsWith(`/${area}`))).toBe(true)
  })

  test('operations for unrestricted users alone are those of Managed and Tags, and no other', () => {
    const marked = operations.filter(({ unrestrictedOnly }) => unrestrictedOnly === true)
    expect(marked.map(endpointOf).sort()).toEqual(
      operations
        .filter(({ area }) => unrestrictedAreas.includes(area))
        .map(endpointOf)
        .sort(),
    )
  })

  test.each(rows)('$endpoint has a parameter of the right type for each in its path, and no other', ({ endpoint }) => {
    const names = [...endpoint.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string)
    const params = Object.entries(byEndpoint.get(endpoint)?.params ?? {})
    expect(params.map(([name, param]) => [name, typeof param === 'string' ? param : param.type])).toEqual(
      names.map((name) => [name, name === 'ticketId' ? 'any' : integers.includes(name) ? 'integer' : 'string']),
    )
  })

  test('what an operation says of clauses that no reply decides names clauses that it has, and none with a program', () => {
    const named = operations.flatMap((op) => Object.keys(op.undecided ?? {}).map((slug) => ({ op, slug })))
    expect(named.length).toBeGreaterThan(0)
    for (const { op, slug } of named) {
      const clause = clausesOf(op).find(({ id }) => id === `${op.id}.${slug}`)
      expect(['general', 'shows']).toContain(clause?.kind)
    }
  })
})
