import { conformance } from './register.js'

conformance('managed-node-settings')
