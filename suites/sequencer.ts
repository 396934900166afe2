// The order of the suites: by name, with what cannot be brought back at the very end.
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const last = [/[\\/]object-storage\.test\.[jt]s$/, /[\\/]node-deletion\.test\.[jt]s$/]

export class SuiteSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): string =>
      `${last.findIndex((one) => one.test(moduleId)) + 1}${moduleId}`
    return [...files].sort((a, b) => (rank(a) < rank(b) ? -1 : 1))
  }
}
