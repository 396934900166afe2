import { conformance } from './register.js'

conformance('ipv4')
