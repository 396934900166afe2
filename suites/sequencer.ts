// The order of the suites: by name, with what cannot be brought back at the very end.
import { basename } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { last } from './catalog.js'

export class SuiteSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): string =>
      `${last.indexOf(basename(moduleId).replace(/\.test\.[jt]s$/, '')) + 1}${moduleId}`
    return [...files].sort((a, b) => (rank(a) < rank(b) ? -1 : 1))
  }
}
