import { describe, expect, test } from 'vitest'
import { type Message, messageOf } from './messages.ts'
import { RequestHeaders } from './request-headers.ts'

const meta = { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } }

function message(fields: object): Message {
  const found = messageOf({ jsonrpc: '2.0', ...fields })
  if (found === undefined) throw new Error('not a message')
  return found
}

function call(name: string, args: object): Message {
  return message({ id: 1, method: 'tools/call', params: { ...meta, name, arguments: args } })
}

const session = { sessionId: 's-1', revision: '2025-11-25' }

describe('since 2026-07-28', () => {
  test.each([
    ['tools/call', { name: 'triage' }, 'triage'],
    ['prompts/get', { name: 'morning' }, 'morning'],
    ['resources/read', { uri: 'bank://con_1' }, 'bank://con_1'],
    ['resources/read', { uri: 'bank://größe' }, '=?base64?YmFuazovL2dyw7bDn2U=?='],
    ['tools/call', { name: ' padded' }, '=?base64?IHBhZGRlZA==?='],
    ['tools/call', { name: 'two\r\nX-Other: lines' }, '=?base64?dHdvDQpYLU90aGVyOiBsaW5lcw==?='],
    ['tools/call', { name: '=?base64?YQ==?=' }, '=?base64?PT9iYXNlNjQ/WVE9PT89?='],
  ])('headers repeat the revision, the method and the name of %s %j', (method, params, name) => {
    const sent = new RequestHeaders().for(message({ id: 1, method, params: { ...meta, ...params } }), session)
    expect(sent).toEqual({ 'Mcp-Protocol-Version': '2026-07-28', 'Mcp-Method': method, 'Mcp-Name': name })
  })

  test('initialize, which this revision does not have, is a method like any other', () => {
    const sent = new RequestHeaders().for(message({ id: 1, method: 'initialize', params: meta }), session)
    expect(sent).toEqual({ 'Mcp-Protocol-Version': '2026-07-28', 'Mcp-Method': 'initialize' })
  })

  test('a notification has the revision of the requests before it', () => {
    const headers = new RequestHeaders()
    headers.for(message({ id: 1, method: 'tools/list', params: meta }), undefined)
    expect(headers.for(message({ method: 'notifications/progress' }), undefined)).toEqual({
      'Mcp-Protocol-Version': '2026-07-28',
      'Mcp-Method': 'notifications/progress',
    })
  })

  test('arguments are repeated that the list of tools marks', () => {
    const headers = new RequestHeaders()
    const properties = {
      client: { type: 'string', 'x-mcp-header': 'Client' },
      count: { type: 'integer', 'x-mcp-header': 'Count' },
      filter: { type: 'object', properties: { open: { type: 'boolean', 'x-mcp-header': 'Open' } } },
      bad: { type: 'string', 'x-mcp-header': 'no header' },
      plain: { type: 'string' },
    }
    headers.learn({ tools: [{ name: 'find', inputSchema: { type: 'object', properties } }] })
    const args = { client: 'cli_1', count: 3, filter: { open: false }, bad: 'b', plain: 'p' }
    expect(headers.for(call('find', args), undefined)).toMatchObject({
      'Mcp-Param-Client': 'cli_1',
      'Mcp-Param-Count': '3',
      'Mcp-Param-Open': 'false',
    })
    expect(Object.keys(headers.for(call('find', args), undefined))).toHaveLength(6)
    expect(Object.keys(headers.for(call('find', { client: null }), undefined))).toHaveLength(3)
    expect(Object.keys(headers.for(call('other', args), undefined))).toHaveLength(3)
  })
})

describe('before it', () => {
  test('headers name the session and the revision of the handshake, and repeat nothing', () => {
    const expected = { 'Mcp-Session-Id': 's-1', 'Mcp-Protocol-Version': '2025-11-25' }
    const headers = new RequestHeaders()
    const listing = message({ id: 1, method: 'tools/call', params: { name: 'triage' } })
    expect(headers.for(listing, session)).toEqual(expected)
    expect(headers.for(message({ id: 1, result: {} }), session)).toEqual(expected)
    expect(headers.for(message({ id: 1, method: 'initialize', params: {} }), session)).toEqual({})
  })
})
