// Which write of a program lies between a look that was right and the same look that is not.
import { expect, test } from 'vitest'
import { buildCall, recorded } from '../../history/calls.js'
import { operationById } from '../../models/index.js'
import type { Operation } from '../../models/language/operation.js'
import { startWorld } from '../../models/start.js'
import { bracketOf, isAgainstTargetFile, isStillSo } from '../../oracle/bracket.js'
import type { Deviation, Judged } from '../../oracle/judgement.js'
import { embeddedEnvironment } from '../../reference/environment.js'

const world = startWorld(embeddedEnvironment())

const shown: Deviation = {
  clause: 'volumes.view.shows.tags',
  operation: 'volumes.view',
  level: 'must',
  source: '',
  requires: '',
  kind: 'tags',
  expected: '',
  received: '',
  because: [],
  member: { name: 'tags', shown: ['b'] },
  facts: [{ text: '', step: 1, by: 'volumes.list', table: 'volumes', key: '601', field: 'tags' }],
}

interface Sent {
  readonly of?: string
  readonly accepted?: boolean | undefined
  readonly deviates?: boolean
  readonly late?: boolean
  readonly endedAt?: number
}

const call = (
  n: number,
  id: string,
  { of = '601', deviates = false, late = false, endedAt = n + 0.5, ...sent }: Sent = {},
) => {
  const op = operationById(id) as Operation
  const accepted = 'accepted' in sent ? sent.accepted : true
  const deviations = deviates ? [shown] : []
  const verdict = deviates ? 'finding' : 'pass'
  return {
    n,
    op,
    call: recorded(buildCall(op, { path: { volumeId: of }, as: 'owner' }, 'file')),
    deviations,
    startedAt: n,
    endedAt,
    judgement: { deviations, accepted, verdict, ...(late && { late: {} }) },
  } as unknown as Judged
}

const look = (n: number, sent?: Sent) => call(n, 'volumes.view', sent)
const write = (n: number, sent?: Sent) => call(n, 'volumes.update', { of: '7', ...sent })
const bad = look(9, { deviates: true })

const doerIn = (...calls: readonly Judged[]): number | undefined => bracketOf({ deviation: shown, calls })?.write.n

test.each<[string, number | undefined, readonly Judged[]]>([
  ['the only accepted write between them', 2, [look(1), write(2), bad]],
  ['the one since it was right for the last time', 4, [look(1), write(2), look(3), write(4), bad]],
  ['not one that was refused', 3, [look(1), write(2, { accepted: false }), write(3), bad]],
  ['none where two were accepted', undefined, [look(1), write(2), write(3), bad]],
  ['none where one had no reply', undefined, [look(1), write(2), write(3, { accepted: undefined }), bad]],
  ['none where there was none', undefined, [look(1), bad]],
  ['none where it was never right', undefined, [write(2), bad]],
  ['that since another look told the value', 2, [call(1, 'volumes.list'), write(2), bad]],
  ['none where another was looked at', undefined, [look(2, { of: '602' }), write(3), bad]],
  ['none where the look before was late', undefined, [look(1, { late: true }), write(2), bad]],
  ['none where they overlap', undefined, [look(1), write(2, { endedAt: 9.2 }), bad]],
])('the write at fault is %s', (_, n, calls) => {
  expect(doerIn(...calls)).toBe(n)
})

test('a member that has another value by now was late, or shown once', () => {
  const tags = world.tables.get('volumes')?.live.get('601')?.tags
  expect(isStillSo(world, { ...shown, member: { name: 'tags', shown: tags } })).toBe(true)
  expect(isStillSo(world, shown)).toBe(false)
  expect(isStillSo(world, { ...shown, facts: [] })).toBe(false)
})

test('an acceptance is against the target file where nothing else was a reason to refuse', () => {
  const [fact] = shown.facts ?? []
  const accepted: Deviation = { ...shown, kind: 'accepted', facts: [{ ...fact, text: '', by: 'target file', step: 0 }] }
  expect(isAgainstTargetFile(accepted)).toBe(true)
  expect(isAgainstTargetFile({ ...accepted, facts: [...(accepted.facts ?? []), ...(shown.facts ?? [])] })).toBe(false)
  expect(isAgainstTargetFile({ ...accepted, facts: [] })).toBe(false)
  expect(isAgainstTargetFile({ ...accepted, kind: 'refused' })).toBe(false)
})
