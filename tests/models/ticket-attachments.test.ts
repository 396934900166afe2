import { describe, expect, test } from 'vitest'
import { samples } from '../../models/ticket-attachments/record.js'
import { conversation, refusal, told } from './conversation.js'

const path = { ticketId: 1 }
const text = (name: string, field = 'file') => ({ path, file: { name, content: samples.txt ?? '', field } })

/** A ticket, and a form field of which it is known that it is the right one. */
const withTicket = (isFieldKnown = true) => {
  const talk = conversation()
  talk.hear('tickets.create', { body: { summary: 'ts-t-1', description: 'ts-t-2' } }, { id: 1 })
  if (isFieldKnown) talk.hear('ticket-attachments.create', text('first.txt'))
  return talk
}

describe('ticket-attachments.create', () => {
  test.each(['gif', 'jpg', 'jpeg', 'pjpg', 'pjpeg', 'tif', 'tiff', 'png', 'pdf', 'txt'])(
    'finds a refusal of a file with the extension .%s',
    (extension) => {
      const file = { name: `a.${extension}`, content: samples[extension] ?? '' }
      expect(told(withTicket().hear('ticket-attachments.create', { path, file }, refusal(), 400))).toContain(
        'must ticket-attachments.create.accepts',
      )
    },
  )

  test('takes a number of attachments for no state of the ticket', () => {
    const talk = conversation()
    const ticket = { id: 1, summary: 'ts-t-1', description: 'ts-t-2' }
    const refuses = () => told(talk.hear('ticket-attachments.create', text('b.txt'), refusal(), 400))
    talk.hear('tickets.create', { body: { summary: 'ts-t-1', description: 'ts-t-2' } }, { ...ticket, state: 'new' })
    talk.hear('tickets.view', { path }, { ...ticket, state: 'new', attachments: 0 })
    talk.hear('ticket-attachments.create', text('a.txt'))
    talk.hear('tickets.view', { path }, { ...ticket, state: 'new', attachments: 1 })
    expect(refuses()).toContain('must ticket-attachments.create.accepts')
    talk.hear('tickets.view', { path }, { ...ticket, state: 'waiting', attachments: 1 })
    expect(refuses()).toEqual([])
  })

  test.each(['exe', 'EXE', 'bmp', 'jpe', 'txt.zip'])(
    'finds a file with the extension .%s that is taken',
    (extension) => {
      expect(told(withTicket().hear('ticket-attachments.create', text(`a.${extension}`)))).toEqual([
        'must ticket-attachments.create.extension',
      ])
    },
  )

  test.each([
    ['an extension in capitals', text('a.TXT')],
    ['no extension', text('readme')],
    ['spaces in its name', text('a b.txt')],
    ['the name of an earlier one', text('first.txt')],
    ['content that is not what its extension says', text('a.png')],
    ['another form field than before', text('a.txt', 'attachment')],
  ])('lets a file with %s be refused or taken', (_, call) => {
    expect(told(withTicket().hear('ticket-attachments.create', call, refusal(), 400))).toEqual([])
    expect(told(withTicket().hear('ticket-attachments.create', call))).toEqual([])
  })

  test('lets any file be refused while the form field is not known to be the right one', () => {
    expect(told(withTicket(false).hear('ticket-attachments.create', text('a.txt'), refusal(), 400))).toEqual([])
  })

  test('reports a call without a file that is taken, but does not gate on it', () => {
    expect(told(withTicket().hear('ticket-attachments.create', { path }))).toEqual([
      'should ticket-attachments.create.file',
    ])
  })

  test('lets a file for a closed ticket be refused', () => {
    const talk = withTicket()
    talk.hear('tickets.close', { path })
    expect(told(talk.hear('ticket-attachments.create', text('a.txt'), refusal(), 400))).toEqual([])
  })
})

test('each sample begins as files of its kind do', () => {
  const starts = {
    gif: 'GIF89a',
    jpg: '\xff\xd8\xff',
    pjpeg: '\xff\xd8\xff',
    tiff: 'II*\0',
    png: '\x89PNG',
    pdf: '%PDF-',
  }
  for (const [extension, start] of Object.entries(starts)) expect(samples[extension]?.startsWith(start)).toBe(true)
})
