import { crossing } from './register.js'

crossing('pagination')
