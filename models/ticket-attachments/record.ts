// Files that a ticket takes, with a genuine sample of each kind, and what is learned of the form that carries them.
import type { Table } from '../language/world.js'

/** Names of form fields under which a file was taken; the document does not show the name. */
export const attachmentFields: Table<{ accepted: boolean }> = {
  name: 'attachment-fields',
  fields: [],
  identify: () => undefined,
  change: { lasting: [], outside: [], renewable: false },
  closable: false,
}

// Each is the smallest picture or document of its kind that programs open.
const gif = 'R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAkQBADs='
const jpeg =
  '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB' +
  'AQH/wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAAP/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AP//Z'
const progressive =
  '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB' +
  'AQH/wgALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQAAAAB//8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPwB//9k='
const tiff =
  'SUkqAAoAAAAAAAkAAAEDAAEAAAABAAAAAQEDAAEAAAABAAAAAgEDAAEAAAAIAAAAAwEDAAEAAAABAAAABgEDAAEAAAABAAAAEQEEAAEAAAAIAAAA' +
  'FQEDAAEAAAABAAAAFgEDAAEAAAABAAAAFwEEAAEAAAABAAAAAAAAAA=='
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=='
const pdf =
  'JVBERi0xLjQKMSAwIG9iajw8L1R5cGUvQ2F0YWxvZy9QYWdlcyAyIDAgUj4+IGVuZG9iagoyIDAgb2JqPDwvVHlwZS9QYWdlcy9LaWRzWzMgMCBSXS9D' +
  'b3VudCAxPj4gZW5kb2JqCjMgMCBvYmo8PC9UeXBlL1BhZ2UvUGFyZW50IDIgMCBSL01lZGlhQm94WzAgMCA5IDldPj4gZW5kb2JqCnhyZWYKMCA0CjAw' +
  'MDAwMDAwMDAgNjU1MzUgZiAKMDAwMDAwMDAwOSAwMDAwMCBuIAowMDAwMDAwMDUzIDAwMDAwIG4gCjAwMDAwMDAxMDMgMDAwMDAgbiAKdHJhaWxlcjw8' +
  'L1NpemUgNC9Sb290IDEgMCBSPj4Kc3RhcnR4cmVmCjE2MwolJUVPRgo='

/** Extensions that a ticket takes, each with the content of such a file, a character for each byte. */
export const samples: Readonly<Record<string, string>> = {
  gif: atob(gif),
  jpg: atob(jpeg),
  jpeg: atob(jpeg),
  pjpg: atob(progressive),
  pjpeg: atob(progressive),
  tif: atob(tiff),
  tiff: atob(tiff),
  png: atob(png),
  pdf: atob(pdf),
  txt: 'A plain text.\n',
}

/** How a form calls the content of such a file, by its extension. */
export const mediaTypes: Readonly<Record<string, string>> = {
  gif: 'image/gif',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  pjpg: 'image/pjpeg',
  pjpeg: 'image/pjpeg',
  tif: 'image/tiff',
  tiff: 'image/tiff',
  png: 'image/png',
  pdf: 'application/pdf',
  txt: 'text/plain',
}
