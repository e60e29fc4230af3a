import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { UsageError } from '../errors/errors.ts'

/**
 * The exact bytes of a file, or of stdin for `-`.
 * @throws UsageError for a file that cannot be read.
 */
export async function inputBytes(input: string, stdin: NodeJS.ReadStream): Promise<Uint8Array> {
  if (input === '-') return buffer(stdin)
  try {
    return await readFile(input)
  } catch {
    throw new UsageError(`${input} is not a file that can be read`, { code: 'unreadable_file' })
  }
}
