// The volume as the document's table "Volume" shows it, and how it is stored; not its operations.
import type { Ternary } from '../language/clause.js'
import { byId, nodes } from '../language/facts.js'
import { momentOf } from '../language/moments.js'
import { asText } from '../language/same.js'
import { array, integer, nullable, object, oneOf, type Static, text } from '../language/schema.js'
import { type Entity, find, type Table } from '../language/world.js'
import { sameTags } from '../tags/record.js'

const volumeRecord = object({
  id: integer(),
  label: text({ min: 1, max: 32 }),
  status: oneOf('creating', 'active', 'resizing'),
  size: integer(),
  region: text(),
  hardware_type: oneOf('hdd', 'nvme'),
  filesystem_path: text(),
  node_id: nullable(integer()),
  node_label: nullable(text()),
  tags: array(text()),
  created: text({ format: 'date-time' }),
  updated: text({ format: 'date-time' }),
})

export type Volume = Static<typeof volumeRecord> & {
  /** Whether it is attached through a configuration profile; null while unattached. */
  profile: boolean | null
  /** Size before a resize that may still be under way; null where that was not known. */
  sizeBefore: number | null
  migrating: boolean
}

/** A label of odd characters may be trimmed or escaped, on its own and in the path. */
const samePath = (known: string, seen: unknown, { label }: Entity<Volume>): Ternary =>
  seen === known ||
  (typeof seen === 'string' &&
    seen.startsWith(pathPrefix) &&
    label !== undefined &&
    asText(label, seen.slice(pathPrefix.length)))

/** One moment, however it is written: with or without an offset, to the second or finer, cut or rounded. */
const sameMoment = (known: string, seen: unknown): boolean =>
  seen === known || Math.abs(momentOf(known) - momentOf(seen)) <= 1000

/** While a resize is under way either size may be shown: the document says that size grows, not when. */
const sizeUnderWay = (size: number, seen: unknown, { status, sizeBefore, stub }: Entity<Volume>): Ternary => {
  if (status === 'active' || typeof seen !== 'number') return seen === size
  const isUnseen = sizeBefore === null || (sizeBefore === undefined && stub === true)
  return isUnseen && seen < size ? undefined : seen === size || seen === sizeBefore
}

/** A volume may be created, and only then attached: until it is active its node need not be shown. */
const nodeUnderWay = (known: unknown, seen: unknown, { status }: Entity<Volume>): Ternary =>
  seen === known || (seen === null && status === 'creating' ? undefined : false)

/** Limits: "Volume default size 20 GB". */
export const defaultSizeGiB = 20

const pathPrefix = '/dev/disk/by-id/scsi-0Node_Volume_'

export const volumes: Table<Volume> = {
  name: 'volumes',
  record: volumeRecord,
  fields: ['id', 'label', 'status', 'size', 'region', 'hardware_type', 'node_id', 'tags', 'created', 'updated'],
  reasons: ['migrating'],
  identify: byId,
  drifting: ['status', 'hardware_type', 'updated'],
  drifts: (volume) =>
    volume.status === undefined || volume.status === 'active' ? [] : [{ ...volume, status: 'active' as const }],
  strays: (volume) => (volume.status === 'active' ? { ...volume, status: 'resizing' as const } : undefined),
  rest: { status: 'active' },
  // A status that the document does not have leads nowhere.
  settled: ({ status }) => status !== undefined && status !== 'creating' && status !== 'resizing',
  same: {
    label: asText,
    tags: sameTags,
    filesystem_path: samePath,
    created: sameMoment,
    size: sizeUnderWay,
    node_id: nodeUnderWay,
    node_label: nodeUnderWay,
  },
  derived: { filesystem_path: ['label'], node_label: ['node_id'] },
  view: (world, volume) => ({
    ...(volume.label !== undefined && { filesystem_path: pathPrefix + volume.label }),
    ...(volume.node_id === null && { node_label: null }),
    ...(volume.node_id && { node_label: find(world, nodes, volume.node_id)?.label }),
  }),
  release: (volume) => (volume.node_id === null ? [] : ['volumes.detach']),
  node: ({ node_id }) => node_id ?? undefined,
  change: {
    lasting: ['id', 'region', 'created'],
    outside: ['migrating'],
    renewable: false,
    growing: { size: ['status', 'sizeBefore'] },
  },
  closable: true,
  mint: (dice) => String(dice.next('volumes')),
  draw: (dice, volume) => ({
    hardware_type: dice.pick(['hdd', 'nvme'] as const),
    status: volume.sizeBefore === undefined ? 'creating' : 'resizing',
    created: dice.now(),
    updated: dice.now(),
    label: `volume-${volume.key}`,
    size: defaultSizeGiB,
    region: 'r1',
    node_id: null,
    profile: null,
    tags: [],
  }),
}
