import { describe, expect, test } from 'vitest'
import { planProgram } from '../../arbitraries/plan.js'
import { tickets } from '../../models/tickets/record.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { conversation, refusal, told } from './conversation.js'
import { pageOf } from './stories.js'

const words = { summary: 'ts-t-1', description: 'ts-t-2' }
const page = (...ids: readonly number[]) => ({
  data: ids.map((id) => ({ id })),
  page: 1,
  pages: 1,
  results: ids.length,
})

const open = (body: object, as = 'owner') => ({ body: { ...words, ...body }, as })

describe('tickets.create', () => {
  test.each([
    ['two ID attributes', open({ volume_id: 602, node_id: 101 }), 'one-subject'],
    ['two ID attributes that no operation shows', open({ vpc_id: 1, database_id: 1 }), 'one-subject'],
    ['a Managed issue with an ID attribute', open({ managed_issue: true, node_id: 101 }), 'managed-without-subject'],
    ['a Managed issue where Managed is not enabled', open({ managed_issue: true }, 'debtor'), 'managed-enabled'],
    ['a vlan without its region', open({ vlan: 'lan-1' }), 'vlan-region'],
    ['a region without a vlan', open({ region: 'r1' }), 'region-only-vlan'],
    ['a region with an ID attribute', open({ region: 'r1', node_id: 101 }), 'region-only-vlan'],
    ['a summary of 65 characters', open({ summary: 'x'.repeat(65) }), 'body.summary.maxLength'],
    ['a description of 65001 characters', open({ description: 'x'.repeat(65_001) }), 'body.description.maxLength'],
    ['no summary', { body: { description: 'ts-t-2' } }, 'body.summary.required'],
  ])('finds a ticket opened with %s', (_, call, slug) => {
    expect(told(conversation().hear('tickets.create', call, { id: 1 }))).toEqual([`must tickets.create.${slug}`])
  })

  test.each([
    ['nothing but its words', open({})],
    ['a summary of 64 characters', open({ summary: 'x'.repeat(64) })],
    ['a description of 65000 characters', open({ description: 'x'.repeat(65_000) })],
    ['a volume', open({ volume_id: 602 })],
    ['a node, and managed_issue false', open({ node_id: 101, managed_issue: false })],
    ['a Managed issue', open({ managed_issue: true })],
    ['a vlan and its region', open({ vlan: 'lan-1', region: 'r1' })],
  ])('finds a refusal of a ticket with %s', (_, call) => {
    expect(told(conversation().hear('tickets.create', call, refusal(), 400))).toContain('must tickets.create.accepts')
    expect(told(conversation().hear('tickets.create', call, {}))).toEqual([])
  })

  test.each([
    ['managed_issue', []],
    ['', []],
    ['account', []],
    ['summary', ['must tickets.create.refusal.field']],
  ])('takes %j for the field to blame where the account has no Managed: %j', (field, findings) => {
    const call = open({ managed_issue: true }, 'debtor')
    expect(told(conversation().hear('tickets.create', call, refusal(field), 400))).toEqual(findings)
  })

  test.each([
    ['a database', open({ database_id: 1 })],
    ['a vlan that is not known', open({ vlan: 'lan-9', region: 'r1' })],
    ['a vlan in another region', open({ vlan: 'lan-1', region: 'r2' })],
    ['a vlan and a volume', open({ vlan: 'lan-1', region: 'r1', volume_id: 602 })],
    ['a vlan as a Managed issue', open({ vlan: 'lan-1', region: 'r1', managed_issue: true })],
    ['several lines', open({ description: 'one\ntwo' })],
    ['a restricted user', open({}, 'limited')],
  ])('lets a ticket with %s be refused or opened', (_, call) => {
    expect(told(conversation().hear('tickets.create', call, refusal(), 400))).toEqual([])
    expect(told(conversation().hear('tickets.create', call, { id: 1 }))).toEqual([])
  })

  test('lets the second of two tickets with the same words be refused, but not one with other words', () => {
    const talk = conversation()
    talk.hear('tickets.create', open({}), { id: 1 })
    expect(told(talk.hear('tickets.create', open({}), refusal(), 400))).toEqual([])
    expect(told(talk.hear('tickets.create', open({ summary: 'ts-t-3' }), refusal(), 400))).toContain(
      'must tickets.create.accepts',
    )
  })

  test('lets what a ticket is about be shown as a record', () => {
    const reply = { id: 1, volume_id: { id: 602 } }
    expect(told(conversation().hear('tickets.create', open({ volume_id: 602 }), reply))).toEqual([])
  })

  test('finds a ticket that is not about what was given', () => {
    expect(told(conversation().hear('tickets.create', open({ volume_id: 602 }), { id: 1, volume_id: null }))).toEqual([
      'must tickets.create.subject',
    ])
  })
})

describe('a view of a ticket about a node', () => {
  const seen = (node_id: unknown) => {
    const talk = conversation()
    talk.hear('tickets.create', open({ node_id: 101 }), { id: 1, node_id: 101 })
    return told(talk.hear('tickets.view', { path: { ticketId: 1 } }, { id: 1, node_id }))
  }

  test('names the node as long as it is there', () => {
    expect(seen(101)).toEqual([])
    expect(seen(null)).toEqual(['must tickets.view.shows.node_id'])
  })

  test('may name a volume no longer that is gone', () => {
    const talk = conversation()
    talk.hear('tickets.create', open({ volume_id: 602 }), { id: 1, volume_id: 602 })
    talk.hear('volumes.delete', { path: { volumeId: 602 } })
    const view = talk.hear('tickets.view', { path: { ticketId: 1 } }, { id: 1, volume_id: null })
    expect(told(view)).toEqual([])
  })

  test('may name a database no longer, of which nothing tells whether it is there', () => {
    const talk = conversation()
    talk.hear('tickets.create', open({ database_id: 7 }), { id: 1, database_id: 7 })
    const view = talk.hear('tickets.view', { path: { ticketId: 1 } }, { id: 1, database_id: null })
    expect(told(view)).toEqual([])
  })
})

describe('tickets.list', () => {
  const closedMiddle = (state: object = {}) => {
    const talk = conversation()
    for (const id of [1, 2, 3]) {
      const summary = `ts-t-${id}`
      talk.hear('tickets.create', open({ summary }), { id, summary, ...state })
    }
    talk.hear('tickets.close', { path: { ticketId: 2 } })
    return talk
  }

  test.each([
    ['open ones first', page(1, 3, 2), []],
    ['open ones first, in whatever order', page(3, 1, 2), []],
    ['tickets of others anywhere', page(9, 1, 8, 3, 2, 7), []],
    ['a closed one before an open one', page(1, 2, 3), ['must tickets.list.open-first']],
    ['an open one missing', page(1, 2), ['must tickets.list.complete']],
    ['one of them twice', page(1, 1, 3, 2), ['must tickets.list.no-duplicates']],
  ])('is judged with %s', (_, body, findings) => {
    expect(told(closedMiddle().hear('tickets.list', {}, body))).toEqual(findings)
  })

  test.each([
    [
      'lets a ticket stand behind a closed one whose state it shows: it may have been closed by itself',
      'open closed closed',
      [],
    ],
    ['finds an open ticket behind a closed one', 'open closed open', ['must tickets.list.open-first']],
    ['finds a ticket that was closed and is shown as open', 'open open open', ['must tickets.list.open-first']],
  ])('%s', (_, states, findings) => {
    const data = states.split(' ').map((status, i) => ({ id: i + 1, status }))
    const talk = closedMiddle({ status: 'open' })
    expect(told(talk.hear('tickets.list', {}, { ...page(1, 2, 3), data }))).toEqual(findings)
  })

  test('lets all of them have been closed, where no reply told how they were opened', () => {
    const data = [1, 2, 3].map((id) => ({ id, status: 'closed' }))
    expect(told(closedMiddle().hear('tickets.list', {}, { ...page(1, 2, 3), data }))).toEqual([])
  })

  test.each([
    ['lets all of them have been closed, whatever tells it', 'shut shut shut', []],
    ['finds one that stands behind a closed one as it was opened', 'shut shut new', ['must tickets.list.open-first']],
    ['finds a ticket that is left as it was opened when it is closed', 'new new new', ['must tickets.list.open-first']],
  ])('%s', (_, states, findings) => {
    const talk = conversation()
    for (const id of [1, 2, 3]) {
      const summary = `ts-t-${id}`
      talk.hear('tickets.create', open({ summary }), { id, summary, phase: 'new' })
    }
    talk.hear('tickets.close', { path: { ticketId: 2 } })
    const data = states.split(' ').map((phase, i) => ({ id: i + 1, phase }))
    expect(told(talk.hear('tickets.list', {}, { ...page(1, 2, 3), data }))).toEqual(findings)
  })

  test.each(['view', 'list'])('says nothing of a closed ticket that is opened again since a %s showed it', (way) => {
    const talk = closedMiddle()
    const list = (ids: readonly number[], closed?: number): readonly string[] => {
      const data = ids.map((id) => ({ id, status: id === closed ? 'closed' : 'open' }))
      return told(talk.hear('tickets.list', {}, { ...page(...ids), data }))
    }
    if (way === 'view') talk.hear('tickets.view', { path: { ticketId: 2 } }, { id: 2, status: 'closed' })
    else expect(list([1, 3, 2], 2)).toEqual([])
    expect(list([1, 2, 3])).toEqual([])
  })

  test('says nothing of a closed ticket that is opened again where its view shows nothing', () => {
    const talk = closedMiddle({ status: 0 })
    const list = (...states: readonly (readonly [id: number, status: number])[]): readonly string[] =>
      told(talk.hear('tickets.list', {}, { ...page(1, 2, 3), data: states.map(([id, status]) => ({ id, status })) }))
    talk.hear('tickets.view', { path: { ticketId: 2 } }, {})
    expect(list([1, 0], [3, 0], [2, 9])).toEqual([])
    expect(list([1, 0], [2, 1], [3, 0])).toEqual([])
    expect(list([1, 0], [2, 9], [3, 0])).toEqual(['must tickets.list.open-first'])
  })

  test('says nothing of the order of a closed ticket that was replied to', () => {
    const talk = closedMiddle()
    const reply = { path: { ticketId: 2 }, body: { description: 'ts-t-9' } }
    expect(told(talk.hear('ticket-replies.create', reply, { id: 1 }))).toEqual([])
    expect(told(talk.hear('tickets.list', {}, page(2, 1, 3)))).toEqual([])
  })

  test('finds a ticket of ours that only a refused call can have opened', () => {
    const talk = conversation()
    talk.hear('tickets.create', open({ region: 'r1' }), refusal('region'), 400)
    const ours = { data: [{ id: 5, summary: 'ts-t-1' }], page: 1, pages: 1, results: 1 }
    expect(told(talk.hear('tickets.list', {}, ours))).toEqual(['must tickets.list.only-live'])
    const inProse = { data: [{ id: 6, summary: 'ts-t-8: it does not start' }], page: 1, pages: 1, results: 1 }
    expect(told(talk.hear('tickets.list', {}, inProse))).toEqual(['must tickets.list.only-live'])
  })

  test('takes a ticket that begins with the name of something for one about it', () => {
    const talk = conversation()
    talk.hear('tags.create', { body: { label: 'ts-t-8' } }, { label: 'ts-t-8' })
    const about = { data: [{ id: 6, summary: 'ts-t-8: it does not start' }], page: 1, pages: 1, results: 1 }
    expect(told(talk.hear('tickets.list', {}, about))).toEqual([])
  })
})

describe('a ticket whose creation did not tell its id', () => {
  test('is not taken for one of others that shows nothing of ours', () => {
    const talk = conversation()
    talk.hear('tickets.create', open({}), {})
    expect(told(talk.hear('tickets.list', {}, page(8, 9)))).toEqual([])
    const shown = { data: [{ id: 8 }, { id: 9, summary: 'ts-t-1' }], page: 1, pages: 1, results: 2 }
    talk.hear('tickets.list', {}, shown)
    expect(told(talk.hear('tickets.view', { path: { ticketId: 9 } }, { id: 9, summary: 'other' }))).toEqual([
      'must tickets.view.shows.summary',
    ])
  })
})

describe('tickets.close', () => {
  test.each([
    ['one that has moved on by itself since it was listed', ['new', 'shut'], []],
    ['one that says it was closed', [{ closed: '2026-01-01T00:00:00Z' }], []],
    ['one that says it was not closed', [{ closed: null }], ['should tickets.close.accepts']],
    ['one that stays as it was listed', ['new', 'new'], ['should tickets.close.accepts']],
  ])('where a creation shows nothing, may refuse %s', (_, phases, findings) => {
    const talk = conversation()
    talk.hear('tickets.create', open({}), {})
    for (const phase of phases) {
      const data = [{ id: 9, summary: 'ts-t-1', ...(typeof phase === 'string' ? { phase } : phase) }]
      talk.hear('tickets.list', {}, { data, page: 1, pages: 1, results: 1 })
    }
    expect(told(talk.hear('tickets.close', { path: { ticketId: 9 } }, refusal(), 400))).toEqual(findings)
  })

  test.each([
    ['a second time', 'owner', true],
    ['by another user of the account', 'limited', true],
    ['by the one who opened it', 'owner', false],
  ])('leaves closing a ticket %s open, or not', (how, as, isOpen) => {
    const talk = conversation()
    const path = { ticketId: 1 }
    talk.hear('tickets.create', open({}), { id: 1 })
    if (how === 'a second time') talk.hear('tickets.close', { path })
    const refused = told(talk.hear('tickets.close', { path, as }, refusal(), 400))
    expect(refused.includes('should tickets.close.accepts')).toBe(!isOpen)
  })

  test.each([
    ['new', true],
    ['resolved', false],
  ])('is due for tickets that are seen as they were opened: %s', (status, isDue) => {
    const talk = conversation()
    talk.hear('tickets.create', open({}), { id: 1, ...words, status: 'new' })
    talk.hear('tickets.create', open({ summary: 'ts-t-3' }), { id: 2, ...words, summary: 'ts-t-3', status: 'new' })
    talk.hear('tickets.view', { path: { ticketId: 1 } }, { id: 1, ...words, status })
    expect(told(talk.hear('tickets.close', { path: { ticketId: 2 } }, refusal(), 400))).toEqual(
      isDue ? ['should tickets.close.accepts'] : [],
    )
  })
})

describe('where a reply moves the ticket on', () => {
  test.each([
    ['the ticket that was replied to may refuse the next call', 1, []],
    ['another ticket is closed as ever', 2, ['should tickets.close.accepts']],
  ])('%s', (_, ticketId, findings) => {
    const talk = conversation()
    const path = { ticketId: 1 }
    talk.hear('tickets.create', open({}), { id: 1, ...words, status: 'new' })
    talk.hear('tickets.create', open({ summary: 'ts-t-3' }), { id: 2, ...words, summary: 'ts-t-3', status: 'new' })
    talk.hear('ticket-replies.create', { path, body: { description: 'ts-t-4' } }, { id: 7, description: 'ts-t-4' })
    for (const status of ['open', 'answered']) talk.hear('tickets.view', { path }, { id: 1, ...words, status })
    expect(told(talk.hear('tickets.close', { path: { ticketId } }, refusal(), 400))).toEqual(findings)
  })
})

describe('where tickets move on by themselves', () => {
  test('a refused reply shows why, since one that is taken afterwards tells that the ticket was not closed', () => {
    const talk = conversation()
    const path = { ticketId: 1 }
    talk.hear('tickets.create', open({}), { id: 1, ...words, status: 'new' })
    talk.hear('tickets.view', { path }, { id: 1, ...words, status: 'answered' })
    const refused = talk.hear('ticket-replies.create', { path, body: {} }, refusal('description'), 400)
    expect(refused.decisive).toBe('ticket-replies.create.body.description.required')
  })
})

describe('a ticket that has the id of one of another account', () => {
  const path = { ticketId: 1 }
  const both = () => {
    const talk = conversation()
    talk.hear('tickets.create', open({ summary: 'ts-t-1' }), { id: 1 })
    return { talk, opened: talk.hear('tickets.create', open({ summary: 'ts-t-2' }, 'other'), { id: 1 }) }
  }

  test('may be opened, is shown to its account, and leaves the other as it was', () => {
    const { talk, opened } = both()
    expect(told(opened)).toEqual([])
    expect(told(talk.hear('tickets.view', { path, as: 'other' }, { id: 1, summary: 'ts-t-2' }))).toEqual([])
    expect(told(talk.hear('tickets.list', { as: 'other' }, page(1)))).toEqual([])
    expect(told(talk.hear('tickets.view', { path }, { id: 1, summary: 'ts-t-1' }))).toEqual([])
    expect(told(talk.hear('tickets.view', { path }, refusal(), 404))).toEqual(['must tickets.view.accepts'])
  })

  test('is not shown in its place', () => {
    const { talk } = both()
    expect(told(talk.hear('tickets.view', { path }, { id: 1, summary: 'ts-t-2' }))).toEqual([
      'must tickets.view.shows.summary',
    ])
  })

  test('is not listed in its place', () => {
    const { talk } = both()
    const leaked = { data: [{ id: 1, summary: 'ts-t-1' }], page: 1, pages: 1, results: 1 }
    expect(told(talk.hear('tickets.list', { as: 'other' }, leaked))).toContain('must tickets.list.only-live')
  })

  test('is refused like any unknown one where accounts are not known to count anew', () => {
    const talk = conversation()
    talk.hear('tickets.create', open({}), { id: 1 })
    expect(told(talk.hear('tickets.view', { path, as: 'other' }, { id: 1 }))).toEqual([
      'should tickets.view.path.ticketId.exists',
    ])
  })
})

test('a program that opens a ticket needs leave on a target that is not exclusive', () => {
  const missing = (exclusive: boolean, allow: readonly string[]) => {
    const environment = { ...embeddedEnvironment(), exclusive }
    const context = {
      environment: { ...environment, safety: { ...environment.safety, allow } },
      nonce: 'ts-t',
      next: () => 0,
      certificate: () => ({ certificate: '', private_key: '' }),
    }
    return planProgram('view', context, (plan) => void plan.make(tickets)).missing.map(({ what }) => what)
  }
  expect(missing(true, [])).toEqual([])
  expect(missing(false, ['tickets.create'])).toEqual([])
  expect(missing(false, [])).toEqual([expect.stringMatching(/^safety.allow to name tickets.create/)])
})

test('a ticket whose creation told no id is known in a list that cuts its summary', () => {
  const talk = conversation()
  const sent = { summary: 'ts-t-1: nothing works since yesterday', description: 'ts-t-2: really nothing' }
  talk.hear('tickets.create', { body: sent }, sent)
  const cut = { id: 'T-1', summary: 'ts-t-1: nothing works sin…', state: 'new' }
  expect(told(talk.hear('tickets.list', {}, pageOf(cut)))).toEqual([])
  expect(told(talk.hear('tickets.list', {}, pageOf(cut, { id: 'T-2', summary: 'ts-t-3: nothing at all…' })))).toEqual([
    'must tickets.list.only-live',
  ])
})
