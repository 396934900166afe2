// Keeps secrets of the interface out of the record: passwords, private keys and secret keys, in calls and in replies.
import type { Outcome, WireCall } from '../checker/record.js'

const secretNames = new Set(['password', 'private_key', 'secret_key', 'secret', 'secret_access_key'])

/** What stands for a secret: a text, so that a recorded call keeps its shape. */
const mask = '«redacted»'

const isSecret = (name: string, value: unknown): boolean =>
  typeof value === 'string' && value !== '' && secretNames.has(name.toLowerCase())

const hasSecret = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return false
  for (const name in value) {
    const member = (value as Readonly<Record<string, unknown>>)[name]
    if (typeof member === 'object' ? hasSecret(member) : isSecret(name, member)) return true
  }
  return false
}

const masked = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(masked)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, isSecret(name, member) ? mask : masked(member)]),
  )
}

/** The call as it may be recorded. */
export const redactCall = (call: WireCall): WireCall =>
  hasSecret(call.body) ? { ...call, body: masked(call.body) } : call

/** The outcome as it may be recorded. */
export const redactOutcome = (outcome: Outcome): Outcome =>
  'status' in outcome && hasSecret(outcome.body) ? { ...outcome, body: masked(outcome.body) } : outcome
