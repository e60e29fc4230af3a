/** Writes the types of the client from the OpenAPI document: every operation with its input and its answer. */
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript'
import ts from 'typescript'
import { type Contract, contract, everyEndpoint } from '../../src/contract/contract.ts'
import { type Endpoint, isEmpty, isFile, successOf } from '../../src/contract/endpoint.ts'
import { errorCodes } from '../../src/contract/errors.ts'
import { eventTypes } from '../../src/contract/events.ts'
import type { Json } from '../../src/openapi/json.ts'
import { eventSchemaName } from '../../src/openapi/schemas.ts'

type Schemas = Record<string, Json>

/** An operation of the document, as far as it is read here. */
interface Described {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly parameters: readonly {
    readonly name: string
    readonly in: string
    readonly required: boolean
    readonly description?: string
    readonly schema: Json
  }[]
  readonly requestBody?: { readonly content: Record<string, { readonly schema: Json }> }
  readonly responses: Record<string, { readonly content?: Record<string, { readonly schema: Json }> }>
}

interface Document {
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Record<string, Record<string, Described>>
  readonly components: { readonly schemas: Schemas }
}

/** Schemas that are types in src/client/events.ts alone. */
const ofEvents = ['EventType', 'WebhookEvent', ...eventTypes.map(eventSchemaName)]

/** The module `src/client/service.ts`. */
export async function clientTypes(document: Json): Promise<string> {
  const { tags, paths, components } = document as unknown as Document
  const schemas: Schemas = Object.fromEntries(
    Object.entries(components.schemas).filter(([name]) => !/Event$/.test(name)),
  )
  const areas = (Object.keys(contract) as (keyof Contract)[]).map((area) => {
    const calls = Object.entries<Endpoint>(contract[area]).map(([name, endpoint]) => {
      const described = paths[endpoint.path]?.[endpoint.method.toLowerCase()]
      if (described === undefined) throw new Error(`${area}.${name} is not in the document`)
      return `${comment(docOf(endpoint, described), 4)}    readonly ${name}: ${callType(endpoint, described, schemas)}\n`
    })
    const about = tags.find(({ name }) => name === area)?.description ?? area
    return `${comment(about, 2)}  readonly ${area}: {\n${calls.join('')}  }\n`
  })
  const assumed = everyEndpoint()
    .filter(({ endpoint }) => endpoint.origin === 'assumed')
    .map(({ area, name }) => `  | '${area}.${name}'\n`)
  const codes = Object.keys(errorCodes).map((code) => `  | '${code}'\n`)
  return [
    '/** Every operation of the service, its input and its answer. Made from the contract by `npm run docs`. */\n',
    "import type { Call, ListCall } from './calls.ts'\n",
    "import type { Download, Upload } from '../contract/values.ts'\n\n",
    '/** Codes that the reference names or that are assumed; the service may answer with others. */\n',
    `export type ErrorCode =\n${codes.join('')}\n`,
    `/** Operations whose method and path the reference does not show. */\nexport type AssumedOperation =\n${assumed.join('')}\n`,
    `/** Every operation, by area and name. */\nexport interface Operations {\n${areas.join('')}}\n\n`,
    await schemaTypes(schemas, (name) => !ofEvents.includes(name)),
  ].join('')
}

/** The type of a call. What it takes, and an answer that has no name, is added to the schemas. */
function callType(endpoint: Endpoint, described: Described, schemas: Schemas): string {
  const name = described.operationId
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
  const { body } = successOf(endpoint)
  schemas[`${name}Input`] = inputOf(endpoint, described)
  if (isFile(body)) return `Call<${name}Input, Download>`
  if (isEmpty(body)) return `Call<${name}Input, undefined>`

  const answer = Object.values(described.responses)[0]?.content?.['application/json']?.schema ?? {}
  if (endpoint.paged) {
    const { data } = answer['properties'] as { readonly data: { readonly items: Json } }
    return `ListCall<${name}Input, ${nameOf(data.items, `${name}Item`, schemas)}>`
  }
  return `Call<${name}Input, ${nameOf(answer, `${name}Result`, schemas)}>`
}

function nameOf(schema: Json, otherwise: string, schemas: Schemas): string {
  const name = typeof schema['$ref'] === 'string' ? schema['$ref'].split('/').at(-1) : undefined
  if (name === undefined) schemas[otherwise] = schema
  return name ?? otherwise
}

/** Parameters and fields of the body in one object, as calls take them. An Idempotency-Key is an option of the call. */
function inputOf({ upload }: Endpoint, { parameters, requestBody }: Described): Json {
  const own = parameters.filter(({ name }) => name !== 'Idempotency-Key')
  const body = requestBody?.content['application/json']?.schema as
    | { readonly properties?: Json; readonly required?: readonly string[] }
    | undefined
  return {
    type: 'object',
    properties: {
      ...Object.fromEntries(own.map(({ name, description, schema }) => [name, { ...schema, description }])),
      ...body?.properties,
      ...(upload === undefined ? {} : { [upload]: { type: 'string', format: 'binary' } }),
    },
    required: [
      ...own.filter(({ required }) => required).map(({ name }) => name),
      ...(body?.required ?? []),
      ...(upload === undefined ? [] : [upload]),
    ],
  }
}

/** The module `src/client/events.ts`, which has all that it needs: receivers of webhooks import nothing else. */
export async function eventTypesOf(document: Json): Promise<string> {
  const { schemas } = (document as unknown as Document).components
  const needed = new Set(['EventType', ...eventTypes.map(eventSchemaName)])
  for (const name of needed) {
    for (const [, other = ''] of JSON.stringify(schemas[name]).matchAll(/#\/components\/schemas\/(\w+)/g))
      needed.add(other)
  }
  const members = eventTypes.map((type) => `  '${type}': ${eventSchemaName(type)}\n`)
  return [
    '/** Every event that a subscription can deliver. Made from the contract by `npm run docs`. */\n\n',
    `interface Events {\n${members.join('')}}\n\n`,
    '/** A delivery: its `type` tells which `data` it has. */\n',
    'export type WebhookEvent<T extends EventType = EventType> = Events[T]\n\n',
    '/** `data` of the events of a type. */\n',
    "export type EventData<T extends EventType> = Events[T]['data']\n\n",
    await schemaTypes(Object.fromEntries([...needed].map((name) => [name, schemas[name] ?? {}])), (name) =>
      ofEvents.includes(name),
    ),
  ].join('')
}

/** The schemas as `components`, and names of them as types. */
async function schemaTypes(schemas: Schemas, exported: (name: string) => boolean): Promise<string> {
  const document = { openapi: '3.1.0', info: { title: '', version: '' }, components: { schemas } }
  const nodes = await openapiTS(document as unknown as OpenAPI3, {
    rootTypes: true,
    rootTypesNoSchemaPrefix: true,
    silent: true,
    defaultNonNullable: false,
    transform: ({ format }) =>
      format === 'binary' ? ts.factory.createTypeReferenceNode('Upload') : undefined,
  })
  const wanted = nodes.filter((node) =>
    ts.isTypeAliasDeclaration(node)
      ? node.name.text !== '$defs' && exported(node.name.text)
      : ts.isInterfaceDeclaration(node) && node.name.text === 'components',
  )
  return astToString(wanted).replace('export interface components', 'interface components')
}

function docOf({ method, path, scope }: Endpoint, { summary, description }: Described): string {
  const needed = scope === null ? '' : `, with the scope \`${scope}\``
  return `${summary}: \`${method} ${path}\`${needed}. ${description}`
}

function comment(text: string, indent: number): string {
  return `${' '.repeat(indent)}/** ${text.replaceAll('*/', '*\\/')} */\n`
}
