import { conformance } from './register.js'

conformance('firewall-devices')
