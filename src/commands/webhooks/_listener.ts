/** What commands that listen for deliveries share: the flags, the listener that is made from them, and a base class. */
import { isIP } from 'node:net'
import { type Command, Flags, type Interfaces } from '@oclif/core'
import type { FlagsOf } from '../../cli/command/base-command.ts'
import { type serviceFlags, timeLimit } from '../../cli/command/flags.ts'
import { SecretCommand } from '../../cli/command/secret-command.ts'
import type { Session } from '../../cli/command/session.ts'
import { UsageError } from '../../cli/errors/errors.ts'
import { programFile } from '../../cli/program-file.ts'
import type { Terminal } from '../../cli/terminal/terminal.ts'
import type { Inbox } from '../../inbox/inbox.ts'
import type { ForwardRoute } from '../../listener/forward-url.ts'
import type { Listener } from '../../listener/listener.ts'
import { systemClock } from '../../machine/machine.ts'
import { eventTypesMatching } from './_awaited-event.ts'
import { type ListenerSecret, listenerSecret } from './_listener-secret.ts'
import type { PrintWhole } from './_listener-subscription.ts'
import { secretFlags } from './_signing-secret.ts'

/** The flags of every command that listens for deliveries. */
export const listenFlags = {
  forward: Flags.string({
    summary: 'Where to forward: 3000, localhost:3000/path, a URL, or connection.*=URL for some types',
    helpValue: 'URL',
    multiple: true,
    multipleNonGreedy: true,
  }),
  port: Flags.integer({
    summary: 'Port to listen on; 0 picks a free one',
    default: 4020,
    min: 0,
    max: 65_535,
  }),
  host: Flags.string({ summary: 'Address to listen on', default: '127.0.0.1' }),
  path: Flags.string({ summary: 'Path at which deliveries come', default: '/' }),
  events: Flags.string({
    summary: 'Only these types, separated by commas; * stands for any text',
    helpValue: 'a,b',
  }),
  ...secretFlags,
  'public-url': Flags.string({
    summary: 'Address under which the service reaches this listener; subscribes it while listening',
    helpValue: 'URL',
  }),
  'trusted-proxy': Flags.string({
    summary: 'Address of a proxy in front of this listener: without the limit of connections for one address',
    helpValue: 'ADDRESS',
    multiple: true,
    multipleNonGreedy: true,
  }),
  rotate: Flags.boolean({
    summary: "Replace the subscription's secret if it is not known here (the old one stays valid 24 hours)",
  }),
  ack: Flags.boolean({ summary: 'Answer 200 whatever your server says' }),
  dedupe: Flags.boolean({ summary: 'Do not forward an event again that your server accepted' }),
  'insecure-forward': Flags.boolean({ summary: 'Forward also what does not verify' }),
  'insecure-tls': Flags.boolean({ summary: 'Accept any certificate of your server' }),
  header: Flags.string({
    char: 'H',
    summary: 'A header for your server',
    helpValue: 'NAME:VALUE',
    multiple: true,
    multipleNonGreedy: true,
  }),
  'forward-timeout': timeLimit({
    summary: 'Give your server this long to answer',
    default: 30_000,
    defaultHelp: async () => '30s',
  }),
}

export interface AssembledListener {
  /** Not started yet. */
  readonly listener: Listener
  readonly secret: ListenerSecret
  readonly routes: readonly ForwardRoute[]
  readonly events: readonly string[] | undefined
  readonly extraHeaders: readonly (readonly [string, string])[]
}

/** What a listener is made from. */
export interface ListenerHost {
  readonly session: Session
  readonly terminal: Terminal
  readonly signal: AbortSignal
  readonly flags: Interfaces.InferredFlags<typeof listenFlags>
  /** The folder of the program. */
  readonly root: string
  readonly onWarning: (warning: string) => void
  /** Prints everything of an answer that comes once and lacks the secret. */
  readonly printWhole: PrintWhole
  /** Called with the secret that deliveries are signed with, before the listener is ready. */
  readonly onSecret?: ((secret: string) => void) | undefined
}

/** @throws UsageError for invalid flags, or when there is no secret to verify with. */
export async function assembleListener(
  { session, terminal, signal, flags, root, onWarning, printWhole, onSecret }: ListenerHost,
  inbox: Inbox,
): Promise<AssembledListener> {
  const [{ createListener }, { parseForwards }] = await Promise.all([
    import('../../listener/listener.ts'),
    import('../../listener/forward-url.ts'),
  ])
  const routes = parseForwards(flags.forward ?? [])
  const events = flags.events?.split(',').map((name) => name.trim())
  const extraHeaders = (flags.header ?? []).map(headerPair)
  const secret = await listenerSecret(session, terminal, {
    flags,
    eventTypes: await eventTypesMatching(events),
    signal,
    onWarning,
    printWhole,
  })
  const listener = createListener({
    environment: session.environment.value,
    subscription: secret.subscription,
    inbox,
    secrets: secret.accepted,
    knownSecrets: explainingSecrets(session),
    diagnosisProgram: programFile(root, 'listener/diagnosis-thread'),
    clock: session.machine,
    host: flags.host,
    port: flags.port,
    path: flags.path,
    publicUrl: flags['public-url'],
    trustedProxies: flags['trusted-proxy']?.map(ipAddress),
    forward: routes,
    events,
    ack: flags.ack,
    dedupe: flags.dedupe,
    insecureForward: flags['insecure-forward'],
    insecureTls: flags['insecure-tls'],
    extraHeaders,
    forwardTimeoutMs: flags['forward-timeout'],
    async onBound(url) {
      const subscription = (await secret.subscribe?.(url)) ?? secret.subscription
      const [current] = onSecret === undefined ? [] : await secret.accepted()
      if (current !== undefined) onSecret?.(current)
      return subscription
    },
  })
  return { listener, secret, routes, events, extraHeaders }
}

export abstract class ListenerCommand<T extends typeof Command> extends SecretCommand<T, void> {
  declare protected flags: FlagsOf<T, typeof serviceFlags & typeof listenFlags>

  /** @throws UsageError for invalid flags, or when there is no secret to verify with. */
  protected assembleListener(inbox: Inbox, onSecret?: (secret: string) => void): Promise<AssembledListener> {
    const { session, terminal, signal, flags, warning: onWarning, printWhole } = this
    return assembleListener(
      { session, terminal, signal, flags, root: this.config.root, onWarning, printWhole, onSecret },
      inbox,
    )
  }

  /** Removes the subscription that the listener made, or notes why it stays. */
  protected async releaseSecret(secret: ListenerSecret): Promise<void> {
    const why = await secret.release()
    if (why !== undefined) this.tell(why)
  }
}

/** How long an explanation waits for a slow keychain. */
const KEYCHAIN_TIMEOUT_MS = 300

/**
 * Reads every known signing secret in the background, to explain why a signature does not match. The function returns
 * none while a slow keychain has not answered.
 */
export function explainingSecrets({ signingSecrets }: Pick<Session, 'signingSecrets'>) {
  const reading = signingSecrets.known()
  return () => Promise.race([reading, systemClock.sleep(KEYCHAIN_TIMEOUT_MS).then(() => [])])
}

/** The error for the user when the listener cannot use its port; any other error is returned as it is. */
export function portError(error: unknown): unknown {
  const { code, port } = error as NodeJS.ErrnoException & { port?: number }
  if (code !== 'EADDRINUSE' && code !== 'EACCES') return error
  return new UsageError(`Port ${port} is ${code === 'EACCES' ? 'not allowed to you' : 'in use'}`, {
    code: 'port_unavailable',
    hint: 'Choose another with --port; 0 picks a free one',
  })
}

function ipAddress(address: string): string {
  if (isIP(address) !== 0) return address
  throw new UsageError(`"${address}" is not an IP address`, {
    hint: 'Write it like 192.0.2.1 or 2001:db8::1',
  })
}

function headerPair(header: string): readonly [string, string] {
  const colon = header.indexOf(':')
  if (colon < 1) throw new UsageError(`"${header}" is not a header`, { hint: 'Write it like -H Name:value' })
  return [header.slice(0, colon).trim(), header.slice(colon + 1).trim()]
}
