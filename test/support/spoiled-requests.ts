/** Spoils a good request in one of many ways, reproducibly for a seed. */
import type { Random } from '../../src/emulator/catalog/random.ts'
import type { RequestTemplate } from './request-templates.ts'

type Mutable<T> = { -readonly [K in keyof T]: T[K] }
type Spoil = (request: Mutable<RequestTemplate>, random: Random) => void

const methods = 'GET POST PATCH DELETE PUT HEAD OPTIONS TRACE PROPFIND BREW get M-SEARCH LOCK QUERY'.split(
  ' ',
)
const words = [
  "' OR 1=1 --",
  "1'; DROP TABLE clients; --",
  '%27%20OR%201=1',
  '%00',
  '%ff%fe',
  '%E0%A4%A',
  '../../../etc/passwd',
  '%2e%2e%2f%2e%2e%2f',
  '..%5c..%5c',
  '__proto__',
  'constructor',
  '{{7*7}}',
  '<script>alert(1)</script>',
  'cli_demo',
  'con_00000000-0000-4000-8000-000000000000',
  'con_PDF_1',
  'acc_FDE_12301',
  'ins_a_ok',
  '-1',
  '1e309',
  'NaN',
  '9'.repeat(400),
  'é',
  '\u{1F3E6}',
  'x'.repeat(6000),
  '',
]
const values: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  [],
  {},
  [[]],
  '',
  'x',
  '\u0000',
  '\ud800',
  'x'.repeat(70_000),
  { $ne: null },
  { toString: 'x' },
  ...words,
]

/** Replaces one segment of the path. */
const anotherSegment: Spoil = (request, random) => {
  const [path = '', query] = request.target.split('?')
  const segments = path.split('/')
  segments[random.int(0, segments.length - 1)] = encodeSome(random.pick(words), random)
  request.target = segments.join('/') + (query === undefined ? '' : `?${query}`)
}

const anotherPath: Spoil = (request, random) => {
  const { target } = request
  request.target = random.pick([
    `/${target}`,
    `${target.replace('?', '/?')}/`,
    target.replace('/v3/', '/v3/../v3/'),
    target.replace('/v3/', '/v3/./'),
    target.replace('/v3/', '/V3/'),
    target.replace('/v3/', '/v3//'),
    target.replace('/v3', '/v3/v3'),
    target.replaceAll('/', '\\'),
    target.replaceAll('_', '%5F'),
    `http://localhost${target}`,
    `http://evil.example${target}`,
    '*',
    '/',
    `${target}#here`,
    `${target.split('?')[0]};v=1`,
    target.slice(1),
    `/_emulator/${random.pick(['status', 'reset', 'link', 'nothing'])}`,
    `/${random.pick(['connect', 'widget/x', 'reauthorize/x', 'errors/x', 'v3/connect-session?token=x', 'mcp'])}`,
  ])
}

const anotherQuery: Spoil = (request, random) => {
  const more = random.pick([
    'limit=0',
    'limit=1e3',
    'limit=99999999999999999999',
    'limit[]=1',
    'cursor=',
    `cursor=${'A'.repeat(27)}`,
    'cursor=%00',
    'from=2026-13-45',
    'from=+275760-09-13&to=-1',
    'from=0000-00-00T99:99:99Z',
    'client_id=cli_demo&client_id=cli_other',
    'client_id[]=cli_demo',
    'client_id[$ne]=1',
    '__proto__[x]=1',
    `${'a=1&'.repeat(3000)}`,
    '%ff=%ff',
    '&&&===',
    `q=${encodeSome(random.pick(words), random)}`,
    `client_id=${encodeSome(random.pick(words), random)}`,
  ])
  const base = random.chance(0.5) ? request.target : (request.target.split('?')[0] ?? '')
  request.target = `${base}${base.includes('?') ? '&' : '?'}${more}`
}

const anotherHeader: Spoil = (request, random) => {
  const header = random.pick<readonly [string, string]>([
    [
      'Authorization',
      random.pick(['', 'Bearer', 'Bearer x', 'Basic YTpi', `Bearer ${'x'.repeat(9000)}`, 'Bearer a b']),
    ],
    [
      'Content-Type',
      random.pick([
        '',
        'text/plain',
        'application/json; charset=utf-16',
        'multipart/form-data',
        '/',
        '\u00ff',
      ]),
    ],
    ['Content-Length', random.pick(['-1', '1e3', '99999999999999999999', '5, 5', ' ', '0'])],
    ['Transfer-Encoding', random.pick(['chunked', 'gzip, chunked', 'identity', 'x'])],
    ['Content-Encoding', 'gzip'],
    ['Expect', random.pick(['100-continue', 'the worst'])],
    ['Host', random.pick(['', 'evil.example', 'localhost:99999', '[::1', 'a b'])],
    ['Idempotency-Key', random.pick(['', ' ', 'x'.repeat(256), '\u00e9', 'one', 'two'])],
    ['X-Portal-Bootstrap-Signature', random.pick(['', 'x', '0'.repeat(64), '\u00ff'])],
    ['X-Portal-Idp-User-Id', random.pick(['', "' OR 1=1", 'x'.repeat(5000)])],
    ['X-Bankapi-Emulator', '1'],
    ['Upgrade', 'websocket'],
    ['Connection', random.pick(['upgrade', 'keep-alive', 'close', 'x'])],
    ['Range', 'bytes=0-1'],
    ['Accept', 'x'.repeat(3000)],
    ['X-Many', 'x'.repeat(20_000)],
    ['X-HTTP-Method-Override', 'DELETE'],
  ])
  const kept = request.headers.filter(([name]) => random.chance(0.5) || name !== header[0])
  request.headers = [...kept, header]
}

const withoutHeader: Spoil = (request, random) => {
  const gone = random.int(0, Math.max(0, request.headers.length - 1))
  request.headers = request.headers.filter((_, index) => index !== gone)
}

const manyHeaders: Spoil = (request, random) => {
  const count = random.pick([100, 2500])
  request.headers = [
    ...request.headers,
    ...Array.from({ length: count }, (_, index) => [`X-${index}`, 'y'] as const),
  ]
}

const anotherField: Spoil = (request, random) => {
  const fields = fieldsOf(request)
  const names = [...Object.keys(fields), 'extra', '__proto__', 'constructor', '']
  const value = random.pick(values)
  setBody(request, JSON.stringify({ ...fields, [random.pick(names)]: random.chance(0.2) ? [value] : value }))
}

const anotherBody: Spoil = (request, random) => {
  const text = request.body ?? '{}'
  const spoiled = random.pick([
    text.slice(0, -1),
    `${text}${text}`,
    `\ufeff${text}`,
    '[]',
    'null',
    '"x"',
    '1',
    'NaN',
    '{"a":1e400}',
    '{"name":"a","name":"b"}',
    '{"__proto__":{"x":1}}',
    '['.repeat(100_000),
    `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`,
    `{"name":"${'x'.repeat(900_000)}"}`,
    `{"name":"${'x'.repeat(1_200_000)}"}`,
    `{"scopes":[${'"read:clients",'.repeat(5000)}"x"]}`,
    text.replaceAll('"', "'"),
    ' '.repeat(5000),
    '\u0000',
  ])
  setBody(request, spoiled)
}

/** Changes one to four bytes, after which a JSON body is often not UTF-8. */
const otherBytes: Spoil = (request, random) => {
  const bytes = Buffer.from(request.body ?? '{"name":"x"}')
  for (let count = random.int(1, 4); count > 0; count -= 1)
    bytes[random.int(0, bytes.length - 1)] = random.int(0, 255)
  setBody(request, bytes.toString('latin1'))
}

const anotherMethod: Spoil = (request, random) => {
  request.method = random.pick(methods)
}

const spoils = [
  anotherSegment,
  anotherSegment,
  anotherPath,
  anotherQuery,
  anotherHeader,
  anotherHeader,
  withoutHeader,
  manyHeaders,
  anotherField,
  anotherField,
  anotherBody,
  otherBytes,
  anotherMethod,
]

/** A copy of the request, spoiled one to three times. */
export function spoiled(template: RequestTemplate, random: Random): RequestTemplate {
  const request = { ...template }
  for (let count = random.int(1, 3); count > 0; count -= 1) random.pick(spoils)(request, random)
  return request
}

/** The request as bytes, with `Connection: close`. The body is latin1, so that it can hold any byte. */
export function bytesOf({ method, target, headers, body }: RequestTemplate): Buffer {
  const lines = [`${method} ${target} HTTP/1.1`, ...headers.map(([name, value]) => `${name}: ${value}`)]
  const head = `${[...lines, 'Connection: close'].join('\r\n')}\r\n\r\n`
  return Buffer.concat([Buffer.from(head, 'utf8'), Buffer.from(body ?? '', 'latin1')])
}

function setBody(request: Mutable<RequestTemplate>, body: string): void {
  // Text with characters beyond latin1 is encoded as UTF-8; other text already stands for bytes.
  const beyond = [...body].some((character) => (character.codePointAt(0) ?? 0) > 0xff)
  request.body = beyond ? Buffer.from(body).toString('latin1') : body
  const others = request.headers.filter(([name]) => name !== 'Content-Length')
  const typed = others.some(([name]) => name === 'Content-Type')
    ? []
    : [['Content-Type', 'application/json'] as const]
  request.headers = [...others, ...typed, ['Content-Length', String(request.body.length)]]
}

function fieldsOf({ body = '{}' }: RequestTemplate): object {
  try {
    const parsed: unknown = JSON.parse(body.length < 10_000 ? body : '{}')
    return typeof parsed === 'object' && parsed !== null ? parsed : {}
  } catch {
    return {}
  }
}

function encodeSome(word: string, random: Random): string {
  return random.chance(0.6) ? encodeURIComponent(word.toWellFormed()) : word
}
