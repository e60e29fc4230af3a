/** Performs the effects of the state and dispatches their results. */
import { deliveryOf } from '../../inbox/watch-deliveries.ts'
import { pollDelay, refreshConnection } from '../../workflows/operations.ts'
import type { Effect } from '../state/events.ts'
import type { ListName } from '../state/model.ts'
import {
  type DetailText,
  textOfDelivery,
  textOfOperation,
  textOfRecord,
  textOfSentence,
} from './detail-lines.ts'
import { factsOfOperation, factsOfStored, type PolledOperation } from './facts.ts'
import { createReplayer } from './replay.ts'
import { createResources } from './resources.ts'
import type { EffectTools } from './tools.ts'

export interface Performer {
  perform(effect: Effect): void
  close(): Promise<void>
}

/** Between two reads of one operation, so that one that hangs for hours is rarely read. */
const MAX_POLL_DELAY_MS = 5 * 60_000
/** Operations kept as they were last read, for the detail. */
const MAX_KEPT_OPERATIONS = 200

export function createPerformer(tools: EffectTools, quit: () => void): Performer {
  const { api, clock, signal, inbox, environment, safe, explain, dispatch } = tools
  const replayer = createReplayer(tools)
  const resources = createResources(tools)
  const lastRead = new Map<string, PolledOperation>()

  const perform = async (effect: Effect): Promise<void> => {
    switch (effect.kind) {
      case 'poll':
        return poll(effect.id)
      case 'reread':
        return reread(effect.ids)
      case 'load-detail':
        return loadDetail(effect)
      case 'load-resources':
        return resources.load(effect)
      case 'replay':
        return dispatch({ kind: 'replayed', id: effect.id, ...(await replay(effect.id)) })
      case 'refresh':
        return refresh(effect.connectionId)
      case 'reauthorize':
        return dispatch({
          ...{ kind: 'link', connectionId: effect.connectionId },
          ...(await tools.reauthorize(effect.connectionId)),
        })
      case 'send-test':
        return sendTest(effect.subscription)
      case 'listen':
        return tools.listen()
      case 'copy':
        return tools.copy(effect.text)
      case 'open':
        return tools.openUrl(effect.url, (problem) =>
          dispatch({ kind: 'noticed', text: safe(problem), ok: false }),
        )
      case 'quit':
        return quit()
    }
  }

  async function poll(id: string): Promise<void> {
    try {
      const operation = await read(id)
      const nextInMs = await delayAfter(operation)
      dispatch({ kind: 'polled', operation: factsOfOperation(operation, safe), nextInMs })
    } catch (error) {
      const gone = (error as { httpStatus?: unknown }).httpStatus === 404
      dispatch({ kind: 'poll-failed', id, text: safe(await explain(error)), gone })
    }
  }

  async function read(id: string): Promise<PolledOperation> {
    const operation = await api.operations.get({ operation_id: id }, { signal })
    const { type, status, completed_at } = operation
    const known = await inbox.operations.get(environment, id)
    await inbox.operations.record({
      environment,
      id,
      type,
      status,
      seenAt: clock.now(),
      startedAt: known === undefined || completed_at ? Date.parse(operation.created_at) : undefined,
      completedAt: completed_at ? Date.parse(completed_at) : undefined,
    })
    lastRead.delete(id)
    lastRead.set(id, operation)
    const [oldest] = lastRead.keys()
    if (lastRead.size > MAX_KEPT_OPERATIONS && oldest !== undefined) lastRead.delete(oldest)
    return operation
  }

  async function delayAfter({ id, created_at }: PolledOperation): Promise<number> {
    const known = await inbox.operations.get(environment, id)
    const elapsed = Math.max(0, clock.now() - (known?.startedAt ?? Date.parse(created_at)))
    return Math.min(MAX_POLL_DELAY_MS, Math.max(pollDelay(elapsed, known?.estimatedSeconds), elapsed / 20))
  }

  async function reread(ids: readonly number[]): Promise<void> {
    const found = await Promise.all(ids.map((id) => deliveryOf(inbox, id)))
    const deliveries = found.filter((delivery) => delivery !== undefined)
    const now = clock.now()
    dispatch({ kind: 'reread', deliveries: deliveries.map((delivery) => factsOfStored(delivery, safe, now)) })
  }

  async function loadDetail({ list, key, ask }: Extract<Effect, { kind: 'load-detail' }>): Promise<void> {
    const text = await detailOf(list, key, ask).catch(async (error) =>
      textOfSentence(safe(await explain(error))),
    )
    if (text !== undefined) dispatch({ kind: 'detail', list, key, ...text })
  }

  async function detailOf(list: ListName, key: string, ask: boolean): Promise<DetailText | undefined> {
    if (list === 'resources') {
      const record = resources.recordOf(key)
      return record === undefined ? undefined : textOfRecord(record, safe)
    }
    if (list === 'deliveries') {
      const delivery = await deliveryOf(inbox, Number(key))
      if (delivery === undefined) return textOfSentence('It is not in the inbox any more.')
      const { eventId } = delivery
      const same = eventId === undefined ? [] : await inbox.deliveries.get(eventId)
      const attempts = same.filter((one) => one.environment === environment)
      return textOfDelivery(delivery, attempts.length === 0 ? [delivery] : attempts, safe)
    }
    // The cursor passes over many: the service is asked only for what the user opens.
    const known = ask ? undefined : lastRead.get(key)
    if (!ask && known === undefined) return textOfSentence('Enter reads it from the service.')
    const operation = known ?? (await read(key))
    if (known === undefined) dispatch({ kind: 'operations', operations: [factsOfOperation(operation, safe)] })
    return textOfOperation(operation, safe)
  }

  /** Of the subscription of this listener, else of the first that there is. */
  async function sendTest(ownSubscription: string | undefined): Promise<void> {
    const subscription_id = ownSubscription ?? (await api.webhooks.list({ limit: 1 }, { signal })).data[0]?.id
    if (subscription_id === undefined) {
      return dispatch({ kind: 'noticed', text: 'Nothing is subscribed: l starts a listener', ok: false })
    }
    const { event_id } = await api.webhooks.test({ subscription_id }, { signal })
    dispatch({ kind: 'noticed', text: safe(`On its way: ${event_id}`), ok: true })
  }

  async function replay(id: number): Promise<{ ok: boolean; text: string }> {
    try {
      return await replayer.replay(id)
    } catch (error) {
      return { ok: false, text: safe(await explain(error)) }
    }
  }

  async function refresh(connectionId: string): Promise<void> {
    const accepted = await refreshConnection({ api, clock, signal }, { connectionId, timeoutMs: undefined })
    if (!('operation_id' in accepted)) return
    const startedAt = clock.now()
    const started = {
      id: String(accepted.operation_id),
      type: 'account.refresh',
      subject: connectionId,
      status: 'queued',
      startedAt,
      estimatedSeconds: accepted.estimated_seconds as number | undefined,
    }
    await inbox.operations.record({ environment, seenAt: startedAt, ...started })
    dispatch({ kind: 'refreshed', operation: { ...started, id: safe(started.id) } })
  }

  return {
    perform(effect) {
      perform(effect).catch(async (error) =>
        dispatch({ kind: 'noticed', text: safe(await explain(error)), ok: false }),
      )
    },
    close: () => replayer.close(),
  }
}
