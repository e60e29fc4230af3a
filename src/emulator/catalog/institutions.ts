/** The banks of the emulator: those that play the rules of the reference, and ordinary ones to search among. */
import type { Institution } from '../../contract/institutions.ts'
import type { ConnectionSource } from '../../contract/shapes.ts'
import { plainLetters } from './plain-letters.ts'
import type { Stated } from './world.ts'

/** What an institution plays; docs/emulator.md says what each one does. */
export type Behaviour =
  | 'ok'
  | 'mfa'
  | 'silent'
  | 'down'
  | 'moved'
  | 'stops'
  | 'denied'
  | 'locked'
  | 'closed'
  | 'partial'
  | 'flaky'
  | 'refused'
  | 'desktop'
  | 'choice'

export type CatalogInstitution = Readonly<
  Omit<Stated<Institution>, 'logo_url' | 'requires_desktop_app'> & {
    logo_url: string
    /** Where the router sends a link to this bank. Never shown to a caller. */
    source: ConnectionSource
    /** FDE only, and only where known. */
    requires_desktop_app?: boolean
    behaviour: Behaviour
  }
>

type ActingBank = [
  source: ConnectionSource,
  id: string,
  name: string,
  behaviour: Behaviour,
  desktopApp?: boolean,
]

/** Banks that act a part come first, so that they head every list. */
const acting: readonly ActingBank[] = [
  ['AGGREGATOR_A', 'ins_a_ok', 'Alder Bank', 'ok'],
  ['AGGREGATOR_A', 'ins_a_mfa', 'Alder Bank (asks a security question)', 'mfa'],
  ['AGGREGATOR_A', 'ins_a_silent', 'Alder Bank (never reports)', 'silent'],
  ['AGGREGATOR_A', 'ins_a_down', 'Alder Bank (unavailable)', 'down'],
  ['AGGREGATOR_A', 'ins_a_moved', 'Alder Bank (moved to another provider)', 'moved'],
  ['AGGREGATOR_A', 'ins_a_stops', 'Alder Bank (stops refreshing)', 'stops'],
  ['AGGREGATOR_B', 'ins_b_ok', 'Birch Savings', 'ok'],
  ['AGGREGATOR_B', 'ins_b_denied', 'Birch Savings (denies the sign-in)', 'denied'],
  ['AGGREGATOR_B', 'ins_b_locked', 'Birch Savings (locks the account)', 'locked'],
  ['AGGREGATOR_B', 'ins_b_closed', 'Birch Savings (closes the login)', 'closed'],
  ['AGGREGATOR_B', 'ins_b_partial', 'Birch Savings (one account fails)', 'partial'],
  ['AGGREGATOR_B', 'ins_b_flaky', 'Birch Savings (fails, then recovers)', 'flaky'],
  ['FDE', 'ins_fde_ok', 'First Fir Bank', 'ok', false],
  ['FDE', 'ins_fde_mfa', 'First Fir Bank (asks a security question)', 'mfa', false],
  ['FDE', 'ins_fde_refused', 'First Fir Bank (refuses the refresh)', 'refused', false],
  ['FDE', 'ins_fde_desktop', 'First Fir Bank (needs the desktop app)', 'desktop', true],
  ['FDE', 'ins_fde_choice', 'First Fir Bank (asks for the desktop app route)', 'choice', true],
]

/** Invented names. The router's choice is written down here, as in the service it is configuration. */
const ordinary: Readonly<Record<ConnectionSource, readonly string[]>> = {
  AGGREGATOR_A: [
    'Amberfield National Bank',
    'Ashgrove Community Bank',
    'Bancó Río Claro',
    'Blue Heron Bank',
    'Cedar Hollow Trust',
    'Copperline Bank',
    'Driftwood Bank & Trust',
    'Eastmarch Bank',
    'Fernhill Credit Union',
    'Glenmoor Savings Bank',
    'Harrowgate Bank',
    'Ironbridge Federal',
    'Juniper Street Bank',
    'Kestrel Bank',
    'Larkspur Mutual',
  ],
  AGGREGATOR_B: [
    'Lønsdal Sparebank',
    'Marigold Credit Union',
    'Millstone Bank',
    'Northwater Savings',
    'Oakhurst Teachers Credit Union',
    'Pebblebrook Bank',
    'Quarry Lane Bank',
    'Redstone Valley Bank',
    'Saltmarsh Savings',
    'Silberbach Privatbank',
    'Thistledown Bank',
    'Tres Álamos Credit Union',
    'Umberland Bank',
  ],
  FDE: [
    'Vallée Verte Banque',
    'Vesper Bank',
    'Wexcombe Bank',
    'Whitepine Farmers Bank',
    'Willowmere Bank',
    'Windrush County Bank',
    'Yarrow & Sons, Bankers',
    'Yellowwood Savings',
    'Zephyr Coast Bank',
    'Zürichhorn Handelsbank',
    'Østermark Bank',
    'Ävjedal Sparbank',
  ],
}

/** What a name is searched by. */
function folded(name: string): string {
  return plainLetters(name).toLowerCase()
}

/** Nothing fetches it: the host is reserved for documentation. */
function logoOf(id: string): string {
  return `https://logos.example/${id}.svg`
}

function actingBank([source, id, name, behaviour, desktopApp]: ActingBank): CatalogInstitution {
  const known = desktopApp === undefined ? {} : { requires_desktop_app: desktopApp }
  return { id, name, logo_url: logoOf(id), source, ...known, behaviour }
}

function bank(name: string, source: ConnectionSource): CatalogInstitution {
  const id = `ins_${folded(name).replace(/[^a-z0-9]+/g, '_')}`
  return { id, name, logo_url: logoOf(id), source, behaviour: 'ok' }
}

/** In a fixed order: the acting banks, then the ordinary ones by id. */
export const institutions: readonly CatalogInstitution[] = [
  ...acting.map(actingBank),
  ...(Object.entries(ordinary) as [ConnectionSource, readonly string[]][])
    .flatMap(([source, names]) => names.map((name) => bank(name, source)))
    .sort((one, other) => (one.id < other.id ? -1 : 1)),
]

const byId = new Map(institutions.map((institution) => [institution.id, institution]))

export function findInstitution(id: string): CatalogInstitution | undefined {
  return byId.get(id)
}

/** Those whose name holds `q`, whatever its case and accents, in catalog order. An empty `q` finds all. */
export function searchInstitutions(q: string): readonly CatalogInstitution[] {
  const wanted = folded(q.trim())
  return institutions.filter(({ name }) => folded(name).includes(wanted))
}
