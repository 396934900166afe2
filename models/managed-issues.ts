// The two operations on Managed issues: section "Managed" of the document.
import { endpoints, paging, reading, withoutManaged, withoutManagedShown } from './managed.js'
import { operation, page, record, ref } from './operation.js'
import { managedIssues } from './tables/managed-issues.js'

export const listIssues = operation({
  id: 'managed-issues.list',
  area: 'managed',
  method: 'GET',
  path: '/managed/issues',
  source: endpoints,
  summary: 'Lists the recent and ongoing issues of the account.',
  scopes: reading,
  unrestrictedOnly: true,
  params: {},
  query: paging,
  reply: page(managedIssues),
  // How long an issue counts as recent is not said, so one that is known need not be listed.
  lists: () => undefined,
  draft: () => ({}),
  silences: [withoutManagedShown('managed-issues.list')],
})

export const viewIssue = operation({
  id: 'managed-issues.view',
  area: 'managed',
  method: 'GET',
  path: '/managed/issues/{issueId}',
  source: endpoints,
  summary: 'Shows one issue.',
  scopes: reading,
  unrestrictedOnly: true,
  params: { issueId: ref(managedIssues) },
  reply: record(managedIssues),
  shows: 'issueId',
  draft: (plan) => ({ path: { issueId: plan.managedIssue().id } }),
  silences: [withoutManaged('managed-issues.view')],
})

export const managedIssueOperations = [listIssues, viewIssue]
