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
