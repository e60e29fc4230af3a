/** Writes the completion script for fish. */
import type { CompletionValues } from './model.ts'
import { type CompletionFlag, type CompletionNode, valueFlags } from './model.ts'

export function fishCompletion(nodes: readonly CompletionNode[]): string {
  return `# fish completion of bankapi. Load it: bankapi completion fish | source

# The command as far as it is typed, without flags and their values.
function __bankapi_at
    set -l at
    set -l skip 0
    for word in (commandline -opc)[2..-1]
        if test $skip = 1
            set skip 0
            continue
        end
        switch $word
            case ${valueFlags(nodes).join(' ')}
                set skip 1
            case '-*'
            case '*'
                set -l longer (string join ' ' $at $word)
                contains -- $longer $__bankapi_commands; or break
                set at $at $word
        end
    end
    string join ' ' $at
end

function __bankapi_is
    set -l at (__bankapi_at)
    test "$at" = "$argv[1]"
end

# What is in files: profiles and known ids, of the environment that the line names.
function __bankapi_values
    set -l env
    set -l next 0
    for word in (commandline -opc)
        if test $next = 1
            set env --env $word
            set next 0
            continue
        end
        switch $word
            case --env
                set next 1
            case '--env=*'
                set env $word
        end
    end
    bankapi completion values $argv $env 2>/dev/null
end

# Several values separated by commas: what is typed stays.
function __bankapi_list
    set -l token (string replace -r -- '^--[a-z-]+=' '' (commandline -ct))
    set -l typed (string match -r -- '.*,' $token)
    for value in $argv
        echo "$typed$value"
    end
end

set -g __bankapi_commands ${nodes
    .filter(({ words }) => words !== '')
    .map(({ words }) => quote(words))
    .join(' ')}

complete -c bankapi -e
complete -c bankapi -f
${nodes.flatMap(lines).join('\n')}
`
}

function lines(node: CompletionNode): string[] {
  const start = `complete -c bankapi -n ${quote(`__bankapi_is "${node.words}"`)}`
  const children = node.children.map(({ word, summary }) => `${start} -a ${quote(word)} -d ${quote(summary)}`)
  const argument = node.children.length > 0 ? [] : argumentLine(start, node.argument)
  return [...children, ...argument, ...node.flags.map((flag) => flagLine(start, flag))]
}

function argumentLine(start: string, values: CompletionValues): string[] {
  if (values.kind === 'free') return []
  return [values.kind === 'files' ? `${start} -F` : `${start} -a ${choices(values)}`]
}

function flagLine(start: string, { long, short, summary, values }: CompletionFlag): string {
  const parts = [start, `-l ${long.slice(2)}`]
  if (short !== undefined) parts.push(`-s ${short.slice(1)}`)
  if (values !== undefined) {
    parts.push(values.kind === 'files' ? '-r -F' : values.kind === 'free' ? '-x' : `-x -a ${choices(values)}`)
  }
  return [...parts, `-d ${quote(summary)}`].join(' ')
}

function choices(values: CompletionValues): string {
  if (!('words' in values)) return "''"
  const words = values.words.join(' ')
  if (values.kind === 'list') return quote(`(__bankapi_list ${words})`)
  const asked = values.ask === undefined ? [] : [`(__bankapi_values ${values.ask.join(' ')})`]
  return quote([words, ...asked].filter((part) => part !== '').join(' '))
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
