import { conformance } from './register.js'

conformance('ips')
