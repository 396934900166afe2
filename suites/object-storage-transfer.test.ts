import { conformance } from './register.js'

conformance('object-storage-transfer')
