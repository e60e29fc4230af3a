import { spawn } from 'node:child_process'
import type { Machine } from '../../machine/machine.ts'
import { withoutSecrets } from '../../machine/machine.ts'

/**
 * Opens an https or loopback address in the user's browser. A failure is a warning: the address is printed anyway.
 * It is passed as one argument, never through a shell, and the browser's environment has no secret of ours.
 */
export function openInBrowser(
  url: string,
  { platform, env }: Pick<Machine, 'platform' | 'env'>,
  onWarning: (warning: string) => void,
): void {
  const parsed = URL.parse(url)
  if (parsed === null || (parsed.protocol !== 'https:' && parsed.protocol !== 'http:')) {
    onWarning('the address is not a web address; it is not opened')
    return
  }
  const [command, args] = opener(platform, parsed.href)
  const child = spawn(command, args, { stdio: 'ignore', detached: true, env: withoutSecrets(env) })
  child.on('error', () => onWarning(`no browser could be opened with ${command}`))
  child.unref()
}

function opener(platform: string, url: string): [command: string, args: string[]] {
  if (platform === 'darwin') return ['open', [url]]
  if (platform === 'win32') return ['rundll32', ['url.dll,FileProtocolHandler', url]]
  return ['xdg-open', [url]]
}
