/** The rows of a document: those of a list envelope, the items of an array, or the one document itself. */
import { isObject } from '../fields.ts'

/** `data` of `{data, next_cursor, has_more}`, an array as it is, anything else as its only row. */
export function rowsOf(document: unknown): readonly unknown[] {
  if (Array.isArray(document)) return document
  if (isObject(document) && Array.isArray(document['data'])) return document['data']
  return [document]
}
