/** The id of the `position`-th account of a bank login, after `acc_<SOURCE>_`: two digits follow, so none collide. */
export function accountNumber(bankAccountId: string, position: number): string {
  return `${bankAccountId}${String(position).padStart(2, '0')}`
}
