import { conformance } from './register.js'

conformance('firewalls')
