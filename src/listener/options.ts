import type { HeaderPair } from '../inbox/delivery-rows.ts'
import type { Inbox } from '../inbox/open.ts'
import type { KnownSecret } from '../signing/diagnose.ts'
import type { ForwardRoute } from './forward-url.ts'

export interface ListenerOptions {
  /** Recorded with each delivery; duplicates are looked for within it, and within the subscription. */
  environment: string
  /** `whk_…`, when it is known. */
  subscription?: string | undefined
  /**
   * Called when the port is bound and before `ready`, with the address: for a subscription that is made for this
   * listener. Returns its id. When it rejects, the listener closes again and `start` rejects with the same.
   */
  onBound?: ((url: string) => Promise<string>) | undefined
  /** Where each delivery is stored before anything else happens to it. */
  inbox: Pick<Inbox, 'deliveries' | 'batch'>
  /** The secrets to accept, asked for each delivery so that a rotation takes effect at once. */
  secrets: () => Promise<readonly string[]>
  /** Every other secret of this machine: they explain a refusal, and accept nothing. */
  knownSecrets?: (() => Promise<readonly KnownSecret[]>) | undefined
  clock: { now: () => number }

  /** Default 127.0.0.1. */
  host?: string | undefined
  /** 0 picks a free one; default 4020. */
  port?: number | undefined
  /** Deliveries come to this path or below it; default `/`. */
  path?: string | undefined
  /** The address under which the service reaches the listener; its host name is accepted on loopback. */
  publicUrl?: string | undefined

  /** Without one, verified deliveries are answered 200. */
  forward?: readonly ForwardRoute[] | undefined
  /** Types to show and forward, `*` standing for any text; the rest is recorded and answered 200. */
  events?: readonly string[] | undefined
  /** Answer 200 whatever the target says. */
  ack?: boolean | undefined
  /** Answer repeats of an event that a target has accepted without forwarding them. */
  dedupe?: boolean | undefined
  /** Forward what is not verified, too. */
  insecureForward?: boolean | undefined
  /** Accept any certificate of a target. */
  insecureTls?: boolean | undefined
  /** Sent to the target in the place of headers of the same name. */
  extraHeaders?: readonly HeaderPair[] | undefined

  /** Bytes; default 1 MiB. A larger delivery is answered 413. */
  bodyLimit?: number | undefined
  /** Default 30 s, as long as the service waits for an answer. */
  forwardTimeoutMs?: number | undefined
  /** Until a request must be there whole; default 30 s. Its headers: a third of that. */
  requestTimeoutMs?: number | undefined
  /** Between looks at a target that is down; default 2 s. */
  probeEveryMs?: number | undefined
}
