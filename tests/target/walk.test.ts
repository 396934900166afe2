import { describe, expect, it } from 'vitest'
import { operationById } from '../../models/index.js'
import type { Operation } from '../../models/operation.js'
import { inProcess } from '../../target/in-process.js'
import { embeddedSetting } from '../../target/setting.js'
import { survey } from '../../target/upkeep.js'
import { walkList } from '../../target/walk.js'

/** Walks a list of several pages on a target that passes over the parameters of that list. */
const walkWithoutParameters = async (operation: string) => {
  const { session } = inProcess({ setting: embeddedSetting() })
  const { transport } = session.options
  const { send } = transport
  Object.assign(transport, {
    send: (call: Parameters<typeof send>[0], step: number) =>
      send(call.operation === operation ? { ...call, query: {} } : call, step),
  })
  await survey(session)
  const op = operationById(operation) as Operation
  const { findings } = await walkList(session, { op, records: 102, pageSize: undefined })
  return findings.map(({ id, level }) => `${level} ${id}`)
}

describe('a list whose parameters are passed over', () => {
  it('breaks what is only inferred where the document does not list them', async () => {
    expect(await walkWithoutParameters('tags.list')).toEqual(['should tags.list.page:page'])
  })

  it('breaks what the document says where it does', async () => {
    expect(await walkWithoutParameters('firewalls.list')).toContain('must firewalls.list.page:page')
  })
})

describe('a list that goes astray on its later pages', () => {
  it.each(['volumes.list', 'managed-contacts.list'])('is found, as %s is', async (operation) => {
    const { session } = inProcess({ setting: embeddedSetting() })
    const { transport } = session.options
    const { send } = transport
    const plain = (record: object) => ({ ...record, ...('tags' in record ? { tags: [] } : { group: null }) })
    Object.assign(transport, {
      send: async (call: Parameters<typeof send>[0], step: number) => {
        const outcome = await send(call, step)
        if (call.operation !== operation || Number(call.query?.page) !== 2 || !('body' in outcome)) return outcome
        const body = outcome.body as { readonly data: readonly object[] }
        return { ...outcome, body: { ...body, data: body.data.map(plain) } }
      },
    })
    await survey(session)
    const op = operationById(operation) as Operation
    const { findings } = await walkList(session, { op, records: 27, pageSize: 25 })
    expect(findings.map(({ clause }) => clause)).toEqual([
      `${operation}.shows.${operation === 'volumes.list' ? 'tags' : 'group'}`,
    ])
  })
})
