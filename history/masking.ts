// Keeps secrets of the interface out of records and reports: passwords, private keys and secret keys, in calls and in replies.
import { maskOf } from '../models/language/secrets.js'
import type { Outcome, WireCall } from './wire.js'

const secretNames = new Set(['password', 'private_key', 'secret_key', 'secret', 'secret_access_key'])

export const isSecretName = (name: string): boolean => secretNames.has(name.toLowerCase())

const spelled = new RegExp(`(?:${[...secretNames].join('|')})\\\\*"\\s*:\\s*\\\\*"([^"]+?)\\\\*"`, 'gi')

/** The values of secrets in a text that has JSON in it, or what was to be JSON. */
export const spelledSecrets = (text: string): readonly string[] =>
  !text.includes('"')
    ? []
    : [...text.matchAll(spelled)].flatMap(([, value]) =>
        value === undefined || maskOf(value) === value ? [] : [value],
      )

const isSecret = (name: string, value: unknown): boolean =>
  typeof value === 'string' && value !== '' && isSecretName(name)

const hasSecret = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return false
  for (const name in value) {
    const member = (value as Readonly<Record<string, unknown>>)[name]
    if (typeof member === 'object' ? hasSecret(member) : isSecret(name, member)) return true
  }
  return false
}

const replaced = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(replaced)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      isSecret(name, member) ? maskOf(member as string) : replaced(member),
    ]),
  )
}

/** The value with a mask in place of every secret; itself where it has none. */
export const masked = <T>(value: T): T => (hasSecret(value) ? (replaced(value) as T) : value)

/** The call as it may be recorded. */
export const redactCall = (call: WireCall): WireCall => {
  const body = masked(call.body)
  return body === call.body ? call : { ...call, body }
}

/** The outcome as it may be recorded. */
export const redactOutcome = (outcome: Outcome): Outcome => {
  if (!('status' in outcome)) return outcome
  const body = masked(outcome.body)
  return body === outcome.body ? outcome : { ...outcome, body }
}
