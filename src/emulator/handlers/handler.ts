/** Types of the handlers, derived from the contract, and the look-up of the rows that a path names. */
import type { z } from 'zod'
import type { Endpoint, FileBody, Input } from '../../contract/endpoint.ts'
import type { Authenticator, Key } from '../engine/api-keys.ts'
import type { Engine } from '../engine/engine.ts'
import { notFound } from '../engine/errors.ts'
import type { AccountRow } from '../store/accounts.ts'
import type { ConnectionRow } from '../store/connections.ts'
import type { ClientRow, Environment, Tenant } from '../store/customers.ts'
import type { SubscriptionRow } from '../store/subscriptions.ts'

/** A file to send. */
export interface FileReply {
  readonly contentType: string
  readonly bytes: Uint8Array | string
  readonly headers?: Readonly<Record<string, string>>
  readonly status?: number
}

/** The context of a call without a Bearer key. */
export interface OpenCall {
  readonly engine: Engine
  /** Of the base that was called. */
  readonly environment: Environment
}

/** The context of a call with one. */
export interface KeyCall extends OpenCall {
  readonly key: Key
  readonly tenant: Tenant
  readonly authenticator: Authenticator
}

type CallOf<E> = E extends { auth: string } ? OpenCall : KeyCall
type ReplyOf<B> = B extends z.ZodType ? z.output<B> : B extends FileBody ? FileReply : undefined
type ResultOf<E extends Endpoint> = ReplyOf<E['success'][keyof E['success']]>

export type Handler<E extends Endpoint> = (
  input: Input<E>,
  call: CallOf<E>,
) => ResultOf<E> | Promise<ResultOf<E>>

/** One handler for each operation of an area. */
export type Handlers<Area extends Readonly<Record<string, Endpoint>>> = {
  readonly [Name in keyof Area]: Handler<Area[Name]>
}

export function clientOf({ engine, tenant }: KeyCall, id: string): ClientRow {
  const row = engine.store.clients.get(tenant.seq, id)
  if (!row) throw notFound('Client')
  return row
}

export function connectionOf({ engine, tenant }: KeyCall, id: string): ConnectionRow {
  const row = engine.store.connections.get(tenant.seq, id)
  if (!row) throw notFound('Connection')
  return row
}

/** Resolved within its Client: another Client's account reads as not found. */
export function accountOf({ engine, tenant }: KeyCall, client: string, id: string): AccountRow {
  const row = engine.store.accounts.get(tenant.seq, client, id)
  if (!row) throw notFound('account')
  return row
}

export function subscriptionOf({ engine, tenant }: KeyCall, id: string): SubscriptionRow {
  const row = engine.store.subscriptions.get(tenant.seq, id)
  if (!row) throw notFound('webhook subscription')
  return row
}
