import { conformance } from './register.js'

conformance('tags')
