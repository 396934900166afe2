// The operation that shows the account's public SSH key for Managed; the credentials are apart.

import { textsIn } from '../language/objects.js'
import { anything, operation } from '../language/operation.js'
import { endpoints, reading, withoutManagedShown } from '../managed/common.js'

export const viewSshKey = operation({
  id: 'managed-credentials.ssh-key',
  area: 'managed',
  method: 'GET',
  path: '/managed/credentials/sshkey',
  reach: { in: 'services', alone: false, lent: false },
  source: endpoints,
  summary: "Shows the account's public SSH key for Managed.",
  scopes: reading,
  unrestrictedOnly: true,
  params: {},
  reply: anything,
  draft: () => ({}),
  silences: [withoutManagedShown('managed-credentials.ssh-key')],
  statements: [
    {
      id: 'managed-credentials.ssh-key.public-key',
      source: `${endpoints}, GET /managed/credentials/sshkey`,
      text: "The reply holds the account's public key, which is a text.",
      holds: ({ reply }) => textsIn(reply).some((text) => text.trim() !== '') || 'the reply holds no text',
      probe: (plan) => void plan.check('managed-credentials.ssh-key'),
    },
    {
      id: 'managed-credentials.ssh-key.no-private-key',
      level: 'should',
      source: `${endpoints}, GET /managed/credentials/sshkey; by inference: a secret is not shown`,
      text: 'The reply holds no private key.',
      holds: ({ reply }) =>
        !textsIn(reply).some((text) => /BEGIN [A-Z ]*PRIVATE KEY/.test(text)) || 'the reply holds a private key',
      probe: (plan) => void plan.check('managed-credentials.ssh-key'),
    },
    {
      id: 'managed-credentials.ssh-key.form',
      level: 'should',
      source: `${endpoints}, GET /managed/credentials/sshkey; RFC 4253; RFC 4716`,
      text: 'The key is written as OpenSSH, RFC 4716 or PEM write one.',
      holds: ({ reply }) =>
        textsIn(reply).some((text) =>
          // Its kind, which OpenSSH writes before it, may be a member of its own.
          /(?:^|\s)AAAA[\w+/]|BEGIN (?:SSH2 |RSA )?PUBLIC KEY/.test(text),
        ),
      probe: (plan) => void plan.check('managed-credentials.ssh-key'),
    },
  ],
  render: ({ account }) => ({ ssh_key: `ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAgQC managed@${account ?? 'account'}` }),
})

export const managedSshKeyOperations = [viewSshKey]
