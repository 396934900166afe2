import { describe, expect, test } from 'vitest'
import { probeFor } from '../../arbitraries/probes.js'
import { runProgram } from '../../driver/programs.js'
import { survey } from '../../driver/survey.js'
import { operations } from '../../models/index.js'
import { clausesOf } from '../../models/language/derive.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { inProcess } from '../../reference/in-process.js'

/** Clauses that the embedded target cannot be made to show, each with its reason. */
const unshowable: Readonly<Record<string, RegExp>> = {
  'managed-credentials.update.password-kept': /no reply shows a password/,
  'managed-credentials.update-password.password-changed': /no reply shows a password/,
  'managed-node-settings.list.by-id': /is not shown/,
  'managed-node-settings.view.by-id': /is not shown/,
  'managed-node-settings.update.by-id': /is not shown/,
  'managed-node-settings.update.staff-access': /cannot be seen through the interface/,
  'managed-services.create.monitoring-begins': /is not shown/,
  'managed-services.delete.stops-monitoring': /is not shown/,
  'managed-services.disable.pauses-monitoring': /is not shown/,
  'managed-services.enable.resumes-monitoring': /is not shown/,
  'managed-node-settings.list.as-viewed': /only settings without a node_id decide it/,
  'managed-stats.view.last-ones': /without knowing when it came/,
  'managed-stats.view.combined': /cannot be seen through the interface/,
  'volumes.view.detached-from-deleted': /at the end of a run alone/,
  'buckets.create.cors-for-all-origins': /address of the bucket itself/,
  'bucket-access.allow.cors-for-all-origins': /address of the bucket itself/,
  'bucket-access.update.cors-for-all-origins': /address of the bucket itself/,
  'object-urls.create.content-type-header': /S3-compatible interface/,
  'object-keys.create.use-of-limited': /S3-compatible interface/,
  'object-storage-transfer.view.included': /no endpoint of the document shows the transfer pool/,
  'bucket-certificates.upload.encrypted': /no call shows how something is stored/,
  'ips.list.refusal.field': /need not be read at all/,
  'ips.share.refusal.unchanged': /address-form asks for it/,
  'ipv4.share.refusal.unchanged': /address-form asks for it/,
  'clusters.list.refusal.envelope': /nothing in the document has it refused/,
  'clusters.list.refusal.field-present': /nothing in the document has it refused/,
  'clusters.list.refusal.status': /nothing in the document has it refused/,
  'ips.assign.one-range': /has one IPv6 range in a region/,
  'ipv4.assign.one-range': /has one IPv6 range in a region/,
  'ipv6-ranges.create.one-per-node': /one range in a region always forbids it/,
  'volumes.delete.granted': /cannot be put back/,
  'volumes.resize.granted': /cannot be put back/,
}

/** Choices that no program shows: groups of ids, and the reason of each. */
const unshowableChoices: readonly (readonly [RegExp, RegExp])[] = [
  [/\.cancelled$/, /nothing more is asked/],
  [/^object-storage\.cancel\.(?:restricted|nothing-there)$/, /would end|only one cancellation/],
  [/\.(?:restricted|node-grant)$/, /lacks what it takes cannot be told/],
  [/\.without-managed$/, /has nothing that the path could name/],
  [/\.(?:range-spelling|spelling)$/, /only the run itself makes known/],
  [/^ips\.allocate\./, /cannot be given back/],
  [/^ipv6-ranges\.create\.target-unknown$/, /may belong to anybody/],
  [/^tags\.\w+\.implicit$/, /may not be there at all/],
  [/\.service-gone$/, /no call deletes a service/],
  [/^firewall-rules\.update\.kept-rules-counted$/, /free in itself/],
  [/^volumes\.resize\.size-bounds$/, /by paying for it/],
  [/\.by-itself$/, /tickets move on by themselves/],
]

/** What the document says of traffic, of charges and of staff: groups of ids, and the reason of each. */
const unseen: readonly (readonly [RegExp, RegExp])[] = [
  [/^firewall(?:s\.create|-rules\.update)\.(?:action-overrides-policy|protocol-of-traffic)$/, /shows no traffic/],
  [/^firewall(?:s\.create|-rules\.update)\.(?:all-ipv[46]|ports-\w+|first-rule-wins|interfaces)$/, /shows no traffic/],
  [/^managed-services\.create\.(?:type-of-check|seconds-to-wait|expected-body)$/, /shows no monitoring/],
  [/^managed-services\.create\.(?:notified-group|credentials-for-issues|notes-for-staff)$/, /shows no monitoring/],
  [/^volumes\.(?:create\.charges|delete\.billing)$/, /shows charges/],
  [/^(?:volumes\.delete\.irreversible|object-storage\.cancel\.irretrievable)$/, /brings back/],
  [/^volumes\.clone\.(?:same-data|vlan-support)$/, /what is on a volume|names no data center/],
  [/^volumes\.create\.in-profile$/, /shows configuration profiles/],
]

const reasonFor = (id: string, level: string): RegExp =>
  unshowable[id] ??
  unseen.find(([ids]) => ids.test(id))?.[1] ??
  (level === 'choice' ? unshowableChoices.find(([ids]) => ids.test(id))?.[1] : undefined) ??
  /^a named reason for every clause without a program$/

for (const op of operations)
  describe(op.id, async () => {
    const { session } = inProcess({ environment: embeddedEnvironment() })
    await survey(session)
    for (const clause of clausesOf(op)) {
      const probe = probeFor(clause, session.context)
      if (probe.kind === 'passive') continue
      test(`${clause.id} is shown as the sole cause on the embedded target`, async () => {
        if (probe.kind === 'none') {
          expect(probe.reason).toMatch(reasonFor(clause.id, clause.level))
          return
        }
        expect(probe.program.missing).toEqual([])
        const outcome = await runProgram(session, probe.program, clause)
        expect(outcome.findings.map(({ id, summary, because }) => ({ id, summary, because }))).toEqual([])
        expect(outcome.untested).toBeUndefined()
      })
    }
  })
