// Looks that lack what the same caller is shown before and after them: whatever others did unseen, what is gone does not come back.
import { describe, expect, test } from 'vitest'
import { type Exchange, gating, harOf, judgeHar, page, told, volume } from './traffic.js'

const [as, other] = ['one', 'other']
const disk = { path: { volumeId: 7 } }
const views = (fields: object = {}, by = as) => told('volumes.view', { as: by, ...disk }, 200, volume(fields))
const lists = (...data: readonly object[]) => told('volumes.list', { as }, 200, page(...data))
const refused = (status = 404) =>
  told('volumes.view', { as, ...disk }, status, { errors: [{ field: 'volumeId', reason: 'not found' }] })
const contact = { as, path: { contactId: 3 } }
const knows = (fields: object) => told('managed-contacts.view', contact, 200, { id: 3, ...fields })
const knowsNot = told('managed-contacts.view', contact, 404, { errors: [{ field: 'contactId', reason: 'not found' }] })

const ann = { name: 'Ann', group: null }
const makesAnn = (id = 3) =>
  told('managed-contacts.create', { as, body: { name: 'Ann' } }, 200, { id, name: 'Ann', group: null })
const makesAgain = [knows(ann), knowsNot, knows(ann)]

/** Nothing is known of who calls, and others may be at work unseen. */
const found = (...exchanges: readonly Exchange[]) => gating(judgeHar(harOf(exchanges), false, true))

describe('what was shown before and is shown again was there all the time:', () => {
  test('a look that is refused in between is told, with the three looks', () => {
    const { found: all, steps } = judgeHar(harOf([views(), refused(), views()]), false, true)
    expect(all.map(({ id, steps: program }) => [id, program.map(({ n }) => n)])).toEqual([
      ['volumes.view.accepts:refused', [1, 2, 3]],
    ])
    expect(steps.map(({ verdict }) => verdict)).toEqual(['pass', 'finding', 'pass'])
  })
  test('a list that lacks it in between is told', () => {
    expect(found(lists(volume()), lists(), views())).toEqual(['volumes.list.complete:missing'])
  })
  test('a list that lacks it is not told where it was made just before, as one of several replicas may be behind', () => {
    const makes = told('volumes.create', { as, body: { label: 'disk', region: 'r1' } }, 200, volume())
    const lackingAt = (ms: number) => [
      makes,
      lists(volume()),
      { ...lists(), at: ms },
      { ...lists(volume()), at: ms + 100 },
    ]
    expect(found(...lackingAt(900))).toEqual([])
    expect(found(...lackingAt(5000))).toContain('volumes.list.complete:missing')
  })
  test('a look is not told where what it lacks may be what was made just before, by a call that told no id', () => {
    const wall = { id: 3, label: 'wall', status: 'enabled', tags: [] }
    const rules = { inbound_policy: 'DROP', outbound_policy: 'DROP' }
    const makes = (id?: number) =>
      told('firewalls.create', { as, body: { label: 'wall', rules } }, 200, id === undefined ? {} : { ...wall, id })
    const shows = told('firewalls.list', { as }, 200, page(wall))
    const lacks = (ms: number) => [
      { ...told('firewalls.list', { as }, 200, page()), at: ms },
      { ...shows, at: ms + 100 },
    ]
    expect(found(makes(), shows, ...lacks(900))).toEqual([])
    expect(found(makes(), shows, ...lacks(5000))).toEqual(['firewalls.list.complete:missing'])
    expect(found(shows, makes(4), ...lacks(900))).toEqual(['firewalls.list.complete:missing'])
  })
  test('the reply to a write shows it too, but for what was sent, and not before a look has', () => {
    const eve = { name: 'Eve', group: null }
    const makes = makesAnn()
    const renames = told('managed-contacts.update', { ...contact, body: { name: 'Eve' } }, 200, { id: 3, ...eve })
    expect(found(knows(ann), knowsNot, renames)).toEqual(['managed-contacts.view.accepts:refused'])
    // After its creation one look may be late.
    expect(found(makes, knows(ann), knowsNot, renames)).toEqual([])
    expect(found(makes, knows(ann), knowsNot, knows(eve))).toEqual([])
    expect(found(makes, knowsNot, renames)).toEqual([])
  })
  test('a call that names it and is refused in between is told, unless something else may be the reason', () => {
    const by = { as: 'owner', path: { contactId: 3 } }
    const knowsOf = (fields: object) => told('managed-contacts.view', by, 200, { id: 3, ...fields })
    const no = { errors: [{ field: '', reason: 'no' }] }
    const keeps = told('managed-contacts.delete', by, 404, no)
    const all = (...exchanges: readonly Exchange[]) =>
      judgeHar(harOf(exchanges), true, true).found.map(({ id, steps }) => [id, steps.map(({ n }) => n)])
    expect(all(knowsOf(ann), keeps, knowsOf(ann))).toEqual([['managed-contacts.delete.accepts:refused', [1, 2, 3]]])
    expect(all(knowsOf(ann), keeps)).toEqual([])
    expect(all(knowsOf(ann), keeps, knowsOf({ name: 'Bob', group: 'x' }))).toEqual([])
    const migrates = told('volumes.delete', { as: 'owner', ...disk }, 404, no)
    expect(all(views({}, 'owner'), migrates, views({}, 'owner'))).toEqual([])
  })
  test.each([{ body: { label: 'x' } }, { query: { page: '0' } }])(
    'a look that is refused with %j is not told: that may be the reason',
    (more) => {
      const no = told('volumes.view', { as, ...disk, ...more }, 400, { errors: [{ field: '', reason: 'no' }] })
      expect(found(views(), no, views())).toEqual([])
    },
  )
  test('nothing is told before it is shown again', () => {
    expect(found(views(), refused())).toEqual([])
    expect(found(lists(volume()), lists())).toEqual([])
  })
})

describe('nothing is told of a look that may have been right:', () => {
  test.each<[string, readonly Exchange[]]>([
    ['what is shown is shown to somebody else', [views({}, other), refused(), views({}, other)]],
    ['the credential is refused, or the moment was wrong', [views(), refused(401), views(), refused(409), views()]],
    ['a list that has never shown it may be late', [views(), lists(), views()]],
    ['a list shows what the caller is not let view', [lists(volume()), refused(), lists(volume())]],
    ['it was let view it later', [lists(volume()), refused(), views()]],
    ['a page is not the whole list', [lists(volume()), { ...lists(), url: '/volumes?page=2' }, lists(volume())]],
    [
      'they were sent at the same time',
      [views(), { ...refused(), at: 100, ms: 300 }, { ...views(), at: 200, ms: 300 }],
    ],
    ['the id was given again to something made later', [knows({ name: 'Ann' }), knowsNot, knows({ name: 'Bob' })]],
    ['a creation was given the id', [knows(ann), knowsNot, makesAnn()]],
    ['ids are given again, and it may have been made again as it was', [makesAnn(4), makesAnn(4), ...makesAgain]],
  ])('%s', (_, exchanges) => {
    expect(found(...exchanges)).toEqual([])
  })
  test('who is known to be restricted by nothing is let view what is listed', () => {
    const by = (as: string) => {
      const list = told('volumes.list', { as }, 200, page(volume()))
      const no = told('volumes.view', { as, ...disk }, 404, { errors: [{ field: '', reason: 'no' }] })
      return judgeHar(harOf([list, no, list]), true, true).found.map(({ id }) => id)
    }
    expect(by('owner')).toEqual(['volumes.view.accepts:refused'])
    expect(by('limited')).toEqual([])
  })
  test('a record that tells no time of creation is told where it is the same', () => {
    expect(found(knows({ name: 'Ann' }), knowsNot, knows({ name: 'Ann' }))).toEqual([
      'managed-contacts.view.accepts:refused',
    ])
  })
})
