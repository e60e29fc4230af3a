import type { HeaderPair } from '../inbox/delivery-rows.ts'
import type { Inbox } from '../inbox/inbox.ts'
import type { KnownSecret } from '../signing/diagnose.ts'
import type { ForwardRoute } from './forward-url.ts'

export interface ListenerOptions {
  /** Recorded with each delivery; duplicates are found within the same environment and subscription. */
  environment: string
  /** `whk_…`, when it is known. */
  subscription?: string | undefined
  /**
   * Called with the address once the port is bound, before `ready`, to create a subscription for this listener.
   * Returns the id of its subscription, if it is known. When it rejects, the listener closes and `start` rejects with the same error.
   */
  onBound?: ((url: string) => Promise<string | undefined>) | undefined
  /** Where each delivery is stored before anything else happens to it. */
  inbox: Pick<Inbox, 'deliveries' | 'batch'>
  /** The secrets to accept, read for each delivery so that a rotation takes effect at once. */
  secrets: () => Promise<readonly string[]>
  /** Every other secret of this machine: used to explain a refusal, never to accept. */
  knownSecrets?: (() => Promise<readonly KnownSecret[]>) | undefined
  /** The file of the thread that explains refusals; default: its source. */
  diagnosisProgram?: URL | undefined
  clock: { now: () => number }

  /** Default 127.0.0.1. */
  host?: string | undefined
  /** 0 chooses a free one; default 4020. */
  port?: number | undefined
  /** The path at or below which deliveries are accepted; default `/`. */
  path?: string | undefined
  /** The address at which the service reaches the listener; its host name is accepted on loopback. */
  publicUrl?: string | undefined

  /** Addresses of proxies in front of the listener: their connections are not limited as those of one sender. */
  trustedProxies?: readonly string[] | undefined

  /** Without one, verified deliveries are answered 200. */
  forward?: readonly ForwardRoute[] | undefined
  /** Types to show and forward, `*` standing for any text; the rest is recorded and answered 200. */
  events?: readonly string[] | undefined
  /** Answer 200 whatever the target responds. */
  ack?: boolean | undefined
  /** Answer repeats of an event that a target accepted, without forwarding them. */
  dedupe?: boolean | undefined
  /** With `dedupe`, how long a repeat waits for a forward of its event before it is answered 503; default 5 s. */
  repeatWaitMs?: number | undefined
  /** Forward deliveries that do not verify too. */
  insecureForward?: boolean | undefined
  /** Accept any certificate of a target. */
  insecureTls?: boolean | undefined
  /** Sent to the target, replacing headers of the same name. */
  extraHeaders?: readonly HeaderPair[] | undefined

  /** Default 1 MiB. A larger delivery is answered 413. */
  maxBodyBytes?: number | undefined
  /** Of all bodies that are in memory at once, deliveries and answers; default 32 MiB. Beyond it the answer is 503. */
  maxBytesInFlight?: number | undefined
  /** Default 2000; when there are more, the one that has waited longest for its sender is closed. */
  maxConnections?: number | undefined
  /** Default 250. Loopback and trusted proxies have no limit of their own. */
  maxConnectionsPerAddress?: number | undefined
  /** Default 30 s, as long as the service waits. */
  forwardTimeoutMs?: number | undefined
  /** After so long without an answer it says that it waits; default 5 s. */
  noticeAfterMs?: number | undefined
  /** Time limit for a whole request; default 30 s. Its headers have a third of that. */
  requestTimeoutMs?: number | undefined
  /** Between checks of a target that is down; default 2 s. */
  probeEveryMs?: number | undefined
}
