// How this target uses the freedom that the document leaves, and which sentence it breaks on purpose; not what it does with either.

export interface Options {
  readonly seed: number
  /** What becomes of a request about which the document is silent; `whim` decides anew each time. */
  readonly silence: 'accept' | 'refuse' | 'mixed' | 'whim'
  readonly codes: 'plain' | 'odd'
  /** How an error spells the field. */
  readonly fields: 'leaf' | 'dotted' | 'bracketed' | 'prefixed'
  /** Whether an error beside the first one says that the request was refused. */
  readonly manyErrors: boolean
  /** The field of an error that concerns none. */
  readonly noField: '' | 'request' | 'base'
  /** What is looked at first where the body and the state are both wrong. */
  readonly first: 'body' | 'state'
  readonly order: 'made' | 'newest' | 'shuffled'
  /** `reused`: the next id is one more than the highest there is, so that those of deleted ones come again. */
  readonly ids: 'counting' | 'per kind' | 'scattered' | 'huge' | 'negative' | 'reused'
  /** How much a record shows where the document does not show its members; `alien` has names of its own for them. */
  readonly records: 'plain' | 'extra' | 'bare' | 'alien'
  /** What a creation answers where the document does not show it. */
  readonly creation: 'record' | 'without id' | 'empty' | 'echo' | 'odd'
  /** What any other write answers there. */
  readonly change: 'record' | 'empty' | 'echo' | 'odd'
  readonly removal: 'object' | 'none' | 'record'
  /** Whether values are shown in a spelling of its own: networks, addresses, hosts, defaults in place of null. */
  readonly normalises: boolean
  /** Whether rules are shown as they were sent, or with every member. */
  readonly rulesShown: 'as sent' | 'whole'
  readonly exactScopes: boolean
  /** Whether firewalls stay in view with status deleted. */
  readonly keepsDeleted: boolean
  readonly shareExtends: boolean
  /** Whether shares stay when a node is deleted. */
  readonly sharesOutlive: boolean
  readonly rangesOutlive: boolean
  readonly devicesOutlive: boolean
  /** Whether tags that only volumes and firewalls carry are tags in the list. */
  readonly carriedTagsListed: boolean
  readonly unknownTag: 'refused' | 'empty'
  readonly emptyPages: 0 | 1
  /** Page sizes of the volumes list, whose bounds are not shown. */
  readonly volumePages: 'standard' | 'odd'
  /** Whether lists that are only called paginated take any page size, nearest to the bounds. */
  readonly loosePages: boolean
  /** Most live resources of a kind on an account; 0 for no quota. */
  readonly quota: number
  /** One request in so many is put off with 429, 502 or 503; 0 for none. */
  readonly busyEvery: number
  readonly dates: 'utc' | 'offset' | 'lower'
  /** By how much the target's clock is wrong. */
  readonly clockMs: number
  readonly restricted: 'accept' | 'refuse'
  readonly settling: 'instant' | 'reads' | 'soon' | 'slow' | 'restless'
  /** Whether a creation with a node says creating and no node, and attaches when it is done. */
  readonly attachesLater: boolean
  readonly cloneTags: boolean
  /** Whether an update of nothing moves the time of the last update. */
  readonly alwaysTouches: boolean
  /** Whether a firewall's device for a service that it has already is answered with the device that is there. */
  readonly sameDevice: boolean
  /** Whether several assignments in one call take place together or one after the other. */
  readonly atomicMoves: boolean
  /** Whether addresses that were given up are allocated again, the lowest first. */
  readonly reusesAddresses: boolean
  readonly revokedLabelsReserved: boolean
  /** Whether lists cut long texts. */
  readonly abbreviates: boolean
  readonly bucketNames: 'as given' | 'lower case'
  /** How the buckets of a cluster are told. */
  readonly clusterBuckets: 'envelope' | 'array' | 'object'
  readonly keyAccess: 'as given' | 'left out' | 'empty as null'
  readonly cancelTakesKeys: boolean
  readonly openClusters: boolean
  readonly certificateShown: 'member' | 'boolean'
  readonly ticketIds: 'numbers' | 'texts'
  readonly ticketStates: 'open and closed' | 'new and solved'
  readonly repliesReopen: boolean
  readonly answersAtOnce: boolean
  /** Whether accounts without Managed are refused there. */
  readonly managedOnly: boolean
  /** How JSON is written. */
  readonly json: 'plain' | 'pretty' | 'escaped' | 'decimal'
  readonly compresses: boolean
  readonly closes: boolean
  /** Whether a bucket with a name of sixteen digits is there. */
  readonly digitBucket: boolean
  /** How long after the reply an effect is visible. */
  readonly lagMs: number
  /** To which calls; `all`: writes too, which are then refused for what has passed as well. */
  readonly lagsFor: 'reads' | 'lists' | 'every second read' | 'all'
  /** Whether somebody else works in the same accounts. */
  readonly strangers: boolean
  /** What becomes of tags that an update leaves out. */
  readonly tagsLeftOut: 'kept' | 'dropped'
  /** Whether volumes within and past the profile of a node take room from each other. */
  readonly countsTogether: boolean
  /** Name of the broken sentence; '' for none. */
  readonly fault: string
}

export const PLAIN: Options = {
  seed: 1,
  silence: 'accept',
  codes: 'plain',
  fields: 'leaf',
  manyErrors: false,
  noField: '',
  first: 'body',
  order: 'made',
  ids: 'counting',
  records: 'plain',
  creation: 'record',
  change: 'record',
  removal: 'object',
  normalises: false,
  rulesShown: 'as sent',
  exactScopes: false,
  keepsDeleted: false,
  shareExtends: false,
  sharesOutlive: false,
  rangesOutlive: false,
  devicesOutlive: false,
  carriedTagsListed: true,
  unknownTag: 'refused',
  emptyPages: 1,
  volumePages: 'standard',
  loosePages: false,
  quota: 0,
  busyEvery: 0,
  dates: 'utc',
  clockMs: 0,
  restricted: 'accept',
  settling: 'instant',
  attachesLater: false,
  cloneTags: false,
  alwaysTouches: true,
  sameDevice: false,
  atomicMoves: true,
  reusesAddresses: false,
  revokedLabelsReserved: false,
  abbreviates: false,
  bucketNames: 'as given',
  clusterBuckets: 'envelope',
  keyAccess: 'as given',
  cancelTakesKeys: false,
  openClusters: false,
  certificateShown: 'member',
  ticketIds: 'numbers',
  ticketStates: 'open and closed',
  repliesReopen: false,
  answersAtOnce: false,
  managedOnly: false,
  json: 'plain',
  compresses: false,
  closes: false,
  digitBucket: false,
  lagMs: 0,
  lagsFor: 'reads',
  strangers: false,
  tagsLeftOut: 'kept',
  countsTogether: true,
  fault: '',
}

/** By each option, the ways that differ from the plain one. */
export const WAYS: { readonly [Name in keyof Options]?: readonly Options[Name][] } = {
  silence: ['refuse', 'mixed', 'whim'],
  codes: ['odd'],
  fields: ['dotted', 'bracketed', 'prefixed'],
  manyErrors: [true],
  noField: ['request', 'base'],
  first: ['state'],
  order: ['newest', 'shuffled'],
  ids: ['per kind', 'scattered', 'huge', 'negative', 'reused'],
  records: ['extra', 'bare', 'alien'],
  creation: ['without id', 'empty', 'echo', 'odd'],
  change: ['empty', 'echo', 'odd'],
  removal: ['none', 'record'],
  normalises: [true],
  rulesShown: ['whole'],
  exactScopes: [true],
  keepsDeleted: [true],
  shareExtends: [true],
  sharesOutlive: [true],
  rangesOutlive: [true],
  devicesOutlive: [true],
  carriedTagsListed: [false],
  unknownTag: ['empty'],
  emptyPages: [0],
  volumePages: ['odd'],
  loosePages: [true],
  quota: [12],
  busyEvery: [97],
  dates: ['offset', 'lower'],
  clockMs: [-86_400_000, 3_600_000],
  restricted: ['refuse'],
  settling: ['reads', 'soon', 'slow', 'restless'],
  attachesLater: [true],
  cloneTags: [true],
  alwaysTouches: [false],
  sameDevice: [true],
  atomicMoves: [false],
  reusesAddresses: [true],
  revokedLabelsReserved: [true],
  abbreviates: [true],
  bucketNames: ['lower case'],
  clusterBuckets: ['array', 'object'],
  keyAccess: ['left out', 'empty as null'],
  cancelTakesKeys: [true],
  openClusters: [true],
  certificateShown: ['boolean'],
  ticketIds: ['texts'],
  ticketStates: ['new and solved'],
  repliesReopen: [true],
  answersAtOnce: [true],
  managedOnly: [true],
  json: ['pretty', 'escaped', 'decimal'],
  compresses: [true],
  closes: [true],
  digitBucket: [true],
  lagMs: [150],
  strangers: [true],
  tagsLeftOut: ['dropped'],
  countsTogether: [false],
}

/** Ways that take long or come and go, and so stand only where they are asked for. */
const APART: readonly string[] = ['busyEvery', 'lagMs', 'strangers', 'slow', 'closes']

/** A mix of ways that the seed alone decides. */
export const drawn = (seed: number): Options => {
  const draw = random(seed * 7919 + 13)
  const mixed: Record<string, unknown> = { ...PLAIN, seed }
  for (const [name, ways] of Object.entries(WAYS)) {
    const usual = ways.filter((way) => !APART.includes(String(way)))
    const at = Math.floor(draw() * (usual.length + 1))
    if (at > 0 && !APART.includes(name)) mixed[name] = usual[at - 1]
  }
  return mixed as unknown as Options
}

/** The asking side of the options: whether a rule holds, where a bound lies, whether a silent matter is accepted. */
export interface Rules {
  readonly options: Options
  /** False for the one sentence that is broken; ask last, since that counts as an activation. */
  readonly holds: (name: string) => boolean
  /** The bound, moved by one where the fault is its name with `+1` or `-1`. */
  readonly bound: (name: string, value: number) => number
  readonly silent: (topic: string) => boolean
  readonly draw: () => number
  /** The fault without what says how often it shows. */
  readonly fault: string
  /** How often the fault took effect. */
  readonly struck: () => number
}

/** What says how often a fault shows stands after its name. */
const OFTEN = { ' (every third time)': 3, ' (half of the time)': 2 } as const

export const rules = (options: Options): Rules => {
  const draw = random(options.seed)
  const often = Object.entries(OFTEN).find(([words]) => options.fault.endsWith(words))
  const fault = often ? options.fault.slice(0, -often[0].length) : options.fault
  let asked = 0
  let struck = 0
  const strikes = (): boolean => {
    asked += 1
    if (often?.[1] === 3 && asked % 3 !== 0) return false
    if (often?.[1] === 2 && draw() < 0.5) return false
    struck += 1
    return true
  }
  return {
    options,
    fault,
    draw,
    struck: () => struck,
    holds: (name) => fault !== name || !strikes(),
    bound: (name, value) => {
      const by = fault === `${name}+1` ? 1 : fault === `${name}-1` ? -1 : 0
      return by !== 0 && strikes() ? value + by : value
    },
    silent: (topic) => {
      if (options.silence === 'whim') return draw() < 0.5
      return options.silence === 'mixed' ? hash(`${options.seed} ${topic}`) % 2 === 0 : options.silence === 'accept'
    },
  }
}

/** mulberry32: numbers from 0 to below 1. */
export const random = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

export const hash = (text: string): number => {
  let value = 2166136261
  for (const letter of text) value = Math.imul(value ^ (letter.codePointAt(0) ?? 0), 16777619) >>> 0
  value = Math.imul(value ^ (value >>> 15), 2246822519) >>> 0
  return (value ^ (value >>> 13)) >>> 0
}
