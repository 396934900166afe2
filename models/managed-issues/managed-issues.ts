// The two operations on Managed issues: section "Managed" of the document.

import { aFixture } from '../language/needs.js'
import { operation, page, record, ref } from '../language/operation.js'
import { standardPaging } from '../language/pagination.js'
import { live, type World } from '../language/world.js'
import { endpoints, ofTheAccount, reading, shown, withoutManaged, withoutManagedShown } from '../managed/common.js'
import { managedIssues } from './record.js'

/** What the target file says there is. */
const issuesOf = (world: World, account: string | undefined) =>
  live(world, managedIssues, account).filter((issue) => !issue.stub && issue.account === account)

export const listIssues = operation({
  id: 'managed-issues.list',
  area: 'managed',
  method: 'GET',
  path: '/managed/issues',
  reach: { in: 'given', alone: false, lent: false },
  source: endpoints,
  summary: 'Lists the recent and ongoing issues of the account.',
  scopes: reading,
  unrestrictedOnly: true,
  params: {},
  query: standardPaging,
  reply: page(managedIssues),
  // How long an issue counts as recent is not said, so one that is known need not be listed.
  lists: () => undefined,
  draft: () => ({}),
  silences: [withoutManagedShown('managed-issues.list')],
  statements: [
    {
      id: 'managed-issues.list.known',
      source: `${endpoints}, GET /managed/issues`,
      text: 'The issues that go on, as the target file says, are listed.',
      holds: ({ world, account, reply }) => {
        const data = shown(reply, 'data')
        if (!Array.isArray(data) || shown(reply, 'pages') !== 1 || shown(reply, 'page') !== 1) return undefined
        const ids = data.map((one) => shown(one, 'id'))
        const listed = new Set(ids.map(String))
        const known = issuesOf(world, account).filter(({ ongoing }) => ongoing === true)
        const missing = known.filter(({ key }) => !listed.has(key)).map(({ key }) => key)
        // A record that does not tell its id may be one that seems to be missing.
        const unnamed = ids.filter((id) => id === undefined).length
        return known.length === 0 || (missing.length > 0 && missing.length <= unnamed)
          ? undefined
          : missing.length === 0 || `issue ${missing.join(', ')} is missing`
      },
      probe: (plan) => {
        plan.managedIssue(
          ({ ongoing }) => ongoing === true,
          aFixture('managedIssues', 'a Managed issue that goes on', { ongoing: true }),
        )
        plan.check('managed-issues.list')
      },
    },
  ],
  choices: [
    {
      id: 'managed-issues.list.recent',
      source: `${endpoints}, GET /managed/issues`,
      text: 'Whether an issue of the target file that does not go on is recent enough to be listed.',
      values: [true, false],
      observe: ({ world, account, reply }) => {
        const data = shown(reply, 'data')
        const other = issuesOf(world, account).find(({ ongoing }) => ongoing !== true)
        if (!other || !Array.isArray(data) || shown(reply, 'pages') !== 1) return undefined
        return data.some((one) => String(shown(one, 'id')) === other.key)
      },
    },
  ],
})

export const viewIssue = operation({
  id: 'managed-issues.view',
  area: 'managed',
  method: 'GET',
  path: '/managed/issues/{issueId}',
  reach: { in: 'given', alone: false, lent: false },
  source: endpoints,
  summary: 'Shows one issue.',
  scopes: reading,
  unrestrictedOnly: true,
  params: { issueId: ref(managedIssues) },
  owned: ofTheAccount,
  reply: record(managedIssues),
  shows: 'issueId',
  draft: (plan) => ({ path: { issueId: plan.managedIssue().id } }),
  silences: [withoutManaged('managed-issues.view')],
})

export const managedIssueOperations = [listIssues, viewIssue]
