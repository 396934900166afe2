// What carries the passages of the document that no clause quotes: clauses named here, readings, defects, or why there is nothing to hold.

export interface Otherwise {
  /** Ids of clauses that hold it, though they quote another sentence that says the same. */
  readonly clauses?: readonly string[]
  /** A page under docs/readings. */
  readonly reading?: string
  /** Ids in the register of the document's defects. */
  readonly defects?: readonly string[]
  /** Why nothing is held against a target. */
  readonly because?: string
}

const structure = 'It says what the document has; its sections say what is required.'
const notShown = 'It says what is not shown, which is why the suite observes it and asks for nothing.'

/** By anchor. */
export const otherwise: Readonly<Record<string, Otherwise>> = {
  'preamble/1/1': { because: structure },
  'preamble/1/2': { because: 'So nothing else is held against a target.' },
  'preamble/1/3': { because: 'Every report says which version it is about.' },
  'preamble/1/4': { because: 'The base URL stands in the target file; every request goes below it.' },
  'preamble/1/5': { because: 'Every request goes to its path below the base URL.' },
  'preamble/1/7': {
    because: "An implementation's own spelling of the word is translated: see vocabulary in the target file.",
  },
  'what-the-service-does/2': { because: structure },
  'what-the-service-does/3': { because: structure },

  'what-the-service-does/4': { because: structure },
  'what-the-service-does/5': { because: structure },
  'what-the-service-does/6': { because: structure },
  'what-the-service-does/7': { clauses: ['tags.view.all-objects'], defects: ['tag-relation'] },
  'what-the-service-does/8/1': { because: 'It places the interface beside another one.' },
  'what-the-service-does/8/2': { because: 'That interface is not described, so no clause is about it.' },
  'collection-envelope/title': { clauses: ['volumes.list.envelope'] },
  'firewall-rule/title': { because: structure },
  'firewall/1/4': { clauses: ['firewall-devices.list.created-with', 'firewall-devices.list.assigned'] },
  'ip-assignment-object/title': { because: structure },
  'volume-status/1/1': { clauses: ['volumes.view.reply.status.enum'] },
  'volume-status/1/3': { because: 'It leads to the table below it.' },
  'volume-status/resize/effect': { clauses: ['volumes.resize.takes-effect', 'volumes.resize.shows.size'] },
  'firewall-status/firewall-create/condition': { clauses: ['firewalls.create.accepts'] },
  'endpoints-volumes/post-volumes/payload/2': { because: 'It leads to the table below it.' },
  'endpoints-volumes/volume-create-body/size/rules/2': { clauses: ['volumes.resize.only-up'] },
  'endpoints-volumes/volume-attach-body/persist_across_boots/rules/1': { clauses: ['volumes.attach.eight-per-node'] },
  'endpoints-object-storage/object-list-query-parameters/marker/type': {
    because: 'Whatever stands in a query is text.',
  },
  'endpoints-object-storage/object-url-create-body/method/rules/1': {
    clauses: ['object-urls.create.content-type-header'],
    because: 'What a URL allows shows only where it is used.',
  },
  'endpoints-managed/1/1': { defects: ['literal-linode-settings'] },
  'endpoints-tags/2': { reading: '../readings.md', because: notShown },
  'authentication/1/1': { defects: ['scopes-of-personal-tokens'] },
  'authentication/2/1': { defects: ['read-write-and-read-only', 'scope-ips-read'] },
  'authentication/4': { because: notShown },
  'events/1': { defects: ['events-out-of-reach'] },
  'errors/4': { because: notShown },
  'limits/1/3': { clauses: ['bucket-objects.list.complete', 'bucket-objects.list.next-marker'] },
  'limits/13': { reading: '../readings.md', because: notShown },
  'versioning/1/1': { because: 'Every report says which version it is about.' },
  'versioning/1/2': { because: 'The base URL of the target file holds the segment.' },
  'versioning/2': { because: notShown },
}
