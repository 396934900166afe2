import { describe, expect, it } from 'vitest'
import { nodeDeletion } from '../../arbitraries/journeys.js'
import { planProgram } from '../../arbitraries/plan.js'
import { reportRest } from '../../driver/findings.js'
import { runProgram } from '../../driver/programs.js'
import { survey } from '../../driver/survey.js'
import { allClauses } from '../../models/index.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { inProcess } from '../../reference/in-process.js'

const clause = allClauses().find(({ id }) => id === nodeDeletion.clause)

/** The last program of a run, on a target that deletes a node so many calls after it was asked to. */
const run = async (after: number) => {
  const { session, embedded } = inProcess({ environment: embeddedEnvironment() })
  const { transport, hooks } = session.options
  let left = Number.POSITIVE_INFINITY
  let node: number | undefined
  Object.assign(hooks, {
    deleteNode: async (id: number) => {
      node = id
      left = after
    },
  })
  const { send } = transport
  Object.assign(transport, {
    send: (...call: Parameters<typeof send>) => {
      if (left-- === 0) embedded.hook('deleteNode', [node])
      return send(...call)
    },
  })
  await survey(session)
  const program = planProgram('node deletion', session.context, nodeDeletion.write)
  await runProgram(session, program, clause)
  const findings = await reportRest(session)
  return { found: findings.map((finding) => finding.clause), shown: session.isHeld(nodeDeletion.clause) }
}

describe('a volume whose node is deleted', () => {
  it('is seen detached', async () => {
    expect(await run(0)).toEqual({ found: [], shown: true })
  })

  it('is given the time that it takes', async () => {
    expect(await run(9)).toEqual({ found: [], shown: true })
  })

  it('is found where it stays attached', async () => {
    const { found, shown } = await run(Number.POSITIVE_INFINITY)
    expect(found).toContain(nodeDeletion.clause)
    expect(shown).toBe(false)
  })

  it('is found where only one that was made for the node stays there, in few steps', async () => {
    const made = new Map<unknown, object>()
    const told = (record: { readonly id?: unknown }): object => ({ ...record, ...made.get(record.id) })
    const body = (shown: unknown, { id }: { readonly id: string }): unknown => {
      const record = shown as { readonly id?: unknown; readonly node_id?: unknown; readonly node_label?: unknown }
      if (id === 'volumes.create' && record.node_id)
        made.set(record.id, { node_id: record.node_id, node_label: record.node_label })
      return id === 'volumes.view' ? told(record) : shown
    }
    const { session } = inProcess({ environment: embeddedEnvironment(), fault: { body } })
    await survey(session)
    const program = planProgram('node deletion', session.context, nodeDeletion.write)
    await runProgram(session, program, clause)
    const findings = await reportRest(session)
    const finding = findings.find((one) => one.clause === nodeDeletion.clause)
    const [first, ...others] = finding?.steps.map(({ call }) => call.operation) ?? []
    expect([first, ...new Set(others)]).toEqual(['volumes.create', 'volumes.view'])
    // Those that wait for it to rest, before the node is deleted, and the one that shows it there.
    expect(others.length).toBeLessThan(5)
  })

  it('leaves a firewall as it was that another node has as well', async () => {
    let isGone = false
    const body = (shown: unknown, { id }: { readonly id: string }): unknown =>
      isGone && id === 'firewalls.view' ? { ...(shown as object), status: 'disabled' } : shown
    const { session } = inProcess({ environment: embeddedEnvironment(), fault: { body } })
    const { hooks } = session.options
    const { deleteNode } = hooks
    Object.assign(hooks, {
      deleteNode: async (node: never) => {
        isGone = true
        await deleteNode?.(node)
      },
    })
    await survey(session)
    const { findings } = await runProgram(
      session,
      planProgram('node deletion', session.context, nodeDeletion.write),
      clause,
    )
    expect(findings.map((finding) => finding.clause)).toEqual(['firewalls.view.shows.status'])
  })

  it('is not waited for where what is wrong with it was wrong before', async () => {
    const body = (shown: unknown, { id }: { readonly id: string }): unknown =>
      id === 'volumes.view' ? { ...(shown as object), hardware_type: 'tape' } : shown
    const slept: number[] = []
    const { session } = inProcess({ environment: embeddedEnvironment(), fault: { body } }, undefined, (options) => ({
      ...options,
      sleep: async (ms) => void slept.push(ms),
    }))
    await survey(session)
    const program = planProgram('node deletion', session.context, nodeDeletion.write)
    await runProgram(session, program, clause)
    expect(slept.length).toBeLessThan(5)
  })
})
