/** The file of links for a mail merge: CSV, for its owner alone, a whole row as soon as its link is made. */
import { type FileHandle, open } from 'node:fs/promises'
import { systemMessage, UsageError, unwritable } from '../../cli/errors/errors.ts'
import type { Client } from '../../contract/clients.ts'
import type { Connection, Reauthorization } from '../../contract/connections.ts'
import { type CsvWriter, createCsvWriter } from '../../output/formats/csv.ts'

const columns = [
  'client_id',
  'client_external_id',
  'email',
  'name',
  'connection_id',
  'institution_name',
  'link',
  'expires_at',
]

export class LinksFile {
  readonly path: string
  readonly #file: FileHandle
  readonly #csv: CsvWriter
  #written: Promise<void> = Promise.resolve()

  private constructor(path: string, file: FileHandle, csv: CsvWriter) {
    this.path = path
    this.#file = file
    this.#csv = csv
  }

  /** @throws UsageError for a file that is there already: its links may still be valid. */
  static async create(path: string): Promise<LinksFile> {
    const csv = await createCsvWriter(columns)
    try {
      const file = await open(path, 'wx', 0o600)
      await file.chmod(0o600)
      await file.appendFile(csv.header())
      return new LinksFile(path, file, csv)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EEXIST')
        throw new UsageError(`${path} exists already, and its links may still be valid`, {
          code: 'file_exists',
          hint: 'Name another file with --to',
        })
      throw new UsageError(`${path} cannot be written: ${systemMessage(error)}`, {
        code: 'not_writable',
        hint: 'Name another file with --to',
      })
    }
  }

  /** Rows are written one after another; each is on the disk when this resolves. */
  add(
    client: Client | undefined,
    { id, institution }: Pick<Connection, 'id' | 'institution'>,
    { action }: Reauthorization,
  ): Promise<void> {
    const row = {
      client_id: client?.id,
      client_external_id: client?.external_id,
      email: client?.email,
      name: client?.name,
      connection_id: id,
      institution_name: institution?.name,
      link: action.reauth_url,
      expires_at: action.expires_at,
    }
    this.#written = this.#written.then(async () => {
      try {
        await this.#file.appendFile(this.#csv.lines([row]))
        await this.#file.sync()
      } catch (error) {
        throw unwritable(error, this.path)
      }
    })
    return this.#written
  }

  async close(): Promise<void> {
    await this.#written.catch(() => undefined)
    await this.#file.close()
  }
}
