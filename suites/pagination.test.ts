import { tell } from './register.js'
import { walkTasks } from './tasks.js'

tell('pagination', walkTasks)
