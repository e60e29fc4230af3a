/** Last pages of a visit: done, cancelled, link not valid. */
import { htmlDocument, type PageReply, page } from './document.ts'
import { html } from './html.ts'

export interface Done {
  readonly institutionName: string
  /** Where the caller wants the user to be; without it the visit ends here, on the widget's own success screen. */
  readonly returnTo?: string
}

/** Everything went well. With `returnTo` the browser goes there by itself, or with the link. */
export function donePage({ institutionName, returnTo }: Done): string {
  const destination = safeAddress(returnTo)
  return htmlDocument({
    heading: `${institutionName} is connected`,
    simulation: true,
    ...(destination === undefined ? {} : { goesTo: destination }),
    body:
      destination === undefined
        ? html`<p>You can close this page.</p>`
        : html`<p><a class="button" href="${destination}">Continue</a></p>`,
  })
}

/** The user left before anything was linked. */
export function cancelledPage({ institutionName, returnTo }: Done): string {
  const destination = safeAddress(returnTo)
  return htmlDocument({
    heading: `${institutionName} was not connected`,
    simulation: true,
    body:
      destination === undefined
        ? html`<p>Nothing was shared. You can close this page, or open the link again.</p>`
        : html`<p>Nothing was shared.</p><p><a class="button" href="${destination}">Go back</a></p>`,
  })
}

/**
 * The static page for a link that does not work: tampered, expired, revoked or never made. It says the same in every
 * case, so that it does not tell which links exist.
 */
export const invalidLinkPage: string = htmlDocument({
  heading: 'This link does not work',
  simulation: false,
  body: html`<p>It has expired, was withdrawn, or is not complete. Ask for a new one where you got it.</p>`,
})

/** The same as a response. */
export const invalidLink: PageReply = page(invalidLinkPage, 404)

/** The answer to a form that a page of another address sent. */
export const foreignForm: PageReply = page(
  htmlDocument({
    heading: 'This form came from another site',
    simulation: false,
    body: html`<p>Only the pages of this address can send it, so nothing was done. Open your link again and go on from there.</p>`,
  }),
  403,
)

/** Only web addresses: anything else in a link would run or open something. */
function safeAddress(address: string | undefined): string | undefined {
  return address !== undefined && /^https?:\/\//i.test(address) && URL.canParse(address) ? address : undefined
}
