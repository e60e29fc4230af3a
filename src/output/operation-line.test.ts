import { expect, test } from 'vitest'
import { type OperationFacts, operationLines } from './operation-line.ts'

const operation: OperationFacts = {
  id: 'op_1bc191952ce8f99cf35d2462',
  type: 'account.refresh',
  status: 'succeeded',
  subject: 'con_AGGREGATOR_A_1001',
  tookMs: 12_300,
  error: undefined,
}
const shown = (facts: Partial<OperationFacts>, width: number) =>
  operationLines({ ...operation, ...facts }, '10:19:33', width).map((line) =>
    line.map(({ text }) => text).join(''),
  )

test.each([
  [
    200,
    '10:19:33  ✓ account.refresh     con_AGGREGATOR_A_1001   succeeded    12 s  op_1bc191952ce8f99cf35d2462',
  ],
  [92, '10:19:33  ✓ account.refresh     con_AGGREGATOR_A_1001   succeeded    12 s  op_1bc19195…d2462'],
  [80, '10:19:33  ✓ account.refresh     con_AGGREGATOR_A_1001   succeeded    12 s'],
  [60, '10:19:33  ✓ account.refresh     con_AGGREGA…_1001  succeeded'],
  [40, '10:19:33  ✓ account.refresh    succeeded'],
])('in %i columns a change of an operation is one line, cut where it says least', (width, line) => {
  expect(shown({}, width)).toEqual([line])
})

test('below one that failed stand why and its id, wrapped', () => {
  const error = { code: 'mfa_required', message: 'The bank asks the user a question\u001b[2J' }
  expect(shown({ status: 'failed', tookMs: 900, error }, 60)).toEqual([
    '10:19:33  ✗ account.refresh     con_AGGREGA…_1001  failed',
    '          │ mfa_required: The bank asks the user a',
    '          │ question\\x1b[2J (op_1bc191952ce8f99cf35d2462)',
  ])
})

test('its mark says how it stands', () => {
  const marks = ['queued', 'succeeded', 'failed', 'paused'].map((status) => shown({ status }, 80)[0]?.[10])
  expect(marks).toEqual(['…', '✓', '✗', '·'])
})
