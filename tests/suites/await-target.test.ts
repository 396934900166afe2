import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { embeddedTarget } from '../../reference/target.js'
import { awaitTarget } from '../../suites/await-target.js'
import { secrets } from '../driver/hostile.js'

test('a target that does not answer yet is said to be waited for, with what came of the last try and how long it goes on', async () => {
  const server = createServer().listen(0)
  const { port } = server.address() as AddressInfo
  server.close()
  const target = embeddedTarget({ baseUrl: `http://127.0.0.1:${port}/v4`, secrets: [...secrets] })
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const said: string[] = []
  const waited = awaitTarget(target, { waitMs: 1200, say: (text) => said.push(text) })
  await vi.waitFor(() => {
    vi.advanceTimersByTime(5000)
    expect(said.at(-1)).toContain('ECONNREFUSED')
  })
  await waited
  const before = said.length
  vi.advanceTimersByTime(60_000)
  expect(said).toHaveLength(before)
  expect(said.at(-1)).toMatch(
    /^waiting for http:\/\/127\.0\.0\.1:\d+\/v4 to answer \(the last try: .*\); giving up in [12] s$/,
  )
})
