/** A command that works the controls of the emulator running on this machine. */
import type { Command } from '@oclif/core'
import { BaseCommand } from '../../cli/command/base-command.ts'
import { type EmulatorControl, emulatorControl } from './_emulator-control.ts'

export abstract class EmulatorCommand<T extends typeof Command, Result> extends BaseCommand<T, Result> {
  /** @throws ConfigError `emulator_not_running`. */
  protected get control(): EmulatorControl {
    return emulatorControl(this.machine, this.signal)
  }
}
