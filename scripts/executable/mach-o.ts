/**
 * Signs a Mach-O executable ad hoc, as Apple's linker does and `codesign --sign -` would: a hash of each page, and no
 * identity. Written here because `codesign` is on macOS alone, and executables for it are made on Linux, too.
 *
 * The formats: <mach-o/loader.h>, and <kern/cs_blobs.h> of Apple's xnu.
 */
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'

const MH_MAGIC_64 = 0xfeedfacf
const HEADER_LENGTH = 32
const LC_SEGMENT_64 = 0x19
const LC_CODE_SIGNATURE = 0x1d

/** Bytes of memory; an executable for Apple silicon has its segments at multiples of it. */
const PAGE = 0x4000
/** Bytes that one hash is of. */
const HASHED = 0x1000

const CSMAGIC_EMBEDDED_SIGNATURE = 0xfade0cc0
const CSMAGIC_CODEDIRECTORY = 0xfade0c02
/** The version with the executable segment. */
const DIRECTORY_VERSION = 0x20400
const DIRECTORY_LENGTH = 88
/** CS_ADHOC | CS_LINKER_SIGNED. */
const FLAGS = 0x20002
const HASH_SHA256 = 2
const MAIN_BINARY = 1

interface Segment {
  /** Of its load command. */
  readonly at: number
  readonly fileOffset: number
  readonly fileSize: number
}

const upTo = (unit: number, length: number) => Math.ceil(length / unit) * unit

/** Signs `file` in place. @throws Error for a file that is not a Mach-O executable without a signature. */
export function signAdHoc(file: string, identifier: string): void {
  writeFileSync(file, signed(readFileSync(file), identifier))
}

/** The signed executable; `executable` has no signature. */
export function signed(executable: Buffer, identifier: string): Buffer {
  if (executable.readUInt32LE(0) !== MH_MAGIC_64) throw new Error('this is not a Mach-O file of 64 bits')
  const commandCount = executable.readUInt32LE(16)
  const commandsLength = executable.readUInt32LE(20)
  const segments = new Map<string, Segment>()
  let at = HEADER_LENGTH
  for (let index = 0; index < commandCount; index++) {
    const command = executable.readUInt32LE(at)
    if (command === LC_CODE_SIGNATURE) throw new Error('it is signed already')
    if (command === LC_SEGMENT_64) {
      const name = executable.toString('latin1', at + 8, at + 24).replace(/\0+$/, '')
      const [fileOffset, fileSize] = [at + 40, at + 48].map((place) =>
        Number(executable.readBigUInt64LE(place)),
      )
      segments.set(name, { at, fileOffset: fileOffset ?? 0, fileSize: fileSize ?? 0 })
    }
    at += executable.readUInt32LE(at + 4)
  }
  const text = segments.get('__TEXT')
  const linkedit = segments.get('__LINKEDIT')
  if (text === undefined || linkedit === undefined) throw new Error('it has no __TEXT or no __LINKEDIT')
  if (linkedit.fileOffset + linkedit.fileSize !== executable.length) {
    throw new Error('its __LINKEDIT is not the end of the file')
  }
  if (executable.subarray(at, at + 16).some((byte) => byte !== 0)) {
    throw new Error('there is no room for the load command of a signature')
  }

  const codeLength = upTo(16, executable.length)
  const signatureLength = lengthOfSignature(codeLength, identifier)
  const code = Buffer.alloc(codeLength)
  executable.copy(code)
  code.writeUInt32LE(commandCount + 1, 16)
  code.writeUInt32LE(commandsLength + 16, 20)
  for (const [index, value] of [LC_CODE_SIGNATURE, 16, codeLength, signatureLength].entries()) {
    code.writeUInt32LE(value, at + 4 * index)
  }
  const linkeditLength = codeLength + signatureLength - linkedit.fileOffset
  code.writeBigUInt64LE(BigInt(upTo(PAGE, linkeditLength)), linkedit.at + 32)
  code.writeBigUInt64LE(BigInt(linkeditLength), linkedit.at + 48)
  return Buffer.concat([code, signatureOf(code, text, identifier)])
}

function lengthOfSignature(codeLength: number, identifier: string): number {
  const hashes = Math.ceil(codeLength / HASHED) * 32
  return 20 + DIRECTORY_LENGTH + identifier.length + 1 + hashes
}

/** A container with one blob, the directory of hashes. All numbers are big-endian, unlike the executable's. */
function signatureOf(code: Buffer, text: Segment, identifier: string): Buffer {
  const length = lengthOfSignature(code.length, identifier)
  const hashesAt = DIRECTORY_LENGTH + identifier.length + 1
  const signature = Buffer.alloc(length)
  const write = (offset: number, ...values: number[]) =>
    values.forEach((value, index) => void signature.writeUInt32BE(value, offset + 4 * index))
  write(0, CSMAGIC_EMBEDDED_SIGNATURE, length, 1, 0, 20)
  const directory = 20
  write(directory, CSMAGIC_CODEDIRECTORY, length - directory, DIRECTORY_VERSION, FLAGS)
  write(directory + 16, hashesAt, DIRECTORY_LENGTH, 0, Math.ceil(code.length / HASHED), code.length)
  // Length of a hash, its kind, the platform, and the size of what is hashed as a power of two.
  signature.set([32, HASH_SHA256, 0, Math.log2(HASHED)], directory + 36)
  signature.writeBigUInt64BE(BigInt(text.fileOffset), directory + 64)
  signature.writeBigUInt64BE(BigInt(text.fileSize), directory + 72)
  signature.writeBigUInt64BE(BigInt(MAIN_BINARY), directory + 80)
  signature.write(identifier, directory + DIRECTORY_LENGTH, 'latin1')
  for (let offset = 0, index = 0; offset < code.length; offset += HASHED, index++) {
    const hash = createHash('sha256')
      .update(code.subarray(offset, offset + HASHED))
      .digest()
    hash.copy(signature, directory + hashesAt + 32 * index)
  }
  return signature
}
