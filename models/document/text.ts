// The interface document, word for word: what clauses quote and the concordance goes through; nothing reads rules from it.

export const documentText = `# Cloud Infrastructure Account API: Volumes, Object Storage, Managed, Networking, Support, Tags

This document covers one service with six areas: block storage Volumes, Object Storage, Managed monitoring, Networking (firewalls, IP addresses, IPv6, VLANs), Support tickets, and Tags. It is the only document. Interface version: 4.175.0. Base address: {base_url} (includes the version segment v4). All paths below are relative to {base_url}. Request and response bodies are JSON unless stated. Where an identifier of the interface contained the provider's brand, the neutral word node is used instead, consistently (for example node_id, node_label, nodes, nodeId).

## What the service does

The service lets an account holder manage cloud resources over HTTP:

- Volumes: create, list, view, update, delete, attach to or detach from a compute instance (a node), clone, resize.
- Object Storage: buckets in clusters, basic bucket and object access settings, pre-signed object URLs, TLS certificates for buckets, access keys for an S3-compatible API, transfer usage, account-level cancellation.
- Managed: contacts, credentials, monitored services, per-node access settings, issues, statistics.
- Networking: firewalls with rules and devices, IP addresses (allocate, assign, share, reverse DNS), IPv6 pools and ranges, VLANs.
- Support: tickets, ticket attachments, ticket replies.
- Tags: user-defined labels applied to objects (domains, nodes, node balancers, volumes).

The Object Storage endpoints are a convenience layer; a fuller S3-compatible API exists separately for fine-grained control of ACLs, CORS and bucket contents.

## Resources and their fields

### Collection envelope (paginated lists)

| Field | Type | Meaning |
|---|---|---|
| data | array of objects | The records of the current page |
| page | integer | Current page |
| pages | integer | Total number of pages |
| results | integer | Total number of results |

### Error envelope

| Field | Type | Meaning |
|---|---|---|
| errors | array of objects | Each object has field (string, the name of the offending field) and reason (string, a message) |

### Volume

| Field | Type | Notes |
|---|---|---|
| id | integer | Unique ID |
| label | string, 1..32 characters | Display purposes; also used in the filesystem path |
| status | string enum: creating, active, resizing | Current status |
| size | integer | Size in GiB |
| region | string | ID of the region |
| hardware_type | string enum: hdd, nvme | Storage type |
| filesystem_path | string | Fixed prefix /dev/disk/by-id/scsi-0Node_Volume_ followed by the volume label |
| node_id | integer, nullable | ID of the attached node, null when unattached |
| node_label | string, nullable | Label of the attached node |
| tags | array of strings | Organizational only |
| created | string, date-time | Creation time |
| updated | string, date-time | Last update time |

### Firewall rule (used in firewall create and rules update)

| Field | Type | Rules |
|---|---|---|
| action | string enum: ACCEPT, DROP; required | Overrides the firewall's inbound_policy (inbound rule) or outbound_policy (outbound rule) |
| protocol | string enum: TCP, UDP, ICMP, IPENCAP; required | Traffic type |
| addresses | object; required | Must contain ipv4, ipv6, or both |
| addresses.ipv4 | array of strings | IP/mask format; must not be empty; 0.0.0.0/0 means all IPv4 |
| addresses.ipv6 | array of strings | IP/mask format, no zone_id notation (RFC 4007); must not be empty; ::/0 means all IPv6 |
| ports | string, nullable | See port-string rules under Limits; only for TCP and UDP; not allowed for ICMP and IPENCAP; when unset all ports are affected |
| label | string 3..32 characters | Identifies the rule; display only |
| description | string 1..100 characters | Display only |

### Firewall

Fields named by the interface: label (3..32 characters, see label rules under Limits), status (enabled, disabled, deleted), tags (array of strings), rules (inbound array, inbound_policy, outbound array, outbound_policy), devices. A Firewall Device assigns a firewall to a service (the device's entity) and has an entity id (integer) and entity type (linode-equivalent value node, or nodebalancer). The firewall view response omits devices; they are read from the devices list.

### IP assignment object (used in assign requests)

| Field | Type | Rules |
|---|---|---|
| address | string, IPv4 address or IPv6 range with prefix length | Must be accessible to the caller in the region; IPv6 ranges must carry prefix length /56 or /64; public or private |
| node_id | integer | Node receiving the address |

### Resources whose response fields are not fully given

- Object Storage bucket response record: fields not shown.
- Object Storage cluster, key (beyond the key label and bucket_access on requests) and transfer response records: fields not shown.
- Managed contact, credential, service, issue, per-node settings and stats response records: fields not shown beyond those sent in requests.
- Firewall device, firewall rules, IP address, IPv6 pool, IPv6 range and VLAN response records: fields not shown beyond those sent in requests (an IPv6 range record carries a field named range, and IPv6 address records carry an rdns property).
- Support ticket, ticket reply and tag response records: fields not shown beyond those sent in requests.

## States and transitions

### Volume status

States: creating, active, resizing. Transitions: not shown. Constraints that hold:

| Operation | Condition | Effect |
|---|---|---|
| Clone | Volume status must be active | New volume created with the same size and data as the source |
| Resize | Volume status must be active; new size must be larger (volumes can only be resized up) | Size grows |
| Delete | Volume must not be migrating | Deleted; irreversible; billing stops |
| Detach | Node deleted | Volumes are detached automatically from deleted nodes |

### Firewall status

| From | Trigger | Condition | To | Also |
|---|---|---|---|---|
| (none) | Firewall create | Valid request | enabled | Event firewall_create |
| enabled or disabled | Firewall update with status enabled | A firewall may not be enabled while another active firewall is assigned to the same service | enabled | Event firewall_enable when the status changes |
| enabled | Firewall update with status disabled | none | disabled | Event firewall_disable when the status changes |
| enabled or disabled | Firewall delete | Assigned nodes have no ongoing live migration | deleted | Rules removed from all assigned services; event firewall_delete |

Firewall update cannot set status deleted. Assigned nodes must have no ongoing live migration for create, update, delete, device create, device delete and rules update.

### Other status models

- Managed service monitoring: disable temporarily stops monitoring and enable resumes it; state names not shown.
- Support ticket: close is an operation; state names and transitions not shown.

## Endpoints

Scopes are the oauth scopes listed for the endpoint; a personal access token is accepted on every endpoint that lists one. Lists marked (paginated) return the collection envelope. Standard pagination query parameters: page (integer >= 1, default 1) and page_size (integer 25..500, default 100). For the volumes list and volume view, the parameters page and page_size are listed, but their bounds and defaults are not shown.

### Volumes

| Method | Path | Scope | Payload |
|---|---|---|---|
| GET | /volumes | volumes:read_only | Query page, page_size. Returns collection of Volume (paginated) |
| POST | /volumes | volumes:read_write | Caller needs the add_volumes grant. Body below. Returns Volume. Starts charges |
| GET | /volumes/{volumeId} | volumes:read_only | volumeId integer, required. Returns Volume |
| PUT | /volumes/{volumeId} | volumes:read_write | Body: label (string 1..32), tags (array of strings). Returns Volume |
| DELETE | /volumes/{volumeId} | volumes:read_write | Returns empty object |
| POST | /volumes/{volumeId}/attach | volumes:read_write and nodes:read_write | Body below. Returns Volume |
| POST | /volumes/{volumeId}/detach | volumes:read_write and nodes:read_write | No body. Returns empty object |
| POST | /volumes/{volumeId}/clone | volumes:read_write | Caller needs add_volumes grant. Body: label (string 1..32, required). Returns Volume |
| POST | /volumes/{volumeId}/resize | volumes:read_write | Body: size (integer GiB, required). Returns Volume |

Volume create body:

| Field | Type | Rules |
|---|---|---|
| label | string 1..32, required | Also used in filesystem_path |
| size | integer | Default 20, in GB; may only be resized up later |
| region | string | Required only when node_id is not given |
| node_id | integer | Node to attach to at creation; without it the volume is created unattached |
| config_id | integer | Configuration profile to include the volume in; must belong to the node given by node_id; if no configuration can be selected for attachment an error is returned |
| tags | array of strings | Organizational |

Volume attach body:

| Field | Type | Rules |
|---|---|---|
| node_id | integer, required | Node to attach to; volume and node must be in the same region; caller needs read_write on both |
| config_id | integer | Configuration profile of that node |
| persist_across_boots | boolean | Default true; when false the volume is not added to the configuration profile, and the per-node volume limit changes (see Limits) |

### Object Storage

| Method | Path | Scope | Payload |
|---|---|---|---|
| GET | /object-storage/buckets | object_storage:read_only | All buckets owned (paginated) |
| POST | /object-storage/buckets | object_storage:read_write | Body below. Accounts with negative balance are refused. If the bucket already exists and is owned by the caller, responds 200 with that bucket as if just created |
| GET | /object-storage/buckets/{clusterId} | object_storage:read_only | Buckets of this account in the cluster |
| GET | /object-storage/buckets/{clusterId}/{bucket} | object_storage:read_only | One bucket |
| DELETE | /object-storage/buckets/{clusterId}/{bucket} | object_storage:read_write | Bucket must be empty of objects first |
| POST | /object-storage/buckets/{clusterId}/{bucket}/access | object_storage:read_write | Body: acl, cors_enabled |
| PUT | /object-storage/buckets/{clusterId}/{bucket}/access | object_storage:read_write | Same body as the POST above |
| GET | /object-storage/buckets/{clusterId}/{bucket}/object-acl | object_storage:read_only | Query name (string): the object whose ACL is returned |
| PUT | /object-storage/buckets/{clusterId}/{bucket}/object-acl | object_storage:read_write | Body: acl (required), name (string, required) |
| GET | /object-storage/buckets/{clusterId}/{bucket}/object-list | object_storage:read_only | Query marker, delimiter, prefix, page_size |
| POST | /object-storage/buckets/{clusterId}/{bucket}/object-url | object_storage:read_write | Body below; returns a pre-signed URL |
| GET | /object-storage/buckets/{clusterId}/{bucket}/ssl | object_storage:read_only | Returns a boolean: whether a user-uploaded certificate exists |
| POST | /object-storage/buckets/{clusterId}/{bucket}/ssl | object_storage:read_write | Body: certificate (string, required; Base64 and PEM; line breaks as backslash-n in request bodies), private_key (string, required; same line-break rule). Stored encrypted |
| DELETE | /object-storage/buckets/{clusterId}/{bucket}/ssl | object_storage:read_write | Deletes the uploaded certificate and private key; to replace an expired certificate, delete then upload |
| POST | /object-storage/cancel | object_storage:read_write | Cancels Object Storage on the account; removes all buckets and contents irretrievably |
| GET | /object-storage/clusters | none listed | Clusters available (paginated) |
| GET | /object-storage/clusters/{clusterId} | none listed | One cluster |
| GET | /object-storage/keys | object_storage:read_only | Keys (paginated) |
| POST | /object-storage/keys | object_storage:read_write | Body below; emits obj_access_key_create; refused for negative-balance accounts |
| GET | /object-storage/keys/{keyId} | object_storage:read_only | keyId integer |
| PUT | /object-storage/keys/{keyId} | object_storage:read_write | Body: label (string); emits obj_access_key_update |
| DELETE | /object-storage/keys/{keyId} | object_storage:read_write | Revokes the key pair; emits obj_access_key_delete |
| GET | /object-storage/transfer | object_storage:read_only | Outbound transfer used by the account's buckets |

Path parameters: clusterId (string, required), bucket (string, required, the bucket name), keyId (integer, required).

Bucket create body:

| Field | Type | Rules |
|---|---|---|
| cluster | string, required | ID of the cluster |
| label | string, required | Bucket name; unique within the cluster; a label is reserved only in the cluster where an active bucket lives |
| acl | string enum: private, public-read, authenticated-read, public-read-write | Default private |
| cors_enabled | boolean | Default false; true enables CORS for all origins |

Bucket access body: acl (enum private, public-read, authenticated-read, public-read-write, custom), cors_enabled (boolean, true enables CORS for all origins). Object ACL update uses the same acl enum including custom.

Object list query parameters:

| Name | Type | Rules |
|---|---|---|
| marker | string | Name of the last object of the previous page; use the next_marker value returned with the previous page; arbitrary page access is not supported |
| delimiter | string | Object names are returned up to the first occurrence of this character |
| prefix | string | Only objects whose names start with this prefix |
| page_size | integer 25..500 | Default 100 |

Object URL create body:

| Field | Type | Rules |
|---|---|---|
| name | string, required | Object name; object need not exist and no error if it does not |
| method | string, required | HTTP method the URL allows; default GET; use PUT to create an object, DELETE to delete |
| content_type | string | Required for all methods except GET and DELETE; when given, the same Content-type header must be sent when the URL is used |
| expires_in | integer 360..86400 | Seconds of validity; default 3600 |

Key create body: label (string, display only); bucket_access (array of objects: bucket_name string, cluster string, permissions enum read_write or read_only). Rules: with a non-empty bucket_access the key is a Limited Access Key restricted to the listed buckets; an empty array makes a Limited Access Key with no bucket access; omitting the field makes an unlimited key for all clusters and buckets. A Limited Access Key can list all buckets of the account and can create buckets, but has no access to buckets it creates unless explicitly granted it.

### Managed (unrestricted account users only)

| Method | Path | Scope | Payload |
|---|---|---|---|
| GET | /managed/contacts | account:read_only | Paginated |
| POST | /managed/contacts | account:read_write | Contact body |
| GET | /managed/contacts/{contactId} | account:read_write | One contact |
| PUT | /managed/contacts/{contactId} | account:read_write | Contact body |
| DELETE | /managed/contacts/{contactId} | account:read_write | none |
| GET | /managed/credentials | account:read_only | Paginated |
| POST | /managed/credentials | account:read_write | label (string 2..75, required, unique), password (string, required), username (string, at most 5000 characters) |
| GET | /managed/credentials/sshkey | account:read_only | The account's Managed SSH public key |
| GET | /managed/credentials/{credentialId} | account:read_write | One credential |
| PUT | /managed/credentials/{credentialId} | account:read_write | label only (string 2..75); does not change username or password |
| POST | /managed/credentials/{credentialId}/revoke | account:read_write | Deletes the credential |
| POST | /managed/credentials/{credentialId}/update | account:read_write | password (string, required), username (string, at most 5000 characters) |
| GET | /managed/issues | account:read_only | Recent and ongoing issues (paginated) |
| GET | /managed/issues/{issueId} | account:read_only | One issue |
| GET | /managed/linode-settings | account:read_only | One entry per node on the account (paginated) |
| GET | /managed/linode-settings/{nodeId} | account:read_only | One node's settings |
| PUT | /managed/linode-settings/{nodeId} | account:read_write | Body: ssh object below |
| GET | /managed/services | account:read_only | Managed services |
| POST | /managed/services | account:read_write | Service body; monitoring begins |
| GET | /managed/services/{serviceId} | account:read_only | One service |
| PUT | /managed/services/{serviceId} | account:read_write | Service body, no field required |
| DELETE | /managed/services/{serviceId} | account:read_write | Stops monitoring |
| POST | /managed/services/{serviceId}/disable | account:read_write | Temporarily disables monitoring |
| POST | /managed/services/{serviceId}/enable | account:read_write | Enables monitoring |
| GET | /managed/stats | account:read_only | x/y data points for the last 24 hours, combined across managed nodes, for cpu, disk, swap, network in, network out |

The path segment linode-settings is literal. Path parameters contactId, credentialId, issueId, nodeId, serviceId are integers, required. The lists of contacts, credentials, issues and node settings take the standard page and page_size.

Contact body: email (string, email format), group (string 2..50, nullable, display only), name (string 2..64), phone (object with primary and secondary, each a nullable phone-format string).

Node SSH settings body: ssh object with access (boolean, default true; allows provider support staff ssh access), ip (IP string, default any, meaning any of the node's addresses), port (integer 1..65535, nullable; null means 22), user (string at most 32 characters, nullable; null means root).

Service body:

| Field | Type | Rules |
|---|---|---|
| label | string 3..64 | Required on create |
| service_type | string enum: url, tcp | Required on create; how the service is monitored |
| address | string, URL, 3..100 characters | Required on create; query parameters are preserved, fragments are not |
| timeout | integer 1..255 | Required on create; seconds to wait before the service counts as down |
| body | string at most 100, nullable | Expected text in the response body for the service to count as up |
| consultation_group | string at most 50 | Group of contacts to notify |
| credentials | array of integers | Credential IDs to use when resolving issues |
| notes | string, nullable | Information for support staff |
| region | string | Required if address is a private IP; may not be set otherwise |

### Networking

| Method | Path | Scope | Payload |
|---|---|---|---|
| GET | /networking/firewalls | firewall:read_only | Paginated |
| POST | /networking/firewalls | firewall:read_write | Body below; emits firewall_create |
| GET | /networking/firewalls/{firewallId} | firewall:read_only | One firewall, without devices |
| PUT | /networking/firewalls/{firewallId} | firewall:read_write | Body: label, status (enum enabled, disabled), tags |
| DELETE | /networking/firewalls/{firewallId} | firewall:read_write | Emits firewall_delete |
| GET | /networking/firewalls/{firewallId}/devices | firewall:read_only | Paginated |
| POST | /networking/firewalls/{firewallId}/devices | firewall:read_write | Body: id (integer, required), type (enum node, nodebalancer, required); emits firewall_device_add |
| GET | /networking/firewalls/{firewallId}/devices/{deviceId} | firewall:read_only | One device |
| DELETE | /networking/firewalls/{firewallId}/devices/{deviceId} | firewall:read_write | Removes the firewall's rules from that service (other firewalls' rules stay); emits firewall_device_remove |
| GET | /networking/firewalls/{firewallId}/rules | firewall:read_only | Inbound and outbound rules |
| PUT | /networking/firewalls/{firewallId}/rules | firewall:read_write | Body: inbound (array of rules), inbound_policy, outbound (array of rules), outbound_policy; replaces all rulesets with the given values |
| GET | /networking/ips | ips:read_only | IP addresses on the account excluding private addresses (paginated); property skip_ipv6_rdns (boolean, default false) is listed among the request body properties: when true, rdns of ipv6 addresses is always null |
| POST | /networking/ips | ips:read_write and nodes:read_write | Body: node_id (integer, required), public (boolean, required), type (enum ipv4, required); allocates an IPv4 address; the node must be configured to allow extra addresses |
| POST | /networking/ips/assign | ips:read_write and nodes:read_write | Body: assignments (array of IP assignment objects, required), region (string, required; all IPs and nodes must be in it) |
| POST | /networking/ips/share | ips:read_write and nodes:read_write | Body: ips (array of strings, required), node_id (integer, required) |
| GET | /networking/ips/{address} | ips:read_only | address is an IP string |
| PUT | /networking/ips/{address} | ips:read_write | Body: rdns (string, nullable, required) |
| POST | /networking/ipv4/assign | ips:read_write and nodes:read_write | Equivalent to POST /networking/ips/assign |
| POST | /networking/ipv4/share | ips:read_write and nodes:read_write | Equivalent to POST /networking/ips/share |
| GET | /networking/ipv6/pools | ips:read_only | Paginated |
| GET | /networking/ipv6/ranges | ips:read_only | Paginated |
| POST | /networking/ipv6/ranges | ips:read_write and nodes:read_write | Body below |
| GET | /networking/ipv6/ranges/{range} | ips:read | range is an IPv6 string without prefix length |
| DELETE | /networking/ipv6/ranges/{range} | ips:read_write | Removes the range and disconnects it from nodes; shared ranges cannot be deleted |
| GET | /networking/vlans | nodes:read_only | All VLANs on the account (paginated) |

List endpoints for firewalls, devices, IPv6 pools, IPv6 ranges and VLANs take the standard page and page_size. firewallId and deviceId are integers, required.

Firewall create body:

| Field | Type | Rules |
|---|---|---|
| label | string 3..32, required | Label rules under Limits |
| rules | object, required | inbound (array of rules), inbound_policy (enum ACCEPT, DROP, required), outbound (array of rules), outbound_policy (enum ACCEPT, DROP, required) |
| devices | object | nodes (array of integers; one device per ID) and nodebalancers (array with one node balancer ID); caller needs read_write grants to each |
| tags | array of strings | Organizational |

Order matters: rules apply in order and the first of two conflicting rules wins. A firewall applies to all non-VLAN interfaces of a node's configuration profiles, and to inbound TCP traffic only for node balancers.

IP rules:

- Assignment: every node involved must have at least one public IPv4 address after assignment; a node may have at most one private IPv4 address and at most one IPv6 range; shared IP addresses cannot be swapped between nodes; addresses with an active 1:1 NAT to a VPC interface address cannot be assigned to other nodes. Assigning an IPv6 range updates its route target to the assigned node's SLAAC address. Removing an address that is a managed node's ssh.ip resets that node's SSH access settings to defaults.
- Share: ips may hold IPv4 addresses (public or private) and IPv6 ranges written without the /56 or /64 prefix length; all must be accessible and in the primary node's region; an empty array removes all shared addresses; a public IPv4 address with 1:1 NAT on a VPC interface cannot be shared.
- RDNS update: forward DNS must already exist; setting rdns to null on a public IPv4 address resets it to the provider default value.

IPv6 range create body: prefix_length (integer enum 56, 64, required); node_id (integer) or route_target (IPv6 SLAAC address string without the /128 suffix). Exactly one of node_id and route_target is required; sending both is an error. The range is created in the region of that node or address.

### Support

| Method | Path | Scope | Payload |
|---|---|---|---|
| GET | /support/tickets | account:read_only | All tickets, open tickets first (paginated) |
| POST | /support/tickets | account:read_write | Body below |
| GET | /support/tickets/{ticketId} | account:read_only | One ticket |
| POST | /support/tickets/{ticketId}/attachments | account:read_write | multipart/form-data file; accepted extensions .gif .jpg .jpeg .pjpg .pjpeg .tif .tiff .png .pdf .txt; name of the form field not shown |
| POST | /support/tickets/{ticketId}/close | account:read_write | Closes a ticket the caller may modify |
| GET | /support/tickets/{ticketId}/replies | account:read_only | Paginated |
| POST | /support/tickets/{ticketId}/replies | account:read_write | Body: description (string 1..65535, required) |

Ticket open body:

| Field | Type | Rules |
|---|---|---|
| summary | string 1..64, required | Title |
| description | string 1..65000, required | Details |
| database_id, domain_id, firewall_id, node_id, lkecluster_id, longviewclient_id, nodebalancer_id, volume_id, vpc_id | integer | Subject of the ticket; only one of these ID attributes may be set |
| managed_issue | boolean | When true, no ID attribute may be given and the account must have Managed enabled |
| vlan | string | VLAN label; requires region |
| region | string | Region ID of the VLAN; allowed only for VLAN tickets |

### Tags (unrestricted account users only)

| Method | Path | Scope | Payload |
|---|---|---|---|
| GET | /tags | account:read_only | Paginated |
| POST | /tags | account:read_write | Body: label (string 3..50, required); optional arrays of integer IDs domains, nodes, nodebalancers, volumes to tag immediately. Caller needs read_write on every listed object, otherwise the tag is not created and an error is returned |
| GET | /tags/{tagLabel} | account:read_only | Mixed collection of all objects with the tag (paginated) |
| DELETE | /tags/{tagLabel} | account:read_write | Removes the tag from all objects and deletes it |

tagLabel is a string path parameter, required.

All endpoints: response bodies for endpoints other than the volume endpoints, beyond the statements above, are not shown.

## Authentication

- Two schemes: a personal access token and OAuth 2.0 with scopes. Credentials travel in the request header Authorization with the value Bearer <ACCESS_TOKEN>.
- Scopes in use: volumes:read_only, volumes:read_write, nodes:read_only, nodes:read_write, object_storage:read_only, object_storage:read_write, account:read_only, account:read_write, firewall:read_only, firewall:read_write, ips:read, ips:read_only, ips:read_write. An endpoint listing two scopes needs both.
- Permission rules beyond scopes: creating or cloning a volume needs the add_volumes grant; attach and detach need read_write permission on both the volume and the node; firewall device creation needs read_write grants on the device; tagging objects needs read_write on each; all Managed and Tags endpoints are accessible only to unrestricted users of the account.
- How tokens are issued, OAuth authorization and token addresses, and token lifetimes: not shown.
- Authorization requirement of the cluster list and cluster view endpoints: not shown (no scope is listed).

## Events

| Event kind | Emitted by |
|---|---|
| firewall_create | Firewall create, on successful return |
| firewall_delete | Firewall delete, on successful return |
| firewall_enable | Firewall update that changes status to enabled |
| firewall_disable | Firewall update that changes status to disabled |
| firewall_device_add | Firewall device create, on success |
| firewall_device_remove | Firewall device delete, on success |
| obj_access_key_create | Object storage key create |
| obj_access_key_delete | Object storage key revoke |
| obj_access_key_update | Object storage key update |

How events are read or delivered, their fields, and events for other operations: not shown.

## Errors

- Error responses carry the error envelope: errors, an array of objects each with field and reason.
- Conditions that produce an error: creating a bucket or key with a negative account balance; bucket label not unique in the cluster; attaching a volume to a node in another region; attach, detach and other write operations without the needed permission; volume create with node_id and no selectable configuration; cloning or resizing a volume whose status is not active; resizing a volume down; deleting a migrating volume; firewall operations on nodes with an ongoing live migration; enabling a firewall while another active firewall is assigned to the same service; firewall update with status deleted; IPv6 range create with both node_id and route_target, or with neither; deleting a shared IPv6 range; ticket open with more than one ID attribute, managed_issue with an ID attribute or without Managed enabled, region without a VLAN ticket; tag create lacking read_write on a listed object; Managed and Tags endpoints used by a restricted user; volume migration or clone to a data center without VLAN support while a VLAN is attached (the operation does not start).
- HTTP status codes for each error condition: not shown. The only status code given is 200 for creating a bucket that the caller already owns.
- Catalogue of reason messages: not shown.

## Limits

- Pagination: page integer >= 1, default 1; page_size integer 25..500, default 100 (where the endpoint documents them). Bucket contents use marker pagination instead of page numbers.
- Volume label: 1..32 characters. Volume default size 20 GB. Upper bound of volume size: not shown.
- Volumes per node: 8 attached through the configuration profile; when persist_across_boots is false and the node has 16 GB of RAM or more, the number attachable equals the node's RAM in GB, at most 64.
- Firewall label: 3..32 characters; begins and ends alphanumeric; only alphanumerics, hyphen, underscore, period; no two hyphens, underscores or periods in a row; unique.
- Firewall: at most 25 rules across inbound and outbound; a rule has at most 255 addresses or networks across ipv4 and ipv6 (a network counts as one); rule label 3..32, rule description 1..100; one active firewall per service, additional disabled ones allowed; only one node balancer per firewall.
- Port string: a single port, a range (inclusive, end greater than start), or a comma-separated list of these (a space may follow a comma); ports 1..65535 without leading zeros; at most 15 pieces (a single port is one piece, a range is two).
- IPv6: one range per account per region; one range targeting a node's SLAAC address per node; prefix length 56 or 64.
- Pre-signed URL: expires_in 360..86400 seconds, default 3600.
- Managed: contact name 2..64, group 2..50; credential label 2..75, username at most 5000; service label 3..64, address 3..100, body at most 100, consultation_group at most 50, timeout 1..255 seconds; node ssh port 1..65535, user at most 32.
- Support: summary 1..64 characters; ticket description 1..65000; reply description 1..65535.
- Tags: label 3..50 characters.
- Object Storage includes 1 terabyte of outbound transfer in the account's transfer pool.
- Request rate limits and quotas beyond these: not shown.

## Versioning

- The interface version is 4.175.0; every path is under the version segment v4 of {base_url}.
- Deprecation policy, version negotiation and compatibility guarantees: not shown.`
