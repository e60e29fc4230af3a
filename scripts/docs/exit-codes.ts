/** Writes docs/exit-codes.md, and derives the exit codes of a command from its flags and its operation. */
import { type CommandOperation, operationOf } from '../../src/cli/command/command-operations.ts'
import { authOf } from '../../src/contract/endpoint.ts'
import { type ExitName, exitCodes } from '../../src/errors.ts'
import type { ListedCommand } from './manifest.ts'

export function exitCodesPage(): string {
  const rows = Object.values(exitCodes).map(({ code, meaning }) => `| ${code} | ${meaning} |`)
  return `# Exit codes

Generated from the code (\`npm run docs\`). An error is one message on stderr, under \`--json\` one JSON document
\`{"error":{…,"exit_code":N}}\`; stdout then has nothing, or what was already streamed.

| exit | meaning |
| --- | --- |
${rows.join('\n')}

\`bankapi doctor\` ends with the code of its first check that failed, as another command would end with it: the checks
after it may follow from it. \`bankapi help exit-codes\` shows this table.
`
}

/** Exit codes that do not follow from flags and operation. */
const further: Readonly<Record<string, readonly ExitName[]>> = {
  api: ['notAuthenticated', 'notAllowed', 'notFound', 'conflict', 'rejected', 'rateLimited', 'unreachable'],
  doctor: ['notAuthenticated', 'unreachable', 'notVerified'],
  'config profile remove': ['notAuthenticated'],
  'keys rotate-scopes': ['notFound'],
  login: ['notAuthenticated', 'unreachable'],
  logout: ['notAuthenticated'],
  'operations tail': ['notAuthenticated', 'notFound', 'operationFailed', 'unreachable'],
  'operations wait': ['notAuthenticated', 'notFound', 'operationFailed', 'stillRunning', 'unreachable'],
  'webhooks expect': ['notVerified'],
  'webhooks listen': ['notAuthenticated', 'notAllowed', 'unreachable'],
  'webhooks replay': ['notAuthenticated', 'notFound', 'rejected', 'unreachable'],
  'webhooks reverify': ['notAuthenticated', 'notFound', 'notVerified'],
  'webhooks show': ['notFound'],
  'webhooks trigger': ['notAuthenticated', 'rejected', 'unreachable'],
  'webhooks verify': ['notAuthenticated', 'notVerified'],
  whoami: ['notAuthenticated', 'unreachable'],
}

/** The exit codes that a command can end with, sorted. Every command has 0, 1, 2 and 130. */
export function exitCodesOf({ words, flags }: ListedCommand): number[] {
  const operation = operationOf(words)
  const names = new Set<ExitName>(['done', 'unexpected', 'usage', 'interrupted', ...(further[words] ?? [])])
  if (operation !== undefined) for (const name of ofOperation(operation)) names.add(name)
  if (flags['wait'] !== undefined) names.add('operationFailed').add('stillRunning')
  if (words.startsWith('emulator ') && words !== 'emulator start') names.add('unreachable')
  return [...names].map((name) => exitCodes[name].code).sort((a, b) => a - b)
}

function ofOperation({ endpoint }: CommandOperation): ExitName[] {
  const names: ExitName[] = ['unreachable', 'rateLimited']
  if (authOf(endpoint) !== 'none') names.push('notAuthenticated')
  if (endpoint.scope !== null) names.push('notAllowed')
  if (endpoint.params !== undefined || endpoint.origin === 'assumed') names.push('notFound')
  if (endpoint.idempotencyKey === 'honoured') names.push('conflict')
  const takesInput = [endpoint.query, endpoint.body, endpoint.headers, endpoint.upload]
  if (takesInput.some((part) => part !== undefined)) names.push('rejected')
  return names
}
