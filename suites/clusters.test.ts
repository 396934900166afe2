import { conformance } from './register.js'

conformance('clusters')
