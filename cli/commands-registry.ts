// The commands that answer from the registry alone, `list`, `explain`, `openapi`, and `init`: their arguments and flags.

import { Argument, Option } from 'commander'
import { type AddCommands, declare } from './command.js'
import type { SharedFlags } from './flags.js'
import { type ListKind, listKinds } from './list-kinds.js'
import type { OpenapiCommand } from './openapi.js'
import { type CiKind, ciKinds } from './pipelines.js'
import { once, oneOf, serverUrl } from './values.js'

export const registryCommands: AddCommands = (program, context) => {
  for (const add of [addList, addExplain, addOpenapi, addInit]) add(program, context)
}

const addList: AddCommands = (program, { finish }) => {
  declare(program, {
    name: 'list',
    summary: 'list operations, clauses, choices or defects',
    description:
      'Lists what the suite knows: operations, clauses, choices, or the known defects of the document. The choices are a questionnaire: what the document leaves open, what the reference does, and what the target of the last run in --out did.',
    flags: ['area', 'operation', 'clause', 'out', 'json'],
    examples: [
      ['list operations --area volumes', 'the operations of an area'],
      ["list clauses --operation 'volumes.*'", 'the clauses of some operations'],
      ['list choices --area volumes', 'what the document leaves open there, as a questionnaire'],
      ['list choices --json', 'the same for a script'],
    ],
  })
    .addArgument(new Argument('<kind>', 'what to list').choices(listKinds).argParser(oneOf(listKinds)))
    .action(async (kind: ListKind, given: SharedFlags) => {
      const { list } = await import('./list.js')
      const { area: areas, operation: operations, clause: clauses, out, json } = given
      finish(await list(kind, { areas, operations, clauses, shard: [1, 1] }, { out, json }))
    })
}

const addExplain: AddCommands = (program, { finish }) => {
  declare(program, {
    name: 'explain',
    summary: 'explain a clause or an operation',
    description:
      'Shows one clause: its text, the sentences it rests on and how they are read, how it is checked, the mutants that break it, and the evidence of the last run in --out. With the id of an operation, its clauses; with that of a finding or cause of that run, the clause that it broke.',
    flags: ['out', 'json'],
    examples: [
      ['explain volumes.resize.only-up', 'one clause'],
      ['explain volumes.resize', 'an operation with its clauses'],
    ],
  })
    .argument('<id>', 'id of a clause, an operation, a choice, or a finding or cause of that run')
    .action(async (id: string, { out, json }: Pick<SharedFlags, 'out' | 'json'>) => {
      const { explain } = await import('./explain.js')
      finish(await explain(id, { out, json }))
    })
}

const addOpenapi: AddCommands = (program, { finish }) => {
  declare(program, {
    name: 'openapi',
    summary: 'OpenAPI 3.1 of the interface',
    description: 'Prints an OpenAPI 3.1 document of the interface in JSON, derived from the same registry as the run.',
    flags: [],
    examples: [
      ['openapi > openapi.json', 'for tools that read OpenAPI'],
      ['openapi --server http://127.0.0.1:8080/v4', 'naming a server, for fuzzers and generators'],
      ['openapi --vocabulary words.json', 'in the words of a target'],
    ],
  })
    .addOption(once(new Option('--server <url>', 'URL of the server, with its version segment'), serverUrl))
    .option('--vocabulary <file>', "a target's words in JSON, or a target file that has them")
    .action(async (given: OpenapiCommand) => {
      const { printOpenapi } = await import('./openapi.js')
      finish(await printOpenapi(given))
    })
}

const addInit: AddCommands = (program, { finish }) => {
  declare(program, {
    name: 'init',
    summary: 'write a target file and a CI workflow',
    description:
      'Writes a commented target file into the working directory, and a CI workflow where it is read: in the root of the repository, under a name with the folder that it is for. Asks nothing, and overwrites nothing outside of the working directory.',
    flags: ['json', 'quiet'],
    examples: [
      ['init', 'leaves alone what is there'],
      ['init --ci gitlab', 'a pipeline for GitLab in place of a workflow for GitHub'],
      ['init --force', 'overwrites what is there'],
    ],
  })
    .option('--force', 'overwrite what is there', false)
    .addOption(
      once(
        new Option('--ci <system>', 'the CI system to write a pipeline for').choices(ciKinds),
        oneOf(ciKinds),
      ).default('github'),
    )
    .action(async ({ force, ci, json, quiet }: { readonly force: boolean; readonly ci: CiKind } & SharedFlags) => {
      const { init, tellInit } = await import('./init.js')
      const result = await init({ cwd: process.cwd(), force, ci })
      if (json) process.stdout.write(`${JSON.stringify(result)}\n`)
      else tellInit(result, quiet)
      finish(0)
    })
}
