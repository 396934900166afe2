import { conformance } from './register.js'

conformance('ticket-replies')
