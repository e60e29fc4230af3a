/** A hosted page as it is sent. */
import { invalidLinkPage } from '../pages/closing-pages.ts'
import { pageHeaders } from '../pages/document.ts'

export interface PageReply {
  readonly status: number
  readonly contentType: string
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: string
}

export function page(bytes: string, status = 200): PageReply {
  const { 'content-type': contentType, ...headers } = pageHeaders
  return { status, contentType, headers, bytes }
}

/** The static page for every link that does not work. */
export const invalidLink: PageReply = page(invalidLinkPage, 404)

/** On to another hosted page: seen by the browser as the answer to a form. */
export function goTo(address: string): PageReply {
  const { headers, contentType } = page('')
  return { status: 303, contentType, headers: { ...headers, location: address }, bytes: '' }
}
