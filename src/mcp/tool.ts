/** Declares a tool: what it takes and answers, which scopes it needs, and which group it belongs to. */
import * as z from 'zod'
import type { Scope } from '../contract/scopes.ts'
import type { Call, Group } from './assistant.ts'
import { type LeanSchema, lean } from './lean-schema.ts'

type Shape = Readonly<Record<string, z.ZodType>>

/** Rows of an answer that may be cut to fit: the cursor then stands after the last one that is left. */
export interface CutRows {
  /** The field of the data with the rows. */
  readonly key: string
  /** The cursor after so many rows. */
  readonly cursorAfter: (count: number) => string
}

export interface Answer<Data> {
  readonly data: Data
  readonly cut?: CutRows
}

/** What a tool says of itself; `input` and `output` are the fields of an object. */
export interface ToolOptions<Input extends Shape, Output extends Shape> {
  /** `search_transactions` */
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: Input
  readonly output: Output
  /** The key has to have all of them, or the tool is not listed. */
  readonly scopes: readonly Scope[]
  /** A tool without one only reads. */
  readonly group?: Group
  /** Only where there is a mirror. */
  readonly needsMirror?: boolean
  /** @throws BankapiError */
  readonly run: (
    call: Call,
    input: z.output<z.ZodObject<Input>>,
  ) => Promise<Answer<OrNull<z.input<z.ZodObject<Output>>>>>
}

/** Optional fields may be null, which an answer leaves out: schemas with null are not understood everywhere. */
export type OrNull<T> = T extends readonly (infer Item)[]
  ? readonly OrNull<Item>[]
  : T extends object
    ? { readonly [K in keyof T]: OrNull<T[K]> | (undefined extends T[K] ? null : never) }
    : T

export interface Tool extends Omit<ToolOptions<Shape, Shape>, 'input' | 'output' | 'run'> {
  readonly inputSchema: LeanSchema
  readonly outputSchema: LeanSchema
  readonly run: (call: Call, input: never) => Promise<Answer<object>>
}

export function tool<Input extends Shape, Output extends Shape>({
  input,
  output,
  ...rest
}: ToolOptions<Input, Output>): Tool {
  return {
    ...rest,
    inputSchema: lean(z.strictObject(input)),
    // Every answer names its environment first.
    outputSchema: lean(z.looseObject({ environment: z.string(), ...output })),
  }
}
