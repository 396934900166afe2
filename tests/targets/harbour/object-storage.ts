// Object storage: buckets, what is in them, keys, clusters and cancelling; no other resource.
import { flag, type Json, listOf, object, oneOf, text, whole } from './checks.js'
import {
  at,
  CALLED_PAGINATED,
  type Context,
  deny,
  disguise,
  emit,
  idOf,
  inTurn,
  knownQuery,
  mine,
  mint,
  missing,
  oddName,
  page,
  quota,
  type Reply,
  type Route,
  readBody,
  refuse,
  silence,
} from './context.js'
import { type Bucket, bucketKey, type Key, ordered } from './state.js'

const acls = ['private', 'public-read', 'authenticated-read', 'public-read-write'] as const
const creation = object({ 'cluster!': text(), 'label!': text(), acl: oneOf(...acls), cors_enabled: flag })
const opening = object({ acl: oneOf(...acls, 'custom'), cors_enabled: flag })
const objectOpening = object({ 'acl!': oneOf(...acls, 'custom'), 'name!': text() })
const certificate = object({ 'certificate!': text(), 'private_key!': text() })
const signing = object({ 'name!': text(), method: text(), content_type: text(), expires_in: whole(360, 86_400) })
const granting = object({ bucket_name: text(), cluster: text(), permissions: oneOf('read_write', 'read_only') })
const keyCreation = object({ label: text(), bucket_access: listOf(granting) })
const keyChange = object({ label: text() })

const showBucket = ({ options, rules }: Context, { label, cluster, acl, cors, objects }: Bucket): Json =>
  disguise(
    {
      label: rules.holds('buckets.shows.label') ? label : `${label}-`,
      cluster,
      acl,
      cors_enabled: cors,
      objects: objects.size,
    },
    options,
    ['label', 'cluster'],
  )

const ownBuckets = (context: Context): Bucket[] => mine(context, context.state.buckets, 'buckets')

const knownCluster = (context: Context): string => {
  const id = decodeURIComponent(context.params.clusterId ?? '')
  if (!context.fixtures.clusters.some((one) => one.id === id)) throw missing(context, 'clusterId')
  return id
}

const findBucket = (context: Context): Bucket => {
  const { params, options } = context
  const label = decodeURIComponent(params.bucket ?? '')
  const key = bucketKey(knownCluster(context), options.bucketNames === 'lower case' ? label.toLowerCase() : label)
  const bucket = ownBuckets(context).find(({ id }) => id === key)
  if (!bucket) throw missing(context, 'bucket')
  return bucket
}

const solvent = (context: Context): void => {
  if (context.account.balance === 'negative' && context.rules.holds(`${context.route.id}.balance`))
    deny(context, 'negative balance', 402)
}

const createBucket = (context: Context): Reply => {
  const { state, rules, options, fixtures, user, token } = context
  inTurn(context, 'state', () => solvent(context))
  const body = readBody(context, creation)
  if (context.account.balance === 'negative' && !rules.holds('buckets.create.refused-but-made'))
    state.buckets.set(bucketKey(String(body.cluster), String(body.label)), fresh(context, body))
  inTurn(context, 'body', () => solvent(context))
  const cluster = String(body.cluster)
  const label = options.bucketNames === 'lower case' ? String(body.label).toLowerCase() : String(body.label)
  if (!fixtures.clusters.some((one) => one.id === cluster)) refuse(at(context, 'cluster'), 'is unknown')
  const key = bucketKey(cluster, label)
  const there = state.buckets.get(key)
  if (there?.account === user.account) {
    if (!rules.holds('buckets.create.again')) refuse('label', 'is taken')
    if (body.cors_enabled !== undefined && !rules.holds('buckets.create.again-with-cors')) refuse('label', 'is taken')
    if (!rules.holds('buckets.create.again-emptied')) there.objects.clear()
    return {
      kind: 'exact',
      status: rules.holds('buckets.create.again-200') ? 200 : 201,
      body: showBucket(context, there),
    }
  }
  if (there && rules.holds('buckets.create.unique')) refuse(at(context, 'label'), 'is taken')
  if (!rules.holds('buckets.create.free-elsewhere') && [...state.buckets.values()].some((one) => one.label === label))
    refuse(at(context, 'label'), 'is taken')
  if (state.revoked.has(key) && !rules.holds('buckets.create.free-after-deletion'))
    refuse(at(context, 'label'), 'is taken')
  oddName(context, label, at(context, 'label'), /^[a-z][a-z0-9-]{2,62}$/)
  silence(context, state.cancelled.has(user.account), '', 'a bucket after cancelling')
  quota(context, ownBuckets(context).length)
  const bucket = { ...fresh(context, body), id: key, label, maker: token.name }
  if (rules.holds('buckets.create.kept')) state.buckets.set(key, bucket)
  state.cancelled.delete(user.account)
  return { kind: 'creation', body: showBucket(context, bucket) }
}

const fresh = ({ rules, user, token }: Context, { cluster, label, acl, cors_enabled }: Json): Bucket => {
  const isOpen = acl === undefined && cors_enabled === true && !rules.holds('buckets.create.default-acl')
  return {
    id: bucketKey(String(cluster), String(label)),
    account: user.account,
    maker: token.name,
    cluster: String(cluster),
    label: String(label),
    acl: isOpen ? 'public-read' : String(acl ?? 'private'),
    cors: cors_enabled === true || (cors_enabled === undefined && !rules.holds('buckets.create.default-cors')),
    certificate: false,
    objects: new Map(),
  }
}

const listBuckets = (context: Context): Reply =>
  page(
    context,
    ownBuckets(context),
    (one) => showBucket(context, one),
    ({ id }) => id,
    CALLED_PAGINATED,
  )

const listInCluster = (context: Context): Reply => {
  const { state, rules, options } = context
  const cluster = knownCluster(context)
  const all = rules.holds('buckets.list-in-cluster.isolation') ? ownBuckets(context) : [...state.buckets.values()]
  const there = all.filter((one) => one.cluster === cluster || !rules.holds('buckets.list-in-cluster.this'))
  const data = ordered(there, ({ id }) => id, options).map((one) => showBucket(context, one))
  if (options.clusterBuckets === 'array') return { kind: 'view', body: data }
  if (options.clusterBuckets === 'object') return { kind: 'view', body: { buckets: data } }
  return page(
    context,
    there,
    (one) => showBucket(context, one),
    ({ id }) => id,
    CALLED_PAGINATED,
  )
}

const viewBucket = (context: Context): Reply => {
  knownQuery(context)
  return { kind: 'view', body: showBucket(context, findBucket(context)) }
}

const removeBucket = (context: Context): Reply => {
  const { state, rules } = context
  const bucket = findBucket(context)
  if (bucket.objects.size > 0 && rules.holds('buckets.delete.empty-first')) deny(context, 'is not empty')
  if (rules.holds('buckets.delete.kept')) state.buckets.delete(bucket.id)
  if (!rules.holds('buckets.delete.this-cluster'))
    for (const one of ownBuckets(context)) if (one.label === bucket.label) state.buckets.delete(one.id)
  if (!rules.holds('buckets.delete.longer'))
    for (const one of ownBuckets(context)) if (one.id.startsWith(bucket.id)) state.buckets.delete(one.id)
  if (rules.fault === 'buckets.create.free-after-deletion') state.revoked.add(bucket.id)
  return { kind: 'removal' }
}

const access = (context: Context): Reply => {
  const bucket = findBucket(context)
  const body = readBody(context, opening)
  silence(context, Object.keys(body).length === 0, '', 'an update of nothing')
  if (body.acl !== undefined) bucket.acl = String(body.acl)
  if (body.cors_enabled !== undefined) bucket.cors = body.cors_enabled === true
  return { kind: 'change', body: {} }
}

const viewObjectAcl = (context: Context): Reply => {
  const bucket = findBucket(context)
  const name = context.query.get('name')
  silence(context, name === null, 'name', 'no object named')
  silence(context, name !== null && !bucket.objects.has(name), 'name', 'an object that is not there')
  const acl = bucket.objects.get(name ?? '') ?? 'private'
  return { kind: 'view', body: disguise({ acl, acl_xml: '<x/>' }, context.options, ['acl']) }
}

const updateObjectAcl = (context: Context): Reply => {
  const { rules } = context
  const bucket = findBucket(context)
  const body = readBody(context, objectOpening)
  const [acl, name] = [String(body.acl), String(body.name ?? '')]
  silence(context, !bucket.objects.has(name), 'name', 'an object that is not there')
  if (!rules.holds('object-acl.update.only')) for (const each of bucket.objects.keys()) bucket.objects.set(each, acl)
  if (bucket.objects.has(name) && rules.holds('object-acl.update.kept')) bucket.objects.set(name, acl)
  return { kind: 'change', body: { acl } }
}

const queryInteger = ({ query, rules }: Context, name: string, standard: number, min: number, max: number): number => {
  const given = query.get(name)
  if (given === null) return standard
  const isWhole =
    /^-?\d+$/.test(given) || (/^\d+\.\d+$/.test(given) && !rules.holds('bucket-objects.page_size.fraction'))
  const value = Math.trunc(Number(given))
  return isWhole && value >= min && value <= max ? value : refuse(name, `an integer of ${min} to ${max}`)
}

const listObjects = (context: Context): Reply => {
  const { query, rules, options } = context
  const bucket = findBucket(context)
  knownQuery(context, 'marker', 'delimiter', 'prefix', 'page_size')
  const least = rules.bound('bucket-objects.page_size.minimum', 25)
  const most = rules.bound('bucket-objects.page_size.maximum', 500)
  const size = queryInteger(context, 'page_size', rules.bound('bucket-objects.page_size.default', 100), least, most)
  const marker = query.get('marker')
  const isLater = marker !== null && query.has('prefix') && !rules.holds('bucket-objects.prefix.later')
  const prefix = isLater || !rules.holds('bucket-objects.prefix') ? '' : (query.get('prefix') ?? '')
  const delimiter = rules.holds('bucket-objects.delimiter') ? query.get('delimiter') : null
  silence(context, (delimiter ?? '/').length !== 1, 'delimiter', 'odd delimiters')
  silence(context, marker === '', 'marker', 'an empty marker')
  const upTo = (name: string): string => {
    const end = delimiter ? name.indexOf(delimiter, prefix.length) : -1
    return end < 0 ? name : name.slice(0, end + 1)
  }
  const found = [...bucket.objects.keys()].filter((name) => name.startsWith(prefix)).map(upTo)
  const isAfter = (name: string): boolean => {
    if (marker === null || !rules.holds('bucket-objects.marker')) return true
    return rules.holds('bucket-objects.marker.exclusive') ? name > marker : name >= marker
  }
  const rest = [...new Set(found)].sort().filter(isAfter)
  const data = rules.holds('bucket-objects.page_size') ? rest.slice(0, size) : rest
  const more = rest.length > data.length
  const skipping = more && !rules.holds('bucket-objects.next_marker.skips') ? rest[data.length] : data.at(-1)
  const next = more && rules.holds('bucket-objects.next_marker') ? skipping : null
  const items = data.map((name) => disguise({ name, size: 3, etag: 'x' }, options, ['name']))
  return { kind: 'view', body: { data: items, next_marker: next, is_truncated: more } }
}

const METHODS = ['GET', 'PUT', 'POST', 'DELETE', 'HEAD']

const createUrl = (context: Context): Reply => {
  const { rules, options } = context
  const bucket = findBucket(context)
  const isGet = (context.body as Json | undefined)?.method === 'GET'
  const unbound = isGet && !rules.holds('object-urls.create.expires-get')
  const { expires_in: _, ...rest } = (context.body ?? {}) as Json
  const { name, method, content_type } = readBody(unbound ? { ...context, body: rest } : context, signing)
  // Required with a default: either reading is possible.
  silence(context, method === undefined, at(context, 'method'), 'no method')
  silence(context, method !== undefined && !METHODS.includes(String(method)), at(context, 'method'), 'odd methods')
  const isPlain = ['GET', 'DELETE', undefined].includes(method as string)
  const needed = isPlain ? method === 'DELETE' && !rules.holds('object-urls.create.type-for-delete') : true
  const isSpared =
    (method === 'HEAD' && !rules.holds('object-urls.create.type-for-head')) ||
    ((context.body as Json).expires_in !== undefined && !rules.holds('object-urls.create.type-beside-expiry'))
  if (needed && !isSpared && content_type === undefined && rules.holds('object-urls.create.type'))
    refuse(at(context, 'content_type'), 'required for this method')
  if (!bucket.objects.has(String(name)) && !rules.holds('object-urls.create.no-object'))
    refuse(at(context, 'name'), 'is not there', 404)
  const url = `https://${bucket.label}.objects.example/${encodeURIComponent(String(name))}?signature=0`
  const body = { plain: { url, exists: false }, extra: { url, links: [url] }, bare: { link: url }, alien: url }
  return { kind: 'view', body: body[options.records] }
}

const certified = ({ rules, options }: Context, ssl: boolean): Reply => {
  if (!rules.holds('bucket-certificates.boolean')) return { kind: 'exact', body: { ssl: ssl ? 'yes' : 'no' } }
  return { kind: 'exact', body: options.certificateShown === 'boolean' ? ssl : { ssl } }
}

const viewCertificate = (context: Context): Reply => {
  const bucket = findBucket(context)
  return certified(context, bucket.certificate && context.rules.holds('bucket-certificates.view'))
}

const uploadCertificate = (context: Context): Reply => {
  const { state, rules } = context
  const bucket = findBucket(context)
  const body = readBody(context, certificate)
  if (body.certificate !== undefined && !String(body.certificate).includes('BEGIN CERT'))
    refuse(at(context, 'certificate'), 'PEM is expected')
  silence(context, !String(body.private_key).includes('PRIVATE KEY'), at(context, 'private_key'), 'what is no key')
  silence(context, bucket.certificate, '', 'a second certificate')
  for (const one of state.buckets.values())
    if (one === bucket || (one.label === bucket.label && !rules.holds('bucket-certificates.upload.only')))
      one.certificate = true
  if (!rules.holds('bucket-certificates.upload.secret')) return { kind: 'exact', body }
  return { kind: 'change', body: { ssl: true } }
}

const removeCertificate = (context: Context): Reply => {
  const bucket = findBucket(context)
  silence(context, !bucket.certificate, '', 'deleting no certificate')
  if (context.rules.holds('bucket-certificates.delete.kept')) bucket.certificate = false
  return { kind: 'removal' }
}

const cancel = (context: Context): Reply => {
  const { state, rules, options, user } = context
  silence(context, state.cancelled.has(user.account), '', 'cancelling twice')
  state.cancelled.add(user.account)
  const gone = rules.holds('object-storage.cancel.only-own') ? ownBuckets(context) : [...state.buckets.values()]
  for (const { id, objects } of gone)
    if (rules.holds('object-storage.cancel') && (objects.size === 0 || rules.holds('object-storage.cancel.full')))
      state.buckets.delete(id)
  if (options.cancelTakesKeys) for (const { id } of mine(context, state.keys, 'object-keys')) state.keys.delete(id)
  return { kind: 'change', body: {} }
}

const showCluster = ({ options }: Context, id: string): Json =>
  disguise({ id, region: id.slice(0, -2), domain: `${id}.objects.example`, status: 'available' }, options, ['id'])

const listClusters = (context: Context): Reply =>
  page(
    context,
    context.fixtures.clusters,
    ({ id }) => showCluster(context, id),
    ({ id }) => id,
    CALLED_PAGINATED,
  )

const viewCluster = (context: Context): Reply => {
  const { rules, fixtures } = context
  const id = knownCluster(context)
  return {
    kind: 'view',
    body: showCluster(context, rules.holds('clusters.view') ? id : (fixtures.clusters[0]?.id ?? id)),
  }
}

const showKey = ({ options, rules, route }: Context, { id, label, access }: Key): Json => {
  const isMade = route.id === 'object-keys.create'
  const secret = isMade || !rules.holds('object-keys.secret') ? 'SECRET-SHOWN-ONCE' : '[REDACTED]'
  const isEmpty = Array.isArray(access) && access.length === 0 && options.keyAccess === 'empty as null'
  const bucket_access = isEmpty ? null : (access ?? null)
  const full = { id, label, access_key: `AK${id}`, secret_key: secret, limited: access !== undefined }
  const isLeftOut = access === undefined && options.keyAccess === 'left out'
  return disguise({ ...full, ...(isLeftOut ? {} : { bucket_access }) }, options, ['id', 'label'])
}

const ownKeys = (context: Context): Key[] => mine(context, context.state.keys, 'object-keys')

const listKeys = (context: Context): Reply => {
  const own = ownKeys(context)
  const listed = own.length > 1 && !context.rules.holds('object-keys.list.all') ? own.slice(1) : own
  return page(
    context,
    listed,
    (one) => showKey(context, one),
    ({ id }) => String(id),
    CALLED_PAGINATED,
  )
}

const createKey = (context: Context): Reply => {
  const { state, rules, user, token } = context
  const make = (label: unknown, access: unknown): Key => {
    const key = {
      id: mint(context, 'keys'),
      account: user.account,
      maker: token.name,
      label: String(label ?? ''),
      access,
    }
    if (rules.holds('object-keys.create.kept')) state.keys.set(key.id, key)
    return key
  }
  if (context.account.balance === 'negative' && !rules.holds('object-keys.create.refused-but-made'))
    make('debt', undefined)
  inTurn(context, 'state', () => solvent(context))
  const body = readBody(context, keyCreation)
  const access = body.bucket_access as readonly Json[] | undefined
  for (const { bucket_name, cluster, permissions } of access ?? []) {
    silence(
      context,
      [bucket_name, cluster, permissions].includes(undefined),
      at(context, 'bucket_access'),
      'less than a whole grant',
    )
    const bucket = state.buckets.get(bucketKey(String(cluster), String(bucket_name)))
    silence(context, bucket?.account !== user.account, at(context, 'bucket_access'), 'a bucket that is not there')
  }
  inTurn(context, 'body', () => solvent(context))
  quota(context, ownKeys(context).length)
  silence(context, body.label === undefined, 'label', 'a key without a label')
  oddName(context, body.label, 'label', /^[a-z][a-z0-9-]{0,49}$/)
  silence(context, state.cancelled.has(user.account), '', 'a key after cancelling')
  const isLimited = access && (access.length > 0 || rules.holds('object-keys.create.empty-access'))
  const key = make(
    body.label,
    isLimited ? access.slice(0, rules.holds('object-keys.create.all-access') ? undefined : 1) : undefined,
  )
  emit(context, 'obj_access_key_create', 'key', key.id)
  return { kind: 'creation', body: showKey(context, key) }
}

const findKey = (context: Context): Key => {
  const id = idOf(context, 'keyId')
  const key = ownKeys(context).find((one) => one.id === id)
  if (!key) throw missing(context, 'keyId')
  return key
}

const viewKey = (context: Context): Reply => ({ kind: 'view', body: showKey(context, findKey(context)) })

const updateKey = (context: Context): Reply => {
  const { rules } = context
  const key = findKey(context)
  const { label } = readBody(context, keyChange)
  silence(context, label === undefined, 'label', 'an update of nothing')
  oddName(context, label, 'label', /^[a-z][a-z0-9-]{0,49}$/)
  if (label !== undefined && rules.holds('object-keys.update.kept')) key.label = String(label)
  if (!rules.holds('object-keys.update.access-kept')) Object.assign(key, { access: undefined })
  emit(context, 'obj_access_key_update', 'key', key.id)
  return { kind: 'change', body: showKey(context, key) }
}

const removeKey = (context: Context): Reply => {
  const { state, rules } = context
  const key = findKey(context)
  if (rules.holds('object-keys.delete.kept')) state.keys.delete(key.id)
  if (!rules.holds('object-keys.delete.only'))
    for (const one of ownKeys(context)) if (one.label === key.label) state.keys.delete(one.id)
  emit(context, 'obj_access_key_delete', 'key', key.id)
  return { kind: 'removal' }
}

const transfer = ({ options }: Context): Reply => ({ kind: 'view', body: disguise({ used: 0 }, options, ['used']) })

const base = '/object-storage'
const bucketPath = `${base}/buckets/{clusterId}/{bucket}`
const R = ['object_storage:read_only']
const W = ['object_storage:read_write']

export const objectStorageRoutes: readonly Route[] = [
  { id: 'buckets.list', method: 'GET', path: `${base}/buckets`, scopes: R, handle: listBuckets },
  { id: 'buckets.create', method: 'POST', path: `${base}/buckets`, scopes: W, handle: createBucket },
  {
    id: 'buckets.list-in-cluster',
    method: 'GET',
    path: `${base}/buckets/{clusterId}`,
    scopes: R,
    handle: listInCluster,
  },
  { id: 'buckets.view', method: 'GET', path: bucketPath, scopes: R, handle: viewBucket },
  { id: 'buckets.delete', method: 'DELETE', path: bucketPath, scopes: W, handle: removeBucket },
  { id: 'bucket-access.allow', method: 'POST', path: `${bucketPath}/access`, scopes: W, handle: access },
  { id: 'bucket-access.update', method: 'PUT', path: `${bucketPath}/access`, scopes: W, handle: access },
  { id: 'object-acl.view', method: 'GET', path: `${bucketPath}/object-acl`, scopes: R, handle: viewObjectAcl },
  { id: 'object-acl.update', method: 'PUT', path: `${bucketPath}/object-acl`, scopes: W, handle: updateObjectAcl },
  { id: 'bucket-objects.list', method: 'GET', path: `${bucketPath}/object-list`, scopes: R, handle: listObjects },
  { id: 'object-urls.create', method: 'POST', path: `${bucketPath}/object-url`, scopes: W, handle: createUrl },
  { id: 'bucket-certificates.view', method: 'GET', path: `${bucketPath}/ssl`, scopes: R, handle: viewCertificate },
  { id: 'bucket-certificates.upload', method: 'POST', path: `${bucketPath}/ssl`, scopes: W, handle: uploadCertificate },
  {
    id: 'bucket-certificates.delete',
    method: 'DELETE',
    path: `${bucketPath}/ssl`,
    scopes: W,
    handle: removeCertificate,
  },
  { id: 'object-storage.cancel', method: 'POST', path: `${base}/cancel`, scopes: W, handle: cancel },
  { id: 'clusters.list', method: 'GET', path: `${base}/clusters`, scopes: [], handle: listClusters },
  { id: 'clusters.view', method: 'GET', path: `${base}/clusters/{clusterId}`, scopes: [], handle: viewCluster },
  { id: 'object-keys.list', method: 'GET', path: `${base}/keys`, scopes: R, handle: listKeys },
  { id: 'object-keys.create', method: 'POST', path: `${base}/keys`, scopes: W, handle: createKey },
  { id: 'object-keys.view', method: 'GET', path: `${base}/keys/{keyId}`, scopes: R, handle: viewKey },
  { id: 'object-keys.update', method: 'PUT', path: `${base}/keys/{keyId}`, scopes: W, handle: updateKey },
  { id: 'object-keys.delete', method: 'DELETE', path: `${base}/keys/{keyId}`, scopes: W, handle: removeKey },
  { id: 'object-storage-transfer.view', method: 'GET', path: `${base}/transfer`, scopes: R, handle: transfer },
]
