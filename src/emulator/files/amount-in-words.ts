const small = (
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen ' +
  'sixteen seventeen eighteen nineteen'
).split(' ')
const tens = ['', '', 'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety']
const scales = [
  [1_000_000_000, 'billion'],
  [1_000_000, 'million'],
  [1000, 'thousand'],
  [100, 'hundred'],
] as const

/** As one writes it on a check: `One hundred twenty and 05/100`. `amount` in major units, not negative. */
export function amountInWords(amount: number): string {
  const cents = Math.round(amount * 100)
  const whole = words(Math.floor(cents / 100))
  return `${whole.charAt(0).toUpperCase()}${whole.slice(1)} and ${String(cents % 100).padStart(2, '0')}/100`
}

function words(count: number): string {
  const scale = scales.find(([size]) => count >= size)
  if (scale) {
    const [size, name] = scale
    const rest = count % size
    return `${words(Math.floor(count / size))} ${name}${rest === 0 ? '' : ` ${words(rest)}`}`
  }
  if (count < 20) return small[count] ?? ''
  const rest = count % 10
  return `${tens[Math.floor(count / 10)]}${rest === 0 ? '' : `-${words(rest)}`}`
}
