/** Performs the effects of the state and dispatches their results. */

import { deliveryOf } from '../../inbox/watch-deliveries.ts'
import { pollDelay, refreshConnection } from '../../workflows/operations.ts'
import type { Effect } from '../state/events.ts'
import { linesOfDelivery, linesOfOperation } from './detail-lines.ts'
import { factsOfOperation, factsOfStored, type PolledOperation } from './facts.ts'
import { createReplayer } from './replay.ts'
import type { EffectTools } from './tools.ts'

export interface Performer {
  perform(effect: Effect): void
  close(): Promise<void>
}

/** Between two reads of one operation, so that one that hangs for hours is rarely read. */
const MAX_POLL_DELAY_MS = 5 * 60_000

export function createPerformer(tools: EffectTools, quit: () => void): Performer {
  const { api, clock, signal, inbox, environment, safe, explain, dispatch } = tools
  const replayer = createReplayer(tools)

  const perform = async (effect: Effect): Promise<void> => {
    switch (effect.kind) {
      case 'poll':
        return poll(effect.id)
      case 'reread':
        return reread(effect.ids)
      case 'load-detail':
        return loadDetail(effect.list, effect.key)
      case 'replay':
        return dispatch({ kind: 'replayed', id: effect.id, ...(await replay(effect.id)) })
      case 'refresh':
        return refresh(effect.connectionId)
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

  async function loadDetail(list: 'operations' | 'deliveries', key: string): Promise<void> {
    const lines = await detailOf(list, key).catch(async (error) => [safe(await explain(error))])
    dispatch({ kind: 'detail', list, key, lines })
  }

  async function detailOf(list: 'operations' | 'deliveries', key: string): Promise<string[]> {
    if (list === 'deliveries') {
      const delivery = await deliveryOf(inbox, Number(key))
      return delivery === undefined ? ['It is not in the inbox any more.'] : linesOfDelivery(delivery, safe)
    }
    const operation = await read(key)
    dispatch({ kind: 'operations', operations: [factsOfOperation(operation, safe)] })
    return linesOfOperation(operation, safe)
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
