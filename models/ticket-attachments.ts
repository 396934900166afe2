// The operation that attaches a file to a support ticket: section "Endpoints / Support" of the document.
import { isRestricted } from './access.js'
import { known, type Ternary } from './clause.js'
import { anything, operation, ref } from './operation.js'
import type { Plan, Scalar } from './plan.js'
import { isPlainName } from './promises.js'
import { attachmentFields } from './tables/ticket-attachments.js'
import { changeSilences, tickets } from './tables/tickets.js'
import { find, patch, put, type World } from './world.js'

const endpoints = 'Endpoints / Support'
const row = `${endpoints}, POST /support/tickets/{ticketId}/attachments`

const jpeg = (frame: string, scans: string): string =>
  `\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00\xff\xdb\x00\x43\x00${'\x01'.repeat(64)}` +
  `\xff${frame}\x00\x0b\x08\x00\x01\x00\x01\x01\x01\x11\x00${scans}\xff\xd9`
