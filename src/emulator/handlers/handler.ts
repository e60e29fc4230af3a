/** What a handler is, derived from the contract: a missing or misshapen one does not compile. */
import type { z } from 'zod'
import type { Endpoint, FileBody, Input } from '../../contract/endpoint.ts'
import type { Engine } from '../engine/engine.ts'
import type { Key, Keyring } from '../engine/keyring.ts'
import type { Environment, Tenant } from '../store/tenants.ts'

/** A file as it is sent. */
export interface FileReply {
  readonly contentType: string
  readonly bytes: Uint8Array | string
  readonly headers?: Readonly<Record<string, string>>
  readonly status?: number
}

/** What a call without a Bearer key knows. */
export interface OpenCall {
  readonly engine: Engine
  /** Of the base that was called. */
  readonly environment: Environment
}

/** What a call knows of its caller. */
export interface KeyCall extends OpenCall {
  readonly key: Key
  readonly tenant: Tenant
  readonly keyring: Keyring
}

type CallOf<E> = E extends { auth: string } ? OpenCall : KeyCall
type ReplyOf<B> = B extends z.ZodType ? z.output<B> : B extends FileBody ? FileReply : undefined
type AnswerOf<E extends Endpoint> = ReplyOf<E['success'][keyof E['success']]>

export type Handler<E extends Endpoint> = (
  input: Input<E>,
  call: CallOf<E>,
) => AnswerOf<E> | Promise<AnswerOf<E>>

/** One handler for each operation of an area. */
export type Handlers<Area extends Readonly<Record<string, Endpoint>>> = {
  readonly [Name in keyof Area]: Handler<Area[Name]>
}
