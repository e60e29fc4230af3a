/** Describes the commands, their flags and their values for the completion scripts, from the manifest. */
import type { Interfaces } from '@oclif/core'
import { knownPrefixes } from '../../cli/command/known-ids.ts'
import { topicNames } from '../../cli/help/topic-names.ts'
import { builtInEnvironments } from '../../config/environments.ts'
import { eventTypes } from '../../contract/events.ts'
import { scopes } from '../../contract/scopes.ts'
import { fixedSettingNames, type kinds } from './known.ts'

export interface CompletionFlag {
  /** `--output` */
  readonly long: string
  /** `-o` */
  readonly short: string | undefined
  readonly summary: string
  /** Undefined for one that takes no value. */
  readonly values: CompletionValues | undefined
}

/** A command, or words that commands begin with. */
export interface CompletionNode {
  /** `connections refresh`; empty for the program itself. */
  readonly words: string
  readonly children: readonly { readonly word: string; readonly summary: string }[]
  readonly flags: readonly CompletionFlag[]
  /** The values of its first argument; further arguments are not completed. */
  readonly argument: CompletionValues
}

type Config = Pick<Interfaces.Config, 'commands' | 'topics'>

/** Every node, in alphabetical order, the program itself first. */
export function completionNodes({ commands, topics }: Config): CompletionNode[] {
  const shown = commands.filter(({ hidden }) => !hidden)
  const about = new Map<string, string>()
  for (const { name, description } of topics) about.set(spaced(name), description ?? '')
  for (const { id, summary, description } of shown) about.set(spaced(id), summary ?? description ?? '')

  const all = new Set([''])
  for (const { id } of shown) {
    const words = spaced(id).split(' ')
    for (let length = 1; length <= words.length; length++) all.add(words.slice(0, length).join(' '))
  }
  const firstWords = childrenOf('', [...all]).map((words) => lastWord(words))
  return [...all].sort().map((words) => {
    const command = shown.find(({ id }) => spaced(id) === words)
    const [name, argument] = Object.entries(command?.args ?? {})[0] ?? []
    return {
      words,
      children: childrenOf(words, [...all]).map((child) => ({
        word: lastWord(child),
        summary: oneLine(about.get(child) ?? ''),
      })),
      flags: [...Object.values(command?.flags ?? {}).map(flagOf), helpFlag],
      argument:
        words === 'help'
          ? { kind: 'words', words: [...firstWords, ...topicNames] }
          : name === undefined || argument === undefined
            ? { kind: 'free' }
            : argumentValues(words, name, argument),
    }
  })
}

const helpFlag: CompletionFlag = { long: '--help', short: '-h', summary: 'Show help', values: undefined }

type ManifestFlag = Interfaces.Config['commands'][number]['flags'][string]

function flagOf(flag: ManifestFlag): CompletionFlag {
  const { name, char, summary, description } = flag
  return {
    long: `--${name}`,
    short: char === undefined ? undefined : `-${char}`,
    summary: oneLine(summary ?? description ?? ''),
    values: flag.type === 'option' ? flagValues(name, flag) : undefined,
  }
}

function childrenOf(words: string, all: readonly string[]): string[] {
  const prefix = words === '' ? '' : `${words} `
  return all
    .filter((other) => other !== '' && other.startsWith(prefix) && !other.slice(prefix.length).includes(' '))
    .sort()
}

function lastWord(words: string): string {
  return words.slice(words.lastIndexOf(' ') + 1)
}

function spaced(id: string): string {
  return id.replaceAll(':', ' ')
}

function oneLine(text: string): string {
  return text.split('\n', 1)[0]?.replaceAll('<%= config.bin %>', 'bankapi') ?? ''
}

/** Every flag that takes a value, long and short: the next word is its value, not part of the command. */
export function valueFlags(nodes: readonly CompletionNode[]): string[] {
  const names = nodes.flatMap(({ flags }) =>
    flags.flatMap(({ long, short, values }) =>
      values === undefined ? [] : [long, ...(short === undefined ? [] : [short])],
    ),
  )
  return [...new Set(names)].sort()
}

/**
 * The values that complete a flag or an argument. `list`: several of them separated by commas. `ask`: further words that
 * `bankapi completion values` knows.
 */
export type CompletionValues =
  | { readonly kind: 'list'; readonly words: readonly string[] }
  | {
      readonly kind: 'words'
      readonly words: readonly string[]
      readonly ask?: readonly (typeof kinds)[number][]
    }
  | { readonly kind: 'files' }
  | { readonly kind: 'free' }

const free: CompletionValues = { kind: 'free' }

export interface Described {
  readonly options?: readonly string[] | undefined
  readonly helpValue?: string | string[] | undefined
  readonly description?: string | undefined
}

export function flagValues(name: string, { options, helpValue: shown }: Described): CompletionValues {
  const helpValue = String(shown ?? '')
  if (options !== undefined) return { kind: 'words', words: options }
  if (name === 'env') return { kind: 'words', words: [...builtInEnvironments].sort(), ask: ['profile'] }
  const ids = idsIn(helpValue)
  if (ids !== undefined) return ids
  if (helpValue === 'SCOPE,SCOPE') return { kind: 'list', words: scopes }
  if (helpValue === 'TYPE,TYPE' || name === 'events') return { kind: 'list', words: eventTypes }
  if (name === 'type') return { kind: 'words', words: eventTypes }
  if (helpValue === 'FILE') return { kind: 'files' }
  // Help shows a choice like this: first|second.
  if (/^[a-z-]+(\|[a-z-]+)+$/.test(helpValue)) return { kind: 'words', words: helpValue.split('|') }
  return free
}

/** Ids whose prefixes a text names: `Account, acc_<SOURCE>_<id>`. */
function idsIn(text: string): CompletionValues | undefined {
  const ask = knownPrefixes.filter((prefix) => new RegExp(`\\b${prefix}_`).test(text))
  return ask.length === 0 ? undefined : { kind: 'words', words: [], ask }
}

export function argumentValues(
  command: string,
  name: string,
  { options, description = '' }: Described,
): CompletionValues {
  if (options !== undefined) return { kind: 'words', words: options }
  if (name === 'type') return { kind: 'words', words: eventTypes }
  if (name === 'file') return { kind: 'files' }
  if (name === 'method') return { kind: 'words', words: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] }
  if (command === 'config profile remove') return { kind: 'words', words: [], ask: ['profile'] }
  if (/^config (get|set|unset)$/.test(command) && name === 'name')
    return { kind: 'words', words: fixedSettingNames(), ask: ['setting'] }
  return idsIn(description) ?? free
}
