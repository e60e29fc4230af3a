/** Why settings, an address or the environment cannot be used as they are. */
import { BankapiError } from '../errors.ts'

export type ConfigErrorCode =
  | 'unknown_environment'
  | 'base_url_missing'
  | 'base_url_invalid'
  | 'emulator_not_running'
  | 'unknown_setting'
  | 'invalid_setting'

/** Exit 2; 11 when no emulator runs. The message never repeats what was given, which may be a secret. */
export class ConfigError extends BankapiError {
  override readonly name = 'ConfigError'

  constructor(code: ConfigErrorCode, sentence: string, hint: string) {
    super(sentence, { code, exit: code === 'emulator_not_running' ? 'unreachable' : 'usage', hint })
  }
}
