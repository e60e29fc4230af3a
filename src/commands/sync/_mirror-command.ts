/** The base class of commands on the mirror: the database that `bankapi sync` keeps. */
import { type Command, Flags } from '@oclif/core'
import { ApiCommand } from '../../cli/command/api-command.ts'
import type { FlagsOf } from '../../cli/command/base-command.ts'
import type { serviceFlags } from '../../cli/command/flags.ts'
import { programFile } from '../../cli/program-file.ts'
import { variable } from '../../machine/machine.ts'
import { mirrorFile } from '../../machine/paths.ts'
import type { Mirror } from '../../sync/mirror/mirror.ts'

export const mirrorFlags = {
  to: Flags.string({
    summary: 'The mirror: a SQLite file, or postgres://user@host/database (default: a file per environment)',
    helpValue: 'FILE|URL',
  }),
}

/** The service is asked no longer than this whether it knows the Clients of a mirror. */
const ANSWER_WITHIN_MS = 5000

export abstract class MirrorCommand<T extends typeof Command, Result> extends ApiCommand<T, Result> {
  declare protected flags: FlagsOf<T, typeof serviceFlags & typeof mirrorFlags>
  #mirror: Mirror | undefined

  /** Where the mirror is: `--to`, BANKAPI_SYNC_TO, the setting `sync.to`, else a file per environment. */
  protected get destination(): string {
    const { machine, environment } = this.session
    return this.#chosen ?? mirrorFile(machine, environment.value)
  }

  /** The mirror that a flag names. */
  protected get namedMirror(): string | undefined {
    return this.flags.to
  }

  get #chosen(): string | undefined {
    const { machine, settings } = this.session
    const chosen = this.namedMirror ?? variable(machine, 'BANKAPI_SYNC_TO') ?? settings.get('sync.to')
    return chosen === undefined ? undefined : String(chosen)
  }

  /** @throws MirrorError */
  protected async openMirror({
    readOnly = false,
    mustExist = readOnly,
  }: {
    readonly readOnly?: boolean
    /** Nothing is made where there is none. */
    readonly mustExist?: boolean
  } = {}): Promise<Mirror> {
    const { assertReadable, openMirror } = await import('../../sync/mirror/open.ts')
    this.#mirror = await openMirror({
      to: this.destination,
      readOnly,
      mustExist,
      queryProgram: programFile(this.config.root, 'sync/mirror/query-process'),
      env: this.machine.env,
    })
    const baseUrl = this.#knownBaseUrl
    // A file of this environment's name may be of a profile that had the name before. What is named is read as it is.
    if (readOnly && this.#chosen === undefined && baseUrl !== undefined) {
      await assertReadable(this.#mirror, { environment: this.session.environment.value, baseUrl })
    }
    return this.#mirror
  }

  /**
   * Opens a mirror to read beside the service: one of another environment, address or customer is refused, also one that was
   * named. Nobody chose the port of the emulator that runs here: what counts then is that it knows the Clients.
   * @throws MirrorError
   */
  protected async openMirrorOfService(): Promise<Mirror> {
    const { environment, baseUrl } = this.session
    const [mirror, { assertReadable }, { assertSameCustomer }] = await Promise.all([
      this.openMirror({ readOnly: true }),
      import('../../sync/mirror/open.ts'),
      import('../../sync/same-customer.ts'),
    ])
    const sameAddress = await assertReadable(mirror, {
      environment: environment.value,
      baseUrl: baseUrl.value,
      isNamed: baseUrl.source !== 'emulator',
    })
    const signal = AbortSignal.any([this.signal, AbortSignal.timeout(ANSWER_WITHIN_MS)])
    await assertSameCustomer(mirror, { api: this.api, signal, sameAddress })
    return mirror
  }

  /** Undefined where no address is known: what is only read needs none. */
  get #knownBaseUrl(): string | undefined {
    try {
      return this.session.baseUrl.value
    } catch {
      return undefined
    }
  }

  protected override async close(): Promise<void> {
    await this.#mirror?.close()
    await super.close()
  }
}
