import { conformance } from './register.js'

conformance('vlans')
