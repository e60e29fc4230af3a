/** A word as a shell reads it: commands are shown to be pasted, and the service or the user chose some of their words. */
export function shellWord(word: string): string {
  return /^[A-Za-z0-9_.:/-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}
