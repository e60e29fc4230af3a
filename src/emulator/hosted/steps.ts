/**
 * Addresses of the steps of a visit. A form is answered with a redirect to one, so that Back works in the browser and a
 * reload repeats nothing. They carry no credentials: a refusal that shows the user name again is answered directly.
 */
import { goTo, type PageReply } from '../pages/document.ts'
import { formActions, formFields } from '../pages/html.ts'

type Step = 'wrong' | 'question' | 'accounts' | 'unavailable' | 'refused' | 'cancelled' | 'done'

export function goToStep(
  address: string,
  step: Step,
  more: readonly (readonly [name: string, value: string])[] = [],
): PageReply {
  const query = new URLSearchParams([
    [formFields.step, step],
    ...more.map(([...pair]): [string, string] => pair),
  ])
  return goTo(`${address}?${query}`)
}

/** To the accounts, after a form that shared none. All are ticked when the user arrives. */
export function goToAccounts(address: string, form: URLSearchParams): PageReply {
  const arrives = form.has(formFields.username) || form.has(formFields.answer)
  const action = form.get(formFields.action)
  const selects = action === formActions.all || action === formActions.none
  const shown = selects ? action : formActions.continue
  return goToStep(address, 'accounts', arrives ? [] : [[formFields.action, shown]])
}
