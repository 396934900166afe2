// A small hand-made run record with a clause of every verdict, and pieces to vary it; never sent to any target.
import type { Finding, RecordLine } from '../../history/record.js'

type Start = Extract<RecordLine, { type: 'start' }>
type Step = Extract<RecordLine, { type: 'step' }>

const volumes = { area: 'Volumes', source: 'Endpoints / Volumes' }
const createVolume = { ...volumes, operation: 'volumes.create' }
const resizeVolume = { ...volumes, operation: 'volumes.resize' }

export const start: Start = {
  type: 'start',
  format: 1,
  suite: { version: '0.1.0', commit: '0123456789abcdef' },
  interface: '4.175.0',
  target: { name: 'staging', baseUrl: 'https://api.staging.example/v4' },
  seed: 42,
  startedAt: '2026-01-31T12:00:00.000Z',
  command: 'touchstone run --target staging.config.json --seed 42',
  level: 'must',
  setting: {
    name: 'staging',
    exclusive: false,
    accounts: [{ name: 'main' }],
    users: [{ name: 'owner', account: 'main', restricted: false }],
    tokens: [{ name: 'owner', user: 'owner', scopes: '*' }],
    fixtures: { regions: [{ id: 'r1' }], domains: [] },
    pins: { 'volumes.resize.same-size': 'refused' },
    safety: { prefix: 'ts', maxLive: {}, maxVolumeGiB: 20, allow: [] },
  },
  clauses: [
    { ...createVolume, id: 'volumes.create.label.maxLength', level: 'must', text: 'label has 1 to 32 characters' },
    {
      ...createVolume,
      id: 'volumes.create.unknown-member',
      level: 'choice',
      text: 'whether an unknown member is refused',
    },
    { ...createVolume, id: 'volumes.create.not-json', level: 'should', text: 'a body that is not JSON is refused' },
    {
      ...resizeVolume,
      id: 'volumes.resize.only-up',
      level: 'must',
      source: 'States / Volume status',
      text: "a volume's size never goes down",
    },
    { ...resizeVolume, id: 'volumes.resize.active-only', level: 'must', text: 'only an active volume is resized' },
    {
      id: 'tags.create.domains',
      area: 'Tags',
      operation: 'tags.create',
      level: 'must',
      source: 'Endpoints / Tags',
      text: 'a tag is put on domains',
    },
  ],
  operations: [
    { id: 'volumes.create', area: 'Volumes', method: 'POST', path: '/volumes', scopes: ['volumes:read_write'] },
    {
      id: 'volumes.resize',
      area: 'Volumes',
      method: 'POST',
      path: '/volumes/{volumeId}/resize',
      scopes: ['volumes:read_write'],
    },
    { id: 'tags.create', area: 'Tags', method: 'POST', path: '/tags', scopes: ['*'] },
  ],
  choices: [{ id: 'refusal.status', text: 'status of a refusal for a bad value', pinned: null }],
  defects: [
    {
      id: 'volume-paging',
      source: 'Endpoints',
      text: 'bounds of page_size are not shown',
      reading: 'those of the other lists are a choice',
    },
  ],
}

export const created: Step = {
  type: 'step',
  n: 2,
  program: 'resize',
  at: 40,
  ms: 30,
  call: {
    operation: 'volumes.create',
    method: 'POST',
    url: '/volumes',
    as: 'owner',
    path: {},
    query: {},
    body: { label: 'a', size: 20 },
  },
  outcome: { status: 200, body: { id: 7, size: 20, status: 'active' }, contentType: 'application/json' },
  expects: 'accept',
  verdict: 'pass',
}

export const resized: Step = {
  type: 'step',
  n: 3,
  program: 'resize',
  at: 90,
  ms: 12,
  call: {
    operation: 'volumes.resize',
    method: 'POST',
    url: '/volumes/7/resize',
    as: 'owner',
    path: { volumeId: '7' },
    query: {},
    body: { size: 10 },
  },
  outcome: { status: 200, body: { id: 7, size: 10 }, contentType: 'application/json' },
  expects: 'refuse',
  verdict: 'finding',
  findings: ['volumes.resize.only-up'],
}

export const onlyUp: Finding = {
  id: 'volumes.resize.only-up',
  clause: 'volumes.resize.only-up',
  operation: 'volumes.resize',
  level: 'must',
  source: 'States / Volume status',
  summary: 'a volume was made smaller',
  requires: "a volume's size never goes down",
  expected: '4xx, errors[].field "size"',
  received: '200 {"id":7,"size":10}',
  because: ['volume 7 has 20 GiB since step 2'],
  steps: [
    { n: 2, call: created.call, outcome: created.outcome, line: 'volumes.create({"label":"a","size":20})' },
    { n: 3, call: resized.call, outcome: resized.outcome, line: 'volumes.resize(step 1, {"size":10})' },
  ],
  shrunkFrom: 31,
  confirmed: true,
  replay: 'touchstone replay findings/volumes.resize.only-up.json',
}

/** The cause that the finding has in every report. */
export const onlyUpCause = {
  id: 'volumes.resize: drops volumes.resize.only-up',
  summary: 'volumes.resize behaves as if this were not checked: The new size is larger than the present one.',
}

export const notJson: Finding = {
  ...onlyUp,
  id: 'volumes.create.not-json',
  clause: 'volumes.create.not-json',
  operation: 'volumes.create',
  level: 'should',
  source: 'Endpoints / Volumes',
  summary: 'a body that is not JSON was taken',
  replay: 'touchstone replay findings/volumes.create.not-json.json',
}

/** The lines between start and end: a pass, a must finding, a should finding, and one clause of each other verdict. */
export const middle: readonly RecordLine[] = [
  created,
  { type: 'exercised', clause: 'volumes.create.label.maxLength', step: 2 },
  { type: 'exercised', clause: 'volumes.create.label.maxLength', step: 3, times: 2 },
  { type: 'choice', id: 'volumes.create.unknown-member', value: 'accepted', step: 2 },
  { type: 'choice', id: 'refusal.status', value: '422', step: 2 },
  { type: 'choice', id: 'refusal.status', value: '400', step: 2 },
  { type: 'choice', id: 'refusal.status', value: '400', step: 3 },
  { type: 'untested', clause: 'volumes.resize.active-only', reason: 'the volume was active before it could be probed' },
  {
    type: 'untestable',
    clause: 'tags.create.domains',
    reason: 'no fixture "domains"',
    remedy: 'list a domain under fixtures.domains',
  },
  resized,
  { type: 'finding', finding: onlyUp },
  { type: 'finding', finding: notJson },
  { type: 'left', kind: 'volume', key: '7', reason: 'delete answered 500' },
]

export const end: RecordLine = { type: 'end', durationMs: 150, verdict: 'nonconforming' }

export const sample: readonly RecordLine[] = [start, ...middle, end]

/** The same run without any finding. */
export const clean: readonly RecordLine[] = [
  start,
  ...middle.filter(({ type }) => type !== 'finding'),
  { type: 'end', durationMs: 150, verdict: 'conforms' },
]

/** Texts that break out of naive reports: markup, script ends, terminal commands, bidirectional and invisible characters. */
export const HOSTILE =
  '</script><script>alert(1)</script><img src=x onerror=alert(2)>"\'&]]>--><!-- \u001b[2J\u0000\u009b31m\u202egnp.exe\u2066\u200b\ud800\ufffe $(touch /tmp/owned) `id` \\'

/** A finding in which everything that comes from a target is hostile. */
export const hostileFinding: Finding = {
  ...onlyUp,
  id: `volumes.resize.only-up:${HOSTILE}`,
  summary: HOSTILE,
  received: `200 ${HOSTILE}\n${HOSTILE}`,
  because: [HOSTILE],
  steps: [
    {
      n: 2,
      call: {
        ...created.call,
        url: `/volumes/${HOSTILE}?label=${HOSTILE}`,
        as: HOSTILE,
        body: { label: HOSTILE, [HOSTILE]: 1 },
      },
      outcome: { status: 200, body: { id: 7, label: HOSTILE } },
      line: `volumes.create(${HOSTILE})\nrm -rf /`,
    },
    { n: 3, call: resized.call, outcome: { status: 500, text: HOSTILE }, line: HOSTILE },
  ],
}

/** A record in which every text that a target or its owner chooses is hostile. */
export const hostile: readonly RecordLine[] = [
  { ...start, target: { name: HOSTILE, baseUrl: `https://x/${HOSTILE}` }, command: HOSTILE },
  ...middle,
  { type: 'finding', finding: hostileFinding },
  { type: 'choice', id: 'refusal.status', value: HOSTILE, step: 3 },
  { type: 'trouble', kind: 'inconclusive', text: HOSTILE },
  { type: 'left', kind: 'volume', key: HOSTILE, reason: HOSTILE },
  end,
]

/** A run of as many clauses, with a finding in every fiftieth. */
export function largeRecord(clauses: number): RecordLine[] {
  const areas = ['Volumes', 'Object Storage', 'Managed', 'Networking', 'Support', 'Tags']
  const place = (index: number) => {
    const area = areas[index % areas.length] ?? 'Tags'
    const operation = `${area.toLowerCase().replace(' ', '-')}.verb-${Math.floor(index / areas.length) % 15}`
    return { area, operation, id: `${operation}.some-member.keyword-${index}` }
  }
  const all = Array.from({ length: clauses }, (_, index) => ({
    ...place(index),
    level: index % 9 === 0 ? ('should' as const) : ('must' as const),
    source: `Endpoints / ${place(index).area} / table ${index % 4}`,
    text: 'some member of the request body has the type and the bounds that the table of the document gives for it',
  }))
  const operations = [...new Map(all.map(({ operation, area }) => [operation, area]))].map(([id, area]) => ({
    id,
    area,
    method: 'POST',
    path: `/${id.replace('.', '/')}/{id}`,
    scopes: ['*'],
  }))
  const lines = all.flatMap(({ id, operation, level, source }, index): RecordLine[] => {
    const step: Step = {
      ...resized,
      n: index,
      at: index * 37,
      ms: 8 + ((index * 7919) % 90),
      call: { ...resized.call, operation },
      outcome: index % 211 === 0 ? { lost: 'timeout' } : { status: index % 3 === 0 ? 400 : 200, body: {} },
    }
    if (index % 50 === 7) {
      const finding = { ...onlyUp, id, clause: id, operation, level, source }
      return [step, { type: 'finding', finding }]
    }
    if (index % 17 === 0)
      return [step, { type: 'untestable', clause: id, reason: `no fixture "${place(index).area}"`, remedy: 'list one' }]
    return index % 13 === 0 ? [step] : [step, { type: 'exercised', clause: id, step: index }]
  })
  return [{ ...start, clauses: all, operations }, ...lines, { ...end, durationMs: clauses * 37 } as RecordLine]
}
