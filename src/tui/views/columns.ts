/** Which columns of a table fit, and how wide they are. */

export interface Column {
  readonly name: string
  readonly head: string
  /** Fewer columns than `least` and it is left out, the one with the highest `rank` first. */
  readonly least: number
  readonly most: number
  readonly rank: number
}

export type Placed<C extends Column = Column> = C & { readonly width: number }

/** The columns that fit, in their order: each at least as wide as it must be, then filled up by rank. */
export function placeColumns<C extends Column>(columns: readonly C[], width: number): readonly Placed<C>[] {
  const chosen = [...columns].sort((a, b) => a.rank - b.rank)
  const needed = () => chosen.reduce((sum, { least }) => sum + least, 0) + chosen.length - 1
  while (chosen.length > 1 && needed() > width) chosen.pop()
  let spare = Math.max(0, width - needed())
  const widths = new Map<string, number>()
  for (const { name, least, most } of chosen) {
    const more = Math.min(spare, most - least)
    widths.set(name, Math.min(width, least + more))
    spare -= more
  }
  return columns.flatMap((column) => {
    const columnWidth = widths.get(column.name)
    return columnWidth === undefined ? [] : [{ ...column, width: columnWidth }]
  })
}
