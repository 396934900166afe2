import { conformance } from './register.js'

conformance('buckets')
