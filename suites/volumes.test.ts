import { conformance } from './register.js'

conformance('volumes')
