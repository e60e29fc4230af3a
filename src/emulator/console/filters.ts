/** What the lists of the console are narrowed to. It is in the address of each of its pages, and every link between them keeps it. */

export interface Filters {
  /** A part of an id of the Connections to show; empty for all. */
  readonly find: string
  /** Only requests that have failed. */
  readonly failedOnly: boolean
  /** Only deliveries that have failed, or the events that went to nobody. */
  readonly deliveries: 'failed' | 'unsubscribed' | ''
}

export function filtersOf(query: Readonly<Record<string, unknown>>): Filters {
  const { find = '', failed, deliveries } = query
  return {
    find: String(find).slice(0, 200),
    failedOnly: failed === '1',
    deliveries: deliveries === 'failed' || deliveries === 'unsubscribed' ? deliveries : '',
  }
}

/** A page of the console with these filters. */
export function addressOf(page: string, filters: Filters): string {
  const [path = '', place] = page.split('#', 2)
  const query = new URLSearchParams(Object.fromEntries(fieldsOf(filters))).toString()
  return `${path}${query === '' ? '' : `?${query}`}${place === undefined ? '' : `#${place}`}`
}

/** The filters as parameters, without those that narrow nothing. */
export function fieldsOf({
  find,
  failedOnly,
  deliveries,
}: Filters): (readonly [name: string, value: string])[] {
  const fields: (readonly [string, string])[] = [
    ['find', find],
    ['failed', failedOnly ? '1' : ''],
    ['deliveries', deliveries],
  ]
  return fields.filter(([, value]) => value !== '')
}
