import { Flags } from '@oclif/core'
import type { Columns } from '../../cli/command/base-command.ts'
import type { LoggedRequest } from '../../emulator/log/request-log.ts'
import { systemClock } from '../../machine/machine.ts'
import { isStreamed, renderDocument } from '../../output/document.ts'
import type { Field } from '../../output/fields.ts'
import { safeJson } from '../../output/safe-text.ts'
import type { View } from '../../output/view.ts'
import { EmulatorCommand } from './_emulator-control.ts'
import { requestText, statusText } from './_request-text.ts'

interface Logged {
  readonly data: readonly LoggedRequest[]
  /** There are earlier ones. */
  readonly has_more: boolean
}

const fields: readonly Field<LoggedRequest>[] = [
  { key: 'at', header: 'time', kind: 'time', priority: 4 },
  { key: 'method', priority: 8 },
  { key: 'path', priority: 7 },
  { key: 'status', get: (request) => statusText(request), kind: 'status', priority: 9 },
  { key: 'ms', kind: 'number', align: 'right', priority: 5 },
  { key: 'error_code', header: 'error', priority: 6 },
  { key: 'key_prefix', header: 'key', priority: 1 },
  { key: 'trace_id', priority: 2 },
]

/** Between two looks for new requests. */
const FOLLOW_MS = 250
/** Requests that are kept. */
const MAX_LOGS = 1000

export default class EmulatorLogs extends EmulatorCommand<typeof EmulatorLogs, Logged | undefined> {
  static override summary = 'Show the requests that the emulator answered'
  static override description =
    'The latest 1,000 of both bases, kept with its data: method, path, status, milliseconds, the first characters of the ' +
    'key, error code and trace id; times are those of this machine, not of its clock. Its own controls are not among them. ' +
    '--bodies shows what was sent and answered, as far as it is JSON, 2,000 characters of each. Keys, signing secrets and tokens of ' +
    'links are stored nowhere in it. With --follow --json each request is one line; Ctrl-C ends it (130).'
  static override examples = [
    '<%= config.bin %> emulator logs --failed --bodies',
    '<%= config.bin %> emulator logs --follow',
    '<%= config.bin %> emulator logs --jq \'.data[] | select(.error_code == "insufficient_scope") | .path\'',
  ]
  static override flags = {
    follow: Flags.boolean({ char: 'f', summary: 'Go on with each new request' }),
    failed: Flags.boolean({ summary: 'Only those answered 4xx or 5xx, cut short, or not at all' }),
    bodies: Flags.boolean({ summary: 'With what was sent and answered' }),
    limit: Flags.integer({
      summary: 'So many of the latest (default 100, with --follow 10, with -o csv and -o ndjson all)',
      min: 1,
      max: MAX_LOGS,
    }),
  }

  protected override async execute(): Promise<Logged | undefined> {
    const { follow, limit } = this.flags
    if (follow) return await this.#follow()
    const logged = await this.#read({ limit: limit ?? (isStreamed(this.format) ? MAX_LOGS : 100) })
    if (logged.data.length === 0) this.note('No such request so far')
    return logged
  }

  protected override restOf(logged: object): string {
    return `There is more: --limit ${Math.min(MAX_LOGS, (logged as Logged).data.length * 10)}`
  }

  async #follow(): Promise<undefined> {
    let { data } = await this.#read({ limit: this.flags.limit ?? 10 })
    let last = data.at(-1)?.id ?? 0
    while (!this.signal.aborted) {
      for (const request of data) await this.#show(request)
      last = data.at(-1)?.id ?? last
      await systemClock.sleep(FOLLOW_MS, this.signal)
      data = (await this.#read({ after: last, limit: MAX_LOGS })).data
    }
    return undefined
  }

  async #read({ limit, after }: { readonly limit: number; readonly after?: number }): Promise<Logged> {
    const { failed, bodies } = this.flags
    const query = new URLSearchParams({
      limit: String(limit),
      failed: failed ? '1' : '0',
      bodies: bodies ? '1' : '0',
      ...(after === undefined ? {} : { after: String(after) }),
    })
    return (await this.control.get(`/requests?${query}`)) as Logged
  }

  async #show(request: LoggedRequest): Promise<void> {
    const { stdout } = this.terminal
    const { jq } = this.flags
    if (jq !== undefined) {
      stdout.write(await renderDocument(request, { format: 'json', jq, terminal: Boolean(stdout.isTTY) }))
    } else stdout.write(`${this.format === undefined ? requestText(request) : safeJson(request)}\n`)
  }

  protected override async columns(): Promise<Columns> {
    return { fields, known: ['id', 'environment', 'complete', 'request_body', 'response_body'] }
  }

  protected override view(logged: Logged, out: View): string {
    const { data } = logged
    return this.flags.bodies && !out.hasColumns
      ? data.map((request) => requestText(request)).join('\n')
      : out.table(data, fields, ['id', 'environment', 'complete'])
  }
}
