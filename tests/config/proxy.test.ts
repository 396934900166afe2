// Which proxy the environment names for a target.
import { expect, test } from 'vitest'
import { proxyFor } from '../../config/proxy.js'

const https = 'https://api.staging.example/v4'
const corporate = { HTTPS_PROXY: 'http://proxy.example:3128', HTTP_PROXY: 'http://plain.example:8080' }

test.each([
  ['none where no variable is set', https, {}, undefined],
  ['an empty variable is none', https, { HTTPS_PROXY: '' }, undefined],
  ['the scheme of the target tells which', https, corporate, 'http://proxy.example:3128'],
  ['and so for http', 'http://api.staging.example/v4', corporate, 'http://plain.example:8080'],
  ['one for http is none for https', https, { HTTP_PROXY: 'http://plain.example:8080' }, undefined],
  [
    'lower case stands above upper case',
    https,
    { ...corporate, https_proxy: 'http://a.example:1' },
    'http://a.example:1',
  ],
  ['one for all stands below', https, { ...corporate, ALL_PROXY: 'http://a.example:1' }, 'http://proxy.example:3128'],
  ['one for all is taken where there is no other', https, { ALL_PROXY: 'http://a.example:1' }, 'http://a.example:1'],
  ['a scheme may be missing', https, { HTTPS_PROXY: 'proxy.example:3128' }, 'http://proxy.example:3128'],
])('%s', (_, baseUrl, env, url) => {
  expect(proxyFor(baseUrl, env)?.url).toBe(url)
})

test.each([
  'http://localhost:8080/v4',
  'http://api.localhost/v4',
  'http://127.0.0.1/v4',
  'http://127.9.9.9/v4',
  'https://[::1]:8443/v4',
  'http://[::ffff:127.0.0.1]/v4',
])('nothing for this machine goes through a proxy: %s', (baseUrl) => {
  expect(proxyFor(baseUrl, { ...corporate, ALL_PROXY: 'http://a.example:1' })).toBeUndefined()
})

test.each([
  ['*', true],
  ['api.staging.example', true],
  ['API.Staging.Example', true],
  ['staging.example', true],
  ['.example', true],
  ['*.staging.example', true],
  ['a.example, staging.example', true],
  ['a.example staging.example:443', true],
  ['staging.example:8443', false],
  ['ging.example', false],
  ['api.staging.example.org', false],
  ['', false],
])('NO_PROXY of "%s" exempts the target: %s', (list, isExempt) => {
  expect(proxyFor(https, { ...corporate, NO_PROXY: list }) === undefined).toBe(isExempt)
})

test.each([
  ['10.1.2.3', '10.0.0.0/8', true],
  ['10.1.2.3', '10.1.2.3', true],
  ['10.1.2.3', '10.1.2.3:443', true],
  ['10.1.2.3', '10.1.2.3:80', false],
  ['11.1.2.3', '10.0.0.0/8', false],
  ['[fd00::5]', 'fd00::/8', true],
  ['[fd00::5]', 'fd00:0::5', true],
  ['[fd00::5]', '[fd00::5]:443', true],
  ['[fd00::5]', '10.0.0.0/8', false],
])('for the address %s NO_PROXY of "%s" exempts it: %s', (host, list, isExempt) => {
  expect(proxyFor(`https://${host}/v4`, { ...corporate, NO_PROXY: list }) === undefined).toBe(isExempt)
})

test('credentials of an address are kept apart from it, and are decoded', () => {
  expect(proxyFor(https, { HTTPS_PROXY: 'http://me:p%40s%@proxy.example:3128' })).toEqual({
    url: 'http://proxy.example:3128',
    authorization: `Basic ${Buffer.from('me:p@s%').toString('base64')}`,
    variable: 'HTTPS_PROXY',
  })
})

test('credentials that are no UTF-8 are sent as the bytes that they are', () => {
  const { authorization = '' } = proxyFor(https, { HTTPS_PROXY: 'http://me:%ff%C3%A9@proxy.example:3128' }) ?? {}
  expect(Buffer.from(authorization.replace('Basic ', ''), 'base64').toString('latin1')).toBe('me:\u00ff\u00c3\u00a9')
})

test.each([
  ['socks5://me:secret@proxy.example:1080', 'received one that begins with socks5://.'],
  ['http://me:secret@:3128', 'received something else (not shown).'],
])('an address of no HTTP proxy is refused, and its password is not shown: %s', (address, received) => {
  const refused = () => proxyFor(https, { ALL_PROXY: address })
  expect(refused).toThrow(received)
  expect(refused).toThrow('Correct ALL_PROXY, or name the host of the target in NO_PROXY.')
  expect(refused).not.toThrow('secret')
})
