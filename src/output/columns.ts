/** Chooses the columns of a table that fit its width, and how wide each is. */

export interface ColumnNeed {
  /** The widths it may have, in ascending order: the shortest form of its values, their longest, and those between. */
  readonly widths: readonly number[]
  /** Whether it may have any width between the first and the last: its cells are then cut with `…`. */
  readonly shrinks: boolean
  /** A width below the first that it may have before it is left out, if `yields`; else only where nothing else fits. */
  readonly least?: number
  readonly yields?: boolean
  /** Columns with a higher one come first into a table short of width. */
  readonly priority: number
  /** What grows first, from 0, when there is room left. */
  readonly grows: number
}

export interface ColumnFit {
  /** Index into the needs. */
  readonly index: number
  readonly width: number
}

interface Placed {
  readonly index: number
  readonly need: ColumnNeed
  width: number
}

/**
 * Widths for as many columns as fit into `width` with `gap` spaces between them: those of the highest priority first, at
 * their shortest; then they grow. With `keepAll` none is left out.
 * @returns the columns that stay, in order; undefined when fewer than two would (or, with `keepAll`, not all)
 */
export function fitColumns(
  needs: readonly ColumnNeed[],
  width: number,
  gap: number,
  keepAll: boolean,
): ColumnFit[] | undefined {
  const enough = keepAll ? needs.length : Math.min(2, needs.length)
  const usual = keepAll ? [] : place(needs, width, gap, false)
  const placed = usual.length < enough ? place(needs, width, gap, true) : usual
  if (placed.length < enough) return undefined
  grow(placed, width - widthOf(placed, gap))
  const inOrder = placed.toSorted((one, other) => one.index - other.index)
  return inOrder.map(({ index, width: each }) => ({ index, width: each }))
}

/** The columns that have room at their shortest; with `all`, at their least. */
function place(needs: readonly ColumnNeed[], width: number, gap: number, all: boolean): Placed[] {
  const placed: Placed[] = []
  const byPriority = needs
    .map((need, index) => ({ need, index }))
    .sort((one, other) => other.need.priority - one.need.priority || one.index - other.index)
  for (const { need, index } of byPriority) {
    const room = width - widthOf(placed, gap) - (placed.length === 0 ? 0 : gap)
    const [shortest = 0] = need.widths
    const mayYield = all || (need.yields === true && shortest > room)
    const taken = mayYield ? (need.least ?? shortest) : shortest
    if (taken > room) continue
    placed.push({ index, need, width: taken })
    // What it gave up is not for columns that matter less.
    if (!all && taken < shortest) break
  }
  return placed
}

function widthOf(placed: readonly Placed[], gap: number): number {
  return placed.reduce((sum, { width }) => sum + width, gap * Math.max(0, placed.length - 1))
}

/** Spends `spare` columns: on what shrinks, the narrowest first; on the others where a whole step fits. */
function grow(placed: readonly Placed[], spare: number): void {
  let left = spare
  const growing = [...new Set(placed.map(({ need }) => need.grows))].sort((one, other) => one - other)
  for (const turn of growing) {
    const those = placed.filter(({ need }) => need.grows === turn)
    for (;;) {
      const steps = those
        .map((each) => ({ each, next: nextWidth(each) }))
        .filter(({ each, next }) => next > each.width && next - each.width <= left)
        .sort((one, other) => one.each.width - other.each.width)
      const [step] = steps
      if (step === undefined) break
      left -= step.next - step.each.width
      step.each.width = step.next
    }
  }
}

function nextWidth({ need: { widths, shrinks }, width }: Placed): number {
  const longest = widths.at(-1) ?? 0
  if (shrinks) return Math.min(width + 1, longest)
  return widths.find((each) => each > width) ?? width
}
