/** Of the columns of a query: what is wrong when a row, which is an object, would have only one of two. */
export function twiceNamed(names: readonly string[]): string | undefined {
  const name = names.find((each, index) => names.indexOf(each) !== index)
  return name === undefined ? undefined : `it has two columns named "${name}": name one of them with AS`
}
