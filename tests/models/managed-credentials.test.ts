import { describe, expect, test } from 'vitest'
import { told as exchange, gating, judgeExchanges } from '../oracle/traffic.js'
import { type Told, told } from './stories.js'

const password = 'Aa1-correct-horse-Zz9!'
const body = { label: 'prod-1', password, username: 'deploy' }
const created: Told = ['managed-credentials.create', { body }, 200, { id: 7, label: 'prod-1', username: 'deploy' }]
const second: Told = ['managed-credentials.create', { body: { label: 'prod-2', password } }, 200, { id: 8 }]
const path = { credentialId: 7 }
const refusal = { errors: [{ field: 'label', reason: 'no' }] }
const closed = { closed: ['managed-credentials'] }
const following = (...steps: readonly Told[]) => told(steps, closed)

describe('labels', () => {
  test('a label that is taken is not taken again', () =>
    expect(following(created, ['managed-credentials.create', { body }, 200, { id: 8 }]).deviations).toEqual([
      'must managed-credentials.create.unique-label',
    ]))
  test('a credential is not given the label of another one', () =>
    expect(
      following(created, second, ['managed-credentials.update', { path, body: { label: 'prod-2' } }, 200, { id: 7 }])
        .deviations,
    ).toEqual(['should managed-credentials.update.unique-label']))
  test('whether a label is free again once its credential is revoked is open', () =>
    expect(
      following(
        created,
        ['managed-credentials.revoke', { path }, 200, {}],
        ['managed-credentials.create', { body }, 400, refusal],
      ).deviations,
    ).toEqual([]))
  test('whether a label in other letters is the same one is free', () => {
    const upper = { label: 'PROD-1', password }
    expect(following(created, ['managed-credentials.create', { body: upper }, 400, refusal]).deviations).toEqual([])
    expect(following(created, ['managed-credentials.create', { body: upper }, 200, { id: 8 }]).deviations).toEqual([])
  })
  test('in an account of which little is known a label may be taken', () =>
    expect(told([['managed-credentials.create', { body }, 400, refusal]]).expects).toBe('either'))
  test('a label that is shown as no text upsets nothing', () =>
    expect(
      following(['managed-credentials.create', { body: { ...body, label: undefined } }, 200, { id: 7, label: 5 }])
        .deviations,
    ).toEqual(['must managed-credentials.create.body.label.required']))
})

describe('passwords and usernames', () => {
  test('no reply shows the password that was sent', () =>
    expect(following(['managed-credentials.create', { body }, 200, { id: 7, secret: password }]).deviations).toEqual([
      'should managed-credentials.create.password-hidden',
    ]))
  test('a password may be masked', () =>
    expect(following(['managed-credentials.create', { body }, 200, { id: 7, password: '******' }]).deviations).toEqual(
      [],
    ))
  test('a new label leaves the username alone', () =>
    expect(
      following(
        created,
        [
          'managed-credentials.update',
          { path, body: { label: 'prod-3', username: 'root' } },
          200,
          { id: 7, label: 'prod-3', username: 'root' },
        ],
        ['managed-credentials.view', { path }, 200, { id: 7, label: 'prod-3', username: 'root' }],
      ).deviations,
    ).toEqual(['must managed-credentials.view.shows.username']))
  test('a username in a request to change the label may be refused', () =>
    expect(
      following(created, [
        'managed-credentials.update',
        { path, body: { label: 'prod-3', username: 'root' } },
        400,
        refusal,
      ]).deviations,
    ).toEqual([]))
  test('a username that was sent with a password is shown from then on', () =>
    expect(
      following(
        created,
        ['managed-credentials.update-password', { path, body: { password, username: 'root' } }, 200, {}],
        ['managed-credentials.view', { path }, 200, { id: 7, username: 'deploy' }],
      ).deviations,
    ).toEqual(['must managed-credentials.update-password.takes-effect']))
  test('a password alone may reset the username or leave it', () =>
    expect(
      following(
        created,
        ['managed-credentials.update-password', { path, body: { password } }, 200, {}],
        ['managed-credentials.view', { path }, 200, { id: 7, username: null }],
      ).deviations,
    ).toEqual([]))
  test.each([
    ['a username beyond plain words in another spelling', 'Ä b ', 'Ä b', []],
    ['another username', 'ada-l', 'ada', ['must managed-credentials.create.shows.username']],
  ])('a reply with %s is judged', (_, username, shown, findings) =>
    expect(
      following([
        'managed-credentials.create',
        { body: { ...body, label: 'ts-t-9', username } },
        200,
        { id: 9, username: shown },
      ]).deviations,
    ).toEqual(findings),
  )
  test('a weak password may be refused', () =>
    expect(
      following(['managed-credentials.create', { body: { ...body, password: 'a' } }, 400, refusal]).deviations,
    ).toEqual([]))
  test('a username of 5001 characters is not taken', () =>
    expect(
      following(['managed-credentials.create', { body: { ...body, username: 'x'.repeat(5001) } }, 200, { id: 7 }])
        .deviations,
    ).toEqual(['must managed-credentials.create.body.username.maxLength']))
})

describe('the SSH key', () => {
  const key = (reply: unknown) => told([['managed-credentials.ssh-key', {}, 200, reply]]).deviations
  test('it may stand anywhere in the reply', () =>
    expect(key({ data: { public: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIK managed' } })).toEqual([]))
  test('a private key in its place is a doubt', () =>
    expect(key({ ssh_key: '-----BEGIN OPENSSH PRIVATE KEY-----' })).toContain(
      'should managed-credentials.ssh-key.no-private-key',
    ))
  test('a note may speak of a private key', () =>
    expect(key({ ssh_key: 'ssh-ed25519 AAAAC3Nz managed', note: 'We hold the PRIVATE KEY.' })).toEqual([]))
  test('it is there', () => expect(key({})).toContain('must managed-credentials.ssh-key.public-key'))
  test('a key in a form of its own is only a doubt', () =>
    expect(key({ ssh_key: 'abcdef' })).toEqual(['should managed-credentials.ssh-key.form']))
  test('its kind may be told apart from it', () =>
    expect(key({ public: { type: 'ssh-ed25519', key: 'AAAAC3NzaC1lZDI1NTE5AAAAIA' } })).toEqual([]))
})

test.each([[7], [{ id: 7, label: 'prod-1' }]])('one that a service shows as %j may not be revocable', (shown) => {
  const as = 'owner'
  const service = exchange('managed-services.view', { as, path: { serviceId: 9 } }, 200, {
    id: 9,
    credentials: [shown],
  })
  const judged = (id: number) =>
    gating(
      judgeExchanges(
        [
          exchange('managed-credentials.create', { as, body }, 200, { id }),
          service,
          exchange('managed-credentials.revoke', { as, path: { credentialId: id } }, 400, refusal),
        ],
        true,
      ),
    )
  expect(judged(7)).toEqual([])
  expect(judged(8)).toEqual(['managed-credentials.revoke.accepts:refused'])
})
