import { crossing } from './register.js'

crossing('node-deletion')
