// Which HTTP proxy leads to a target, as the environment says it; not how it is spoken to.
import ipaddr from 'ipaddr.js'
import { readVariable } from './env.js'
import { TargetError } from './errors.js'

type Env = Readonly<Record<string, string | undefined>>

export interface HttpProxy {
  /** Its address without credentials. */
  readonly url: string
  /** The value of `Proxy-Authorization`, where the address has credentials. */
  readonly authorization?: string
  /** The environment variable that named it. */
  readonly variable: string
}

/**
 * The proxy for a base URL: HTTPS_PROXY or HTTP_PROXY by its scheme, else ALL_PROXY, each in lower case first; none for what NO_PROXY
 * names, and none for this machine.
 * @throws TargetError where the variable holds no address of an HTTP proxy
 */
export function proxyFor(baseUrl: string, env: Env): HttpProxy | undefined {
  const { protocol, hostname, port } = new URL(baseUrl)
  const host = hostname.replace(/^\[|\]$/g, '')
  const scheme = protocol.slice(0, -1)
  const names = [`${scheme}_proxy`, 'all_proxy'].flatMap((name) => [name, name.toUpperCase()])
  const variable = names.find((name) => readVariable(env, name) !== undefined)
  const isDirect = isHere(host) || isExempt(host, port || defaultPorts[scheme] || '', env)
  return variable === undefined || isDirect ? undefined : proxyAt(env[variable] ?? '', variable)
}

/** What is said of a target behind one, with the address of the target before it. */
export const proxyText = (proxy: HttpProxy | undefined): string =>
  proxy === undefined ? '' : ` through the proxy ${proxy.url} (${proxy.variable})`

const defaultPorts: Readonly<Record<string, string>> = { http: '80', https: '443' }

function proxyAt(text: string, variable: string): HttpProxy {
  const url = parsed(text.includes('://') ? text : `http://${text}`)
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.hostname === '')
    throw new TargetError(
      `environment variable ${variable}: expected the address of an HTTP proxy, such as http://proxy.example:3128; received ${
        url === undefined ? 'something else (not shown)' : `one that begins with ${url.protocol}//`
      }. Correct ${variable}, or name the host of the target in NO_PROXY.`,
    )
  const { username, password, origin } = url
  const credentials = Buffer.concat([decoded(username), Buffer.from(':'), decoded(password)])
  return {
    url: origin,
    ...(username !== '' && { authorization: `Basic ${credentials.toString('base64')}` }),
    variable,
  }
}

const parsed = (text: string): URL | undefined => (URL.canParse(text) ? new URL(text) : undefined)

/** The bytes that a part of a URL stands for, whether they are UTF-8 or not. A percent sign that begins no code stands for itself. */
const decoded = (text: string): Buffer =>
  Buffer.from(
    text.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  )

/** Whether a host is this machine: what goes to it leaves it by no proxy. */
function isHere(host: string): boolean {
  return /(?:^|\.)localhost$/i.test(host) || (ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback')
}

function isExempt(host: string, port: string, env: Env): boolean {
  const entries = (readVariable(env, 'no_proxy') ?? readVariable(env, 'NO_PROXY') ?? '').split(/[\s,]+/)
  return entries.some((entry) => entry !== '' && covers(entry.toLowerCase(), host.toLowerCase(), port))
}

/** Whether an entry of NO_PROXY names a host: everything, a network, an address, or a name with what is below it; with a port or any. */
function covers(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true
  if (ipaddr.isValidCIDR(entry)) return isWithin(host, entry)
  const [, bracketed, named, only] = /^(?:\[(.+)\]|([^:]*|.*:.*:.*?))(?::(\d+))?$/.exec(entry) ?? []
  if (only !== undefined && only !== port) return false
  const name = (bracketed ?? named ?? '').replace(/^\*?\./, '')
  if (ipaddr.isValid(name) && ipaddr.isValid(host))
    return ipaddr.process(name).toNormalizedString() === ipaddr.process(host).toNormalizedString()
  return name !== '' && (host === name || host.endsWith(`.${name}`))
}

function isWithin(host: string, network: string): boolean {
  if (!ipaddr.isValid(host)) return false
  const address = ipaddr.process(host)
  const [base, bits] = ipaddr.parseCIDR(network)
  return address.kind() === base.kind() && address.match(base, bits)
}
