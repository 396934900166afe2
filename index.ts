// What the package offers to those who import it.

export { defineTarget, type Hooks, type TargetEvent, type TargetFile } from './config/target-file.js'
