/** Which columns of a table fit, and how wide they are. */

export interface Column {
  readonly name: string
  readonly head: string
  /** With less room than `least` a column is left out, the one with the highest `rank` first. */
  readonly least: number
  readonly most: number
  readonly rank: number
  /** In which order columns grow from `least` to `most`. */
  readonly grows: number
  /** What is left then goes to this column. */
  readonly takesRest?: boolean
}

export type Placed<C extends Column = Column> = C & { readonly width: number }

/** The columns that fit, in their order, each at least as wide as it must be. */
export function placeColumns<C extends Column>(columns: readonly C[], width: number): readonly Placed<C>[] {
  const chosen = [...columns].sort((a, b) => a.rank - b.rank)
  const needed = () => chosen.reduce((sum, { least }) => sum + least, 0) + chosen.length - 1
  while (chosen.length > 1 && needed() > width) chosen.pop()
  let spare = Math.max(0, width - needed())
  const widths = new Map<string, number>()
  chosen.sort((a, b) => a.grows - b.grows)
  for (const { name, least, most } of chosen) {
    const more = Math.min(spare, most - least)
    widths.set(name, Math.min(width, least + more))
    spare -= more
  }
  const rest = chosen.find(({ takesRest }) => takesRest)
  if (rest !== undefined) widths.set(rest.name, (widths.get(rest.name) ?? 0) + spare)
  return columns.flatMap((column) => {
    const columnWidth = widths.get(column.name)
    return columnWidth === undefined ? [] : [{ ...column, width: columnWidth }]
  })
}
