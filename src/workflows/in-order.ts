/** Reads several sources at once and yields what they give in the order of the sources, with a bounded part held in memory. */

export interface InOrderOptions<Item> {
  /** Sources read at once. */
  readonly ahead: number
  /** Called in its turn with what a source failed with: to go on with the next source it returns, else it throws. */
  readonly onError?: (item: Item, error: unknown) => void
}

interface Reading<Item, Batch> {
  readonly item: Item
  /** Read, and not yet yielded. */
  readonly batches: Batch[]
  ended: boolean
  failure?: { readonly error: unknown }
}

/**
 * Opens a source for each item and yields their batches: all those of the first item, then those of the second. Up to `ahead`
 * items are open at once, and about as many batches wait for their turn, however many the sources have.
 * Errors come in their turn, too. A caller that ends early should abort what the sources wait for.
 */
export async function* inOrder<Item, Batch extends object>(
  items: AsyncIterable<Item>,
  batchesOf: (item: Item) => AsyncGenerator<Batch>,
  {
    ahead,
    onError = (_, error) => {
      throw error
    },
  }: InOrderOptions<Item>,
): AsyncGenerator<Batch> {
  const readings: Reading<Item, Batch>[] = []
  let open = 0
  let held = 0
  let ended = false
  let closed = false
  let failure: { readonly error: unknown } | undefined
  let change = Promise.withResolvers<void>()
  const changed = () => {
    change.resolve()
    change = Promise.withResolvers()
  }
  // The first one is what the caller waits for: it is never held up by the others.
  const mayRead = (reading: Reading<Item, Batch>) =>
    held < ahead || (reading === readings[0] && reading.batches.length === 0)

  const read = async (reading: Reading<Item, Batch>) => {
    const batches = batchesOf(reading.item)
    open += 1
    for (;;) {
      while (!closed && !mayRead(reading)) await change.promise
      if (closed) return void batches.return(undefined).catch(() => undefined)
      held += 1
      const next = await batches.next().catch((error: unknown) => {
        reading.failure = { error }
        return undefined
      })
      if (next === undefined || next.done) break
      reading.batches.push(next.value)
      changed()
    }
    held -= 1
    open -= 1
    reading.ended = true
    changed()
  }
  const openAll = async () => {
    for await (const item of items) {
      const reading = { item, batches: [], ended: false }
      readings.push(reading)
      void read(reading)
      changed()
      while (!closed && (open >= ahead || readings.length >= 4 * ahead)) await change.promise
      if (closed) return
    }
  }
  openAll()
    .catch((error: unknown) => {
      failure = { error }
    })
    .finally(() => {
      ended = true
      changed()
    })

  try {
    for (;;) {
      const [first] = readings
      const batch = first?.batches.shift()
      if (batch !== undefined) {
        held -= 1
        changed()
        yield batch
      } else if (first?.ended) {
        readings.shift()
        changed()
        if (first.failure !== undefined) onError(first.item, first.failure.error)
      } else if (first === undefined && ended) {
        if (failure !== undefined) throw failure.error
        return
      } else await change.promise
    }
  } finally {
    closed = true
    changed()
  }
}
