/** Names of ours that hold a secret, as the system spells them: Windows does not tell cases apart. */
const secretName = /^BANKAPI_.*(KEY|SECRET|TOKEN|PASSWORD)$/i

/** Environment variables for a program of somebody else's: a pager or a browser has no use for our secrets. */
export function withoutSecrets<T>(env: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !secretName.test(name)))
}
