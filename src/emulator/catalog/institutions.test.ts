import { describe, expect, it } from 'vitest'
import { Institution } from '../../contract/institutions.ts'
import { findInstitution, institutions, searchInstitutions } from './institutions.ts'

const names = (q: string) => searchInstitutions(q).map(({ name }) => name)

describe('the catalog', () => {
  it('has every acting bank with its source and its part', () => {
    const acting = [
      ['ins_a_ok', 'AGGREGATOR_A', 'ok'],
      ['ins_a_mfa', 'AGGREGATOR_A', 'mfa'],
      ['ins_a_silent', 'AGGREGATOR_A', 'silent'],
      ['ins_a_down', 'AGGREGATOR_A', 'down'],
      ['ins_a_moved', 'AGGREGATOR_A', 'moved'],
      ['ins_a_stops', 'AGGREGATOR_A', 'stops'],
      ['ins_b_ok', 'AGGREGATOR_B', 'ok'],
      ['ins_b_denied', 'AGGREGATOR_B', 'denied'],
      ['ins_b_locked', 'AGGREGATOR_B', 'locked'],
      ['ins_b_closed', 'AGGREGATOR_B', 'closed'],
      ['ins_b_partial', 'AGGREGATOR_B', 'partial'],
      ['ins_b_flaky', 'AGGREGATOR_B', 'flaky'],
      ['ins_fde_ok', 'FDE', 'ok'],
      ['ins_fde_mfa', 'FDE', 'mfa'],
      ['ins_fde_refused', 'FDE', 'refused'],
      ['ins_fde_desktop', 'FDE', 'desktop'],
      ['ins_fde_choice', 'FDE', 'choice'],
    ]
    expect(institutions.slice(0, 17).map(({ id, source, behaviour }) => [id, source, behaviour])).toEqual(
      acting,
    )
  })

  it('has enough ordinary banks of every source to search and page through, with an id each', () => {
    const ordinary = institutions.slice(17)
    expect(ordinary).toHaveLength(40)
    expect(new Set(ordinary.map(({ source }) => source)).size).toBe(3)
    expect(ordinary.every(({ behaviour }) => behaviour === 'ok')).toBe(true)
    expect(new Set(institutions.map(({ id }) => id)).size).toBe(institutions.length)
  })

  it('keeps to the contract, and names a logo nobody can fetch', () => {
    for (const institution of institutions) {
      expect(Institution.parse(institution).logo_url).toMatch(/^https:\/\/logos\.example\/[a-z0-9_]+\.svg$/)
    }
  })

  it('says requires_desktop_app for FDE banks only, and omits it when unknown', () => {
    for (const { source, requires_desktop_app } of institutions) {
      if (source !== 'FDE') expect(requires_desktop_app).toBeUndefined()
    }
    expect(findInstitution('ins_fde_desktop')?.requires_desktop_app).toBe(true)
    expect(findInstitution('ins_vesper_bank')).not.toHaveProperty('requires_desktop_app')
  })
})

describe('searchInstitutions', () => {
  it('finds by part of the name, whatever the case', () => {
    expect(names('  bIrCh ')).toHaveLength(6)
    expect(names('heron')).toEqual(['Blue Heron Bank'])
  })

  it('finds with and without accents on either side', () => {
    for (const q of ['lonsdal', 'Lønsdal', 'LÖNSDAL']) expect(names(q)).toEqual(['Lønsdal Sparebank'])
    expect(names('vallee')).toEqual(['Vallée Verte Banque'])
    expect(names('Kestrél')).toEqual(['Kestrel Bank'])
  })

  it('finds everything for nothing, and nothing for what no name holds', () => {
    expect(searchInstitutions('')).toHaveLength(institutions.length)
    expect(searchInstitutions('.*')).toEqual([])
  })
})
