/**
 * Notes which Connections have a valid link in a file, or may have one that nobody has, so that no second one is made: not the
 * link itself, which is a secret.
 */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Machine } from '../../machine/machine.ts'
import { dataDir } from '../../machine/paths.ts'
import { readPrivateFile, writePrivateFile } from '../../machine/private-file.ts'
import { FileError } from '../../machine/private-folder.ts'
import type { LinkMarks } from '../../workflows/reauthorize.ts'

interface Note {
  readonly expires_at?: string
  /** The file it was written to. */
  readonly file?: string
  /** When one was asked for whose outcome is not known. */
  readonly asked_at?: string
}

/** Why no link is made. */
export interface SkipReason {
  /** In a sentence about the Connection. */
  readonly message: string
  /** How to get one all the same, which a row says after the message. */
  readonly hint?: string
  /** The same without names and times, to be counted. */
  readonly reason: string
}

/** Links are valid about six days. */
const MAX_LINK_LIFE_MS = 7 * 86_400_000

export class KnownLinks implements LinkMarks {
  readonly #machine: Machine
  readonly #environment: string
  #notes: Map<string, Note>

  constructor(machine: Machine, environment: string) {
    this.#machine = machine
    this.#environment = environment
    this.#notes = readNotes(machine)
  }

  /** The link that was made before, while it is valid, or that may have been made. */
  of(connectionId: string): SkipReason | undefined {
    const note = this.#notes.get(this.#key(connectionId))
    if (note === undefined) return undefined
    const { expires_at, file, asked_at } = note
    if (file !== undefined && isValid(this.#machine, expires_at)) {
      return existsSync(file)
        ? {
            message: `its link in ${file} is valid until ${expires_at}`,
            reason: 'its link is valid, --new makes another',
          }
        : {
            message: `its link, valid until ${expires_at}, was in ${file}, which is not there any more`,
            hint: '--new makes another',
            reason: 'the file of its link is not there any more, --new makes another',
          }
    }
    return isRecent(this.#machine, asked_at)
      ? {
          message: `a link may have been made at ${asked_at}, which nobody has`,
          hint: '--new makes another',
          reason: 'a link may have been made, --new makes another',
        }
      : undefined
  }

  /** The link is in the file. @throws FileError when the disk refuses. */
  note(connectionId: string, expires_at: string, file: string): void {
    this.#change(connectionId, () => ({ expires_at, file: resolve(file) }))
  }

  /** @throws FileError when the disk refuses. */
  set(connectionId: string): void {
    const asked_at = new Date(this.#machine.now()).toISOString()
    this.#change(connectionId, (note) => ({ ...note, asked_at }))
  }

  /** A disk that refuses leaves the mark, which asks for --new next time, and never costs the link that was made. */
  clear(connectionId: string): void {
    try {
      this.#change(connectionId, ({ asked_at: _, ...note }) => note)
    } catch (error) {
      if (!(error instanceof FileError)) throw error
    }
  }

  #key(connectionId: string): string {
    return `${this.#environment}/${connectionId}`
  }

  /** Reads the file again first: another run may have changed it. */
  #change(connectionId: string, change: (note: Note) => Note): void {
    const key = this.#key(connectionId)
    this.#notes = readNotes(this.#machine)
    this.#notes.set(key, change(this.#notes.get(key) ?? {}))
    for (const [other, { expires_at, asked_at }] of this.#notes) {
      if (!isValid(this.#machine, expires_at) && !isRecent(this.#machine, asked_at)) this.#notes.delete(other)
    }
    writeNotes(this.#machine, this.#notes)
  }
}

/** Drops the notes of an environment whose Connections are no more. @throws FileError when the disk refuses. */
export function forgetKnownLinks(machine: Machine, environment: string): void {
  const notes = readNotes(machine)
  const others = new Map([...notes].filter(([key]) => !key.startsWith(`${environment}/`)))
  if (others.size < notes.size) writeNotes(machine, others)
}

function isValid(machine: Machine, expires_at: string | undefined): boolean {
  return expires_at !== undefined && Date.parse(expires_at) > machine.now()
}

function isRecent(machine: Machine, asked_at: string | undefined): boolean {
  return asked_at !== undefined && Date.parse(asked_at) + MAX_LINK_LIFE_MS > machine.now()
}

function fileOf(machine: Machine): string {
  return join(dataDir(machine), 'reauthorize-links.json')
}

function readNotes(machine: Machine): Map<string, Note> {
  try {
    const notes: unknown = JSON.parse(readPrivateFile(machine, fileOf(machine)) ?? '{}')
    return new Map(Object.entries(typeof notes === 'object' && notes !== null ? notes : {}))
  } catch (error) {
    if (error instanceof SyntaxError) return new Map()
    throw error
  }
}

function writeNotes(machine: Machine, notes: ReadonlyMap<string, Note>): void {
  writePrivateFile(machine, fileOf(machine), `${JSON.stringify(Object.fromEntries(notes))}\n`)
}
