/**
 * Loads a CommonJS file together with the bytecode that V8 made of it in an earlier run. Node's compile cache keeps what
 * is compiled before a file is evaluated: the outermost functions. This one keeps every function that a run needed, which
 * takes a quarter off a start.
 */
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { Script } from 'node:vm'

/** Milliseconds: 30 days. */
const OUTDATED = 30 * 24 * 60 * 60 * 1000

/** Bytes at the end of a file: the CRC-32 of what is before them. */
const CHECKSUM_LENGTH = 4

/**
 * What the file exports. `folder` is where bytecode is kept: it has to belong to this version of Node. The name of the
 * file has to change with its content, as `bankapi-4PPMT2ZY.cjs` does: V8 compares no more than the length. `use` names
 * what this run does with it; each use has bytecode of its own.
 */
export function requireWithCache(file: string, folder: string, use: string): unknown {
  const name = file.slice(dirname(file).length + 1)
  const cache = join(folder, `${name}.${use}`)
  const cachedData = readIfWhole(cache)
  const source = readFileSync(file).toString()
  const script = new Script(`(function (exports, require, module, __filename, __dirname) {${source}\n})`, {
    filename: file,
    cachedData,
  })
  const module = { exports: {} }
  script.runInThisContext()(module.exports, createRequire(file), module, file, dirname(file))
  if (cachedData === undefined || script.cachedDataRejected === true) {
    process.once('exit', () => {
      try {
        write(cache, withChecksum(script.createCachedData()))
        removeOutdated(folder, name)
      } catch {
        // A cache that cannot be written costs time and nothing else.
      }
    })
  }
  return module.exports
}

/**
 * The bytecode of an earlier run; undefined when there is none, when it is damaged (V8 trusts the bytes, and would end the
 * process), or when another user owns the file or can write it: bytecode is a program that runs as this user.
 */
function readIfWhole(path: string): Buffer | undefined {
  try {
    // Windows has no such flag, and no owners to check.
    const descriptor = openSync(
      path,
      constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
    )
    try {
      if (!isOwn(descriptor)) {
        process.stderr.write(
          `Warning: ${path} is or was open to other users; it is not used, and made again.\n`,
        )
        return undefined
      }
      const file = readFileSync(descriptor)
      const data = file.subarray(0, -CHECKSUM_LENGTH)
      return data.length > 0 && file.readUInt32LE(data.length) === crc32(data) ? data : undefined
    } finally {
      closeSync(descriptor)
    }
  } catch {
    return undefined
  }
}

function isOwn(descriptor: number): boolean {
  const user = process.geteuid?.()
  const { uid, mode } = fstatSync(descriptor)
  return user === undefined || ((uid === user || uid === 0) && (mode & 0o022) === 0)
}

/** Loaded here: help, which needs no bytecode, loads this module too. */
function crc32(data: Buffer): number {
  return process.getBuiltinModule('node:zlib').crc32(data)
}

function withChecksum(data: Buffer): Buffer {
  const checksum = Buffer.alloc(CHECKSUM_LENGTH)
  checksum.writeUInt32LE(crc32(data))
  return Buffer.concat([data, checksum])
}

/** Flushed before it gets its name, so that there is no half file under it. */
function write(path: string, data: Buffer): void {
  const fresh = `${path}.${process.pid}.tmp`
  try {
    const descriptor = openSync(fresh, 'wx', 0o600)
    try {
      let written = 0
      while (written < data.length) written += writeSync(descriptor, data, written)
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    renameSync(fresh, path)
  } catch (error) {
    rmSync(fresh, { force: true })
    throw error
  }
}

/** Bytecode of files that an update replaced. Two versions may be in use on one machine, so it has to be old as well. */
function removeOutdated(folder: string, name: string): void {
  const [stem = name] = name.split('-')
  for (const file of readdirSync(folder)) {
    if (!file.startsWith(`${stem}-`) || file.startsWith(name)) continue
    const path = join(folder, file)
    if (Date.now() - statSync(path).mtimeMs > OUTDATED) rmSync(path, { force: true })
  }
}
