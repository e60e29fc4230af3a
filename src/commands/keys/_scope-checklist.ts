import { UsageError } from '../../cli/errors/errors.ts'
import type { Terminal } from '../../cli/terminal/terminal.ts'
import type { ApiKey } from '../../contract/keys.ts'
import { type Scope, scopes } from '../../contract/scopes.ts'

/**
 * Asks for the complete set of scopes, those of the key already checked.
 * @throws UsageError when nobody can be asked.
 */
export async function chooseScopes(key: ApiKey, terminal: Terminal, signal: AbortSignal): Promise<Scope[]> {
  if (!terminal.interactive) {
    throw new UsageError('What should change?', {
      code: 'change_missing',
      hint: `Give --add, --remove or --set. Scopes: ${scopes.join(', ')}`,
    })
  }
  const { checkbox } = await import('@inquirer/prompts')
  return checkbox(
    {
      message: `Scopes of ${key.prefix}`,
      choices: scopes.map((scope) => ({ value: scope, checked: key.scopes.includes(scope) })),
      pageSize: scopes.length,
    },
    { input: terminal.stdin, output: terminal.stderr, signal },
  )
}
