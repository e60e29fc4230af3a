/** Splits stdin into lines, in memory of at most one line. */
import { GrowingBuffer } from '../../growing-buffer.ts'

const newline = 0x0a

/** The bytes of each line that is not blank, without its end; undefined for one of more than `maxBytes`, which is skipped. */
export async function* linesOf(
  input: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Uint8Array | undefined> {
  let line: GrowingBuffer | undefined = new GrowingBuffer(maxBytes)
  for await (const chunk of input) {
    let from = 0
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, from)) {
      const whole = line?.append(chunk.subarray(from, end)) ? line : undefined
      if (whole === undefined || !isBlank(whole.bytes())) yield whole?.bytes()
      line = new GrowingBuffer(maxBytes)
      from = end + 1
    }
    if (line?.append(chunk.subarray(from)) === false) line = undefined
  }
  // A last line without an end was cut, or is all that a pipe had.
  if (line === undefined || !isBlank(line.bytes())) yield line?.bytes()
}

function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d)
}
