import { conformance } from './register.js'

conformance('bucket-objects')
