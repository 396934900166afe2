import { tell } from './register.js'
import { journeyTasks } from './tasks.js'

tell('journeys', journeyTasks)
