/** The operations as they are at the service of somebody whose settings give assumed ones another method and path. */
import { type Contract, everyEndpoint } from '../contract/contract.ts'
import type { Endpoint, Method } from '../contract/endpoint.ts'
import { isBelowRoot, readOverride, withoutRoot } from '../contract/overrides.ts'

/** By operation: `{ 'health.check': 'GET {root}/healthz' }`. */
export type Overrides = Readonly<Record<string, string>>

/** An override that the document cannot have. */
export class UnusableOverride extends Error {
  override readonly name = 'UnusableOverride'
}

export interface DocumentedOperation {
  readonly area: keyof Contract
  readonly name: string
  /** With the method and path that it has at the service. */
  readonly endpoint: Endpoint
  /** Its path begins at the service's root, beside the base path. */
  readonly isBelowRoot: boolean
}

/** @throws UnusableOverride for an override that cannot be used, or that is the method and path of another operation. */
export function operationsWith(overrides: Overrides): DocumentedOperation[] {
  const operations = everyEndpoint().map((row) => {
    const override = overrides[`${row.area}.${row.name}`]
    return override === undefined ? { ...row, isBelowRoot: false } : overridden(row, override)
  })
  const seen = new Map<string, DocumentedOperation>()
  const isOverridden = ({ area, name }: DocumentedOperation) => overrides[`${area}.${name}`] !== undefined
  // Those of the contract first: an override is at fault, not what it collides with.
  for (const one of operations.toSorted((a, b) => Number(isOverridden(a)) - Number(isOverridden(b)))) {
    const { area, name, endpoint } = one
    // Paths that differ in the names of their parameters are the same.
    const path = endpoint.path.replaceAll(/\{\w+\}/g, '{}')
    const other = seen.get(`${endpoint.method} ${path}`) ?? seen.get(path)
    const isTaken =
      other?.endpoint.method === endpoint.method || (other && other.endpoint.path !== endpoint.path)
    if (isTaken) throw unusable(`${area}.${name}`, `has the path of ${other.area}.${other.name}`)
    seen.set(`${endpoint.method} ${path}`, one).set(path, one)
  }
  return operations
}

type Row = ReturnType<typeof everyEndpoint>[number]

function overridden({ area, name, endpoint }: Row, override: string): DocumentedOperation {
  const read = readOverride(endpoint, override)
  if ('fault' in read) throw unusable(`${area}.${name}`, read.fault)
  // The contract itself has no PUT.
  const method = read.method as Method
  const path = withoutRoot(read.path) as Endpoint['path']
  return { area, name, endpoint: { ...endpoint, method, path }, isBelowRoot: isBelowRoot(read.path) }
}

function unusable(operation: string, why: string): UnusableOverride {
  return new UnusableOverride(`The setting endpoints.${operation} ${why}`)
}
