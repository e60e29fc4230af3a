/** Invented merchants by the currency they charge in. Amounts in major units of US dollars. */

export interface Merchant {
  readonly name: string
  /** As a bank prints it. */
  readonly description: string
  readonly category: string
  readonly min: number
  readonly max: number
}

type Row = [name: string, description: string, category: string, min: number, max: number]

const dollars: readonly Row[] = [
  ['Green Basket Market', 'GREEN BASKET MARKET #0421', 'groceries', 18, 96],
  ['Hilltop Grocers', 'HILLTOP GROCERS 117 PORTLAND OR', 'groceries', 9, 74],
  ['Tres Hermanas Panadería', 'TRES HERMANAS PANADERÍA', 'groceries', 4, 19],
  ['Café Señora Luz', 'CAFÉ SEÑORA LUZ', 'dining', 4, 16],
  ['Noodle Yard', 'SQ *NOODLE YARD', 'dining', 11, 42],
  ['Jalapeño Joe’s', 'JALAPEÑO JOE’S TRUCK 3', 'dining', 8, 27],
  ['Crème & Crumb', 'CRÈME & CRUMB BAKERY', 'dining', 5, 22],
  ['Lantern House', 'TST* LANTERN HOUSE', 'dining', 24, 88],
  ['Metro Transit', 'METRO TRANSIT FARE', 'transport', 2, 3],
  ['Ridge Fuel', 'RIDGE FUEL 2207', 'transport', 28, 61],
  ['Paperlane Books', 'PAPERLANE BOOKS', 'shopping', 9, 48],
  ['Northpole Outfitters', 'NORTHPOLE OUTFITTERS.EXAMPLE', 'shopping', 22, 140],
  ['Smörgås Home', 'SMÖRGÅS HOME & KITCHEN', 'shopping', 12, 110],
  ['Corner Pharmacy', 'CORNER PHARMACY 8', 'health', 6, 44],
]

const euros: readonly Row[] = [
  ['Bäckerei Grünwald', 'BÄCKEREI GRÜNWALD MÜNCHEN', 'groceries', 2, 14],
  ['Marché Saint-Éloi', 'MARCHÉ SAINT-ÉLOI', 'groceries', 11, 128],
  ['Trattoria Però', 'TRATTORIA PERÒ', 'dining', 14, 84],
  ['Stadtverkehr Isar', 'STADTVERKEHR ISAR TICKET', 'transport', 3, 4],
  ['Bücher am Tor', 'BÜCHER AM TOR', 'shopping', 8, 45],
  ['Łódź Kawiarnia', 'ŁÓDŹ KAWIARNIA', 'dining', 4, 12],
]

const yen: readonly Row[] = [
  ['すし処 まつ', 'SUSHI MATSU SHIBUYA', 'dining', 18, 70],
  ['みどり市場', 'MIDORI ICHIBA', 'groceries', 12, 90],
  ['東西地下鉄', 'TŌZAI CHIKATETSU', 'transport', 2, 3],
  ['本の森', 'HON NO MORI BOOKS', 'shopping', 12, 62],
]

function merchants(rows: readonly Row[]): readonly Merchant[] {
  return rows.map(([name, description, category, min, max]) => ({
    name,
    description,
    category,
    min,
    max,
  }))
}

const byCurrency: Readonly<Record<string, readonly Merchant[]>> = {
  EUR: merchants(euros),
  JPY: merchants(yen),
}
const american = merchants(dollars)

export function merchantsIn(currency: string): readonly Merchant[] {
  return byCurrency[currency] ?? american
}

/** Made-up, constant value of one US dollar, so that prices look right in their currency. */
export function scaleOf(currency: string): number {
  return currency === 'JPY' ? 150 : currency === 'EUR' ? 0.9 : 1
}
