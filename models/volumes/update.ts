// Updating a volume: "Volume" and "Endpoints / Volumes", which members change, and the time of the last update.
import { ofWriters } from '../language/access.js'
import { forget, patch } from '../language/changes.js'
import { known, or, type Ternary } from '../language/clause.js'
import { momentOf } from '../language/moments.js'
import { type Facts, operation, record } from '../language/operation.js'
import type { Body, Plan } from '../language/plan.js'
import { arePlainTags, isPlainName } from '../language/promises.js'
import { withTags } from '../language/reach.js'
import { asSet } from '../language/same.js'
import { array, object, optional, text } from '../language/schema.js'
import type { Entity } from '../language/world.js'
import { addsNoTags, mentionTags, releaseTags, tags, tagsLeftOut } from '../tags/record.js'
import {
  dayMs,
  endpoints,
  grantedWrite,
  isGranted,
  isTaken,
  label,
  latestMoment,
  onLentVolume,
  severalTags,
  slackMs,
  volumeId,
  writeGrant,
} from './common.js'
import { type Volume, volumes } from './record.js'

/** The tags that the volume has. */
const itsTags = (plan: Plan, volumeId: number) => ({
  tags: plan.call('volumes.view', { path: { volumeId } }).field('tags'),
})

/** Updates a volume that the target file lends, and puts back what it had; unless nobody else uses the account, nothing changes. */
const updated =
  (fresh: (plan: Plan) => Body, own: (plan: Plan, volumeId: number) => Body) =>
  (plan: Plan, volumeId: number, as: string): void => {
    const path = { volumeId }
    const before = own(plan, volumeId)
    const { exclusive } = plan.environment
    plan.check('volumes.update', { path, body: exclusive ? fresh(plan) : before, as })
    if (exclusive) plan.call('volumes.update', { path, body: before })
  }

const renamed = updated(
  (plan) => ({ label: plan.name() }),
  (plan, volumeId) => ({ label: plan.call('volumes.view', { path: { volumeId } }).field('label') }),
)

const retagged = updated((plan) => ({ tags: severalTags(plan) }), itsTags)

export const updateVolume = operation({
  id: 'volumes.update',
  wide: true,
  area: 'volumes',
  method: 'PUT',
  path: '/volumes/{volumeId}',
  reach: { in: 'volumes', alone: false, lent: 'volumes', concerns: withTags },
  source: endpoints,
  summary: 'Changes the label and the tags of a volume.',
  scopes: ['volumes:read_write'],
  params: volumeId,
  owned: ofWriters,
  body: object({ label: optional(label()), tags: optional(array(text())) }),
  reply: record(volumes),
  shows: 'volumeId',
  draft: (plan) => ({
    path: { volumeId: plan.make(volumes).id },
    body: { label: plan.name(), tags: severalTags(plan) },
  }),
  refusals: [
    writeGrant(
      'volumes.update',
      (plan) => plan.draft('volumes.update'),
      (plan, volumeId) => ({ body: itsTags(plan, volumeId) }),
    ),
  ],
  silences: [
    grantedWrite('volumes.update', onLentVolume(renamed)),
    {
      id: 'volumes.update.tag-grant',
      source: 'Authentication, "tagging objects needs read_write on each"',
      text: 'Whether a restricted user with read_write on the volume may change its tags is not said.',
      probe: onLentVolume(retagged),
      when: ({ caller, body, refs }) => body.tags !== undefined && isGranted(caller, refs.volumeId),
    },
    {
      id: 'volumes.update.label-characters',
      source: 'Volume, label',
      text: 'Which characters a label may have is not said.',
      fields: ['label'],
      probe: (plan) => {
        const path = { volumeId: plan.make(volumes).id }
        plan.check('volumes.update', { path, body: { label: plan.oddText(32) } })
      },
      when: ({ body }) => body.label !== undefined && !isPlainName(body.label),
    },
    {
      id: 'volumes.update.label-reused',
      source: 'Volume, label',
      text: 'Whether two volumes may have the same label, be it one after the other, is not said.',
      probe: (plan) => {
        const label = plan.make(volumes).field('label')
        plan.check('volumes.update', { path: { volumeId: plan.make(volumes).id }, body: { label } })
      },
      when: ({ world, account, body }) => isTaken(world, account, body.label),
    },
    {
      id: 'volumes.update.tag-characters',
      source: 'Volume, tags',
      text: 'Which tags a volume may carry, and how many, is not said.',
      fields: ['tags'],
      probe: (plan) =>
        void plan.check('volumes.update', {
          path: { volumeId: plan.make(volumes).id },
          body: { tags: [`${plan.tag()} B`] },
        }),
      when: ({ body }) => !arePlainTags(body.tags),
    },
    {
      id: 'volumes.update.nothing',
      source: endpoints,
      text: 'Whether an update that changes nothing is refused is not said.',
      probe: (plan) => void plan.check('volumes.update', { path: { volumeId: plan.make(volumes).id }, body: {} }),
      when: ({ body }) => body.label === undefined && body.tags === undefined,
    },
    {
      id: 'volumes.update.busy',
      source: 'Volume status, "Transitions: not shown"',
      text: 'Whether a volume can be changed before it is active, while it migrates or while it is attached is not said.',
      when: ({ refs }) =>
        or(
          refs.volumeId.migrating,
          known(refs.volumeId.node_id, null, (a) => a !== null),
          known(refs.volumeId.status, 'active', (a, b) => a !== b),
        ),
      probe: (plan) => {
        const path = { volumeId: plan.make(volumes).id }
        plan.check('volumes.update', { path, body: { tags: [plan.tag()] }, unsettled: true })
      },
    },
  ],
  draws: (_, dice) => ({ updated: dice.now() }),
  statements: [
    {
      id: 'volumes.update.adds-no-tags',
      source: `${endpoints}, PUT /volumes/{volumeId}, tags; Endpoints / Tags, DELETE /tags/{tagLabel}`,
      text: 'An update without tags gives a volume none that it did not have, such as one that was deleted.',
      holds: ({ body, refs, reply }) => addsNoTags(refs.volumeId, body.tags, reply),
      probe: (plan) => {
        const [label, kept] = [plan.name(), plan.tag()]
        const path = { volumeId: plan.make(volumes, { tags: [kept] }).id }
        plan.attempt(() => {
          plan.make(tags, { label, volumes: [path.volumeId] })
          plan.call('tags.delete', { path: { tagLabel: label } })
          plan.check('volumes.view', { path })
        })
        plan.check('volumes.update', { path, body: { label: plan.name() } })
      },
    },
    {
      id: 'volumes.update.updated',
      source: 'Volume, updated',
      text: 'updated is the time of the last update: not before anything that is known to have happened earlier.',
      slow: true,
      // What changes nothing may be no update.
      holds: (facts) => (isRelabelled(facts) === true ? isUpdatedNow(facts) : undefined),
      probe: (plan) => updateLater(plan, { label: plan.name() }),
    },
    {
      id: 'volumes.update.updated-when-tagged',
      level: 'should',
      source: 'Volume, updated',
      text: 'An update of the tags alone is an update too: updated is not before anything that is known to have happened earlier.',
      slow: true,
      holds: (facts) => (isRelabelled(facts) === false && isRetagged(facts) === true ? isUpdatedNow(facts) : undefined),
      probe: (plan) => updateLater(plan, { tags: [plan.name()] }),
    },
  ],
  choices: [
    {
      id: 'volumes.update.tags-left-out',
      text: 'Tags of a volume after an update without tags.',
      source: endpoints,
      values: ['kept', 'dropped'],
      observe: ({ body, refs, reply }) => tagsLeftOut(refs.volumeId, body.tags, reply),
    },
  ],
  apply: ({ world, account, body, refs }) => {
    const { tags: before } = refs.volumeId
    const mentioned = mentionTags(world, account, before, body.tags)
    return patch(
      forget(
        releaseTags(mentioned, account, before, body.tags),
        volumes,
        refs.volumeId.key,
        body.tags ? ['updated'] : ['updated', 'tags'],
      ),
      volumes,
      refs.volumeId.key,
      {
        ...(body.label !== undefined && { label: body.label }),
        ...(body.tags && { tags: body.tags }),
      },
    )
  },
})

interface Updating {
  readonly body: { readonly label?: string; readonly tags?: readonly string[] }
  readonly refs: { readonly volumeId: Entity<Volume> }
}

const isRelabelled = ({ body, refs }: Updating): Ternary =>
  body.label === undefined ? false : known(refs.volumeId.label, body.label, (a, b) => a !== b)

/** Whether an update gives other tags than there were, however a target keeps them. */
const isRetagged = ({ body, refs }: Updating): Ternary =>
  body.tags === undefined
    ? false
    : known(refs.volumeId.tags, body.tags, (before, now) => [before, now].every(arePlainTags) && !asSet(before, now))

/**
 * Whether the time of the last update is not before anything that is known to have happened earlier. One that moved on may be told by
 * another machine of the target, whose clock is behind; one that did not is held against what was told since.
 */
const isUpdatedNow = ({
  world,
  account,
  refs,
  reply,
}: Pick<Facts, 'world' | 'account'> & Pick<Updating, 'refs'> & { readonly reply: unknown }) => {
  const { updated } = reply as Volume
  const { updated: before, since } = refs.volumeId
  const hasStayed = before !== undefined && momentOf(before) === momentOf(updated)
  const latest = latestMoment(world, account, updated, hasStayed ? since?.updated?.step : undefined)
  const allowedMs = hasStayed ? slackMs : dayMs
  return (
    latest === undefined || momentOf(latest) <= momentOf(updated) + allowedMs || `updated ${updated}, after ${latest}`
  )
}

/** Updates a volume some time after it was made. */
const updateLater = (plan: Plan, body: Readonly<Record<string, unknown>>): void => {
  // Which tags a volume has that is given none is not said.
  const path = { volumeId: plan.make(volumes, { tags: [plan.tag()] }).id }
  plan.later(1600)
  // Its creation tells the target's time.
  plan.make(volumes)
  plan.check('volumes.update', { path, body })
}
