// The operations under /object-storage.
import {
  type Answer,
  broken,
  type Call,
  checked,
  emit,
  examine,
  type Fields,
  type Handler,
  type Issue,
  identifier,
  inTurn,
  knownCluster,
  knownQuery,
  mint,
  ordered,
  paged,
  queryInteger,
  quota,
  Refusal,
  type Route,
  record,
  refuseIf,
  silence,
  unshown,
  type World,
} from './call.js'
import { type Bucket, bucketKey, clusters, type Key } from './state.js'

const acls = ['private', 'public-read', 'authenticated-read', 'public-read-write']

const bucketRecord = (world: World, bucket: Bucket, where: 'list' | 'reply'): unknown => {
  const { label, cluster, acl, cors, objects } = bucket
  const full = { label, cluster, acl, cors_enabled: cors, objects: objects.size, created: '2024-01-01T00:00:00' }
  return record(world, full, ['label', 'cluster'], where)
}

const ownBuckets = ({ world, account }: Call): readonly Bucket[] =>
  ordered(
    world,
    [...world.state.buckets.values()].filter((bucket) => bucket.account === account.name),
    ({ cluster, label }) => bucketKey(cluster, label),
  )

const findBucket = (call: Call): Bucket => {
  const { world, account, params } = call
  const bucket = world.state.buckets.get(bucketKey(knownCluster(call), params.bucket ?? ''))
  if (bucket?.account !== account.name) throw new Refusal([['bucket', 'no such bucket']], 404)
  return bucket
}

const listBuckets: Handler = (call) =>
  paged(
    call,
    ownBuckets(call).map((bucket) => bucketRecord(call.world, bucket, 'list')),
  )

const createBucket: Handler = (call) => {
  const { world, account } = call
  const { buckets, retired } = world.state
  const debt = (): void => {
    if (account.poor && !broken(world, 'bucket-balance')) throw new Refusal([['', 'negative balance']], 402)
  }
  inTurn(call, 'state', debt)
  const { fields, issues } = examine(call, {
    cluster: { type: 'string', required: true },
    label: { type: 'string', required: !broken(world, 'bucket-label-optional') },
    acl: {
      type: 'string',
      oneOf: broken(world, 'bucket-acl-custom')
        ? [...acls, 'custom']
        : broken(world, 'bucket-acl-missing')
          ? acls.slice(0, 3)
          : acls,
    },
    cors_enabled: { type: 'boolean' },
  })
  refuseIf(issues)
  const { cluster, label, acl = 'private', cors_enabled = false } = fields as Record<string, string>
  inTurn(call, 'body', debt)
  if (!(clusters as readonly unknown[]).includes(cluster)) throw new Refusal([['cluster', 'no such cluster']])
  const key = bucketKey(cluster as string, label as string)
  const there = buckets.get(key)
  const withCors = fields.cors_enabled !== undefined && broken(world, 'bucket-again-with-cors-refused')
  if (there?.account === account.name && !withCors && !broken(world, 'bucket-again-refused')) {
    const body = bucketRecord(world, there, 'list')
    return { status: broken(world, 'bucket-again-201') ? 201 : 200, body }
  }
  if (there && !(there.account !== account.name && broken(world, 'bucket-taken-over')))
    throw new Refusal([['label', 'taken']], 409)
  if (retired.has(key) && broken(world, 'bucket-label-kept')) throw new Refusal([['label', 'taken']], 409)
  if ([...buckets.values()].some((one) => one.label === label) && broken(world, 'bucket-label-everywhere'))
    throw new Refusal([['label', 'taken']], 409)
  silence(call, !/^[a-z][a-z0-9-]{2,62}$/.test(label ?? ''), 'label', 'odd bucket names')
  silence(call, account.cancelled, '', 'a bucket after cancelling')
  quota(call, ownBuckets(call).length)
  const isOpen = fields.acl === undefined && fields.cors_enabled === true && broken(world, 'bucket-open-with-cors')
  const bucket: Bucket = {
    account: account.name,
    cluster: cluster as string,
    label: label as string,
    acl: isOpen ? 'public-read' : String(acl),
    cors: Boolean(cors_enabled),
    certificate: world.state.certified.has(key) && broken(world, 'ssl-outlives-bucket'),
    objects: new Map(),
  }
  buckets.set(key, bucket)
  account.cancelled = false
  return unshown(world, bucketRecord(world, bucket, 'reply'), 201)
}

const listInCluster: Handler = (call) => {
  const cluster = knownCluster(call)
  const everyones = broken(call.world, 'bucket-cluster-isolation')
  const all = (everyones ? [...call.world.state.buckets.values()] : ownBuckets(call)).filter(
    (bucket) => bucket.cluster === cluster || broken(call.world, 'bucket-cluster-all'),
  )
  const data = all.map((bucket) => bucketRecord(call.world, bucket, 'list'))
  if (call.world.oddities.bodies === 'odd') return { status: 200, body: data }
  if (call.world.oddities.bodies === 'empty') return { status: 200, body: { buckets: data } }
  return paged(call, data)
}

const viewBucket: Handler = (call) => {
  knownQuery(call)
  return { status: 200, body: bucketRecord(call.world, findBucket(call), 'list') }
}

const removeBucket: Handler = (call) => {
  const { world } = call
  const bucket = findBucket(call)
  if (bucket.objects.size > 0 && !broken(world, 'bucket-delete-full')) throw new Refusal([['', 'not empty']], 409)
  const key = bucketKey(bucket.cluster, bucket.label)
  if (!broken(world, 'bucket-delete-lost')) world.state.buckets.delete(key)
  world.state.retired.add(key)
  if (bucket.certificate) world.state.certified.add(key)
  return unshown(world, {})
}

const access: Handler = (call) => {
  const bucket = findBucket(call)
  const oneOf = broken(call.world, 'access-custom-refused') ? acls : [...acls, 'custom']
  const { acl, cors_enabled } = checked(call, { acl: { type: 'string', oneOf }, cors_enabled: { type: 'boolean' } })
  silence(call, acl === undefined && cors_enabled === undefined, '', 'an update of nothing')
  if (acl !== undefined) bucket.acl = acl as string
  if (cors_enabled !== undefined) bucket.cors = cors_enabled as boolean
  return unshown(call.world, {})
}

const viewObjectAcl: Handler = (call) => {
  const bucket = findBucket(call)
  const name = call.query.get('name')
  silence(call, name === null, 'name', 'no object named')
  silence(call, name !== null && !bucket.objects.has(name), 'name', 'an object that is not there')
  const acl = bucket.objects.get(name ?? '') ?? 'private'
  return { status: 200, body: record(call.world, { acl, acl_xml: '<x/>' }, ['acl'], 'list') }
}

const updateObjectAcl: Handler = (call) => {
  const { world } = call
  const bucket = findBucket(call)
  const fields = checked(call, {
    acl: { type: 'string', required: true, oneOf: broken(world, 'object-acl-any') ? undefined : [...acls, 'custom'] },
    name: { type: 'string', required: !broken(world, 'object-acl-name-optional') },
  } as never)
  const { acl, name = '' } = fields as Record<string, string>
  silence(call, !bucket.objects.has(name), 'name', 'an object that is not there')
  if (bucket.objects.has(name) && !broken(world, 'object-acl-lost')) bucket.objects.set(name, acl as string)
  return unshown(world, { acl })
}

const listObjects: Handler = (call) => {
  const { world, query } = call
  const bucket = findBucket(call)
  knownQuery(call, 'marker', 'delimiter', 'prefix', 'page_size')
  const max = broken(world, 'objects-page-size-501') ? 501 : 500
  const standard = broken(world, 'objects-page-size-default') ? 101 : 100
  const size = queryInteger(call, 'page_size', standard, broken(world, 'objects-page-size-24') ? 24 : 25, max)
  const isLater = query.has('marker') && query.has('prefix') && broken(world, 'objects-prefix-first-page-only')
  const prefix = isLater || broken(world, 'objects-prefix-ignored') ? '' : (query.get('prefix') ?? '')
  const delimiter = broken(world, 'objects-delimiter-ignored') ? null : query.get('delimiter')
  const marker = query.get('marker')
  silence(call, (delimiter ?? '/').length !== 1, 'delimiter', 'odd delimiters')
  silence(call, marker === '', 'marker', 'an empty marker')
  const upTo = (name: string): string => {
    const at = delimiter ? name.indexOf(delimiter, prefix.length) : -1
    return at < 0 ? name : name.slice(0, at + 1)
  }
  const found = [...bucket.objects.keys()].filter((name) => name.startsWith(prefix)).map(upTo)
  const rest = [...new Set(found)].sort().filter((name) => {
    if (marker === null || broken(world, 'objects-marker-ignored')) return true
    return broken(world, 'objects-marker-inclusive') ? name >= marker : name > marker
  })
  const data = broken(world, 'objects-page-size-ignored') ? rest : rest.slice(0, size)
  const more = rest.length > data.length
  const next = more && !broken(world, 'objects-next-missing') ? data.at(-1) : null
  const items = data.map((name) => record(world, { name, size: 3, etag: 'x' }, ['name'], 'list'))
  return { status: 200, body: { data: items, next_marker: next, is_truncated: more } }
}

const methodNames = ['GET', 'PUT', 'POST', 'DELETE', 'HEAD']

const createUrl: Handler = (call) => {
  const { world } = call
  const bucket = findBucket(call)
  const unbound = (call.body as Fields | undefined)?.method === 'GET' && broken(world, 'url-expires-get')
  const longest = broken(world, 'url-expires-86401')
    ? 86_401
    : broken(world, 'url-expires-86400-refused')
      ? 86_399
      : 86_400
  const { fields, issues } = examine(call, {
    name: { type: 'string', required: true },
    method: { type: 'string' },
    content_type: { type: 'string' },
    expires_in: {
      type: 'integer',
      min: unbound ? 0 : broken(world, 'url-expires-359') ? 359 : 360,
      max: unbound ? Number.MAX_SAFE_INTEGER : longest,
    },
  })
  const { name, method, content_type } = fields as Record<string, string | undefined>
  // Required with a default: either reading is possible.
  silence(call, method === undefined, 'method', 'no method')
  silence(call, method !== undefined && !methodNames.includes(method), 'method', 'odd methods')
  const plain = ['GET', 'DELETE', undefined].includes(method)
  const needed =
    method === 'DELETE' ? broken(world, 'url-type-for-delete') : !plain && !broken(world, 'url-type-optional')
  const spared =
    (method === 'OPTIONS' && broken(world, 'url-type-options')) ||
    (fields.expires_in !== undefined && broken(world, 'url-type-beside-expiry'))
  if (needed && !spared && content_type === undefined) issues.push(['content_type', 'required for this method'])
  refuseIf(issues)
  if (!bucket.objects.has(name ?? '') && broken(world, 'url-object-needed'))
    throw new Refusal([['name', 'not there']], 404)
  const url = `https://${bucket.label}.objects.example/${encodeURIComponent(name ?? '')}?signature=0`
  const body = { plain: { url, exists: false }, extra: { url }, bare: { link: url }, alien: url }
  return { status: 200, body: body[world.oddities.records] }
}

const hasCertificate = (world: World, ssl: boolean): Answer => {
  if (broken(world, 'ssl-text')) return { status: 200, body: { ssl: ssl ? 'yes' : 'no' } }
  return { status: 200, body: world.oddities.records === 'alien' ? ssl : record(world, { ssl }, ['ssl'], 'list') }
}

const viewSsl: Handler = (call) => {
  const { certificate } = findBucket(call)
  return hasCertificate(call.world, certificate && !(certificate && broken(call.world, 'ssl-never')))
}

const uploadSsl: Handler = (call) => {
  const { world } = call
  const bucket = findBucket(call)
  const { certificate, private_key } = checked(call, {
    certificate: { type: 'string', required: true },
    private_key: { type: 'string', required: !broken(world, 'ssl-key-optional') },
  })
  if (!String(certificate).includes('BEGIN CERT')) throw new Refusal([['certificate', 'PEM is expected']])
  silence(call, !String(private_key).includes('PRIVATE KEY'), 'private_key', 'what is no key')
  silence(call, bucket.certificate, '', 'a second certificate')
  for (const one of world.state.buckets.values())
    if (one === bucket || (one.label === bucket.label && broken(world, 'ssl-by-label'))) one.certificate = true
  return world.oddities.bodies === 'plain' ? hasCertificate(world, true) : unshown(world, {})
}

const removeSsl: Handler = (call) => {
  const bucket = findBucket(call)
  silence(call, !bucket.certificate, '', 'deleting no certificate')
  if (!broken(call.world, 'ssl-delete-lost')) bucket.certificate = false
  return unshown(call.world, {})
}

const cancel: Handler = (call) => {
  const { world, account } = call
  silence(call, account.cancelled, '', 'cancelling twice')
  account.cancelled = true
  if (!broken(world, 'cancel-keeps-buckets'))
    for (const bucket of ownBuckets(call)) world.state.buckets.delete(bucketKey(bucket.cluster, bucket.label))
  if (world.oddities.order !== 'made') account.keys.clear()
  return unshown(world, {})
}

const clusterRecord = (world: World, id: string): unknown =>
  record(world, { id, region: id.slice(0, -2), domain: `${id}.objects.example`, status: 'available' }, ['id'], 'list')

const listClusters: Handler = (call) =>
  paged(
    call,
    ordered(call.world, clusters, (id) => id).map((id) => clusterRecord(call.world, id)),
  )

const viewCluster: Handler = (call) => {
  const cluster = knownCluster(call)
  const shown = cluster !== clusters[0] && broken(call.world, 'cluster-view-first') ? clusters[0] : cluster
  return { status: 200, body: clusterRecord(call.world, shown) }
}

const keyRecord = (call: Call, { id, label, access: granted }: Key, where: 'list' | 'reply'): unknown => {
  const secret = where === 'reply' ? 'SECRET-SHOWN-ONCE' : '[REDACTED]'
  const limited = granted !== undefined
  const full = { id, label, access_key: `AK${id}`, secret_key: secret, limited, bucket_access: granted ?? null }
  return record(call.world, full, where === 'list' ? ['id', 'label'] : [], where)
}

const listKeys: Handler = (call) => {
  const own = ordered(call.world, [...call.account.keys.values()], ({ id }) => id)
  const shown = own.length > 1 && broken(call.world, 'key-list-omits') ? own.slice(1) : own
  return paged(
    call,
    shown.map((key) => {
      const isStale = key.label !== key.firstLabel && broken(call.world, 'key-list-first-label')
      return keyRecord(call, isStale ? { ...key, label: key.firstLabel } : key, 'list')
    }),
  )
}

const accessIssues = (call: Call, list: readonly unknown[]): readonly Issue[] =>
  list.flatMap((item, at): readonly Issue[] => {
    if (at > 0 && broken(call.world, 'key-second-access-unchecked')) return []
    if (typeof item !== 'object' || item === null) return [[`bucket_access[${at}]`, 'an object is expected']]
    const { bucket_name, cluster, permissions } = item as Fields
    const issue = (name: string): Issue => [`bucket_access[${at}].${name}`, 'not as it should be']
    const missing = Object.values({ bucket_name, cluster, permissions }).includes(undefined)
    silence(call, missing, 'bucket_access', 'less than a whole grant')
    if (bucket_name !== undefined && typeof bucket_name !== 'string') return [issue('bucket_name')]
    if (cluster !== undefined && typeof cluster !== 'string') return [issue('cluster')]
    const known = permissions === undefined || ['read_write', 'read_only'].includes(permissions as string)
    if (!known && !(typeof permissions === 'string' && broken(call.world, 'key-permissions-any')))
      return [issue('permissions')]
    const there = call.world.state.buckets.get(bucketKey(String(cluster), String(bucket_name)))
    silence(call, there?.account !== call.account.name, 'bucket_access', 'a bucket that is not there')
    return []
  })

const createKey: Handler = (call) => {
  const { world, account } = call
  const debt = (): void => {
    if (account.poor && !broken(world, 'key-balance')) throw new Refusal([['', 'negative balance']], 402)
    quota(call, account.keys.size)
  }
  inTurn(call, 'state', debt)
  const { fields, issues } = examine(call, { label: { type: 'string' }, bucket_access: { type: 'array' } })
  if (Array.isArray(fields.bucket_access)) issues.push(...accessIssues(call, fields.bucket_access))
  refuseIf(issues)
  inTurn(call, 'body', debt)
  silence(call, fields.label === undefined, 'label', 'a key without a label')
  silence(call, !/^[a-z][a-z0-9-]{0,49}$/.test(String(fields.label ?? 'a')), 'label', 'odd key labels')
  silence(call, account.cancelled, '', 'a key after cancelling')
  const label = String(fields.label ?? '')
  const key: Key = { id: mint(world), label, firstLabel: label, access: fields.bucket_access }
  account.keys.set(key.id, key)
  if (!broken(world, 'key-create-event')) emit(world, 'obj_access_key_create', 'key', key.id)
  return unshown(world, keyRecord(call, key, 'reply'), 201)
}

const findKey = (call: Call): Key => {
  const id = identifier(call, 'keyId')
  const key = call.account.keys.get(id)
  if (!key) throw new Refusal([['keyId', 'no such key']], 404)
  return key
}

const viewKey: Handler = (call) => ({ status: 200, body: keyRecord(call, findKey(call), 'list') })

const updateKey: Handler = (call) => {
  const { world } = call
  const key = findKey(call)
  const { label } = checked(call, { label: { type: 'string' } })
  silence(call, label === undefined, 'label', 'an update of nothing')
  silence(call, !/^[a-z][a-z0-9-]{0,49}$/.test(String(label ?? 'a')), 'label', 'odd key labels')
  if (label !== undefined && !broken(world, 'key-update-lost')) key.label = label as string
  if (!broken(world, 'key-update-event')) emit(world, 'obj_access_key_update', 'key', key.id)
  return unshown(world, keyRecord(call, key, 'list'))
}

const removeKey: Handler = (call) => {
  const { world, account } = call
  const key = findKey(call)
  if (!broken(world, 'key-delete-lost')) account.keys.delete(key.id)
  if (!broken(world, 'key-delete-event')) emit(world, 'obj_access_key_delete', 'key', key.id)
  return unshown(world, {})
}

const transfer: Handler = (call) => ({ status: 200, body: record(call.world, { used: 0 }, ['used'], 'list') })

const base = '/object-storage'
const bucketPath = `${base}/buckets/:clusterId/:bucket`

export const objectStorageRoutes = (world: World): readonly Route[] => {
  const read = ['object_storage:read_only']
  const write = ['object_storage:read_write']
  const createScope = world.oddities.fault === 'bucket-create-scope' ? read : write
  const keyScope = world.oddities.fault === 'key-delete-scope' ? read : write
  const route = (method: string, path: string, scopes: readonly string[], handle: Handler): Route => ({
    method,
    path,
    scopes,
    handle,
  })
  return [
    route('GET', `${base}/buckets`, read, listBuckets),
    route('POST', `${base}/buckets`, createScope, createBucket),
    route('GET', `${base}/buckets/:clusterId`, read, listInCluster),
    route('GET', bucketPath, read, viewBucket),
    route('DELETE', bucketPath, write, removeBucket),
    route('POST', `${bucketPath}/access`, write, access),
    route('PUT', `${bucketPath}/access`, write, access),
    route('GET', `${bucketPath}/object-acl`, read, viewObjectAcl),
    route('PUT', `${bucketPath}/object-acl`, write, updateObjectAcl),
    route('GET', `${bucketPath}/object-list`, read, listObjects),
    route('POST', `${bucketPath}/object-url`, write, createUrl),
    route('GET', `${bucketPath}/ssl`, read, viewSsl),
    route('POST', `${bucketPath}/ssl`, write, uploadSsl),
    route('DELETE', `${bucketPath}/ssl`, write, removeSsl),
    route('POST', `${base}/cancel`, write, cancel),
    route('GET', `${base}/clusters`, [], listClusters),
    route('GET', `${base}/clusters/:clusterId`, [], viewCluster),
    route('GET', `${base}/keys`, read, listKeys),
    route('POST', `${base}/keys`, write, createKey),
    route('GET', `${base}/keys/:keyId`, read, viewKey),
    route('PUT', `${base}/keys/:keyId`, write, updateKey),
    route('DELETE', `${base}/keys/:keyId`, keyScope, removeKey),
    route('GET', `${base}/transfer`, read, transfer),
  ]
}
