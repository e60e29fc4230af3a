import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type CapabilityStatus, capabilityStatuses } from '../../contract/shapes.ts'
import { type CapabilityChange, firstCapabilities, observe, type Tracked } from './capabilities.ts'

const start: Tracked = {
  status: 'succeeded',
  last_success_at: null,
  next_refresh_after: null,
  last_error: null,
  seen: 'succeeded',
  times: 1,
}
const at = '2026-03-10T12:00:00.000Z'

function run(statuses: readonly CapabilityStatus[], from = start) {
  const changes: CapabilityChange[] = []
  let tracked = from
  for (const status of statuses) {
    const error = { code: 'source_internal_error', message: 'no' }
    const { after, change } = observe(tracked, {
      status,
      at,
      nextRefreshAfter: at,
      ...(status === 'failed' ? { error } : {}),
    })
    tracked = after
    if (change) changes.push(change)
  }
  return { tracked, changes }
}

describe('capability hysteresis', () => {
  test('failed needs 3 in a row, an observation between them starts the count again', () => {
    expect(run(['failed', 'failed']).tracked.status).toBe('succeeded')
    expect(run(['failed', 'failed', 'succeeded', 'failed', 'failed']).tracked.status).toBe('succeeded')
    expect(run(['failed', 'failed', 'failed']).changes).toEqual([
      {
        previous_status: 'succeeded',
        current_status: 'failed',
        consecutive_observations: 3,
        last_error: { code: 'source_internal_error', message: 'no' },
      },
    ])
  })

  test('succeeded needs 2 in a row; last_error is gone then', () => {
    const { tracked } = run(['failed', 'failed', 'failed'])
    expect(run(['succeeded'], tracked).tracked.status).toBe('failed')
    const recovered = run(['succeeded', 'succeeded'], tracked)
    expect(recovered.tracked).toMatchObject({ status: 'succeeded', last_error: null, last_success_at: at })
    expect(recovered.changes).toEqual([
      { previous_status: 'failed', current_status: 'succeeded', consecutive_observations: 2 },
    ])
  })

  test('linking: pending becomes succeeded after 2 consecutive succeeded observations, never after one', () => {
    const before = firstCapabilities('FDE').balance
    expect(before).toMatchObject({ status: 'pending', last_success_at: null })
    expect(run(['succeeded'], before).tracked).toMatchObject({ status: 'pending', times: 1 })
    const twice = run(['succeeded', 'succeeded'], before)
    expect(twice.tracked).toMatchObject({ status: 'succeeded', times: 2 })
    expect(firstCapabilities('FDE', at).balance).toMatchObject({
      status: 'succeeded',
      last_success_at: at,
      seen: 'succeeded',
      times: 2,
    })
    expect(firstCapabilities('AGGREGATOR_A', at).check_images.status).toBe('unsupported')
  })

  test('for any sequence: a change is real, and its count is what its status needs', () => {
    const needed = { failed: 3, succeeded: 2, unsupported: 1, skipped: 1, pending: 1 }
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...capabilityStatuses)), (statuses) => {
        let status: CapabilityStatus = start.status
        for (const change of run(statuses).changes) {
          expect(change.previous_status).toBe(status)
          expect(change.current_status).not.toBe(status)
          expect(change.consecutive_observations).toBe(needed[change.current_status])
          expect('last_error' in change).toBe(change.current_status === 'failed')
          status = change.current_status
        }
      }),
    )
  })
})
