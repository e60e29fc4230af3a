/** Writes the completion script for zsh, to be sourced after compinit, or a file `_bankapi` on the fpath. */
import type { CompletionValues } from './model.ts'
import { type CompletionNode, valueFlags } from './model.ts'

export function zshCompletion(nodes: readonly CompletionNode[]): string {
  return `#compdef bankapi
# zsh completion of bankapi. Load it after compinit: source <(bankapi completion zsh)

# The words that may follow a command, its flags, and what its first argument may be.
_bankapi_command() {
  case "$1" in
${nodes.map(commandCase).join('\n')}
    *) return 1 ;;
  esac
}

# What the value of a flag may be: "$1" is the command, a space, and the flag.
_bankapi_value() {
  case "$1" in
${nodes.flatMap(valueCases).join('\n')}
  esac
}

_bankapi() {
  local at= flag= kind= word= taken= env=
  local -a children flags choices ask
  for word in "\${(@)words[2,CURRENT-1]}"; do
    if [[ -n $flag ]]; then [[ $flag != --env ]] || env=$word; flag=; continue; fi
    case "$word" in
      (${valueFlags(nodes).join('|')}) flag=$word ;;
      (--env=*) env=\${word#*=} ;;
      (-*) ;;
      (*) if [[ -z $taken ]] && _bankapi_command "\${at:+$at }$word"; then at="\${at:+$at }$word"; else taken=1; fi ;;
    esac
  done
  children=() flags=() choices=() ask=() kind=
  if [[ -z $flag && $PREFIX == --*=* ]]; then
    flag=\${PREFIX%%=*}
    compset -P '*='
  fi
  if [[ -n $flag ]]; then
    _bankapi_value "$at $flag"
  else
    _bankapi_command "$at"
    if [[ $PREFIX == -* ]]; then
      _describe -o -t flags flag flags
      return
    elif (( $#children )); then
      _describe -t commands command children
      return
    elif [[ -n $taken ]]; then
      kind=
    fi
  fi
  (( $#ask )) && choices+=(\${(f)"$(bankapi completion values $ask \${env:+--env} \${env:+"$env"} 2>/dev/null)"})
  case $kind in
    words) compadd -- $choices ;;
    list) compset -P '*,'; compadd -S '' -- $choices ;;
    files) _files ;;
    *) _message value ;;
  esac
}

if [[ $funcstack[1] == _bankapi ]]; then _bankapi "$@"; else compdef _bankapi bankapi; fi
`
}

function commandCase({ words, children, flags, argument }: CompletionNode): string {
  const described = flags.flatMap(({ long, short, summary }) =>
    [long, ...(short === undefined ? [] : [short])].map((name) => item(name, summary)),
  )
  const parts = [`flags=(${described.join(' ')})`]
  if (children.length > 0) {
    parts.push(`children=(${children.map(({ word, summary }) => item(word, summary)).join(' ')})`)
  } else if (argument.kind !== 'free') parts.push(assignments(argument))
  return `    (${words === '' ? "''" : quote(words)}) ${parts.join(' ')} ;;`
}

function valueCases({ words, flags }: CompletionNode): string[] {
  return flags.flatMap(({ long, short, values }) => {
    if (values === undefined || values.kind === 'free') return []
    const names = short === undefined ? [long] : [long, short]
    return [`    (${names.map((name) => quote(`${words} ${name}`)).join('|')}) ${assignments(values)} ;;`]
  })
}

function assignments(values: CompletionValues): string {
  if (!('words' in values)) return `kind=${values.kind}`
  const ask = 'ask' in values && values.ask !== undefined ? ` ask=(${values.ask.join(' ')})` : ''
  return `kind=${values.kind} choices=(${values.words.map(quote).join(' ')})${ask}`
}

/** `name:what it is`, a colon of the name escaped. */
function item(name: string, summary: string): string {
  return quote(`${name.replaceAll(':', '\\:')}:${summary}`)
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
