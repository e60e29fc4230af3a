/** What calls take and return that no schema describes: files, and the page of a list. */

/** A file to upload. */
export interface Upload {
  readonly filename: string
  readonly contentType: string
  readonly content: Blob
}

/** A downloaded file: its bytes as they arrive, and facts from the headers. */
export interface Download {
  readonly contentType: string
  /** Bytes, when the service said so. */
  readonly contentLength: number | undefined
  readonly body: AsyncIterable<Uint8Array>
}

/** One page of a list: `{data, next_cursor, has_more}`. */
export interface Page<Item> {
  readonly data: readonly Item[]
  readonly next_cursor?: string | null | undefined
  readonly has_more: boolean
}
