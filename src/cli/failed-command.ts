/** What a command knew when it failed. Never a secret. */
export interface Circumstances {
  /** `bankapi/1.0.0 linux-x64 node-v24.0.0` */
  readonly program?: string
  /** The words of the command: `accounts list`. */
  readonly command?: string
  readonly environment?: string
  readonly client?: string | undefined
  /** The first characters of the key in use; undefined when none was looked up. */
  readonly key?: string | undefined
}

/** Carries a failure from a command to `main`, with what the command knew. `cause` is what was thrown. */
export class FailedCommand extends Error {
  override readonly name = 'FailedCommand'
  readonly circumstances: Circumstances

  constructor(cause: unknown, circumstances: Circumstances) {
    super('the command failed', { cause })
    this.circumstances = circumstances
  }
}
