import { conformance } from './register.js'

conformance('bucket-access')
