import { conformance } from './register.js'

conformance('object-urls')
