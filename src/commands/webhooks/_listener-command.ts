import type { FlagsOf } from '../../cli/command/base-command.ts'
import type { serviceFlags } from '../../cli/command/flags.ts'
/** A command that listens for deliveries: how its listener is put together from flags, secrets and the inbox. */

import type { Command } from '@oclif/core'
import { ApiCommand } from '../../cli/command/api-command.ts'
import { backgroundSecrets } from '../../cli/command/known-secrets.ts'
import { UsageError } from '../../cli/errors/errors.ts'
import type { Inbox } from '../../inbox/open.ts'
import type { ForwardRoute } from '../../listener/forward-url.ts'
import type { Listener } from '../../listener/listener.ts'
import { eventTypesMatching } from './_event-patterns.ts'
import type { listenFlags } from './_listen-flags.ts'
import { type ListenerSecret, listenerSecret } from './_listener-secret.ts'

export interface AssembledListener {
  /** Not started yet. */
  readonly listener: Listener
  readonly secret: ListenerSecret
  readonly routes: readonly ForwardRoute[]
  readonly events: readonly string[] | undefined
  readonly extraHeaders: readonly (readonly [string, string])[]
}

export abstract class ListenerCommand<T extends typeof Command> extends ApiCommand<T, void> {
  declare protected flags: FlagsOf<T, typeof serviceFlags & typeof listenFlags>

  /** @throws UsageError for flags that mean nothing, or when there is no secret to verify with. */
  protected async assembleListener(inbox: Inbox): Promise<AssembledListener> {
    const { session, flags } = this
    const [{ createListener }, { parseForward }] = await Promise.all([
      import('../../listener/listener.ts'),
      import('../../listener/forward-url.ts'),
    ])
    const routes = (flags.forward ?? []).map(parseForward)
    const events = flags.events?.split(',').map((name) => name.trim())
    const extraHeaders = (flags.header ?? []).map(headerPair)
    const secret = await listenerSecret(session, this.terminal, {
      flags,
      eventTypes: eventTypesMatching(events),
      signal: this.signal,
      onWarning: this.warning,
    })
    const listener = createListener({
      environment: session.environment.value,
      subscription: secret.subscription,
      inbox,
      secrets: secret.accepted,
      knownSecrets: backgroundSecrets(session),
      clock: this.machine,
      host: flags.host,
      port: flags.port,
      path: flags.path,
      publicUrl: flags['public-url'],
      forward: routes,
      events,
      ack: flags.ack,
      dedupe: flags.dedupe,
      insecureForward: flags['insecure-forward'],
      insecureTls: flags['insecure-tls'],
      extraHeaders,
      forwardTimeoutMs: flags['forward-timeout'],
      onBound: secret.subscribe,
    })
    return { listener, secret, routes, events, extraHeaders }
  }

  /** Gives back what the listener took at the service, or says why something stays. */
  protected async releaseSecret(secret: ListenerSecret): Promise<void> {
    const why = await secret.release()
    if (why !== undefined) this.note(why)
  }
}

/** What starting a listener failed with, for the user. */
export function portError(error: unknown): unknown {
  const { code, port } = error as NodeJS.ErrnoException & { port?: number }
  if (code !== 'EADDRINUSE' && code !== 'EACCES') return error
  return new UsageError(`Port ${port} is ${code === 'EACCES' ? 'not allowed to you' : 'in use'}`, {
    code: 'port_unavailable',
    hint: 'Choose another with --port; 0 picks a free one',
  })
}

function headerPair(header: string): readonly [string, string] {
  const colon = header.indexOf(':')
  if (colon < 1) throw new UsageError(`"${header}" is not a header`, { hint: 'Write it like -H Name:value' })
  return [header.slice(0, colon).trim(), header.slice(colon + 1).trim()]
}
