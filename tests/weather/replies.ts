// What gateways before a target are made of: the requests and replies that pass, and the replies that they give themselves.
import type { IncomingHttpHeaders } from 'node:http'

export interface Exchange {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: Buffer
  /** Where it is to be written as it stands, without a head of the server's. */
  readonly raw?: string
}

export interface Asking {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  /** How many came before it. */
  readonly n: number
  /** Which of several targets it is handed to; the first where it is left out. */
  readonly to?: number
}

export interface Tools {
  readonly draw: () => number
  readonly now: () => number
}

/** What becomes of a request: `pass` hands it on. */
export type Gateway = (
  tools: Tools,
) => (asking: Asking, pass: (asking?: Partial<Asking>) => Promise<Exchange>) => Promise<Exchange | 'reset'>

export const said = (status: number, type: string, text: string, headers: Exchange['headers'] = {}): Exchange => ({
  status,
  headers: { 'content-type': type, ...headers },
  body: Buffer.from(text),
})

export const html = (status: number, headers: Exchange['headers'] = {}): Exchange =>
  said(
    status,
    'text/html',
    `<html><head><title>${status}</title></head><body><h1>${status}</h1></body></html>`,
    headers,
  )

export const json = (status: number, body: unknown, headers: Exchange['headers'] = {}): Exchange =>
  said(status, 'application/json', JSON.stringify(body), headers)

/** One request in so many is turned away before it has come to the target. */
export const turnedAway =
  (oneIn: number, answer: (draw: () => number) => Exchange, only: (asking: Asking) => boolean = () => true): Gateway =>
  ({ draw }) =>
  async (asking, pass) =>
    only(asking) && draw() * oneIn < 1 ? answer(draw) : pass()

export const always =
  (change: (reply: Exchange, asking: Asking) => Exchange): Gateway =>
  () =>
  async (asking, pass) =>
    change(await pass(), asking)

export const some = <T>(draw: () => number, all: readonly [T, ...T[]]): T =>
  all[Math.floor(draw() * all.length)] ?? all[0]

export const isWrite = ({ method }: Asking): boolean => method !== 'GET'
