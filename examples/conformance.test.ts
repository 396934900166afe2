// The conformance suites in a vitest run of your own. Here the target is the reference; name your target file in its place.

import { startReference } from 'touchstone/reference'
import { conformance } from 'touchstone/vitest'
import { afterAll } from 'vitest'

const starting = startReference()
afterAll(async () => (await starting).close())

conformance({
  target: async () => (await starting).target, // or 'staging.json', or 'https://api.staging.example/v4'
  select: { operations: ['tags.*'] }, // leave it out for everything
  crossing: true, // walks over pages, sequences, races and random programs as well; they come by themselves without select
  expectedFindings: [], // ids of findings that are known: their tests are expected to fail
})
