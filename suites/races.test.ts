import { crossing } from './register.js'

crossing('races')
