import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Resolve } from './engine.ts'
import { checkRedirectUrl } from './redirect-allowlist.ts'

const names = new Map<string, readonly string[]>(
  Object.entries({
    'app.example': ['203.0.113.10'],
    'both.example': ['203.0.113.10', '10.0.0.7'],
    'inside.example': ['192.168.1.5'],
    'rebind.example': ['::ffff:127.0.0.1'],
    'six.example': ['2606:4700::1'],
    'ula.example': ['fd12::1'],
    'empty.example': [],
  }),
)
const resolve: Resolve = async (host) => {
  const addresses = names.get(host)
  if (!addresses) throw new Error(`ENOTFOUND ${host}`)
  return addresses
}
const nobody: Resolve = async () => {
  throw new Error('the resolver must not be asked')
}

async function accepted(url: string, by: Resolve = resolve): Promise<boolean> {
  return (await checkRedirectUrl(url, by)).ok
}

async function allRefused(urls: readonly string[], reason: RegExp): Promise<void> {
  for (const url of urls) {
    const verdict = await checkRedirectUrl(url, resolve)
    expect(verdict, url).toMatchObject({ ok: false, reason: expect.stringMatching(reason) })
  }
}

describe('checkRedirectUrl', () => {
  it('accepts https addresses of public hosts, with port, path, query and fragment', async () => {
    for (const url of [
      'https://app.example',
      'HTTPS://App.Example/done',
      'https://app.example:8443/a/b?c=d@e&f=http://10.0.0.1#g',
      'https://six.example/',
      'https://203.0.113.10/',
      'https://[2606:4700::1]/',
      'https://bücher.example/fertig',
    ]) {
      expect(await accepted(url), url).toBe(true)
    }
  })

  it('refuses anything but https', async () => {
    await allRefused(
      [
        'http://app.example',
        'ftp://app.example',
        'javascript:alert(1)',
        'app.example',
        '//app.example',
        '',
        'https:',
      ],
      /https/,
    )
    await allRefused(['https:app.example', 'https:/app.example'], /https/)
  })

  it('refuses an address without a host', async () => {
    await allRefused(
      ['https://', 'https:///app.example', 'https://?x', 'https://#x', 'https://:443/'],
      /host/,
    )
    await allRefused(
      ['https://[::1', 'https://a b.example', 'https://.', 'https://1.2.3.4.5.6/'],
      /host|blank/,
    )
  })

  it('refuses userinfo, an empty one too', async () => {
    await allRefused(
      [
        'https://me@app.example',
        'https://me:pw@app.example',
        'https://@app.example',
        'https://app.example@10.0.0.1',
      ],
      /userinfo/,
    )
  })

  it('refuses what browsers silently repair: backslashes, blanks and control characters', async () => {
    await allRefused(
      [
        'https:\\\\app.example',
        'https://app.example\\@10.0.0.1',
        ' https://app.example',
        'https://app.exa\tmple',
        'https://app.example/\n',
      ],
      /blank|https/,
    )
  })

  it('takes 2048 characters and refuses one more', async () => {
    const url = 'https://app.example/'.padEnd(2048, 'x')
    expect(await accepted(url)).toBe(true)
    await allRefused([`${url}x`], /2048/)
  })

  it('refuses private, loopback, link-local and metadata addresses in any spelling, without asking a resolver', async () => {
    for (const host of [
      '127.0.0.1',
      '127.1',
      '2130706433',
      '0x7f000001',
      '0x7f.1',
      '0177.0.0.1',
      '017700000001',
      '127.0.0.1.',
      '10.1.2.3',
      '192.168.0.1',
      '172.31.255.255',
      '100.64.0.1',
      '0',
      '169.254.169.254',
      '2852039166',
      '0xa9.0xfe.0xa9.0xfe',
      '１２７.０.０.１',
      '%31%32%37.0.0.1',
      '[::1]',
      '[::]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[0:0:0:0:0:ffff:10.0.0.1]',
      '[64:ff9b::10.0.0.1]',
      '[2002:7f00:1::]',
      '[fd00:ec2::254]',
      '[fe80::1]',
    ]) {
      expect(await accepted(`https://${host}/`, nobody), host).toBe(false)
      expect(await accepted(`https://${host}:8443/cb`, nobody), host).toBe(false)
    }
  })

  it('refuses every spelling of every loopback address as one number', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(2 ** 24 - 1), fc.constantFrom(8, 10, 16), async (low, radix) => {
        const prefix = { 8: '0', 10: '', 16: '0x' }[radix] ?? ''
        expect(await accepted(`https://${prefix}${(127 * 2 ** 24 + low).toString(radix)}/`, nobody)).toBe(
          false,
        )
      }),
    )
  })

  it('refuses names that mean this machine or a metadata service, with trailing dots and in any case', async () => {
    for (const host of [
      'localhost',
      'LOCALHOST',
      'localhost.',
      'app.localhost',
      'localhost.localdomain',
      'printer.local',
      'metadata.google.internal',
      'metadata.google.internal.',
      'Metadata.Goog',
      'instance-data',
      'instance-data.ec2.internal',
      'db.corp.internal',
      'router.home.arpa',
    ]) {
      expect(await accepted(`https://${host}/`, nobody), host).toBe(false)
    }
  })

  it('refuses a name that resolves to such an address, even if only one of several does', async () => {
    await allRefused(
      ['inside', 'both', 'rebind', 'ula'].map((name) => `https://${name}.example/cb`),
      /private, loopback, link-local or cloud-metadata/,
    )
    await allRefused(['https://inside.example./cb'], /192\.168\.1\.5/)
  })

  it('accepts a name that does not resolve: the emulator works without a network', async () => {
    expect(await accepted('https://nowhere.example/cb')).toBe(true)
    expect(await accepted('https://empty.example/cb')).toBe(true)
  })

  it('gives a verdict for any text', async () => {
    const urls = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: 'grapheme' }).map((text) => `https://${text}`),
      fc.webUrl({ validSchemes: ['https'] }),
    )
    await fc.assert(
      fc.asyncProperty(urls, async (url) => {
        const verdict = await checkRedirectUrl(url, resolve)
        if (!verdict.ok) expect(verdict.reason).not.toBe('')
      }),
    )
  })
})
