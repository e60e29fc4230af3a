/** The catalog of institutions: the test institutions, and ordinary ones to search among. */
import type { Institution } from '../../contract/institutions.ts'
import type { ConnectionSource } from '../../contract/shapes.ts'
import { plainLetters } from '../catalog/plain-text.ts'
import type { Stated } from '../catalog/seed-rows.ts'
import { type InstitutionBehaviour, ordinaryBehaviour } from './behaviour.ts'
import { type TestInstitution, testInstitutions } from './test-institutions.ts'

export type CatalogInstitution = Readonly<
  Omit<Stated<Institution>, 'logo_url' | 'requires_desktop_app'> & {
    logo_url: string
    /** The source through which the router links it. Never shown to a caller. */
    source: ConnectionSource
    /** FDE only, and only where known. */
    requires_desktop_app?: boolean
    /** Test institutions only: what it does, for the page where a user chooses a bank. */
    misbehaves?: string
    behaviour: InstitutionBehaviour
  }
>

/** Invented names, by the source that the router chooses for them. */
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

/** A name in the form that searches compare. */
function folded(name: string): string {
  return plainLetters(name).toLowerCase()
}

/** Nothing fetches it: the host is reserved for documentation. */
function logoOf(id: string): string {
  return `https://logos.example/${id}.svg`
}

function testInstitution({ behaviour, ...institution }: TestInstitution): CatalogInstitution {
  return {
    ...institution,
    logo_url: logoOf(institution.id),
    behaviour: { ...ordinaryBehaviour, ...behaviour },
  }
}

function ordinaryInstitution(name: string, source: ConnectionSource): CatalogInstitution {
  const id = `ins_${folded(name).replace(/[^a-z0-9]+/g, '_')}`
  return { id, name, logo_url: logoOf(id), source, behaviour: ordinaryBehaviour }
}

/** In a fixed order: the test institutions, then the ordinary ones by id. */
export const institutions: readonly CatalogInstitution[] = [
  ...testInstitutions.map(testInstitution),
  ...(Object.entries(ordinary) as [ConnectionSource, readonly string[]][])
    .flatMap(([source, names]) => names.map((name) => ordinaryInstitution(name, source)))
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
