import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { looksLikePdf } from './looks-like-pdf.ts'

const bytes = (text: string) => Buffer.from(text, 'latin1')

describe('looksLikePdf', () => {
  it('knows a PDF of any version, also with a little in front of the header', () => {
    expect(looksLikePdf(bytes('%PDF-1.4\n%âãÏÓ'))).toBe(true)
    expect(looksLikePdf(bytes('%PDF-2.0\r\n'))).toBe(true)
    expect(looksLikePdf(bytes(`${'\0'.repeat(1016)}%PDF-1.7`))).toBe(true)
  })

  it('refuses other files, and a header too far in', () => {
    for (const other of ['', '%PDF', '%PDF-', '\x89PNG\r\n', 'PK\x03\x04', '<html>%PD F-1.4']) {
      expect(looksLikePdf(bytes(other))).toBe(false)
    }
    expect(looksLikePdf(bytes(`${' '.repeat(2000)}%PDF-1.7`))).toBe(false)
  })

  it('reads a view of a larger buffer from where the view begins', () => {
    const buffer = bytes('%PDF-1.7 and more')
    expect(looksLikePdf(buffer.subarray(3))).toBe(false)
    expect(looksLikePdf(new Uint8Array(bytes('xx%PDF-1.7')).subarray(2))).toBe(true)
  })

  it('takes any bytes without failing', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2000 }), (any) => typeof looksLikePdf(any) === 'boolean'),
    )
  })
})
