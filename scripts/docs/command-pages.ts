/** Writes docs/commands/: a page per area, and an index with the flags that all commands share. */
import { readFileSync } from 'node:fs'
import { operationOf } from '../../src/cli/command/command-operations.ts'
import { exitCodesOf } from './exit-codes.ts'
import { type ListedCommand, listedCommands, type ManifestFlag } from './manifest.ts'
import { jsonOutputs, shapeless } from './output-schemas.ts'
import { schemaFile } from './schema-pages.ts'

/** Page of the commands that belong to no area. */
const general = 'general'

const about = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    oclif: { topics: Record<string, { description: string }> }
  }
).oclif.topics

/** Every page, by its path below docs/. */
export function commandPages(): Record<string, string> {
  const commands = listedCommands().filter(({ hidden }) => !hidden)
  const areas = Object.groupBy(commands, ({ words }) =>
    words.includes(' ') ? (words.split(' ')[0] ?? '') : general,
  )
  const pages = Object.entries(areas).map(([area, ofArea = []]) => [
    `commands/${area}.md`,
    areaPage(area, ofArea),
  ])
  return { 'commands/README.md': index(commands), ...Object.fromEntries(pages) }
}

function index(commands: readonly ListedCommand[]): string {
  const rows = commands.map(({ words, summary }) => {
    const page = words.includes(' ') ? words.split(' ')[0] : general
    return `| [\`bankapi ${words}\`](${page}.md#${anchor(words)}) | ${cell(summary)} |`
  })
  const sample = commands.find(({ words }) => words === 'accounts list')
  const shared = Object.values(sample?.flags ?? {})
  return `# Commands

Generated from the commands (\`npm run docs\`). [Exit codes](../exit-codes.md), [JSON output](../json-output.md),
[environment variables](../environment.md).

| command | does |
| --- | --- |
${rows.join('\n')}

## Flags of every command

${flagTable(shared.filter(({ helpGroup }) => helpGroup === 'OUTPUT'))}

## Flags of every command that works in an environment

${flagTable(shared.filter(({ helpGroup }) => helpGroup === 'SERVICE'))}
`
}

function areaPage(area: string, commands: readonly ListedCommand[]): string {
  const title = area === general ? 'Commands of no area' : `bankapi ${area}`
  const description = about[area]?.description
  return [
    `# ${title}`,
    `Generated from the commands (\`npm run docs\`). All commands: [README.md](README.md).`,
    ...(description === undefined ? [] : [`${description}.`]),
    ...commands.map(section),
  ]
    .join('\n\n')
    .concat('\n')
}

function section(command: ListedCommand): string {
  const { words, summary = '', description, args, flags, examples = [], aliases } = command
  const own = Object.values(flags).filter(
    ({ helpGroup }) => helpGroup !== 'OUTPUT' && helpGroup !== 'SERVICE',
  )
  const argumentRows = Object.values(args).map(
    ({ name, description: what, required, options }) =>
      `| \`${name}\` | ${cell(what)}${options === undefined ? '' : `: ${oneOf(options)}`} | ${required ? 'yes' : 'no'} |`,
  )
  return [
    `## bankapi ${words}`,
    `${prose(summary).replace(/\.$/, '')}.`,
    ...(description === undefined ? [] : [prose(description)]),
    fenced([usage(command)]),
    ...(argumentRows.length === 0
      ? []
      : [['| argument | is | required |', '| --- | --- | --- |', ...argumentRows].join('\n')]),
    ...(own.length === 0 ? [] : [flagTable(own)]),
    ...(flags['json'] === undefined ? [] : [sharedFlags(flags['env'] !== undefined)]),
    ...(aliases.length === 0 ? [] : [`Also: ${aliases.map((alias) => `\`bankapi ${alias}\``).join(', ')}`]),
    ...(examples.length === 0 ? [] : ['Examples:', fenced(examples.map(filled))]),
    notes(command),
  ].join('\n\n')
}

function sharedFlags(inEnvironment: boolean): string {
  const environment = '[environment](README.md#flags-of-every-command-that-works-in-an-environment)'
  return `And the flags of [every command](README.md#flags-of-every-command)${inEnvironment ? ` and ${environment}` : ''}.`
}

function notes(command: ListedCommand): string {
  const { words, flags } = command
  const operation = operationOf(words)
  const scope = operation?.endpoint.scope
  const schema = Object.hasOwn(jsonOutputs(), words)
  return [
    `- Exit codes: ${exitCodesOf(command).join(', ')} ([what they mean](../exit-codes.md)).`,
    ...(scope ? [`- Needs the scope \`${scope}\`.`] : []),
    ...(operation === undefined
      ? []
      : [
          `- Sends \`${operation.endpoint.method} ${operation.endpoint.path}\`${operation.endpoint.origin === 'assumed' ? ' (an assumed path)' : ''}.`,
        ]),
    ...(flags['yes'] === undefined ? [] : ['- Asks first; where nobody can answer, it needs `--yes`.']),
    schema
      ? `- \`--json\`: [schema](../schemas/${schemaFile(words)}).`
      : `- \`--json\`: no schema; it ${shapeless[words] ?? 'prints text'}.`,
  ].join('\n')
}

function usage({ words, args, flags }: ListedCommand): string {
  const operands = Object.values(args).map(({ name, required, multiple }) => {
    const shown = `<${name}>${multiple ? '…' : ''}`
    return required ? shown : `[${shown}]`
  })
  const needed = Object.values(flags)
    .filter(({ required }) => required)
    .map((flag) => `--${flag.name} ${placeholderOf(flag)}`)
  const optional = Object.keys(flags).length > 0 ? ['[flags]'] : []
  return ['bankapi', words, ...operands, ...needed, ...optional].join(' ')
}

function flagTable(flags: readonly ManifestFlag[]): string {
  const rows = [...flags]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((flag) => {
      const value = flag.type === 'option' ? ` ${placeholderOf(flag)}` : ''
      const short = flag.char === undefined ? '' : `-${flag.char}, `
      return `| ${codeCell(`${short}--${flag.name}${value}`)} | ${cell(flag.summary ?? flag.description)}${remarks(flag)} |`
    })
  return ['| flag | does |', '| --- | --- |', ...rows].join('\n')
}

function remarks({ options, required, multiple, env, exclusive }: ManifestFlag): string {
  const all = [
    ...(required ? ['required'] : []),
    ...(multiple ? ['may be given several times'] : []),
    ...(options === undefined ? [] : [`one of ${oneOf(options)}`]),
    ...(exclusive?.length ? [`not with ${exclusive.map((other) => `\`--${other}\``).join(', ')}`] : []),
    ...(env === undefined ? [] : [`\`${env}\` sets it`]),
  ]
  return all.length === 0 ? '' : ` (${all.join('; ')})`
}

function placeholderOf({ helpValue, options }: ManifestFlag): string {
  return helpValue ?? (options === undefined ? 'VALUE' : options.join('|'))
}

function oneOf(options: readonly string[]): string {
  return options.map((option) => `\`${option}\``).join(', ')
}

function fenced(lines: readonly string[]): string {
  return `\`\`\`sh\n${lines.join('\n')}\n\`\`\``
}

function filled(text: string): string {
  return text.replaceAll('<%= config.bin %>', 'bankapi').replaceAll('<%= command.id %>', '')
}

/** Escapes text outside code, where <id> would be HTML. */
function prose(text: string): string {
  return filled(text).replaceAll('<', '\\<')
}

function cell(text = ''): string {
  return prose(text).replaceAll('|', '\\|').replaceAll('\n', ' ')
}

/** Formats a table cell as code. */
function codeCell(text: string): string {
  return `\`${text.replaceAll('|', '\\|')}\``
}

function anchor(words: string): string {
  return `bankapi-${words.replaceAll(' ', '-')}`
}
