import { createHash, generateKeyPairSync, verify } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { attest, faultOf } from '../../reports/attest.js'
import { fold } from '../../reports/fold.js'
import { sample } from './sample.js'

const pems = (): { privateKey: string; publicKey: string } => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  return {
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  }
}

const results = fold(sample)
const file = { name: 'results.json', bytes: Buffer.from(JSON.stringify(results)) }
const { privateKey, publicKey } = pems()
const envelope = attest(results, file, privateKey)
const statement = () => JSON.parse(Buffer.from(JSON.parse(envelope).payload, 'base64').toString())

describe('an attestation', () => {
  it('is a DSSE envelope whose signature is over its type and payload', () => {
    const { payloadType, payload, signatures } = JSON.parse(envelope)
    const body = Buffer.from(payload, 'base64')
    const signed = Buffer.concat([Buffer.from(`DSSEv1 28 ${payloadType} ${body.length} `), body])
    expect(payloadType).toBe('application/vnd.in-toto+json')
    expect(verify(null, signed, publicKey, Buffer.from(signatures[0].sig, 'base64'))).toBe(true)
  })

  it('says of which file it is, and what the result was of what', () => {
    const { _type, subject, predicate } = statement()
    expect(_type).toBe('https://in-toto.io/Statement/v1')
    expect(subject).toEqual([
      { name: 'results.json', digest: { sha256: createHash('sha256').update(file.bytes).digest('hex') } },
    ])
    expect(predicate.result).toBe('FAILED')
    expect(predicate.touchstone).toMatchObject({
      verdict: 'nonconforming',
      interface: '4.175.0',
      target: results.target,
    })
  })

  it('is good for its file and key', () => {
    expect(faultOf(envelope, file, publicKey)).toBeUndefined()
    expect(faultOf(envelope, file, privateKey)).toBeUndefined()
  })

  it('is not good for another key', () => {
    expect(faultOf(envelope, file, pems().publicKey)).toMatch(/^none of its signatures is of the key [0-9a-f]{64}$/)
  })

  it('is not good for another file', () => {
    expect(faultOf(envelope, { ...file, bytes: Buffer.from('{}') }, publicKey)).toMatch(/^it is of another file/)
  })

  it('is not good with another payload', () => {
    const payload = Buffer.from(JSON.stringify({ ...statement(), predicate: { result: 'PASSED' } })).toString('base64')
    expect(faultOf(JSON.stringify({ ...JSON.parse(envelope), payload }), file, publicKey)).toMatch(/^none of its sig/)
  })

  it.each(['', '{', '[]', '{"payloadType":"x"}', 'null'])('is not taken for one where it is %j', (text) => {
    expect(faultOf(text, file, publicKey)).toBe('it is no DSSE envelope of an in-toto statement')
  })

  it('asks for a key of Ed25519, and does not repeat what it got', () => {
    expect(() => attest(results, file, 'my secret')).toThrow(
      /^expected a private key of Ed25519 in PEM, received something else/,
    )
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' })
    expect(() => attest(results, file, other.toString())).toThrow('received ec')
  })
})
