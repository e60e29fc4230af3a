/** Errors about settings, base URLs and environment names, and the correction of a misspelt word that they suggest. */
import { BankapiError } from '../errors.ts'

export type ConfigErrorCode =
  | 'unknown_environment'
  | 'base_url_missing'
  | 'base_url_invalid'
  | 'emulator_not_running'
  | 'emulator_address_invalid'
  | 'unknown_setting'
  | 'invalid_setting'
  | 'invalid_profile'
  | 'profile_exists'
  | 'unknown_profile'

/** Exit 2; 11 when no emulator runs. The message never repeats the value given, which may be a secret. */
export class ConfigError extends BankapiError {
  override readonly name = 'ConfigError'

  constructor(code: ConfigErrorCode, sentence: string, hint: string) {
    super(sentence, { code, exit: code === 'emulator_not_running' ? 'unreachable' : 'usage', hint })
  }
}

/** The candidate a misspelt word was probably meant to be; undefined when none is near (a third of its letters). */
export function closest(word: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined
  let fewest = Math.floor(word.length / 3) + 1
  for (const candidate of candidates) {
    const edits = distance(word.toLowerCase(), candidate.toLowerCase())
    if (edits < fewest) {
      fewest = edits
      best = candidate
    }
  }
  return best
}

/** Levenshtein's distance: letters to insert, remove or replace. */
function distance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [row, letter] of [...from].entries()) {
    const current = [row + 1]
    for (const [column, other] of [...to].entries()) {
      const replaced = (previous[column] ?? 0) + (letter === other ? 0 : 1)
      current.push(Math.min(replaced, (previous[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1))
    }
    previous = current
  }
  return previous.at(-1) ?? 0
}
