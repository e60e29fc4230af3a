/** Describes the standard streams of this process: width, colours, and whether a user can be asked. */

export interface Terminal {
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
  /** Columns of stdout, or 80. */
  readonly width: number
  /** Colours on stdout; never with NO_COLOR, never into a pipe unless FORCE_COLOR asks. */
  readonly color: boolean
  readonly errorColor: boolean
  /** Whether a question can be answered: stdin and stderr are terminals and this is not CI. */
  readonly interactive: boolean
}

export function terminalOf(process: NodeJS.Process): Terminal {
  const { env, stdout, stderr } = process
  const columns = Number(env['COLUMNS'])
  return {
    // Node opens stdin at the first access, which most commands do without.
    get stdin() {
      return process.stdin
    },
    stdout,
    stderr,
    width: stdout.columns || (Number.isInteger(columns) && columns > 0 ? columns : 80),
    color: hasColor(env, stdout),
    errorColor: hasColor(env, stderr),
    get interactive() {
      return Boolean(process.stdin.isTTY && stderr.isTTY) && !isSet(env['CI'])
    },
  }
}

function hasColor(env: NodeJS.ProcessEnv, stream: NodeJS.WriteStream): boolean {
  if (isSet(env['NO_COLOR'])) return false
  if (isSet(env['FORCE_COLOR'])) return env['FORCE_COLOR'] !== '0'
  return Boolean(stream.isTTY) && env['TERM'] !== 'dumb'
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '' && value !== 'false'
}
