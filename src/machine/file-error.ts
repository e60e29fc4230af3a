import { BankapiError } from '../errors.ts'

/** A file or folder of ours that is not safe to use, cannot be written or is locked by another process (exit 2). */
export class FileError extends BankapiError {
  override readonly name = 'FileError'

  constructor(
    code: 'unsafe_file' | 'unsafe_folder' | 'not_writable' | 'settings_busy',
    sentence: string,
    hint: string,
  ) {
    super(sentence, { code, exit: 'usage', hint })
  }
}
