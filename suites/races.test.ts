import { tell } from './register.js'
import { raceTasks } from './tasks.js'

tell('races', raceTasks)
