import { conformance } from './register.js'

conformance('managed-credentials')
