import { conformance } from './register.js'

conformance('object-keys')
