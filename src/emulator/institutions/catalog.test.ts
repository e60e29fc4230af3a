import { describe, expect, it } from 'vitest'
import { Institution } from '../../contract/institutions.ts'
import { ordinaryBehaviour } from './behaviour.ts'
import { findInstitution, institutions, searchInstitutions } from './catalog.ts'
import { testInstitutions } from './test-institutions.ts'

const names = (q: string) => searchInstitutions(q).map(({ name }) => name)

describe('the catalog', () => {
  it('shows the test institutions before all others', () => {
    const first = institutions.slice(0, testInstitutions.length)
    expect(first.map(({ id }) => id)).toEqual(testInstitutions.map(({ id }) => id))
  })

  it('names no bank by what it does: that is said beside the name, of all but the ordinary ones', () => {
    for (const { name, misbehaves, happens } of testInstitutions) {
      expect(name).not.toMatch(/\(/)
      expect([name, misbehaves === undefined]).toEqual([name, happens === 'links and refreshes'])
    }
    expect(new Set(institutions.map(({ name }) => name)).size).toBe(institutions.length)
  })

  it('has enough ordinary banks of every source to search and page through, with an id each', () => {
    const ordinary = institutions.slice(testInstitutions.length)
    expect(ordinary).toHaveLength(40)
    expect(new Set(ordinary.map(({ source }) => source)).size).toBe(3)
    expect(ordinary.every(({ behaviour }) => behaviour === ordinaryBehaviour)).toBe(true)
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
    expect(names('  hErOn ')).toEqual(['Blue Heron Bank'])
    expect(names('union')).toHaveLength(4)
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
