// Commands and requests as fast-check has them: they find what is broken, shrink, and replay by their path.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Account, accountCommands, deviations, openAccount, requests } from '../../library/fast-check.js'
import { type ReferenceOptions, startReference } from '../../library/reference.js'
import { operationById } from '../../models/index.js'
import { clausesOf } from '../../models/language/derive.js'
import type { Operation } from '../../models/language/operation.js'
import { seed } from '../seed.js'

const opened = async (options: ReferenceOptions = {}): Promise<Account> => {
  const out = mkdtempSync(join(tmpdir(), 'touchstone-'))
  const reference = await startReference(options)
  const account = await openAccount({ target: reference.target, out })
  onTestFinished(async () => {
    await account.close()
    await reference.close()
    rmSync(out, { recursive: true })
  })
  return account
}

const commandsOn = (account: Account, replayPath?: string) =>
  accountCommands(account, {
    operations: ['volumes.create', 'volumes.view', 'volumes.resize', 'tags.*'],
    maxCommands: 12,
    ...(replayPath !== undefined && { replayPath }),
  })

const runOn = (account: Account) =>
  fc.asyncProperty(commandsOn(account), (commands) => fc.asyncModelRun(account.setup, commands))

describe('commands on an account', () => {
  test('are not made of options that do not exist', async () => {
    await expect(openAccount({} as never)).rejects.toThrow('openAccount(options) target: expected a target file')
    expect(() => accountCommands({} as Account, { operation: [] } as never)).toThrow('Did you mean "operations"?')
  })

  test('pass on a conforming target', async () => {
    const account = await opened()
    const { failed, numRuns } = await fc.check(runOn(account), { numRuns: 3, seed: 3 })
    expect([failed, numRuns]).toEqual([false, 3])
  })

  test('fail on a broken one with the clause, shrink to few commands, and replay by their path', async () => {
    const account = await opened({ fault: 'volumes.create: shows a wrong label' })
    const found = await fc.check(runOn(account), { numRuns: 20, seed: 3 })
    const { message } = found.errorInstance as Error
    expect(message).toContain('volumes.create.shows.label')
    const [counterexample] = found.counterexample ?? []
    const commands = String(counterexample)
    expect(commands.match(/\w+\.\w+\(/g)).toEqual(['volumes.create('])
    const replayPath = /replayPath="([^"]*)"/.exec(commands)?.[1] ?? ''
    const again = fc.asyncProperty(commandsOn(account, replayPath), (all) => fc.asyncModelRun(account.setup, all))
    const replayed = await fc.check(again, {
      seed: found.seed,
      path: found.counterexamplePath ?? '',
      endOnFailure: true,
    })
    expect((replayed.errorInstance as Error).message).toContain('volumes.create.shows.label')
  })

  test('are refused where no operation is meant', async () => {
    const account = await opened()
    expect(() => accountCommands(account, { operations: ['volume.*'] })).toThrow(
      'operations: received "volume.*". No operation matches it. Did you mean "volumes.*"?',
    )
    expect(() => accountCommands(account, { operations: ['tags.*', 'volume.*'] })).toThrow('"volume.*"')
    expect(() => accountCommands(account, { operations: [] })).toThrow('received none')
  })
})

describe('requests', () => {
  const post = async ({ path, body }: { readonly path: string; readonly body?: unknown }) => {
    const reference = await startReference({ listen: false })
    const headers = { authorization: `Bearer ${reference.secrets.owner}`, 'content-type': 'application/json' }
    const reply = await reference.fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
    await reference.close()
    return reply.status
  }

  test('are accepted, whatever their edges', async () => {
    await fc.assert(
      fc.asyncProperty(requests('managed-contacts.create'), async (request) => {
        expect(await post(request)).toBe(200)
      }),
      { seed, numRuns: 30 },
    )
  })

  test('that deviate are refused, each for the clause that it names', async () => {
    const clauses = new Set<string>()
    await fc.assert(
      fc.asyncProperty(deviations('managed-contacts.create'), async ({ clause, ...request }) => {
        clauses.add(clause)
        expect(await post(request)).toBe(400)
      }),
      { seed, numRuns: 30 },
    )
    expect(clauses.size).toBeGreaterThan(1)
    const known = clausesOf(operationById('managed-contacts.create') as Operation).map(({ id }) => id)
    expect([...clauses].filter((one) => !known.includes(one))).toEqual([])
  })

  test('of an operation that is not known are refused', () => {
    expect(() => requests('volumes.paint')).toThrow('no operation "volumes.paint"')
    expect(() => requests('volumes.creat')).toThrow('Did you mean "volumes.create"?')
    expect(() => deviations('volumes.detach')).toThrow('no clause of volumes.detach')
  })
})
