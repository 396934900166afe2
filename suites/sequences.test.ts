import { crossing } from './register.js'

crossing('sequences')
