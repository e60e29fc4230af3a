/** Writes the completion script for bash 3.2 and newer, which needs no bash-completion. */
import type { CompletionValues } from './model.ts'
import { type CompletionNode, valueFlags } from './model.ts'

/** The script: sourced, it completes `bankapi`. */
export function bashCompletion(nodes: readonly CompletionNode[]): string {
  return `# bash completion of bankapi. Load it: source <(bankapi completion bash)

# The words that may follow a command, its flags, and what its first argument may be.
_bankapi_command() {
  case "$1" in
${nodes.map(commandCase).join('\n')}
  esac
}

# What the value of a flag may be: "$1" is the command, a space, and the flag.
_bankapi_value() {
  case "$1" in
${nodes.flatMap(valueCases).join('\n')}
  esac
}

_bankapi() {
  local line=\${COMP_LINE:0:COMP_POINT} words=() at='' flag='' full='' cur kind='' choices='' ask='' env='' children='' flags=''
  read -r -a words <<< "$line"
  case "$line" in
    *[[:space:]]) ;;
    *) full=\${words[\${#words[@]}-1]}; unset "words[\${#words[@]}-1]" ;;
  esac
  local word taken=''
  for word in "\${words[@]:1}"; do
    if [ -n "$flag" ]; then [ "$flag" != --env ] || env=$word; flag=''; continue; fi
    case "$word" in
      ${valueFlags(nodes).join('|')}) flag=$word ;;
      --env=*) env=\${word#*=} ;;
      -*) ;;
      *) if [ -z "$taken" ] && _bankapi_known "\${at:+$at }$word"; then at="\${at:+$at }$word"; else taken=1; fi ;;
    esac
  done
  cur=$full
  if [ -z "$flag" ]; then
    case "$full" in --*=*) flag=\${full%%=*}; cur=\${full#*=} ;; esac
  fi
  if [ -n "$flag" ]; then
    _bankapi_value "$at $flag"
  else
    _bankapi_command "$at"
    case "$cur" in
      -*) kind=words choices=$flags ask='' ;;
      *) if [ -n "$children" ]; then kind=words choices=$children; elif [ -n "$taken" ]; then kind='' ask=''; fi ;;
    esac
  fi
  [ -z "$ask" ] || choices="$choices $(bankapi completion values $ask \${env:+--env "$env"} 2>/dev/null)"
  COMPREPLY=()
  local IFS=$' \\t\\n'
  case "$kind" in
    words) COMPREPLY=($(compgen -W "$choices" -- "$cur")) ;;
    list)
      local done=''
      case "$cur" in *,*) done=\${cur%,*}, ;; esac
      COMPREPLY=($(compgen -P "$done" -W "$choices" -- "\${cur##*,}"))
      compopt -o nospace 2>/dev/null ;;
    files)
      IFS=$'\\n'
      COMPREPLY=($(compgen -f -- "$cur"))
      compopt -o filenames 2>/dev/null ;;
  esac
  # bash takes what follows the last : or = for the word, so that is all it may be given.
  local rest=$full char i
  for char in : =; do
    case "$COMP_WORDBREAKS" in *"$char"*) rest=\${rest##*"$char"} ;; esac
  done
  local before=\${full%"$cur"} cut=\${full%"$rest"}
  for i in "\${!COMPREPLY[@]}"; do
    word=$before\${COMPREPLY[i]}
    COMPREPLY[i]=\${word#"$cut"}
  done
}

_bankapi_known() {
  case "$1" in
    ${nodes
      .filter(({ words }) => words !== '')
      .map(({ words }) => quote(words))
      .join('|')}) return 0 ;;
  esac
  return 1
}

complete -F _bankapi bankapi
`
}

function commandCase({ words, children, flags, argument }: CompletionNode): string {
  const names = flags.flatMap(({ long, short }) => (short === undefined ? [long] : [long, short]))
  const parts = [`flags=${quote(names.join(' '))}`]
  if (children.length > 0) parts.push(`children=${quote(children.map(({ word }) => word).join(' '))}`)
  else if (argument.kind !== 'free') parts.push(assignments(argument))
  return `    ${quote(words)}) ${parts.join(' ')} ;;`
}

function valueCases({ words, flags }: CompletionNode): string[] {
  return flags.flatMap(({ long, short, values }) => {
    if (values === undefined || values.kind === 'free') return []
    const names = short === undefined ? [long] : [long, short]
    return [`    ${names.map((name) => quote(`${words} ${name}`)).join('|')}) ${assignments(values)} ;;`]
  })
}

function assignments(values: CompletionValues): string {
  if (!('words' in values)) return `kind=${values.kind}`
  const ask = 'ask' in values && values.ask !== undefined ? ` ask=${quote(values.ask.join(' '))}` : ''
  return `kind=${values.kind} choices=${quote(values.words.join(' '))}${ask}`
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
