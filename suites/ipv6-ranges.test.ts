import { conformance } from './register.js'

conformance('ipv6-ranges')
