import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../cli/command/api-command.ts'
import { RowsInMemory } from '../cli/command/rows-in-memory.ts'
import type { View } from '../output/view.ts'
import { type RawResponse, requestBody, requestHeaders } from './_api-request.ts'

export default class Api extends ApiCommand<typeof Api, unknown> {
  static override summary = 'Send any request, with the key, errors and exit codes of the other commands'
  static override description =
    'PATH is below the base URL: /clients or /v3/clients, or the poll_url of an operation. -F builds a JSON body (a query ' +
    'for GET): numbers, true, false and null are sent as such, everything else as a string; a.b=1 nests, a[]=1 appends. ' +
    'The key never leaves for another address, and -H cannot replace Authorization.'
  static override examples = [
    '<%= config.bin %> api GET /clients -F limit=5',
    '<%= config.bin %> api POST /clients -F name=Ada -F external_id=user-42',
    "<%= config.bin %> api GET /accounts -F client_id=cli_demo --paginate --jq '.data[].id'",
    '<%= config.bin %> api POST /settings/redirect-urls --input urls.json',
  ]
  static override args = {
    method: Args.string({
      description: 'GET, POST, PATCH, PUT or DELETE',
      required: true,
      ignoreStdin: true,
    }),
    path: Args.string({ description: 'Path below the base URL', required: true, ignoreStdin: true }),
  }
  static override flags = {
    field: Flags.string({
      char: 'F',
      summary: 'A field of the body, or of the query of a GET',
      helpValue: 'k=v',
      multiple: true,
      multipleNonGreedy: true,
    }),
    input: Flags.string({
      summary: 'Send this file as the body, - for stdin',
      helpValue: 'FILE',
      exclusive: ['field'],
    }),
    header: Flags.string({
      char: 'H',
      summary: 'A header to send with it, such as X-Trace:1',
      helpValue: 'NAME:VALUE',
      multiple: true,
      multipleNonGreedy: true,
    }),
    paginate: Flags.boolean({ summary: 'Follow next_cursor and put all pages into one' }),
  }

  protected override async execute(): Promise<unknown> {
    const method = this.args.method.toUpperCase()
    const { field = [], input, header = [], paginate } = this.flags
    const request = {
      method,
      path: this.args.path,
      headers: requestHeaders(header),
      ...(await requestBody(method, field, input, this.terminal.stdin)),
    }
    if (!paginate) return this.#show(await this.api.request(request, { signal: this.signal }))

    const all = new RowsInMemory<unknown>(
      this.preference('output.max_rows'),
      'Commands for lists print rows as they come: --all -o ndjson',
    )
    let cursor: string | undefined
    do {
      const query = { ...request.query, ...(cursor === undefined ? {} : { cursor }) }
      const { body } = await this.api.request({ ...request, query }, { signal: this.signal })
      const page = (body.kind === 'json' ? body.value : undefined) as
        | { data?: unknown[]; next_cursor?: string | null; has_more?: boolean }
        | undefined
      if (!Array.isArray(page?.data)) return page
      all.add(page.data)
      const next = page.has_more ? (page.next_cursor ?? undefined) : undefined
      cursor = next === cursor ? undefined : next
    } while (cursor !== undefined)
    return { data: all.rows, next_cursor: null, has_more: false }
  }

  /** JSON stays JSON, also for people. */
  protected override view(data: unknown, _out: View): string {
    return JSON.stringify(data, null, 2)
  }

  protected override restOf(): string {
    return 'There is more: --paginate'
  }

  protected override get format() {
    return super.format ?? 'json'
  }

  async #show({ body }: RawResponse): Promise<unknown> {
    if (body.kind === 'json') return body.value
    if (body.kind === 'bytes') {
      const { assertNoTerminal, passOn } = await import('../cli/terminal/save-file.ts')
      assertNoTerminal(this.terminal.stdout)
      await passOn(body.download, this.terminal.stdout, { check: () => undefined, signal: this.signal })
    }
    return undefined
  }
}
