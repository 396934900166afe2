import { describe, expect, test } from 'vitest'
import { pageOf, refusal, type Told, told } from './stories.js'

const body = {
  email: 'ada@example.org',
  group: 'night-shift',
  name: 'ada',
  phone: { primary: '+12015550123', secondary: null },
}
const created: Told = ['managed-contacts.create', { body }, 200, { id: 7, ...body }]
const path = { contactId: 7 }
const bare = { ...body, phone: { primary: null, secondary: null } }
const ungrouped = { ...bare, group: null }
const emptied = (shown: object): Told => [
  'managed-contacts.update',
  { path, body: ungrouped },
  200,
  { id: 7, ...shown },
]
const viewed = (shown: object): Told => ['managed-contacts.view', { path }, 200, { id: 7, ...shown }]
const create = (change: object, status: number, reply: unknown) =>
  told([['managed-contacts.create', { body: { ...bare, ...change } }, status, reply]], { closed: ['managed-contacts'] })

test('a number that is taken shows that one is, though the name might have been taken by others', () => {
  const some = 'managed-contacts.create.numbers.some'
  const held = (status: number, reply: unknown, closed: readonly string[]) =>
    told([['managed-contacts.create', { body }, status, reply]], { closed }).held.includes(some)
  expect([held(200, { id: 7, ...body }, []), held(200, { id: 7, ...body }, ['managed-contacts'])]).toEqual([true, true])
  expect([held(400, refusal('phone'), []), held(400, refusal('phone'), ['managed-contacts'])]).toEqual([false, false])
})

describe('a target is left its freedom', () => {
  test('a reply may show nothing of the contact', () =>
    expect(told([['managed-contacts.create', { body }, 200, {}]]).deviations).toEqual([]))
  test('a number that there is not may be shown otherwise each time', () => {
    const view = (secondary: string | null): Told => [
      'managed-contacts.view',
      { path },
      200,
      { id: 7, phone: { primary: '', secondary } },
    ]
    const left: Told = ['managed-contacts.create', { body: { email: body.email, name: 'ada' } }, 200, { id: 7 }]
    expect(told([left, view(''), view(null), view('')]).deviations).toEqual([])
  })
  test('a contact whose id came late is known again in the list', () =>
    expect(
      told([
        ['managed-contacts.create', { body }, 200, {}],
        ['managed-contacts.list', {}, 200, pageOf({ id: 9, ...body })],
      ])
        .world.tables.get('managed-contacts')
        ?.live.has('9'),
    ).toBe(true))
  test('a name beyond plain words may come back in another spelling', () =>
    expect(create({ name: ' Ada & Co ' }, 200, { id: 7, name: 'Ada &amp; Co' }).deviations).toEqual([]))
  test('a number may be spelled otherwise', () =>
    expect(
      told([
        created,
        ['managed-contacts.view', { path }, 200, { id: 7, phone: { primary: '201-555-0123', secondary: null } }],
      ]).deviations,
    ).toEqual([]))
  test('no number may be shown as an empty one', () => {
    const phone = { primary: '+12015550123', secondary: '' }
    expect(told([created, ['managed-contacts.view', { path }, 200, { id: 7, phone }]]).deviations).toEqual([])
  })
  test('no group may be shown as an empty one', () =>
    expect(create({ group: null }, 200, { id: 7, group: '' }).deviations).toEqual([]))
  test('a text of the target may stand for a group that is null', () =>
    expect(told([created, emptied({}), viewed({ group: 'ungrouped' })]).deviations).toEqual([]))
  test('words may stand for a number that there is not', () =>
    expect(told([created, viewed({ phone: { primary: body.phone.primary, secondary: 'none' } })]).deviations).toEqual(
      [],
    ))
  test('a null may be left out', () =>
    expect(
      told([created, ['managed-contacts.view', { path }, 200, { id: 7, phone: { primary: '+12015550123' } }]])
        .deviations,
    ).toEqual([]))
  test.each([
    ['a name with a blank', { name: 'Ada L' }],
    ['a number', { phone: { primary: '+12015550123', secondary: null } }],
    ['a number in another form', { phone: { primary: '201-555-0123', secondary: null } }],
    ['a contact without a group', { group: undefined }],
    ['null for the name', { name: null }],
  ])('%s may be refused', (_, change) => expect(create(change, 400, refusal('name')).deviations).toEqual([]))
  test('a second contact of the same name may be refused', () =>
    expect(told([created, ['managed-contacts.create', { body }, 400, refusal('name')]]).deviations).toEqual([]))
  test('an account without Managed may be refused', () =>
    expect(told([['managed-contacts.list', { as: 'debtor' }, 403, refusal()]]).deviations).toEqual([]))
  test('what an update leaves out may change', () =>
    expect(
      told([
        created,
        ['managed-contacts.update', { path, body: { name: 'eva' } }, 200, { id: 7, name: 'eva', group: null }],
        ['managed-contacts.view', { path }, 200, { id: 7, name: 'eva', group: null }],
      ]).deviations,
    ).toEqual([]))
})

describe('a fault is found', () => {
  test.each([
    ['email', { email: 'nobody' }],
    ['name', { name: 'a' }],
    ['group', { group: 'x'.repeat(51) }],
    ['phone.primary', { phone: { primary: 'nobody', secondary: null } }],
  ])('a wrong %s is accepted', (field, change) =>
    expect(create(change, 200, { id: 7 }).deviations).toMatchObject([
      expect.stringMatching(new RegExp(`^must managed-contacts.create.body.${field}`)),
    ]),
  )
  test('a group that is null is refused', () =>
    expect(create({ group: null }, 400, refusal('group')).deviations).toEqual(['must managed-contacts.create.accepts']))
  test.each([[null], [''], [undefined]])('that a group may be null is shown by the group %j', (group) => {
    const story = create({ group: null }, 200, { id: 7, ...(group !== undefined && { group }) })
    expect(story.deviations).toEqual([])
    expect(story.held).toContain('managed-contacts.create.nullable')
  })
  test('a group of the target is shown where null was sent, as an inference', () =>
    expect(create({ group: null }, 200, { id: 7, group: 'ungrouped' }).deviations).toEqual([
      'should managed-contacts.create.null-group',
    ]))
  test('a group is kept although null was sent', () =>
    expect(told([created, emptied({ group: body.group })]).deviations).toContain(
      'must managed-contacts.update.nullable',
    ))
  test('a group is shown again after null was sent', () =>
    expect(told([created, emptied({}), viewed({ group: body.group })]).deviations).toEqual([
      'must managed-contacts.update.takes-effect',
    ]))
  test('a group is shown after it was shown as none', () =>
    expect(told([created, emptied({}), viewed({ group: null }), viewed({ group: 'day-shift' })]).deviations).toEqual([
      'must managed-contacts.view.shows.group',
    ]))
  test('another number is shown where null was sent', () =>
    expect(
      told([created, viewed({ phone: { primary: body.phone.primary, secondary: '+12015550177' } })]).deviations,
    ).toEqual(['must managed-contacts.view.shows.phone']))
  test('another name is shown than was sent', () =>
    expect(create({ name: 'ada' }, 200, { id: 7, name: 'Ada' }).deviations).toEqual([
      'must managed-contacts.create.shows.name',
    ]))
  test('another number is shown than was sent', () =>
    expect(
      told([created, ['managed-contacts.view', { path }, 200, { id: 7, phone: { primary: '+12015550199' } }]])
        .deviations,
    ).toEqual(['must managed-contacts.view.shows.phone']))
  test('a contact that was deleted is still listed', () =>
    expect(
      told([
        created,
        ['managed-contacts.delete', { path }, 204, undefined],
        ['managed-contacts.list', {}, 200, pageOf({ id: 7, ...body })],
      ]).deviations,
    ).toContain('must managed-contacts.list.only-live'))
  test('an update without the name changes it', () =>
    expect(
      told([
        created,
        ['managed-contacts.update', { path, body: { group: null } }, 200, { id: 7, name: 'eva', group: null }],
      ]).deviations,
    ).toEqual(['should managed-contacts.update.keeps']))
  test.each([
    ['kept', { name: body.name }],
    ['gone', { name: '' }],
    ['null', { name: null }],
    ['not shown', {}],
  ])('an update may put what it says in place of all, so that a name that it leaves out is %s', (_, name) =>
    expect(
      told([created, ['managed-contacts.update', { path, body: { group: null } }, 200, { id: 7, ...name }]]).deviations,
    ).toEqual([]),
  )
})
