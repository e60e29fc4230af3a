/** Chooses the columns of a table that fit its width, and how wide each is. */

export interface ColumnNeed {
  /** Columns the widest cell or the heading takes. */
  readonly natural: number
  /** Whether cells may be cut with `…`. Ids, amounts and times are never cut: part of one would mislead. */
  readonly shrinks: boolean
  /** Lower goes first. */
  readonly priority: number
}

export interface ColumnFit {
  /** Index into the needs. */
  readonly index: number
  readonly width: number
}

/** A text column narrower than this is left out instead. */
const minTextWidth = 8

/**
 * Widths for as many columns as fit into `width` with `gap` spaces between them: first the widest text columns
 * shrink, then the columns of lowest priority go (the rightmost first). With `keepAll` none goes.
 * @returns the columns that stay, in order; undefined when fewer than two would (or, with `keepAll`, not all)
 */
export function fitColumns(
  needs: readonly ColumnNeed[],
  width: number,
  gap: number,
  keepAll: boolean,
): ColumnFit[] | undefined {
  const kept = needs.map((need, index) => ({ ...need, index }))
  const minColumns = Math.min(2, needs.length)
  while (kept.length >= minColumns && kept.length > 0) {
    const widths = shrink(kept, width - gap * (kept.length - 1))
    if (widths !== undefined) return kept.map(({ index }, at) => ({ index, width: widths[at] ?? 0 }))
    if (keepAll) return undefined
    const lowest = Math.min(...kept.map(({ priority }) => priority))
    kept.splice(
      kept.findLastIndex(({ priority }) => priority === lowest),
      1,
    )
  }
  return undefined
}

/** Widths that add up to at most `room`, taking from the widest text columns alike; undefined if they cannot. */
function shrink(needs: readonly ColumnNeed[], room: number): number[] | undefined {
  const widths = needs.map(({ natural }) => natural)
  let excess = widths.reduce((sum, each) => sum + each, 0) - room
  while (excess > 0) {
    const flexible = needs.flatMap((need, at) => {
      const now = widths[at] ?? 0
      return need.shrinks && now > Math.min(minTextWidth, need.natural) ? [now] : []
    })
    if (flexible.length === 0) return undefined
    const widest = Math.max(...flexible)
    const next = Math.max(minTextWidth, ...flexible.filter((each) => each < widest))
    const atWidest = needs.flatMap((need, at) => (need.shrinks && widths[at] === widest ? [at] : []))
    const each = Math.min(widest - next, Math.ceil(excess / atWidest.length))
    for (const at of atWidest) {
      const less = Math.min(each, Math.max(0, excess))
      widths[at] = widest - less
      excess -= less
    }
  }
  return widths
}
