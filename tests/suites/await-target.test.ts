import { createServer } from 'node:http'
import { expect, onTestFinished, test, vi } from 'vitest'
import { embeddedTarget } from '../../reference/target.js'
import { awaitTarget } from '../../suites/await-target.js'
import { freePort } from '../cli/invoke.js'
import { secrets } from '../driver/hostile.js'

const targetAt = (port: number) => embeddedTarget({ baseUrl: `http://127.0.0.1:${port}/v4`, secrets: [...secrets] })

test('a target that does not answer yet is said to be waited for, with what came of the last try and how long it goes on', async () => {
  const port = await freePort()
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const said: string[] = []
  const waited = awaitTarget(targetAt(port), { waitMs: 600_000, say: (text) => said.push(text) })
  await vi.waitFor(
    () => {
      vi.advanceTimersByTime(5000)
      expect(said.at(-1)).toContain('ECONNREFUSED')
    },
    { timeout: 300_000 },
  )
  const server = createServer((_, response) => void response.end()).listen(port, '127.0.0.1')
  onTestFinished(() => void server.close())
  await waited
  const before = said.length
  vi.advanceTimersByTime(60_000)
  expect(said).toHaveLength(before)
  expect(said.at(-1)).toMatch(
    /^waiting for http:\/\/127\.0\.0\.1:\d+\/v4 to answer \(the last try: .*\); giving up in \d+ s$/,
  )
})

test('a target that never answers is waited for as long as was asked, and then no more', async () => {
  const port = await freePort()
  const from = performance.now()
  await awaitTarget(targetAt(port), { waitMs: 1000, say: () => undefined })
  expect(performance.now() - from).toBeGreaterThanOrEqual(1000)
})
