import { tell } from './register.js'
import { nodeDeletionTask } from './tasks.js'

tell('node-deletion', [nodeDeletionTask])
