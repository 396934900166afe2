// The TLS certificate of a bucket: whether there is one, its upload and its deletion; section "Endpoints / Object Storage".

import { patch } from '../language/changes.js'
import { known, not } from '../language/clause.js'
import { hashOf } from '../language/hash.js'
import { isObject, textsIn } from '../language/objects.js'
import { anything, operation } from '../language/operation.js'
import type { Plan } from '../language/plan.js'
import { object, text } from '../language/schema.js'
import { bucketPath, endpoints, newBucket, ofOwner, onBucket } from './common.js'
import { buckets, commonSilences } from './record.js'

const path = `${bucketPath}/ssl` as const

/** Every boolean in a reply, wherever it stands. */
const booleansIn = (value: unknown): readonly boolean[] =>
  typeof value === 'boolean'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(booleansIn)
      : []

/** The boolean that a reply is or holds; of several none is chosen. */
const toldBy = (reply: unknown): boolean | undefined => {
  const [told, ...others] = booleansIn(reply)
  return others.length === 0 ? told : undefined
}

/** Base64 between the marks of PEM. */
const isPem = (certificate: string): boolean =>
  /^\s*-----BEGIN CERTIFICATE-----(?:\s|\\n)(?:[A-Za-z0-9+/=\s]|\\n)+-----END CERTIFICATE-----/.test(certificate)

/** Whether it could be meant as PEM or as its Base64. */
const isNearPem = (certificate: string): boolean =>
  certificate.includes('-----BEGIN') || /^[A-Za-z0-9+/=\s]{64,}$/.test(certificate)

interface Pair {
  readonly certificate: string
  readonly private_key: string
}
const pairOf = ({ certificate, private_key }: Pair): number => hashOf(`${certificate}\n${private_key}`)

/** A bucket to which the target has been seen to take a certificate. */
const certified = (plan: Plan) => {
  const bucket = newBucket(plan)
  const body = plan.certificate()
  plan.call('bucket-certificates.upload', { path: bucket, body })
  return { path: bucket, body }
}

export const viewCertificate = operation({
  id: 'bucket-certificates.view',
  area: 'object-storage',
  method: 'GET',
  path,
  reach: { in: 'object-storage', alone: false, lent: false },
  source: endpoints,
  summary: 'Tells whether a certificate has been uploaded for a bucket.',
  scopes: ['object_storage:read_only'],
  params: onBucket,
  owned: ofOwner,
  reply: anything,
  draft: (plan) => ({ path: newBucket(plan) }),
  silences: commonSilences('bucket-certificates.view'),
  statements: [
    {
      id: 'bucket-certificates.view.boolean',
      source: `${endpoints}, GET …/ssl`,
      text: 'The reply is a boolean, or holds one.',
      holds: ({ reply }) => booleansIn(reply).length > 0,
      probe: (plan) => void plan.check('bucket-certificates.view', { path: newBucket(plan) }),
    },
    {
      id: 'bucket-certificates.view.none-at-first',
      source: `${endpoints}, GET …/ssl`,
      text: 'It is false where no certificate has been uploaded, or none is left.',
      holds: ({ reply, refs }) =>
        refs.bucket.certificate === false ? known(toldBy(reply), false, (a, b) => a === b) : undefined,
      probe: (plan) => void plan.check('bucket-certificates.view', { path: newBucket(plan) }),
    },
    {
      id: 'bucket-certificates.view.uploaded',
      source: `${endpoints}, GET …/ssl`,
      text: 'It is true where a certificate has been uploaded.',
      holds: ({ reply, refs }) =>
        refs.bucket.certificate === true ? known(toldBy(reply), true, (a, b) => a === b) : undefined,
      probe: (plan) => {
        const path = newBucket(plan)
        const [, second] = plan.environment.fixtures.clusters ?? []
        const other = newBucket(plan, second && { cluster: second.id, label: path.bucket })
        const beside = newBucket(plan, { cluster: path.clusterId })
        plan.call('bucket-certificates.upload', { path, body: plan.certificate() })
        plan.check('bucket-certificates.view', { path })
        // It is not that of another bucket, not even of one of the same name.
        plan.check('bucket-certificates.view', { path: other })
        plan.check('bucket-certificates.view', { path: beside })
      },
    },
  ],
  render: ({ refs }) => ({ ssl: refs.bucket.certificate === true }),
})

export const uploadCertificate = operation({
  id: 'bucket-certificates.upload',
  area: 'object-storage',
  method: 'POST',
  path,
  reach: { in: 'object-storage', alone: false, lent: false },
  source: endpoints,
  summary: 'Uploads a certificate and its private key for a bucket.',
  scopes: ['object_storage:read_write'],
  params: onBucket,
  owned: ofOwner,
  body: object({ certificate: text(), private_key: text() }),
  reply: anything,
  // A pair that the target has taken before for this bucket: which others it takes is for it to choose.
  draft: (plan) => {
    const { path, body } = certified(plan)
    plan.call('bucket-certificates.delete', { path })
    return { path, body }
  },
  refusals: [
    {
      id: 'bucket-certificates.upload.pem',
      source: `${endpoints}, POST …/ssl, certificate`,
      text: 'The certificate is in Base64 and PEM.',
      fields: ['certificate'],
      when: ({ body }) => (isPem(body.certificate) ? false : isNearPem(body.certificate) ? undefined : true),
      probe: (plan) => {
        const { path, body } = certified(plan)
        plan.call('bucket-certificates.delete', { path })
        plan.probe('bucket-certificates.upload', { path, body: { ...body, certificate: 'not a certificate' } })
        plan.twin('bucket-certificates.upload', { path, body })
      },
    },
  ],
  silences: [
    {
      id: 'bucket-certificates.upload.which',
      source: `${endpoints}, POST …/ssl`,
      text: 'Which certificates are taken (issuer, host names, key, dates) is not said; one that was taken before is.',
      fields: ['certificate', 'private_key'],
      when: ({ body, refs }) =>
        (isPem(body.certificate) || isNearPem(body.certificate)) && refs.bucket.pair !== pairOf(body),
      probe: (plan) =>
        void plan.check('bucket-certificates.upload', { path: newBucket(plan), body: plan.certificate() }),
    },
    {
      id: 'bucket-certificates.upload.over-another',
      source: `${endpoints}, DELETE …/ssl`,
      text: 'Whether a certificate can be uploaded while there is one is not said: to replace it, it is deleted first.',
      when: ({ refs }) => refs.bucket.certificate,
      probe: (plan) => {
        const { path, body } = certified(plan)
        plan.check('bucket-certificates.upload', { path, body })
      },
    },
    ...commonSilences('bucket-certificates.upload'),
  ],
  statements: [
    {
      id: 'bucket-certificates.upload.no-secret',
      level: 'should',
      source: `${endpoints}, POST …/ssl, "Stored encrypted"`,
      text: 'The reply does not hold the private key.',
      holds: ({ body, reply }) => {
        const key = body.private_key.trim()
        if (key === '') return undefined
        return !textsIn(reply).some((told) => told.includes(key)) || 'a reply with the private key'
      },
      brokenByRefusal: (sent, reply) => {
        const key = isObject(sent) && typeof sent.private_key === 'string' ? sent.private_key.trim() : ''
        const isShown = /PRIVATE KEY/.test(key) && textsIn(reply).some((told) => told.includes(key))
        return isShown ? 'a refusal with the private key' : undefined
      },
      probe: (plan) =>
        void plan.check('bucket-certificates.upload', { path: newBucket(plan), body: plan.certificate() }),
    },
    {
      id: 'bucket-certificates.upload.after-deletion',
      source: `${endpoints}, DELETE …/ssl`,
      text: 'After the deletion of a certificate one that was taken before can be uploaded.',
      holds: ({ body, refs }) =>
        refs.bucket.pair === pairOf(body) && refs.bucket.certificate === false ? true : undefined,
      probe: (plan) => {
        const { path, body } = certified(plan)
        plan.call('bucket-certificates.delete', { path })
        plan.check('bucket-certificates.upload', { path, body })
        plan.check('bucket-certificates.view', { path })
      },
    },
    {
      id: 'bucket-certificates.upload.encrypted',
      source: `${endpoints}, POST …/ssl`,
      text: 'Certificate and private key are stored encrypted.',
      holds: () => undefined,
      unprobed: 'no call shows how something is stored',
    },
  ],
  unshown: 'bucket-certificates.view.uploaded asks for it',
  looks: () => [{ operation: 'bucket-certificates.view' }],
  apply: ({ world, body, refs }) => patch(world, buckets, refs.bucket.key, { certificate: true, pair: pairOf(body) }),
  render: () => ({ ssl: true }),
})

export const deleteCertificate = operation({
  id: 'bucket-certificates.delete',
  area: 'object-storage',
  method: 'DELETE',
  path,
  reach: { in: 'object-storage', alone: false, lent: false },
  source: endpoints,
  summary: 'Deletes the certificate and the private key that were uploaded for a bucket.',
  scopes: ['object_storage:read_write'],
  params: onBucket,
  owned: ofOwner,
  reply: anything,
  draft: (plan) => ({ path: certified(plan).path }),
  silences: [
    {
      id: 'bucket-certificates.delete.none',
      source: `${endpoints}, DELETE …/ssl`,
      text: 'Whether a deletion is refused where there is no certificate is not said.',
      when: ({ refs }) => not(refs.bucket.certificate),
      probe: (plan) => void plan.check('bucket-certificates.delete', { path: newBucket(plan) }),
    },
    ...commonSilences('bucket-certificates.delete'),
  ],
  statements: [
    {
      id: 'bucket-certificates.delete.of-uploaded',
      source: `${endpoints}, DELETE …/ssl`,
      text: 'A certificate that was uploaded can be deleted, and is then gone.',
      holds: ({ refs }) => (refs.bucket.certificate === true ? true : undefined),
      probe: (plan) => {
        const { path } = certified(plan)
        const { path: other } = certified(plan)
        plan.check('bucket-certificates.delete', { path })
        plan.check('bucket-certificates.view', { path })
        // It is not that of another bucket.
        plan.check('bucket-certificates.view', { path: other })
      },
    },
  ],
  unshown: 'bucket-certificates.view.none-at-first asks for it',
  looks: () => [{ operation: 'bucket-certificates.view' }],
  apply: ({ world, refs }) => patch(world, buckets, refs.bucket.key, { certificate: false }),
  render: () => ({ ssl: false }),
})

export const bucketCertificateOperations = [viewCertificate, uploadCertificate, deleteCertificate]
