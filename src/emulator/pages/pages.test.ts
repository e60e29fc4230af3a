import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { cancelledPage, donePage, invalidLinkPage } from './closing-pages.ts'
import { type ConnectPage, connectPage } from './connect-page.ts'
import { contentSecurityPolicy, pageHeaders } from './document.ts'
import { formActions, formFields } from './html.ts'
import { accountsPage, questionPage, refusedPage, signInPage, type WidgetStep } from './widget-pages.ts'

const attack = `"><script>alert(1)</script><img src=x onerror='alert(1)'>`
const step: WidgetStep = { action: '/widget', token: attack, institutionName: attack, source: 'AGGREGATOR_A' }
const connect: ConnectPage = {
  searchAction: '/connect-session',
  chooseAction: '/connect-session/choose',
  token: attack,
  query: attack,
  institutions: [
    { id: 'ins_a_ok', name: 'Alder Bank' },
    { id: attack, name: attack },
  ],
  total: 5,
  message: attack,
}
const pages: Readonly<Record<string, string>> = {
  connect: connectPage(connect),
  'sign in': signInPage({ ...step, message: attack, requiresDesktopApp: true }),
  question: questionPage({ ...step, question: attack }),
  accounts: accountsPage({ ...step, accounts: [{ id: attack, name: attack, mask: attack, chosen: true }] }),
  refused: refusedPage({ ...step, reason: attack, canRetry: true }),
  done: donePage({ institutionName: attack, returnTo: `https://app.example/?q=${attack}` }),
  cancelled: cancelledPage({ institutionName: attack, returnTo: `https://app.example/?q=${attack}` }),
  'invalid link': invalidLinkPage,
}
const each = Object.entries(pages)

describe.each(each)('the %s page', (_, page) => {
  it('shows what came from outside as text only', () => {
    expect(page).not.toMatch(/<script|<img|onerror='/)
  })

  it('is a whole document with a language, a width for phones, a title and one heading', () => {
    expect(page).toMatch(/^<!doctype html>\n<html lang="en">/)
    expect(page).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">')
    expect(page).toMatch(/<title>[^<]+<\/title>/)
    expect(page.match(/<h1>/g)).toHaveLength(1)
  })

  it('needs nothing from outside and no script', () => {
    // Tags without the values of their attributes: what came from outside stands only in those, and between tags.
    const tags = (page.match(/<[a-z][^>]*>/g) ?? []).map((tag) => tag.replace(/"[^"]*"/g, '""'))
    expect(tags.length).toBeGreaterThan(5)
    for (const tag of tags)
      expect(tag).not.toMatch(/^<(script|link|img|iframe|object|embed)\b|\s(src|style|on[a-z]+)=/)
    expect(page).not.toMatch(/@import|url\(/)
  })

  it('has the very style the policy allows', () => {
    const styles = [...page.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(([, style]) => style ?? '')
    expect(styles).toHaveLength(1)
    const hash = createHash('sha256')
      .update(styles[0] ?? '')
      .digest('base64')
    expect(contentSecurityPolicy).toContain(`style-src 'sha256-${hash}'`)
  })

  it('labels every field that is not hidden', () => {
    const inputs = page.match(/<input (?!type="hidden")[^>]*>/g) ?? []
    for (const input of inputs) {
      const id = /\sid="([^"]+)"/.exec(input)?.[1]
      const labelled = id
        ? page.includes(`<label for="${id}">`)
        : page.includes(`<label class="choice">${input}`)
      expect(labelled, input).toBe(true)
    }
  })
})

describe('the policy', () => {
  it('allows nothing but the style and forms to this address, and no frame around the page', () => {
    expect(contentSecurityPolicy.replace(/sha256-[^']+/, 'sha256-…').split('; ')).toEqual([
      "default-src 'none'",
      "style-src 'sha256-…'",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ])
    expect(pageHeaders['content-security-policy']).toBe(contentSecurityPolicy)
  })

  it('comes with headers that keep the address out of caches and referrers', () => {
    expect(pageHeaders).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'same-origin' })
  })
})

describe('the connect page', () => {
  it('asks for no credentials', () => {
    const page = pages['connect'] ?? ''
    expect(page).not.toContain('type="password"')
    expect(page).not.toContain(`name="${formFields.username}"`)
  })

  it('searches by a plain GET, and sends the chosen bank by a plain POST with the token', () => {
    const page = connectPage({ ...connect, token: 'tok' })
    expect(page).toContain('<form method="get" action="/connect-session" role="search">')
    expect(page).toContain('<form method="post" action="/connect-session/choose">')
    expect(page.match(/<input type="hidden" name="token" value="tok">/g)).toHaveLength(2)
    expect(page).toContain('name="institution_id" value="ins_a_ok">Alder Bank</button>')
  })

  it('says how many banks there are, how many it shows, and when there are none', () => {
    const status = (change: Partial<ConnectPage>) =>
      /<p role="status">(.*?)<\/p>/.exec(connectPage({ ...connect, ...change }))?.[1]
    const one = { institutions: [{ id: 'ins_a_ok', name: 'Alder Bank' }] }
    expect(status({ ...one, query: 'ald', total: 1 })).toBe('1 bank matching “ald”.')
    expect(status({ ...one, query: '', total: 57 })).toBe(
      'The first 1 of 57 banks. Search to narrow the list.',
    )
    expect(status({ institutions: [], query: 'zz', total: 0 })).toBe(
      'No bank matching “zz”. Try a shorter name.',
    )
  })
})

describe('the widget', () => {
  const widget = ['sign in', 'question', 'accounts', 'refused'].map((name) => pages[name] ?? '')

  it('says on every page, the connect page included, that it is a simulation and wants no real credentials', () => {
    for (const page of [...widget, pages['connect'], pages['done']]) {
      expect(page).toContain('Simulation. No bank is behind this page: never enter real bank credentials.')
    }
  })

  it('posts every step to one address, with the token and what the user wants', () => {
    for (const page of widget) {
      expect(page.match(/<form /g)).toHaveLength(1)
      expect(page).toContain('<form method="post" action="/widget">')
      expect(page).toContain(`name="${formFields.token}"`)
      expect(page).toContain(`name="${formFields.action}" value="${formActions.continue}"`)
      expect(page).toContain(`name="${formFields.action}" value="${formActions.cancel}"`)
    }
  })

  it('names the source it belongs to', () => {
    const names = (['AGGREGATOR_A', 'AGGREGATOR_B', 'FDE'] as const).map(
      (source) => /<p>(.*?) widget\./.exec(signInPage({ ...step, source }))?.[1],
    )
    expect(names).toEqual(['Aggregator A', 'Aggregator B', 'Document extraction'])
  })

  it('offers a retry only where one can help', () => {
    expect(refusedPage({ ...step, reason: 'No.', canRetry: false })).not.toContain('Try again')
    expect(refusedPage({ ...step, reason: 'No.', canRetry: true })).toContain('Try again')
  })

  it('ticks the accounts that are shared already', () => {
    const accounts = [
      { id: 'acc_1', name: 'Checking', mask: '1234', chosen: true },
      { id: 'acc_2', name: 'Savings', mask: null, chosen: false },
    ]
    const page = accountsPage({ ...step, accounts })
    expect(page).toContain('name="account_id" value="acc_1" checked> Checking ending 1234</label>')
    expect(page).toContain('name="account_id" value="acc_2"> Savings</label>')
  })
})

describe('the end of a visit', () => {
  it('leads back to the caller when there is an address, else stays on its own success screen', () => {
    const back = donePage({ institutionName: 'Alder Bank', returnTo: 'https://app.example/done?a=1&b=2' })
    expect(back).toContain('<a class="button" href="https://app.example/done?a=1&amp;b=2">')
    expect(back).toContain(
      '<meta http-equiv="refresh" content="0; url=https://app.example/done?a=1&amp;b=2">',
    )
    const stay = donePage({ institutionName: 'Alder Bank' })
    expect(stay).toContain('Alder Bank is connected')
    expect(stay).not.toMatch(/href=|http-equiv/)
  })

  it('leads to web addresses only', () => {
    for (const returnTo of ['javascript:alert(1)', 'data:text/html,x', '//evil.example', 'https://']) {
      expect(donePage({ institutionName: 'Alder Bank', returnTo })).not.toMatch(/href=|http-equiv/)
    }
  })

  it('says nothing about why a link does not work', () => {
    expect(invalidLinkPage).toContain('This link does not work')
    expect(invalidLinkPage).not.toMatch(/<form|<a /)
  })
})
