import { crossing } from './register.js'

crossing('journeys')
