/** The sign-in form, the same in the widget and in a reauthorize link. */
import { formFields } from '../pages/html.ts'
import { type SignIn, wrongUserName } from '../pages/widget-pages.ts'

/** Whether it was filled in with the user name that no bank accepts. */
export function isWrong(form: URLSearchParams): boolean {
  return form.get(formFields.username)?.trim().toLowerCase() === wrongUserName
}

/** What the sign-in page needs to show the form again: the user name to be corrected, and why. */
export function notAccepted(
  refusedName: string,
  next = ' Check them and try again.',
): Required<Pick<SignIn, 'message' | 'refusedName'>> {
  return {
    message: `The bank did not accept this user name and password.${next}`,
    refusedName,
  }
}
