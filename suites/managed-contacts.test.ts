import { conformance } from './register.js'

conformance('managed-contacts')
