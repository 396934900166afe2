// The Managed issue, of which the document names nothing but its id; it cannot be made through the interface.
import type { ManagedIssueFixture } from '../language/environment.js'
import { byId, sameId } from '../language/facts.js'
import type { Table } from '../language/world.js'

export const managedIssues: Table<ManagedIssueFixture> = {
  name: 'managed-issues',
  fields: ['id'],
  identify: byId,
  mayRepeat: true,
  same: { id: sameId },
  change: { lasting: ['id'], outside: [], renewable: false },
  closable: false,
  toldBy: 'managedIssues',
}
