import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createProgram } from '../cli/program.js'
import { allClauses } from '../models/index.js'
import { matchesGlob } from '../models/language/glob.js'
import { allChoices } from '../suites/choices.js'
import { root } from './sources.js'

const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...(readdirSync(join(root, 'docs'), { recursive: true }) as string[])
    .map((name) => `docs/${name.replaceAll('\\', '/')}`)
    .filter((name) => name.endsWith('.md'))
    .sort(),
]

const read = (page: string): string => readFileSync(join(root, page), 'utf8')

/** Links to files of the project, with the page that has them. */
const links = pages.flatMap((page) =>
  [...read(page).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(([, link]) => ({ page, link: link as string })),
)

/** As GitHub spells the anchor of a heading. */
const anchorsOf = (page: string): readonly string[] =>
  [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    (heading as string)
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )

describe('pages', () => {
  test('every link within the project leads to a file that is there', () => {
    const broken = links.filter(({ page, link }) => {
      const [file = ''] = link.split('#')
      return file !== '' && !existsSync(join(root, dirname(page), file))
    })
    expect(links).not.toEqual([])
    expect(broken).toEqual([])
  })

  test('every link to a heading leads to one that is there', () => {
    const broken = links.filter(({ page, link }) => {
      const [file = '', anchor] = link.split('#')
      const target = file === '' ? page : join(dirname(page), file)
      return anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).includes(anchor)
    })
    expect(broken).toEqual([])
  })

  test('the README has a line for every command, and for no other', () => {
    const section = read('README.md').split('\n## Commands\n')[1]?.split('\n## ')[0] ?? ''
    const named = [...section.matchAll(/^\| `touchstone (\w+)/gm)].map(([, name]) => name as string)
    const program = createProgram('touchstone', () => undefined)
    expect(named.sort()).toEqual(program.commands.map((command) => command.name()).sort())
  })

  test('docs/readings.md leads to every page of readings', () => {
    const listed = links.filter(({ page }) => page === 'docs/readings.md').map(({ link }) => `docs/${link}`)
    expect(pages.filter((page) => page.startsWith('docs/readings/') && !listed.includes(page))).toEqual([])
  })

  test('every clause or choice that a page of readings names exists', () => {
    const ids = [...allClauses(), ...allChoices()].map(({ id }) => id)
    const named = pages
      .filter((page) => page.startsWith('docs/readings/'))
      .flatMap((page) => [...effects(read(page)), ...full(read(page))].map((glob) => ({ page, glob })))
    expect(named).not.toEqual([])
    expect(named.filter(({ glob }) => !ids.some((id) => matchesGlob(glob, id)))).toEqual([])
  })
})

/** Whatever is named with a part of an id or a glob in the last column of a table: of a wire member or a value neither is in it. */
const effects = (page: string): readonly string[] =>
  page.split('\n').flatMap((line) => {
    const effect = line.split(/(?<!\\)\|/).at(-2) ?? ''
    return [...effect.matchAll(/`([^`]*[.*-][^`]*)`/g)].map(([, name]) => name as string)
  })

/** Whatever looks like an id, or a glob over ids, anywhere. */
const full = (page: string): readonly string[] =>
  [...page.matchAll(/`([a-z][a-z0-9-]*\.(?:\*|[a-z][a-z-]*)\.[\w.[\]*-]+)`/g)].map(([, id]) => id as string)
