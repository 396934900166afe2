// A vitest pool whose one worker is this very thread: nothing is loaded twice, and no message goes from thread to thread.
import { EventEmitter } from 'node:events'
import type { PoolRunnerInitializer } from 'vitest/node'
import { init, runBaseTests, setupEnvironment } from 'vitest/worker'

/** For one vitest at a time, and none within another's worker. */
export const ownThread = (): PoolRunnerInitializer => {
  const [toWorker, toRunner] = [new EventEmitter(), new EventEmitter()]
  init({
    post: sender(toRunner),
    on: (listener) => toWorker.on('message', listener),
    off: (listener) => toWorker.off('message', listener),
    runTests: (state, traces) => runBaseTests('run', state, traces),
    collectTests: (state, traces) => runBaseTests('collect', state, traces),
    setup: setupEnvironment,
  })
  return {
    name: 'own thread',
    createPoolWorker: () => ({
      name: 'own thread',
      on: (event, listener) => void toRunner.on(event, listener),
      off: (event, listener) => void toRunner.off(event, listener),
      send: sender(toWorker),
      deserialize: (message) => message,
      start: async () => undefined,
      stop: async () => undefined,
    }),
  }
}

/** Each side changes what it holds, so what is sent is a copy, as between threads. */
const sender =
  (to: EventEmitter) =>
  (message: unknown): void => {
    const copy: unknown = structuredClone(message)
    queueMicrotask(() => to.emit('message', copy))
  }
