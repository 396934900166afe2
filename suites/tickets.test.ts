import { conformance } from './register.js'

conformance('tickets')
