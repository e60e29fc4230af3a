/** Writes text in the letters that a search, a PDF's standard fonts or a bitmap font knows. */

/** Letters that Unicode does not decompose into a base letter and a mark. */
const undecomposed: Readonly<Record<string, string>> = {
  Ø: 'O',
  ø: 'o',
  Æ: 'AE',
  æ: 'ae',
  Œ: 'OE',
  œ: 'oe',
  ß: 'ss',
  ẞ: 'SS',
  Ł: 'L',
  ł: 'l',
  Đ: 'D',
  đ: 'd',
  ı: 'i',
  Þ: 'Th',
  þ: 'th',
  Ð: 'D',
  ð: 'd',
}

/** `text` without accents, Latin letters as plain ASCII ones: `Lønsdal Crédit` gives `Lonsdal Credit`. Other scripts stay. */
export function plainLetters(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .replace(/[ØøÆæŒœßẞŁłĐđıÞþÐð]/g, (letter) => undecomposed[letter] ?? letter)
}

/** The characters of Windows-1252 beyond Latin-1, which the standard fonts of a PDF can show. */
const windows1252 = '€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ'

/** One character per character, so that columns keep their width where they can. */
export function winAnsi(text: string): string {
  return withFallback(text.normalize('NFC'), (character) => {
    const code = character.codePointAt(0) ?? 0
    return (code >= 0x20 && code <= 0x7e) || (code >= 0xa1 && code <= 0xff) || windows1252.includes(character)
  })
}

/** Only 0x20 to 0x7e. */
export function ascii(text: string): string {
  return withFallback(
    text.normalize('NFC').replace(/[‘’]/g, "'").replace(/[“”]/g, '"').replace(/[–—]/g, '-'),
    isAscii,
  )
}

function isAscii(character: string): boolean {
  return character >= ' ' && character <= '~'
}

function withFallback(text: string, shows: (character: string) => boolean): string {
  return [...text]
    .map((character) => {
      if (shows(character)) return character
      if (/\s/.test(character)) return ' '
      const plain = plainLetters(character)
      return plain !== '' && [...plain].every(isAscii) ? plain : '?'
    })
    .join('')
}
