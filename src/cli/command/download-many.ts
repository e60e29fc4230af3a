/** Downloads the files of whole accounts into a folder: each file is complete or absent, and one that is there is kept. */
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Api } from '../../api/api.ts'
import { items } from '../../api/pages.ts'
import { pageSize } from '../../contract/service.ts'
import type { Download } from '../../contract/values.ts'
import { systemClock } from '../../machine/machine.ts'
import type { Field } from '../../output/fields.ts'
import { accountsAcross } from '../../workflows/across-clients.ts'
import { type BulkResult, inBulk } from '../../workflows/bulk.ts'
import type { BulkProgress } from '../../workflows/bulk-refresh.ts'
import { Limiter } from '../../workflows/limiter.ts'
import { type CommandContext, systemMessage, UsageError } from '../errors/errors.ts'
import { describeFailure } from '../errors/report.ts'
import { saveFile } from '../terminal/save-file.ts'

/** `there`: from an earlier run. `no_file`: the service lists it without one. */
export type DownloadOutcome = 'saved' | 'there' | 'no_file' | 'failed' | 'left'

export interface DownloadRow {
  readonly id: string
  readonly account_id: string
  readonly outcome: DownloadOutcome
  readonly file: string | null
  readonly bytes: number | null
  readonly content_type: string | null
  readonly code: string | null
  readonly message: string | null
}

export const downloadRowKeys: readonly (keyof DownloadRow)[] = [
  'id',
  'account_id',
  'outcome',
  'file',
  'bytes',
  'content_type',
  'code',
  'message',
]

export const downloadRowFields: readonly Field<DownloadRow>[] = [
  { key: 'id', kind: 'id' },
  { key: 'account_id', header: 'account', kind: 'id', priority: 1 },
  { key: 'outcome', kind: 'status', priority: 8 },
  { key: 'file', priority: 7 },
  { key: 'bytes', kind: 'number', align: 'right', priority: 3 },
  { key: 'message', priority: 4 },
]

/** What is downloaded: statements or checks. */
export interface DownloadKind {
  readonly list: (
    api: Api,
    input: { readonly account_id: string; readonly client_id: string },
    signal: AbortSignal,
  ) => AsyncIterable<{ readonly id: string; readonly download_url?: string | null | undefined }>
  readonly fetch: (
    api: Api,
    input: { readonly account_id: string; readonly client_id: string; readonly id: string },
    signal: AbortSignal,
  ) => Promise<Download>
  /** Whether an account can have any. */
  readonly has: (source: string) => boolean
  readonly extension: (contentType: string) => string
  /** Checks the type of a file by its first bytes; returns why they are wrong. */
  readonly check: (head: Uint8Array) => string | undefined
}

export const statementFiles: Pick<DownloadKind, 'list' | 'fetch' | 'has'> = {
  list: (api, input, signal) => items(api.statements.list, { ...input, limit: pageSize.max }, { signal }),
  fetch: (api, { id, client_id }, signal) =>
    api.statements.download({ statement_id: id, client_id }, { signal }),
  has: () => true,
}

export const checkFiles: Pick<DownloadKind, 'list' | 'fetch' | 'has'> = {
  list: (api, input, signal) => items(api.checks.list, { ...input, limit: pageSize.max }, { signal }),
  fetch: (api, { id, ...input }, signal) => api.checks.download({ ...input, check_id: id }, { signal }),
  has: (source) => source === 'FDE',
}

export interface DownloadOrder {
  readonly kind: DownloadKind
  readonly clientId: string
  /** Without any, every account of the Client. */
  readonly accounts: readonly string[] | undefined
  readonly folder: string
  readonly force: boolean
  readonly concurrency: number
  readonly keepGoing: boolean
}

interface Listed {
  readonly id: string
  readonly account_id: string
  readonly hasFile: boolean
  /** Its file, from an earlier run. */
  readonly there: string | undefined
}

export async function downloadMany(
  order: DownloadOrder,
  {
    api,
    signal,
    context,
    onProgress,
  }: {
    readonly api: Api
    readonly signal: AbortSignal
    readonly context: CommandContext
    readonly onProgress: (progress: BulkProgress) => void
  },
): Promise<{
  readonly rows: readonly DownloadRow[]
  readonly end: Omit<BulkResult<never, never>, 'settled'>
}> {
  const { kind, clientId: client_id, folder, force, concurrency } = order
  await makeFolder(folder)
  const listed = await listAll(order, api, signal)
  const wanted = listed.filter(({ hasFile, there }) => hasFile && (force || there === undefined))
  let done = 0
  let failed = 0
  const { settled, ...end } = await inBulk(
    wanted,
    async ({ id, account_id }, late) => {
      const download = await kind.fetch(api, { id, account_id, client_id }, late)
      const place = join(folder, fileName(account_id))
      await makeFolder(place)
      const path = join(place, `${fileName(id)}${kind.extension(download.contentType)}`)
      const bytes = await saveFile(download, { path, force, check: kind.check, signal: late })
      return { path, bytes, content_type: download.contentType }
    },
    {
      concurrency,
      keepGoing: order.keepGoing,
      clock: systemClock,
      signal,
      changes: false,
      repeatsRefused: true,
      isOfOne: (error) => error instanceof UsageError && error.code === 'wrong_content',
      onSettled({ ending }) {
        if (ending === 'done') done += 1
        else if (ending === 'failed') failed += 1
        onProgress({ total: wanted.length, done, failed, waiting: 0 })
      },
    },
  )
  const results = new Map(settled.map((one) => [one.item, one]))
  const rows = listed.map((item): DownloadRow => {
    const result = results.get(item)
    const error = result?.error
    const report =
      error === undefined ? undefined : describeFailure(error, { ...context, args: { id: item.id } })
    const outcome =
      result === undefined
        ? item.hasFile
          ? 'there'
          : 'no_file'
        : result.ending === 'done'
          ? 'saved'
          : result.ending === 'failed'
            ? 'failed'
            : 'left'
    return {
      id: item.id,
      account_id: item.account_id,
      outcome,
      file: result?.value?.path ?? (outcome === 'there' ? (item.there ?? null) : null),
      bytes: result?.value?.bytes ?? null,
      content_type: result?.value?.content_type ?? null,
      code: report?.code ?? null,
      message: report?.message ?? null,
    }
  })
  return { rows, end }
}

/** Everything that the accounts list, in their order. */
async function listAll(
  { kind, clientId: client_id, accounts, folder, concurrency }: DownloadOrder,
  api: Api,
  signal: AbortSignal,
): Promise<Listed[]> {
  const limiter = new Limiter({ clock: systemClock, concurrency })
  const ids = accounts === undefined ? [] : [...new Set(accounts)]
  if (accounts === undefined) {
    for await (const page of accountsAcross(api, { clients: [client_id], limiter, signal }))
      for (const { account } of page) if (kind.has(account.source)) ids.push(account.id)
  }
  const all = await Promise.all(
    ids.map((account_id) =>
      limiter.run(async () => {
        const place = join(folder, fileName(account_id))
        const files = await readdir(place).catch(() => [])
        const there = new Map(
          files
            .filter((name) => !name.startsWith('.'))
            .map((name) => [name.replace(/\.[a-z]+$/, ''), join(place, name)]),
        )
        const found: Listed[] = []
        for await (const { id, download_url } of kind.list(api, { account_id, client_id }, signal)) {
          const hasFile = download_url !== undefined && download_url !== null
          found.push({ id, account_id, hasFile, there: there.get(fileName(id)) })
        }
        return found
      }, signal),
    ),
  )
  return all.flat()
}

async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new UsageError(`${folder} is no folder that can be written to: ${systemMessage(error)}`, {
      code: 'not_writable',
      hint: 'Name another folder with --to',
    })
  }
}

/** An id as the name of a file, another one for each id: the service chooses ids, and none may lead out of the folder. */
function fileName(id: string): string {
  return id.replaceAll(
    /[^A-Za-z0-9_-]/gu,
    (character) => `%${character.codePointAt(0)?.toString(16).padStart(2, '0')}`,
  )
}
