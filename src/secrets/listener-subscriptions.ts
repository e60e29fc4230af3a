/**
 * Notes the subscriptions that listeners on this machine use, and which of them a listener made: one left behind by a
 * listener that was killed is found again and removed. `listeners.json` in the data folder, 0600.
 */
import { dirname, join } from 'node:path'
import * as z from 'zod'
import { withFolderLock } from '../machine/folder-lock.ts'
import type { Machine } from '../machine/machine.ts'
import { dataDir } from '../machine/paths.ts'
import { readPrivateFile, writePrivateFile } from '../machine/private-file.ts'

const ListenerSubscription = z.object({
  environment: z.string(),
  base_url: z.string(),
  subscription_id: z.string(),
  /** Tells subscriptions with the same id apart: an emulator that starts anew gives the same ids again. */
  created_at: z.string(),
  /** Made by a listener; others are the user's own and stay. */
  made: z.boolean(),
  /** On `local` only, where the emulator's keys are in the same folder: no keychain is needed there. */
  signing_secret: z.string().optional(),
})
export type ListenerSubscription = z.infer<typeof ListenerSubscription>

/** A listener that ends in order removes its own note. */
const MAX_NOTES = 50

type Key = Pick<ListenerSubscription, 'environment' | 'base_url' | 'subscription_id'>

const pathOf = (machine: Machine): string => join(dataDir(machine), 'listeners.json')

/** Every note; none for a missing or damaged file. Throws FileError `unsafe_file`. */
export function listenerSubscriptions(machine: Machine): ListenerSubscription[] {
  const text = readPrivateFile(machine, pathOf(machine), { secret: true })
  try {
    return z.array(ListenerSubscription).safeParse(JSON.parse(text ?? '')).data ?? []
  } catch {
    return []
  }
}

/** Notes a subscription, replacing an earlier note of it. Throws FileError as writePrivateFile does. */
export function noteListenerSubscription(machine: Machine, noted: ListenerSubscription): Promise<void> {
  return change(machine, (all) => [...all.filter((one) => !isSame(one, noted)), noted].slice(-MAX_NOTES))
}

/** Removes the note of a subscription. Throws FileError as writePrivateFile does. */
export async function forgetListenerSubscription(machine: Machine, key: Key): Promise<void> {
  if (listenerSubscriptions(machine).some((one) => isSame(one, key))) {
    await change(machine, (all) => all.filter((one) => !isSame(one, key)))
  }
}

/** Removes the notes of an environment. Throws FileError as writePrivateFile does. */
export async function forgetListenerSubscriptions(machine: Machine, environment: string): Promise<void> {
  const isOther = (one: ListenerSubscription) => one.environment !== environment
  if (!listenerSubscriptions(machine).every(isOther)) await change(machine, (all) => all.filter(isOther))
}

function change(
  machine: Machine,
  to: (all: ListenerSubscription[]) => ListenerSubscription[],
): Promise<void> {
  const path = pathOf(machine)
  return withFolderLock(machine, dirname(path), () => {
    const all = to(listenerSubscriptions(machine))
    writePrivateFile(machine, path, `${JSON.stringify(all, null, 2)}\n`)
  })
}

function isSame(one: Key, other: Key): boolean {
  return (
    one.subscription_id === other.subscription_id &&
    one.environment === other.environment &&
    one.base_url === other.base_url
  )
}
