/** Parses server-sent events (WHATWG HTML, section 9.2). */

export interface StreamEvent {
  /** Empty for an event that only gives an id. */
  readonly data: string
  /** The id to resume after; the last one given, as in browsers. */
  readonly lastEventId: string | undefined
  /** How long to wait before connecting again, in ms, where the service said so. */
  readonly retryMs: number | undefined
}

/** An event is larger than the caller wants in memory. */
export class EventTooLarge extends Error {
  override readonly name = 'EventTooLarge'
}

/**
 * The events of a body that have data, or an id. One that the body ends in the middle of is dropped.
 * @throws EventTooLarge for data of more than `maxLength` UTF-16 code units, and what the body fails with.
 */
export async function* eventsOf(
  body: AsyncIterable<Uint8Array>,
  maxLength: number,
): AsyncGenerator<StreamEvent> {
  const event = new EventInProgress()
  let length = 0
  for await (const line of textLines(body, maxLength)) {
    if (line !== '') {
      length += event.take(line)
      if (length > maxLength) throw new EventTooLarge(`more than ${maxLength} characters`)
      continue
    }
    const finished = event.finish()
    length = 0
    if (finished !== undefined) yield finished
  }
}

class EventInProgress {
  #data: string[] = []
  #type = ''
  #lastEventId: string | undefined
  #hasId = false
  #retryMs: number | undefined

  /** Reads a field. Returns the length of the data in it. */
  take(line: string): number {
    const colon = line.indexOf(':')
    const name = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '')
    switch (name) {
      case 'data':
        this.#data.push(value)
        // The newline that joins it to the next one counts.
        return value.length + 1
      case 'event':
        this.#type = value
        return 0
      case 'id':
        // It is sent back in a header.
        if (/^[\x20-\x7e]*$/.test(value)) {
          this.#lastEventId = value === '' ? undefined : value
          this.#hasId = true
        }
        return 0
      case 'retry':
        if (/^\d{1,9}$/.test(value)) this.#retryMs = Number(value)
        return 0
      default:
        return 0
    }
  }

  finish(): StreamEvent | undefined {
    const named = this.#type !== '' && this.#type !== 'message'
    const data = named ? '' : this.#data.join('\n')
    const event =
      data === '' && !this.#hasId
        ? undefined
        : { data, lastEventId: this.#lastEventId, retryMs: this.#retryMs }
    this.#data = []
    this.#type = ''
    this.#hasId = false
    return event
  }
}

/** The lines of a UTF-8 text, which end in LF, CRLF or CR. */
async function* textLines(body: AsyncIterable<Uint8Array>, maxLength: number): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let pieces: string[] = []
  let length = 0
  let afterCr = false
  for await (const chunk of body) {
    let text = decoder.decode(chunk, { stream: true })
    if (text === '') continue
    if (afterCr && text.startsWith('\n')) text = text.slice(1)
    afterCr = text.endsWith('\r')
    const [first = '', ...others] = text.split(/\r\n|\n|\r/)
    pieces.push(first)
    length += first.length
    for (const next of others) {
      yield pieces.join('')
      pieces = [next]
      length = next.length
    }
    if (length > maxLength + 'data: '.length) throw new EventTooLarge(`more than ${maxLength} characters`)
  }
}
