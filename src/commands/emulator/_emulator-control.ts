/** Calls the control endpoints of the running emulator, under `/_emulator/`, and is the base of the commands that do. */
import type { Command } from '@oclif/core'
import { BaseCommand } from '../../cli/command/base-command.ts'
import { UsageError } from '../../cli/errors/errors.ts'
import { readEmulatorState } from '../../config/emulator-state.ts'
import { ConfigError } from '../../config/errors.ts'
import { remoteEmulator, remoteNotAnswering } from '../../config/remote-emulator.ts'
import { BankapiError } from '../../errors.ts'
import type { Machine } from '../../machine/machine.ts'

/** A web page cannot send this header to another origin without a preflight request, so it cannot use the controls. */
export const controlHeader = { 'X-Bankapi-Emulator': '1' }

export interface EmulatorControl {
  readonly url: string
  get(path: string): Promise<unknown>
  post(path: string, body?: object): Promise<unknown>
  delete(path: string): Promise<unknown>
}

/** @throws ConfigError `emulator_not_running` when none runs, or it does not answer. */
export function emulatorControl(machine: Machine, signal: AbortSignal): EmulatorControl {
  const { url, notAnswering } = controlsOf(machine)
  const call = async (method: string, path: string, body?: object): Promise<unknown> => {
    const response = await fetch(`${url}${path}`, {
      method,
      signal,
      headers: body === undefined ? controlHeader : { ...controlHeader, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch((error: unknown) => {
      if (signal.aborted) throw signal.reason
      throw notAnswering(String((error as Error).cause ?? error))
    })
    const answer: unknown = await response.json().catch(() => undefined)
    if (response.ok) return answer
    const problem = (answer as { error?: { code?: string; message?: string } } | undefined)?.error
    const message = problem?.message ?? `The emulator answered ${response.status}`
    const code = problem?.code ?? 'emulator_refused'
    if (response.status !== 404) throw new UsageError(message, { code })
    throw new BankapiError(message, {
      code,
      exit: 'notFound',
      hint: 'Ids of this emulator: bankapi connections list --env local, or the result of initiate --wait',
    })
  }
  return {
    url,
    get: (path) => call('GET', path),
    post: (path, body) => call('POST', path, body),
    delete: (path) => call('DELETE', path),
  }
}

interface Controls {
  readonly url: string
  readonly notAnswering: (why: string) => ConfigError
}

function controlsOf(machine: Machine): Controls {
  const remote = remoteEmulator(machine)
  if (remote !== undefined) {
    return { url: `${remote.origin}/_emulator`, notAnswering: (why) => remoteNotAnswering(remote, why) }
  }
  const { running, ignored } = readEmulatorState(machine)
  if (running === undefined) throw emulatorNotRunning(ignored)
  const { control_url: url, pid } = running
  const notAnswering = (why: string) =>
    emulatorNotRunning(`The one of process ${pid} does not answer at ${url}: ${why}`)
  return { url, notAnswering }
}

export function emulatorNotRunning(why: string | undefined): ConfigError {
  return new ConfigError(
    'emulator_not_running',
    `No emulator is running on this machine.${why === undefined ? '' : ` ${why}`}`,
    'Start one in another terminal: bankapi emulator start',
  )
}

export abstract class EmulatorCommand<T extends typeof Command, Result> extends BaseCommand<T, Result> {
  /** @throws ConfigError `emulator_not_running`. */
  protected get control(): EmulatorControl {
    return emulatorControl(this.machine, this.signal)
  }
}
