/** The page of `bankapi --help`: areas and commands by what people want to do, and examples. */
import type { Interfaces } from '@oclif/core'
import { listRow, verbatim } from '../../src/cli/help/layout.ts'
import { versionPlaceholder } from '../../src/cli/help/page.ts'
import { topicNames } from '../../src/cli/help/topic-names.ts'
import { helpTopics } from '../../src/cli/help/topics.ts'
import { pad } from '../../src/output/width.ts'

/** Areas, and commands without one, by task. */
const tasks: Readonly<Record<string, readonly string[]>> = {
  'LINK BANKS': ['clients', 'institutions', 'connections', 'connect-sessions'],
  'READ BANK DATA': ['accounts', 'transactions', 'statements', 'checks', 'reports'],
  'KEEP UP WITH CHANGES': ['webhooks', 'operations', 'sync', 'tui', 'mcp'],
  'DEVELOP AND TEST': ['emulator', 'api', 'openapi', 'doctor', 'health'],
  'SET UP AND ADMINISTER': [
    ...['login', 'logout', 'whoami', 'config', 'completion'],
    ...['keys', 'redirect-urls', 'portal', 'metrics'],
  ],
}

const examples = [
  ['Try it, without a key or a network:', 'emulator start', 'connections list --client cli_demo --env local'],
  [
    'Receive webhooks on this machine:',
    'webhooks listen --env local --forward localhost:3000',
    'connections refresh con_FDE_123 --env local --wait',
  ],
  [
    'Read, and go on in a script:',
    'transactions list acc_FDE_12301 --client cli_demo --env local',
    "accounts list --client cli_demo --env local --jq '.data[] | {id, name}'",
  ],
] as const

/** @throws Error when an area or a command is in no task, or a task names one that there is not. */
export function rootPage({ bin, commands, topics, pjson }: Interfaces.Config): string {
  const named = [
    ...commands.map(({ id, summary }) => [id, summary] as const),
    ...topics.map(({ name, description }) => [name, description] as const),
  ]
  const summaries = new Map(named.filter(([name]) => !name.includes(':') && name !== 'help'))
  const placed = Object.values(tasks).flat()
  const wrong = [...summaries.keys(), ...placed].filter(
    (name) => !(summaries.has(name) && placed.includes(name)),
  )
  if (wrong.length > 0)
    throw new Error(`the page of all commands lacks, or has too much: ${wrong.join(', ')}`)
  // All tasks have their meanings in one column.
  const widest = Math.max(
    ...placed.map((name) => name.length),
    ...topicNames.map((name) => `help ${name}`.length),
  )
  const sections = Object.entries(tasks).map(([task, names]) => [
    task,
    ...names.map((name) => listRow(pad(name, widest), summaries.get(name) ?? '')),
  ])
  return [
    [`${pjson['description']}`],
    ['USAGE', `  $ ${bin} COMMAND [FLAGS]`],
    ...sections,
    ['HELP TOPICS', ...helpTopics.map(({ name, summary }) => listRow(pad(`help ${name}`, widest), summary))],
    [
      'EXAMPLES',
      ...examples.flatMap(([what, ...lines]) => [
        `  ${what}`,
        ...lines.map((line) => verbatim(`  $ ${bin} ${line}`)),
      ]),
    ],
    [`Help of anything: ${bin} COMMAND --help`, versionPlaceholder],
  ]
    .map((section) => section.join('\n'))
    .join('\n\n')
}
