// The Managed issue, of which the document names nothing but its id; it cannot be made through the interface.
import type { ManagedIssueFixture } from '../setting.js'
import type { Table } from '../world.js'
import { byId, sameId } from './facts.js'

export const managedIssues: Table<ManagedIssueFixture> = {
  name: 'managed-issues',
  fields: ['id'],
  identify: byId,
  mayRepeat: true,
  same: { id: sameId },
  closable: false,
  toldBy: 'managedIssues',
}
