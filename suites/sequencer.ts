// The order of the suites: by name, with what removes everything at the very end.
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const last = /[\\/]object-storage\.test\.[jt]s$/

export class SuiteSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): string => `${last.test(moduleId) ? 1 : 0}${moduleId}`
    return [...files].sort((a, b) => (rank(a) < rank(b) ? -1 : 1))
  }
}
