import { describe, expect, test } from 'vitest'
import { conversation, refusal, told } from './conversation.js'

const ticket = (id: number) => ({ body: { summary: `ts-t-${id}`, description: `ts-t-d${id}` } })

const withTickets = () => {
  const talk = conversation()
  for (const id of [1, 2]) talk.hear('tickets.create', ticket(id), { id })
  return talk
}

const page = (...data: readonly unknown[]) => ({ data, page: 1, pages: 1, results: data.length })
const reply = (ticketId: number, description: string) => ({ path: { ticketId }, body: { description } })

describe('ticket-replies.create', () => {
  test.each([
    ['one character', 'x', false],
    ['65535 characters', 'x'.repeat(65_535), false],
    ['several lines', 'x\ny', true],
  ])('must take a reply of %s, or may refuse it', (_, description, isOpen) => {
    const refused = told(withTickets().hear('ticket-replies.create', reply(1, description), refusal(), 400))
    expect(refused.includes('must ticket-replies.create.accepts')).toBe(!isOpen)
  })

  test.each([
    ['no character', '', 'minLength'],
    ['65536 characters', 'x'.repeat(65_536), 'maxLength'],
  ])('finds a reply of %s that is taken', (_, description, keyword) => {
    expect(told(withTickets().hear('ticket-replies.create', reply(1, description), { id: 1 }))).toEqual([
      `must ticket-replies.create.body.description.${keyword}`,
    ])
  })

  test('may answer with the ticket, and the list then tells of the reply', () => {
    const talk = withTickets()
    const shown = { id: 1, ...ticket(1).body, status: 'open' }
    expect(told(talk.hear('ticket-replies.create', reply(1, 'ts-t-5'), shown))).toEqual([])
    const list = (description: string) =>
      told(talk.hear('ticket-replies.list', { path: { ticketId: 1 } }, page({ id: 8, description })))
    expect(list('ts-t-5')).toEqual([])
    expect(list('ts-t-6')).toEqual(['must ticket-replies.list.shows.description'])
  })

  test('is not taken for what staff wrote above it, which has none of its words', () => {
    const talk = withTickets()
    talk.hear('ticket-replies.create', reply(1, "ts-t-5: Pat O'Connell"), {})
    const list = (...replies: readonly unknown[]) =>
      told(talk.hear('ticket-replies.list', { path: { ticketId: 1 } }, page(...replies)))
    const own = { id: 9, description: 'ts-t-5: Pat O&#39;Connell' }
    expect(list({ id: 8, description: 'Thank you for your patience.' }, own)).toEqual([])
    expect(list(own, { id: 8, description: 'Thank you for your patience.' })).toEqual([])
    expect(list({ id: 9, description: 'Thank you for your patience.' })).toEqual([
      'must ticket-replies.list.shows.description',
    ])
  })

  test.each([
    'ts-t-1: words that begin the talk',
    'ts-t-1: words that begin the talk\n',
    'ts-t-1: words that begin...',
  ])("is not taken for the ticket's own words, with which the list may open: %j", (first) => {
    const talk = conversation()
    const replies = ["ts-t-5: words of O'Connell", "ts-t-6: words of O'Hara"]
    const ticket = { summary: 'ts-t-7', description: 'ts-t-1: words that begin the talk' }
    talk.hear('tickets.create', { body: ticket }, { id: 1 })
    for (const words of replies) talk.hear('ticket-replies.create', reply(1, words), 'taken')
    const list = page(...[first, ...replies].map((description, i) => ({ id: 7 + i, description })))
    expect(told(talk.hear('ticket-replies.list', { path: { ticketId: 1 } }, list))).toEqual([])
  })

  test('may end the words with a line break, and with nothing else', () => {
    const shown = (description: string) =>
      told(withTickets().hear('ticket-replies.create', reply(1, 'ts-t-5'), { id: 8, description }))
    expect(shown('ts-t-5\n')).toEqual([])
    expect(shown('ts-t-5 more')).toEqual(['must ticket-replies.create.shows.description'])
  })

  test.each([
    { id: 1, status: 'open' },
    { id: 1, description: 'ts-t-d1' },
  ])('may answer with %o, which may be the ticket as well as the reply', (shown) => {
    const talk = withTickets()
    expect(told(talk.hear('ticket-replies.create', reply(1, 'ts-t-5'), shown))).toEqual([])
    const list = (...replies: readonly unknown[]) =>
      told(talk.hear('ticket-replies.list', { path: { ticketId: 1 } }, page(...replies)))
    expect(list({ id: 8, description: 'ts-t-5' })).toEqual([])
    expect(list()).toEqual(['must ticket-replies.list.complete'])
  })

  test('lets a reply to a closed ticket, and the same reply again, be refused', () => {
    const talk = withTickets()
    talk.hear('ticket-replies.create', reply(1, 'ts-t-5'), { id: 1 })
    expect(told(talk.hear('ticket-replies.create', reply(1, 'ts-t-5'), refusal(), 400))).toEqual([])
    expect(told(talk.hear('ticket-replies.create', reply(2, 'ts-t-5'), refusal(), 400))).toContain(
      'must ticket-replies.create.accepts',
    )
    talk.hear('tickets.close', { path: { ticketId: 2 } })
    expect(told(talk.hear('ticket-replies.create', reply(2, 'ts-t-6'), refusal(), 400))).toEqual([])
  })
})

describe('ticket-replies.list', () => {
  test('takes replies that each ticket numbers for itself, and replies of the staff', () => {
    const talk = withTickets()
    expect(told(talk.hear('ticket-replies.create', reply(1, 'ts-t-5'), { id: 1 }))).toEqual([])
    expect(told(talk.hear('ticket-replies.create', reply(2, 'ts-t-6'), { id: 1 }))).toEqual([])
    const staff = { id: 2, description: 'How can we help?' }
    expect(
      told(talk.hear('ticket-replies.list', { path: { ticketId: 1 } }, page(staff, { id: 1, description: 'ts-t-5' }))),
    ).toEqual([])
  })

  test.each([
    ['a reply missing', page({ id: 1 }), ['must ticket-replies.list.complete']],
    [
      'a reply with other words',
      page({ id: 1, description: 'x' }, { id: 2 }),
      ['must ticket-replies.list.shows.description'],
    ],
    ['the replies in either order', page({ id: 2 }, { id: 1 }), []],
  ])('is judged with %s', (_, body, findings) => {
    const talk = withTickets()
    for (const id of [1, 2])
      talk.hear('ticket-replies.create', reply(1, `ts-t-${id}`), { id, description: `ts-t-${id}` })
    const judgement = talk.hear('ticket-replies.list', { path: { ticketId: 1 } }, body)
    expect(told(judgement)).toEqual(findings)
  })

  test('notes the order of replies as a choice', () => {
    const talk = withTickets()
    for (const id of [1, 2])
      talk.hear('ticket-replies.create', reply(1, `ts-t-${id}`), { id, description: `ts-t-${id}` })
    const { choices } = talk.hear('ticket-replies.list', { path: { ticketId: 1 } }, page({ id: 2 }, { id: 1 }))
    expect(choices).toContainEqual({ id: 'ticket-replies.list.order', value: 'newest first' })
  })
})

describe('tickets of two accounts that count them anew', () => {
  const withBoth = () => {
    const talk = conversation()
    for (const as of ['owner', 'debtor'])
      talk.hear(
        'tickets.create',
        { as, body: { summary: `ts-t-${as}`, description: `ts-t-words-of-${as}` } },
        { id: 1 },
      )
    return talk
  }
  const listBy = (talk: ReturnType<typeof conversation>, as: string, ...data: readonly unknown[]) =>
    told(talk.hear('ticket-replies.list', { as, path: { ticketId: 1 } }, page(...data)))

  test('may each open the replies with their own words, and not with those of the other', () => {
    expect(listBy(withBoth(), 'debtor', { id: 1, description: 'ts-t-words-of-debtor' })).toEqual([])
    expect(listBy(withBoth(), 'debtor', { id: 1, description: 'ts-t-words-of-owner' })).toEqual([
      'must ticket-replies.list.only-live',
    ])
  })

  test('each have replies of their own, which are not missing and not those of the other', () => {
    const talk = withBoth()
    for (const as of ['owner', 'debtor'])
      talk.hear(
        'ticket-replies.create',
        { as, path: { ticketId: 1 }, body: { description: `ts-t-by-${as}` } },
        { id: 5 },
      )
    expect(listBy(talk, 'debtor', { id: 5, description: 'ts-t-by-debtor' })).toEqual([])
    expect(listBy(talk, 'debtor')).toEqual(['must ticket-replies.list.complete'])
    expect(listBy(talk, 'owner', { id: 5, description: 'ts-t-by-debtor' })).toContain(
      'must ticket-replies.list.of-ticket',
    )
  })
})
