// The reply to a support ticket as requests name it, and how it is stored; its record is not shown.

import { byId, sameId } from '../language/facts.js'
import { asProse, isStemOf } from '../language/same.js'
import { find, idIn, keyIn, type Table } from '../language/world.js'
import { tickets } from '../tickets/record.js'

export interface TicketReply {
  id: number
  description: string
  /** Model only: key of the ticket it belongs to, under the name that paths give it. */
  ticketId: string
}

export const ticketReplies: Table<TicketReply> = {
  name: 'ticket-replies',
  fields: ['id', 'description'],
  // Whether ids of replies are unique beyond their ticket is not said. What has a summary is a ticket.
  identify: (record, { ticketId }) => {
    const id = record.summary === undefined ? byId(record) : undefined
    return id === undefined || ticketId === undefined ? undefined : `${ticketId}/${id}`
  },
  mayRepeat: true,
  same: { id: sameId, description: asProse },
  // The list may open with what the ticket itself says.
  besides: (world, { description }, { ticketId }, account) => {
    const words = find(world, tickets, ticketId && keyIn(world, tickets, ticketId, account))?.description
    return description !== undefined && (asProse(words, description) === true || isStemOf(words, description))
  },
  bare: ({ id }) => ({ id }),
  permanent: true,
  // The provider's staff replies as well.
  change: { lasting: ['id', 'ticketId'], outside: [], renewable: false },
  closable: false,
  mint: (dice, { ticketId }) => `${ticketId}/${dice.next('ticket-replies')}`,
  draw: (_dice, { key }) => ({ id: Number(idIn(key).split('/')[1]) }),
}
