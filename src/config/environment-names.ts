/** Where requests go: the emulator on this machine, the bank's test service, the real thing. */
export const environmentNames = ['local', 'sandbox', 'live'] as const

export type EnvironmentName = (typeof environmentNames)[number]

export function isEnvironmentName(text: string): text is EnvironmentName {
  return (environmentNames as readonly string[]).includes(text)
}
