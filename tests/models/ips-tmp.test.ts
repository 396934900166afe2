import { expect, test } from 'vitest'
import { probeFor } from '../../arbitraries/probes.js'
import { clausesOf } from '../../models/derive.js'
import { operations } from '../../models/index.js'
import type { Fault } from '../../target/answer.js'
import { runProgram } from '../../target/conduct.js'
import { inProcess } from '../../target/in-process.js'
import { mutantsOf } from '../../target/mutants.js'
import { tryMutant } from '../../target/mutation.js'
import { survey } from '../../target/session.js'
import { embeddedSetting } from '../../target/setting.js'

const mine = operations.filter(({ id }) => /^(ips|ipv4)\./.test(id))
const runAll = async (options: object, setting = embeddedSetting(), restart = false) => {
  const findings: string[] = []
  const untested: string[] = []
  const { session } = inProcess({ setting, ...options } as never)
  await survey(session)
  for (const op of mine)
    for (const clause of clausesOf(op)) {
      const probe = probeFor(clause, session.context)
      if (probe.kind !== 'program' || probe.program.missing.length > 0) {
        if (probe.kind === 'program') untested.push(`${clause.id}: needs ${probe.program.missing}`)
        continue
      }
      const out = await runProgram(session, probe.program, clause)
      findings.push(
        ...out.findings.map(
          (f) => `[${clause.id}] ${f.level} ${f.id} | ${f.summary.slice(0, 250)} | ${f.because.slice(0, 3)}`,
        ),
      )
      if (out.untested) untested.push(`${clause.id}: ${out.untested}`)
    }
  return { findings, untested }
}
const variations = {
  strict: { strict: true },
  bare: { bare: true },
  omit: { omitField: true },
  all: { allErrors: true },
  extra: { extraFields: true },
  desc: { descending: true, emptyPages: 0, createdStatus: 201, fieldStyle: 'brackets' },
  strictbare: { strict: true, bare: true },
}
for (const [name, variation] of Object.entries(variations))
  test.runIf(process.env.V)(
    `variation ${name}`,
    async () => {
      const { findings, untested } = await runAll({ variation })
      console.log(name, findings.join('\n'), '\nUNTESTED', untested.join('\n'))
    },
    600000,
  )
test.runIf(process.env.O)('open world', async () => {
  const s = { ...embeddedSetting(), exclusive: false }
  const { findings, untested } = await runAll({}, s)
  console.log(findings.join('\n'), '\nUNTESTED', untested.join('\n'))
})
test.runIf(process.env.M)(
  'mutants',
  async () => {
    const out: string[] = []
    let n = 0
    for (const op of mine.filter(({ id }) => id.startsWith(process.env.M ?? '')))
      for (const m of mutantsOf(op)) {
        n += 1
        const r = await tryMutant(m, 0)
        if (r.verdict !== 'caught') out.push(`${r.verdict} (${r.activations}) ${m.id} ${r.findings}`)
        else if (m.clause && !r.findings.some((f) => f.startsWith(`${m.clause}:`)))
          out.push(`  otherwise: ${m.id} -> ${r.findings}`)
      }
    console.log(n, out.join('\n'))
  },
  900000,
)
const on = (id: string, f: (after: any, before: any) => any): Fault => ({
  world: (after, before, op) => (op.id === id ? f(after, before) : after),
})
const table = (w: any, name: string, edit: (e: any) => any) => {
  const t = w.tables.get(name)
  if (!t) return w
  return {
    ...w,
    tables: new Map(w.tables).set(name, { ...t, live: new Map([...t.live].map(([k, v]: any) => [k, edit(v)])) }),
  }
}
const keep = (name: string, fields: string[]) => (after: any, before: any) =>
  table(after, name, (e) => {
    const old = before.tables.get(name)?.live.get(e.key)
    return old ? { ...e, ...Object.fromEntries(fields.map((f) => [f, old[f]])) } : e
  })
const list = (f: (r: any) => any): Fault => ({
  body: (body: any, op) => (op.id === 'ips.list' && body?.data ? { ...body, data: body.data.flatMap(f) } : body),
})
const faults: Record<string, Fault> = {
  'assign keeps route_target': on('ips.assign', keep('ipv6-ranges', ['route_target'])),
  'ipv4 assign keeps route_target': on('ipv4.assign', keep('ipv6-ranges', ['route_target'])),
  'assign keeps range node': on('ips.assign', keep('ipv6-ranges', ['node_id'])),
  'assign keeps ssh': on('ips.assign', keep('managed-node-settings', ['ssh', 'certain'])),
  'ipv4 assign keeps ssh': on('ipv4.assign', keep('managed-node-settings', ['ssh', 'certain'])),
  'assign resets ip only': on('ips.assign', (after, before) =>
    table(after, 'managed-node-settings', (e) => {
      const old = before.tables.get('managed-node-settings').live.get(e.key)
      return old?.ssh && old.ssh !== e.ssh ? { ...e, ssh: { ...old.ssh, ip: 'any' } } : e
    }),
  ),
  'assign moves only first': {
    operation: (op) =>
      op.id === 'ips.assign'
        ? {
            ...op,
            apply: (f: any) =>
              op.apply!({ ...f, body: { ...f.body, assignments: f.body.assignments.slice(0, 1) } } as never),
          }
        : op,
  },
  'assign checks one by one': {
    operation: (op) =>
      op.id === 'ips.assign'
        ? {
            ...op,
            refusals: op.refusals!.map((r) =>
              r.id === 'ips.assign.public-left'
                ? {
                    ...r,
                    when: (f: any) => {
                      let w = f.world
                      for (const a of f.body.assignments) {
                        const one = { ...f, world: w, body: { ...f.body, assignments: [a] } }
                        if (r.when(one) === true) return true
                        w = op.apply!(one as never)
                      }
                      return false
                    },
                  }
                : r,
            ),
          }
        : op,
  },
  'assign checks private one by one': {
    operation: (op) =>
      op.id === 'ips.assign'
        ? {
            ...op,
            refusals: op.refusals!.map((r) =>
              r.id === 'ips.assign.one-private'
                ? {
                    ...r,
                    when: (f: any) => {
                      let w = f.world
                      for (const a of f.body.assignments) {
                        const one = { ...f, world: w, body: { ...f.body, assignments: [a] } }
                        if (r.when(one) === true) return true
                        w = op.apply!(one as never)
                      }
                      return false
                    },
                  }
                : r,
            ),
          }
        : op,
  },
  'share [] removes first': on('ips.share', (after, before) =>
    table(after, 'ip-shares', (e) => {
      const old = before.tables.get('ip-shares')?.live.get(e.key)
      return old && e.surely.length === 0 ? { ...e, surely: old.surely.slice(1) } : e
    }),
  ),
  'share only first': {
    operation: (op) =>
      op.id === 'ips.share'
        ? { ...op, apply: (f: any) => op.apply!({ ...f, body: { ...f.body, ips: f.body.ips.slice(0, 1) } } as never) }
        : op,
  },
  'null does nothing': on('ips.update', (after, before) =>
    table(after, 'ips', (e) => {
      const old = before.tables.get('ips').live.get(e.key)
      return e.isDefault && old ? old : e
    }),
  ),
  'null sets null': on('ips.update', (after) => table(after, 'ips', (e) => (e.isDefault ? { ...e, rdns: null } : e))),
  'skip ignored': {
    operation: (op) =>
      op.id === 'ips.list'
        ? (() => {
            const { shownAs: _, ...o } = op
            return o as typeof op
          })()
        : op,
  },
  'ipv6 rdns always null': list((r) => [r.address.includes(':') ? { ...r, rdns: null } : r]),
  'no ipv6 rdns': list((r) => [r.address.includes(':') ? (({ rdns: _, ...o }) => o)(r) : r]),
  'lists private': { operation: (op) => (op.id === 'ips.list' ? { ...op, lists: () => true } : op) },
  'allocate on other node': on('ips.allocate', (after, before) =>
    table(after, 'ips', (e) => (before.tables.get('ips').live.has(e.key) ? e : { ...e, node_id: 103 })),
  ),
  'prefix 60 ok': { due: (due, op) => due },
}
test.runIf(process.env.F)(
  'faults',
  async () => {
    const out: string[] = []
    for (const [name, fault] of Object.entries(faults)) {
      const { findings } = await runAll({ fault })
      out.push(
        `${name}: ${findings.filter((f) => f.includes('must')).length} ${findings
          .slice(0, 2)
          .map((f) => f.slice(0, 160))
          .join(' // ')}`,
      )
    }
    console.log(out.join('\n'))
  },
  900000,
)
