import { UsageError } from '../../cli/errors/errors.ts'
import type { Terminal } from '../../cli/terminal/terminal.ts'
import type { ApiKey } from '../../contract/keys.ts'
import { scopes } from '../../contract/scopes.ts'

/**
 * Asks for the complete set of scopes, those of the key already checked.
 * @throws UsageError when nobody can be asked.
 */
export async function chooseScopes(
  { id, prefix }: ApiKey,
  current: readonly string[],
  terminal: Terminal,
  signal: AbortSignal,
): Promise<string[]> {
  if (!terminal.interactive) {
    throw new UsageError('What should change?', {
      code: 'change_missing',
      hint: `Give --add, --remove or --set. Scopes: ${scopes.join(', ')}`,
    })
  }
  const { checkbox } = await import('@inquirer/prompts')
  const every = [...new Set<string>([...scopes, ...current])]
  return checkbox(
    {
      message: `Scopes of ${prefix || id}`,
      choices: every.map((scope) => ({ value: scope, checked: current.includes(scope) })),
      pageSize: every.length,
    },
    { input: terminal.stdin, output: terminal.stderr, signal },
  )
}
