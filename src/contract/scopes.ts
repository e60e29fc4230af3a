import * as z from 'zod'

/** Every scope of an API key, spelled as the API does. */
export const scopes = [
  'read:clients',
  'write:clients',
  'read:connections',
  'write:connections',
  'read:accounts',
  'read:transactions',
  'read:statements',
  'write:statements',
  'read:checks',
  'manage:webhooks',
  'read:webhooks',
  'write:webhooks',
  'read:api-keys',
  'write:api-keys',
] as const

export const Scope = z.enum(scopes)
export type Scope = z.infer<typeof Scope>

/** The names that are no scope of the reference. */
export function unknownScopes(names: readonly string[]): string[] {
  const known: readonly string[] = scopes
  return names.filter((name) => !known.includes(name))
}

/**
 * Whether a key's scopes allow an operation that needs `scope`. `manage:webhooks` is taken to include reading and
 * writing webhooks: an assumption, as the reference names the three scopes but not which call needs which.
 */
export function allows(granted: readonly string[], scope: Scope | null): boolean {
  if (scope === null || granted.includes(scope)) return true
  return scope.endsWith(':webhooks') && granted.includes('manage:webhooks')
}
