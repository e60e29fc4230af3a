import { Chalk } from 'chalk'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type ErrorReport, type ErrorStyle, errorDocument, renderError } from './error-text.ts'
import { paintWith, plainPaint } from './palette.ts'

const style: ErrorStyle = { width: 80, paint: plainPaint, tty: true }
const show = (report: Partial<ErrorReport>, options: Partial<ErrorStyle> = {}) =>
  renderError({ code: 'x', message: 'It failed', exit_code: 1, ...report }, { ...style, ...options })

test('says what happened, what to do and which trace id to give to support', () => {
  expect(
    show({
      code: 'insufficient_scope',
      message: 'Key lacks read:checks.',
      http_status: 403,
      trace_id: 'tr_1',
      doc_url: 'https://portal.example/errors/insufficient_scope',
      hint: 'bankapi keys rotate-scopes 3f0c --add read:checks\nbankapi login',
    }),
  ).toBe(
    [
      'Error: Key lacks read:checks. (insufficient_scope)',
      'Try: bankapi keys rotate-scopes 3f0c --add read:checks',
      '     bankapi login',
      'Docs: https://portal.example/errors/insufficient_scope',
      'Trace id: tr_1',
      '',
    ].join('\n'),
  )
})

test('every problem of a field has its own line', () => {
  const errors = [{ param: 'url', message: 'must be https', code: 'invalid' }, { message: 'too many' }]
  expect(show({ param: 'url', errors })).toBe(
    'Error: It failed (x)\n  url: must be https (invalid)\n  too many\n',
  )
})

test('the offending field is named when the message does not', () => {
  expect(show({ param: 'redirect_url' })).toBe('Error: It failed [redirect_url] (x)\n')
  expect(show({ param: 'limit', message: 'limit is too large' })).toBe('Error: limit is too large (x)\n')
})

test('accounts that did not report are a table', () => {
  const accounts = [
    { account_id: 'acc_1', code: 'institution_unavailable', message: 'Bank is down' },
    { id: 'acc_2' },
  ]
  expect(show({ accounts })).toBe(
    [
      'Error: It failed (x)',
      'ACCOUNT  CODE                     MESSAGE',
      'acc_1    institution_unavailable  Bank is down',
      'acc_2    -                        -',
      '',
    ].join('\n'),
  )
})

test('a service that says nothing still gives a readable error', () => {
  expect(show({ code: '', message: '' })).toBe('Error: no reason was given\n')
})

test('sentences wrap at words on a terminal and not in a log', () => {
  const message = 'The bank did not answer in time and the refresh was given up after ten minutes'
  expect(show({ message }, { width: 40 })).toBe(
    'Error: The bank did not answer in time\nand the refresh was given up after ten\nminutes (x)\n',
  )
  expect(show({ message }, { width: 40, tty: false }).trimEnd().split('\n')).toHaveLength(1)
})

test('only the word that says so is coloured', () => {
  expect(show({ trace_id: 't' }, { paint: paintWith(new Chalk({ level: 1 })) })).toBe(
    '\u001b[31mError:\u001b[39m It failed (x)\n\u001b[2mTrace id: t\u001b[22m\n',
  )
})

test('nothing the service sends reaches the terminal raw, whichever field it is in', () => {
  const text = fc.string({ unit: 'binary' })
  const problem = fc.record({ param: text, message: text, code: text })
  const report = fc.record({
    ...{
      code: text,
      message: text,
      param: text,
      trace_id: text,
      doc_url: text,
      hint: text,
      exit_code: fc.nat(),
    },
    ...{ errors: fc.array(problem), accounts: fc.array(fc.oneof(problem, text, fc.constant(null))) },
  })
  fc.assert(
    fc.property(report, fc.boolean(), (value, tty) => {
      for (const shown of [renderError(value, { ...style, tty }), errorDocument(value)]) {
        expect(/[\p{Cc}\p{Cs}\u202e\u2028]/u.test(shown.replaceAll('\n', ''))).toBe(false)
      }
    }),
  )
})

test('under --json it is one line of JSON without the keys that have no value', () => {
  const report = {
    code: 'x',
    message: 'It\nfailed\u009b',
    http_status: null,
    param: undefined,
    exit_code: 11,
  }
  expect(errorDocument(report)).toBe(
    '{"error":{"code":"x","message":"It\\nfailed\\u009b","http_status":null,"exit_code":11}}\n',
  )
})
