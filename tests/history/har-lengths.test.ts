// Bodies that are not as long as they were when they were sent: what was put in their place is no fault of the target.
import { describe, expect, test } from 'vitest'
import { type Exchange, entryOf, gating, judgeHar, recordingsOf, told, volume } from '../oracle/traffic.js'

const as = 'owner'

const disk = (id: number) => {
  const label = `disk-${id}`
  return volume({ id, label, filesystem_path: `/dev/disk/by-id/scsi-0Node_Volume_${label}` })
}

/** Volumes that are made and shown. */
const volumes = [1, 2, 3].flatMap((id) => [
  told('volumes.create', { as, body: { label: `disk-${id}`, region: 'r1' } }, 200, disk(id)),
  told('volumes.view', { as, path: { volumeId: id } }, 200, disk(id)),
])

const sizeOf = (body: unknown): number => Buffer.byteLength(JSON.stringify(body))
const length = (body: unknown) => ({ name: 'Content-Length', value: String(sizeOf(body)) })

interface Edit {
  readonly request?: (body: unknown) => unknown
  readonly reply?: (body: unknown) => unknown
  /** What else the recorder tells of a reply. */
  readonly more?: object
  readonly headers?: readonly object[]
}

/** The exchanges as they were recorded, and edited afterwards: what is told of lengths stays as it was. */
const editedHar = (exchanges: readonly Exchange[], { request, reply, more, headers = [] }: Edit) => {
  const entries = exchanges.map((one, i) => {
    const {
      request: asked,
      response,
      ...entry
    } = entryOf(one, i) as Record<string, object> & {
      request: { headers: object[]; postData?: object }
    }
    const text = (body: unknown, edit = (it: unknown) => it) => ({
      mimeType: 'application/json',
      text: JSON.stringify(edit(body)),
    })
    return {
      ...entry,
      request: {
        ...asked,
        ...(one.body !== undefined && {
          postData: text(one.body, request),
          headers: [...asked.headers, length(one.body)],
        }),
      },
      response: { ...response, headers, content: { ...text(one.reply, reply), size: sizeOf(one.reply), ...more } },
    }
  })
  return { log: { version: '1.2', creator: { name: 'x', version: '1' }, entries } }
}

const findings = (exchanges: readonly Exchange[], edit: Edit) => gating(judgeHar(editedHar(exchanges, edit), true))
const without = (name: string) => (body: unknown) => {
  const { [name]: _, ...rest } = body as Record<string, unknown>
  return rest
}
const day = (body: unknown) => ('created' in (body as object) ? { ...(body as object), created: '2026-01-01' } : body)

describe('a body of another length than was sent', () => {
  test.each<[string, Edit]>([
    ['requests emptied', { request: () => ({}) }],
    ['replies emptied', { reply: () => ({}) }],
    ['both emptied', { request: () => ({}), reply: () => ({}) }],
    ['a member taken out of replies', { reply: without('status') }],
    ['dates cut to days', { reply: day }],
  ])('is not known: %s', (_, edit) => {
    expect(findings(volumes, edit)).toEqual([])
    // What a target sends itself is as long as it says.
    const sent = volumes.map((one) => ({
      ...one,
      ...(edit.request && one.body !== undefined && { body: edit.request(one.body) }),
      ...(edit.reply && { reply: edit.reply(one.reply) }),
    }))
    expect(findings(sent, {})).not.toEqual([])
  })
  test('is counted', () => {
    const [recording] = recordingsOf(editedHar(volumes, { request: () => ({}) }), true)
    expect(recording?.ignored).toEqual({ 'has values that were replaced in the recording': 3 })
  })
  test('excuses no other one', () => {
    const broken = told('managed-contacts.list', { as }, 200, { data: [] })
    expect(findings([...volumes, broken], { request: () => ({}), reply: day })).toEqual(findings([broken], {}))
    expect(findings([broken], {})).not.toEqual([])
  })
  test('makes others of its operation doubtful only where there are three', () => {
    const long = (body: unknown) => ({ ...(body as object), label: 'a'.repeat(sizeOf(body) % 7) })
    const wrong = told('volumes.view', { as, path: { volumeId: 4 } }, 200, volume({ id: 4, status: 'odd' }))
    const edit = (few: number): Edit => {
      const edited = new Set(
        volumes
          .filter(({ body }) => body === undefined)
          .slice(0, few)
          .map(({ reply }) => reply),
      )
      return { reply: (body) => (edited.has(body) ? long(body) : body) }
    }
    expect(findings([...volumes, wrong], edit(2))).toEqual(['volumes.view.reply.status.enum:shape'])
    expect(findings([...volumes, wrong], edit(3))).toEqual([])
  })
})

describe('a length tells nothing', () => {
  const wrong = told('volumes.view', { as, path: { volumeId: 1 } }, 200, volume({ id: 1, status: 'ödd' }))
  const size = sizeOf(wrong.reply)
  const spaced = (body: unknown) => JSON.stringify(body, null, 2)
  test.each<[string, Edit]>([
    ['where none is told', { more: { size: -1 } }],
    ['of a packed body', { more: { size: 99 }, headers: [{ name: 'content-encoding', value: 'br' }] }],
    ['of a packed body that the size leaves out', { more: { size: size - 50, compression: 50 } }],
    ['of a body that the header counts packed', { headers: [{ name: 'content-length', value: '99' }] }],
    ['where characters are counted', { more: { size: JSON.stringify(wrong.reply).length } }],
    ['where JSON was laid out anew', { more: { text: spaced(wrong.reply) } }],
  ])('%s', (_, edit) => expect(findings([wrong], edit)).toEqual(['volumes.view.reply.status.enum:shape']))
  test('where secrets were masked', () => {
    const key = { id: 1, label: 'k', access_key: 'A', secret_key: '***', limited: 'no' }
    const seen = told('object-keys.create', { as, body: { label: 'k' } }, 200, { ...key, label: 'other' })
    expect(findings([seen], { more: { size: 999 } })).not.toEqual([])
  })
})
