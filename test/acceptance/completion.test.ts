import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { listedCommands } from '../../scripts/docs/manifest.ts'
import { documentFormats } from '../../src/output/document.ts'
import { bin } from '../support/built-program.ts'
import { createHome, type Home } from '../support/cli.ts'

/** Typed lines with their completions, the same in every shell, in a home with a profile. */
const typed: readonly (readonly [line: string, words: readonly string[]])[] = [
  ['bankapi accou', ['accounts']],
  ['bankapi connections re', ['reauthorize', 'refresh']],
  ['bankapi emulator faults ', ['add', 'clear', 'list']],
  ['bankapi connections refresh con_FDE_1 --ti', ['--timeout']],
  ['bankapi clients list --env ', ['acme', 'live', 'local', 'sandbox']],
  ['bankapi config profile remove ', ['acme']],
  ['bankapi config set environments.acme.b', ['environments.acme.base_url']],
  ['bankapi accounts list --client ', ['cli_1', 'cli_2']],
  ['bankapi accounts list --env acme --client ', ['cli_acme']],
  ['bankapi accounts list --env=acme --connection ', ['con_FDE_1']],
  ['bankapi connections refresh con_', ['con_FDE_9']],
  ['bankapi connections refresh con_FDE_9 con', []],
  ['bankapi transactions list ', ['acc_FDE_91']],
  ['bankapi operations wait ', ['op_1']],
  ['bankapi webhooks listen --subscription ', ['whk_0a']],
  ['bankapi emulator bank relink ', []],
  ['bankapi clients list --limit 5 -o ', [...documentFormats].sort()],
  ['bankapi keys create --scopes read:cl', ['read:clients']],
  ['bankapi config set default_', ['default_environment']],
  ['bankapi help exit', ['exit-codes']],
  ['bankapi completion ', ['bash', 'fish', 'zsh']],
  ['bankapi connections get con_FDE_1 ', []],
]

let home: Home
let program: string
const scripts: Record<string, string> = {}

/** Ids that commands have read. */
function seen(environment: string, ids: Record<string, readonly string[]>): void {
  const folder = join(home.folder, 'data')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeFileSync(join(folder, `known-ids-${environment}.json`), JSON.stringify(ids), { mode: 0o600 })
}

beforeAll(async () => {
  home = createHome({ keep: true })
  const profile = ['config', 'profile', 'add', 'acme', '--mode', 'sandbox']
  expect((await home.run(profile)).code).toBe(0)
  seen('sandbox', {
    cli: ['cli_1', 'cli_2'],
    con: ['con_FDE_9'],
    acc: ['acc_FDE_91'],
    op: ['op_1'],
    whk: ['whk_0a'],
  })
  seen('acme', { cli: ['cli_acme'], con: ['con_FDE_1'] })
  program = `bankapi() { '${process.execPath}' '${bin}' "$@"; }`
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { code, stdout, stderr } = await home.run(['completion', shell])
    expect([code, stderr]).toEqual([0, ''])
    scripts[shell] = join(home.folder, shell)
    writeFileSync(scripts[shell], stdout)
  }
  return () => home.remove()
})

function isInstalled(shell: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, shell)))
}

function shell(name: string, args: readonly string[], script: string): string[] {
  const { stdout, stderr, status } = spawnSync(name, [...args, '-c', script], {
    encoding: 'utf8',
    env: home.env,
  })
  expect([status, stderr]).toEqual([0, ''])
  return stdout.split('\n').filter((line) => line !== '')
}

/** Every command that is shown, to search the scripts for where the shell is not installed. */
const commands = listedCommands().flatMap(({ words, hidden }) => (hidden ? [] : [words]))

describe('bash', () => {
  /** The completions that bash shows; it splits words at : and =. */
  function complete(line: string): string[] {
    const script = `${program}
      source '${scripts['bash']}'
      COMP_LINE='${line}' COMP_POINT=${line.length} COMPREPLY=()
      _bankapi
      printf '%s\\n' "\${COMPREPLY[@]}"`
    return shell('bash', ['--norc'], script).sort()
  }

  it.each(typed)('%s', (line, words) => {
    // bash inserts only the part after the last colon.
    const shown = line.endsWith('read:cl') ? words.map((word) => word.slice('read:'.length)) : words
    expect(complete(line)).toEqual(shown)
  })

  it('a value after = and the further values of a list', () => {
    expect(complete('bankapi clients list --env=lo')).toEqual(['local'])
    expect(complete('bankapi keys create --scopes read:clients,read:acc')).toEqual(['accounts'])
    expect(complete('bankapi webhooks create --events connection.active,account.refresh.f')).toEqual([
      'connection.active,account.refresh.failed',
    ])
  })

  it('without the program on the path completes what the script holds, and says nothing', () => {
    const script = `source '${scripts['bash']}'
      COMP_LINE='bankapi clients list --env l' COMP_POINT=28 COMPREPLY=()
      _bankapi
      printf '%s\\n' "\${COMPREPLY[@]}"`
    expect(shell('bash', ['--norc'], script).sort()).toEqual(['live', 'local'])
  })

  it('is loaded with the line that the help gives', () => {
    const script = `${program}
      source <(bankapi completion bash)
      complete -p bankapi`
    expect(shell('bash', ['--norc'], script)).toEqual(['complete -F _bankapi bankapi'])
  })
})

it('zsh completes the same; where it is not installed, its script has every command', async () => {
  if (!isInstalled('zsh')) {
    const { stdout } = await home.run(['completion', 'zsh'])
    for (const words of commands) expect(stdout).toContain(`('${words}')`)
    return
  }
  // The completion system needs a terminal, so its arguments are printed instead.
  const told = `
    ${program}
    compdef() { : }; _message() { : }; _files() { print files }
    compset() { PREFIX=\${PREFIX##\${~2}} }
    compadd() { while [[ $1 != -- ]]; do shift; done; shift; print -rl -- "\${(M)@:#\${PREFIX}*}" }
    _describe() { local i; for i in "\${(@P)@[-1]}"; do [[ $i == \${PREFIX}* ]] && print -r -- "\${i%%:*}"; done; : }
    source '${scripts['zsh']}'
    try() { local -a words=("$@"); local CURRENT=$# PREFIX=\${@[-1]}; _bankapi; : }`
  for (const [line, words] of typed) {
    const quoted = line.split(' ').map((word) => `'${word}'`)
    expect(shell('zsh', ['-f'], `${told}\ntry ${quoted.join(' ')}`).sort(), line).toEqual(words)
  }
})

it('fish completes the same; where it is not installed, its script has every command', async () => {
  if (!isInstalled('fish')) {
    const { stdout } = await home.run(['completion', 'fish'])
    for (const words of commands) expect(stdout).toContain(`'${words}'`)
    return
  }
  for (const [line, words] of typed) {
    const called = `function bankapi; '${process.execPath}' '${bin}' $argv; end`
    const script = `${called}; source '${scripts['fish']}'; complete -C '${line}'`
    const shown = shell('fish', ['--no-config'], script).map((word) => word.split('\t')[0] ?? '')
    expect(shown.sort(), line).toEqual(words)
  }
})

it('an unknown shell is refused (exit 2)', async () => {
  expect((await home.run(['completion', 'tcsh'])).code).toBe(2)
})
