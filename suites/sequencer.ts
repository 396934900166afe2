// The order of the suites where vitest runs them: by name, with what cannot be brought back at the very end.
import { basename } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { inOrder } from './catalog.js'

const suiteOf = ({ moduleId }: TestSpecification): string => basename(moduleId).replace(/\.test\.[jt]s$/, '')

export class SuiteSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const order = inOrder(files.map(suiteOf))
    return [...files].sort((a, b) => order.indexOf(suiteOf(a)) - order.indexOf(suiteOf(b)))
  }
}
