import { conformance } from './register.js'

conformance('object-acl')
