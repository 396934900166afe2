// The operation that attaches a file to a support ticket: section "Endpoints / Support" of the document.

import { patch, put } from '../language/changes.js'
import { anything, operation, ref } from '../language/operation.js'
import type { Plan, Scalar } from '../language/plan.js'
import { isPlainName } from '../language/promises.js'
import { itself } from '../language/reach.js'
import { find } from '../language/world.js'
import { changeSilences, endpoints, tickets } from '../tickets/record.js'
import { attachmentFields, samples } from './record.js'

const row = `${endpoints}, POST /support/tickets/{ticketId}/attachments`
const longestPlain = 40
const mostPlain = 10

/** A few of the endless others, some but a letter away from one that is accepted. */
const refused = [
  'exe',
  'zip',
  'svg',
  'bmp',
  'html',
  'csv',
  'doc',
  'mp4',
  'rtf',
  'webp',
  'jpe',
  'pjp',
  'gifv',
  'apng',
  'text',
]

/** The part of a name after its last dot; undefined where that is no extension. */
const extensionOf = (name: string): string | undefined => /\.([A-Za-z0-9]+)$/.exec(name)?.[1]

const isAccepted = (extension: string): boolean => Object.hasOwn(samples, extension)

const isPlainFile = (name: string): boolean => {
  const stem = name.slice(0, name.lastIndexOf('.'))
  return isPlainName(stem) && stem.length <= longestPlain
}

/** A file that is what its extension says; a text where the extension is not accepted. */
const file = (plan: Plan, extension: string) => ({
  name: `${plan.name()}.${extension}`,
  content: samples[extension] ?? 'A plain text.\n',
})

/** A ticket with an attachment, so that the form field is known to be the right one. */
const ticketWithFile = (plan: Plan): { readonly ticketId: Scalar } => {
  const path = { ticketId: plan.make(tickets).id }
  plan.call('ticket-attachments.create', { path, file: file(plan, 'txt') })
  return path
}

export const createTicketAttachment = operation({
  id: 'ticket-attachments.create',
  area: 'support',
  method: 'POST',
  path: '/support/tickets/{ticketId}/attachments',
  reach: { in: 'support', alone: true, lent: false, concerns: itself },
  source: row,
  summary: 'Attaches a file to a ticket.',
  scopes: ['account:read_write'],
  params: { ticketId: ref(tickets, { type: 'any' }) },
  multipart: true,
  reply: anything,
  draft: (plan) => ({ path: ticketWithFile(plan), file: file(plan, 'png') }),
  refusals: [
    {
      id: 'ticket-attachments.create.extension',
      source: row,
      text: 'A file has one of the accepted extensions.',
      when: ({ file }) => {
        const extension = file && extensionOf(file.name)
        return extension === undefined ? false : !isAccepted(extension.toLowerCase())
      },
      probe: (plan) => {
        const path = ticketWithFile(plan)
        for (const extension of refused) plan.probe('ticket-attachments.create', { path, file: file(plan, extension) })
        plan.probe('ticket-attachments.create', {
          path,
          file: { ...file(plan, 'txt'), name: `${plan.name()}.txt.exe` },
        })
        plan.twin('ticket-attachments.create', { path, file: file(plan, 'txt') })
        // Nor is it taken of a ticket that is closed.
        plan.call('tickets.close', { path })
        plan.check('ticket-attachments.create', { path, file: file(plan, 'exe') })
      },
    },
    {
      id: 'ticket-attachments.create.file',
      level: 'should',
      source: row,
      text: 'The call carries a file.',
      when: ({ file }) => file === undefined,
      probe: (plan) => {
        const path = ticketWithFile(plan)
        plan.probe('ticket-attachments.create', { path })
        plan.twin('ticket-attachments.create', { path, file: file(plan, 'txt') })
      },
    },
  ],
  silences: [
    ...changeSilences('ticket-attachments.create'),
    {
      id: 'ticket-attachments.create.form-field',
      source: `${row}, "name of the form field not shown"`,
      text: 'The form field that carries the file is not shown; the target file may name it, and it counts as right once a file was taken.',
      when: ({ world, file }) => file !== undefined && find(world, attachmentFields, file.field) === undefined,
      probe: (plan) => {
        const path = ticketWithFile(plan)
        plan.check('ticket-attachments.create', { path, file: { ...file(plan, 'txt'), field: 'upload' } })
      },
    },
    {
      id: 'ticket-attachments.create.extension-case',
      source: row,
      text: 'Whether an accepted extension may be written in capitals is not said.',
      when: ({ file }) => {
        const extension = file && extensionOf(file.name)
        return extension !== undefined && isAccepted(extension.toLowerCase()) && !isAccepted(extension)
      },
      probe: (plan) => {
        const path = ticketWithFile(plan)
        plan.check('ticket-attachments.create', { path, file: { ...file(plan, 'png'), name: `${plan.name()}.PNG` } })
      },
    },
    {
      id: 'ticket-attachments.create.no-extension',
      source: row,
      text: 'Whether a file without an extension is taken is not said.',
      when: ({ file }) => file !== undefined && extensionOf(file.name) === undefined,
      probe: (plan) => {
        const path = ticketWithFile(plan)
        plan.check('ticket-attachments.create', { path, file: { ...file(plan, 'txt'), name: plan.name() } })
      },
    },
    {
      id: 'ticket-attachments.create.file-name',
      source: row,
      text: 'Which names a file may have beside its extension, and how long, is not said.',
      when: ({ file }) => {
        const extension = file && extensionOf(file.name)
        return extension !== undefined && isAccepted(extension.toLowerCase()) && !isPlainFile(file?.name ?? '')
      },
      probe: (plan) => {
        const path = ticketWithFile(plan)
        plan.check('ticket-attachments.create', { path, file: { ...file(plan, 'txt'), name: `${plan.name()} Ä.txt` } })
      },
    },
    {
      id: 'ticket-attachments.create.content',
      source: row,
      text: 'Whether the content of a file is looked at, and how large it may be, is not said.',
      // A file of the size of the sample is the sample.
      when: ({ file }) => {
        const sample = file && samples[extensionOf(file.name)?.toLowerCase() ?? '']
        return sample !== undefined && sample.length !== file?.bytes
      },
      probe: (plan) => {
        const path = ticketWithFile(plan)
        plan.check('ticket-attachments.create', { path, file: { ...file(plan, 'png'), content: 'no picture' } })
      },
    },
    {
      id: 'ticket-attachments.create.repeated',
      source: row,
      text: 'Whether a ticket takes two files of one name, and how many files it takes, is not said.',
      when: ({ file, refs: { ticketId: ticket } }) =>
        ticket.attachments && file
          ? ticket.attachments.includes(file.name) || ticket.attachments.length >= mostPlain
          : undefined,
      probe: (plan) => {
        const path = ticketWithFile(plan)
        const again = file(plan, 'png')
        plan.call('ticket-attachments.create', { path, file: again })
        plan.check('ticket-attachments.create', { path, file: again })
      },
    },
    {
      id: 'ticket-attachments.create.closed',
      source: 'Other status models, "Support ticket"',
      text: 'Whether a ticket that is closed takes a file is not said.',
      when: ({ refs }) => refs.ticketId.closed,
      probe: (plan) => {
        const path = ticketWithFile(plan)
        plan.call('tickets.close', { path })
        plan.check('ticket-attachments.create', { path, file: file(plan, 'png') })
      },
    },
  ],
  statements: [
    {
      id: 'ticket-attachments.create.accepted-extensions',
      source: row,
      text: 'A file with any of the ten extensions .gif .jpg .jpeg .pjpg .pjpeg .tif .tiff .png .pdf .txt is accepted.',
      holds: ({ file }) => {
        const extension = file && extensionOf(file.name)
        return extension !== undefined && isAccepted(extension) ? true : undefined
      },
      probe: (plan) => {
        // Twice: the first file that is taken shows that the form field is right, and only then must each be taken.
        for (const watching of [{ unwatched: true }, {}] as const) {
          const path = { ticketId: plan.make(tickets).id }
          for (const extension of Object.keys(samples))
            plan.check('ticket-attachments.create', { path, file: file(plan, extension), ...watching })
        }
      },
    },
  ],
  unshown: 'no endpoint of the document shows the attachments of a ticket',
  apply: ({ world, file, refs: { ticketId: ticket } }) =>
    file === undefined
      ? world
      : patch(
          put(world, attachmentFields, { key: file.field, account: undefined, accepted: true }),
          tickets,
          ticket.key,
          { attachments: [...(ticket.attachments ?? []), file.name], stirred: true },
        ),
})

export const ticketAttachmentOperations = [createTicketAttachment]
