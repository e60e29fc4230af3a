import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import {
  cancelledPage,
  donePage,
  doneReply,
  invalidLinkPage,
  refusedPage,
  unavailablePage,
} from './closing-pages.ts'
import { type ConnectPage, connectPage } from './connect-page.ts'
import { contentSecurityPolicy, pageHeaders } from './document.ts'
import { formActions, formFields } from './html.ts'
import { initialsOf, monogram } from './monogram.ts'
import {
  accountsPage,
  type Offer,
  type OfferedAccount,
  questionPage,
  signInPage,
  type WidgetStep,
} from './widget-pages.ts'

const attack = `"><script>alert(1)</script><img src=x onerror='alert(1)'>`
const step: WidgetStep = {
  action: '/widget',
  token: attack,
  bank: { id: attack, name: attack },
  again: false,
  steps: 3,
}
const connect: ConnectPage = {
  searchAction: '/connect-session',
  chooseAction: '/connect-session/choose',
  token: attack,
  query: attack,
  ordinary: [
    { id: 'ins_a_ok', name: 'Alder Bank' },
    { id: attack, name: attack },
  ],
  total: 5,
  misbehaving: [{ id: attack, name: attack, misbehaves: attack }],
  message: attack,
}
const account: OfferedAccount = {
  id: attack,
  name: attack,
  kind: attack,
  mask: attack,
  balance: attack,
  chosen: true,
}
const offer: Offer = { ...step, offered: [account, account], shared: [account] }
const end = { bankName: attack, again: false, returnTo: `https://app.example/?q=${attack}` }
const pages: Readonly<Record<string, string>> = {
  connect: connectPage(connect),
  'sign in': signInPage({ ...step, message: attack, note: attack, refusedName: attack }),
  question: questionPage({ ...step, question: attack }),
  accounts: accountsPage(offer),
  'more accounts': accountsPage({ ...offer, again: true }),
  unavailable: unavailablePage(step),
  refused: refusedPage({ ...end, outcome: attack, text: attack, mark: 'lock' }),
  done: donePage({
    ...end,
    shared: [account],
    attention: { outcome: attack, text: attack },
    stayAt: '/widget/x',
  }),
  cancelled: cancelledPage(end),
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
      const labelled = id !== undefined && new RegExp(`<label[^>]* for="${id}">`).test(page)
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
    expect(page).toContain('<form class="banks" method="post" action="/connect-session/choose">')
    expect(page.match(/<input type="hidden" name="token" value="tok">/g)).toHaveLength(2)
    expect(page).toMatch(/name="institution_id" value="ins_a_ok">.*<bdi>Alder Bank<\/bdi>.*<\/button>/)
  })

  it('says how many banks there are, how many it shows, and when there are none', () => {
    const status = (change: Partial<ConnectPage>) =>
      /<p [^>]*role="status">(.*?)<\/p>/.exec(connectPage({ ...connect, ...change }))?.[1]
    const ordinary = [{ id: 'ins_a_ok', name: 'Alder Bank' }]
    const misbehaving = [{ id: 'ins_a_down', name: 'Alder Mutual', misbehaves: 'Not available' }]
    expect(status({ ordinary, misbehaving: [], query: 'ald', total: 1 })).toBe(
      '1 bank matching “<bdi>ald</bdi>”.',
    )
    expect(status({ ordinary, misbehaving, query: '', total: 1 })).toBe('2 banks.')
    expect(status({ ordinary, misbehaving, query: '', total: 57 })).toBe(
      '1 of 57 banks. Search to find the others.',
    )
    expect(status({ ordinary: [], misbehaving: [], query: 'zz', total: 0 })).toBe(
      'No bank matching “<bdi>zz</bdi>”. Try a shorter name.',
    )
  })

  it('says how a bank misbehaves beside its name, and lists those that do last', () => {
    const misbehaving = [{ id: 'ins_a_down', name: 'Alder Mutual', misbehaves: 'Not available' }]
    const page = connectPage({ ...connect, misbehaving })
    expect(page).toContain('<bdi>Alder Mutual</bdi> <span class="chip">Not available</span>')
    expect(page.indexOf('Alder Bank')).toBeLessThan(page.indexOf('Test banks'))
    expect(page.indexOf('Test banks')).toBeLessThan(page.indexOf('Alder Mutual'))
  })
})

describe('the widget', () => {
  const widget = ['sign in', 'question', 'accounts', 'more accounts'].map((name) => pages[name] ?? '')

  it('says on every page, the connect page included, that it is a simulation and wants no real credentials', () => {
    for (const page of [...widget, pages['connect'], pages['done'], pages['refused'], pages['cancelled']]) {
      expect(page?.match(/Simulation: never enter real bank credentials\./g)).toHaveLength(1)
    }
  })

  it('posts every step to one address, with the token and what the user wants', () => {
    for (const page of widget) {
      for (const form of page.match(/<form [\s\S]*?<\/form>/g) ?? []) {
        expect(form).toContain('method="post" action="/widget">')
        expect(form).toContain(`name="${formFields.token}"`)
      }
      expect(page).toContain(`name="${formFields.action}" value="${formActions.continue}"`)
      expect(page).toContain(`name="${formFields.action}" value="${formActions.cancel}"`)
    }
  })

  it('has its own form first, with the button that goes on first in it, for programs that fill in pages', () => {
    for (const page of widget) {
      const form = /<form [\s\S]*?<\/form>/.exec(page)?.[0] ?? ''
      expect(/<button[^>]*>/.exec(form)?.[0]).toContain(`value="${formActions.continue}"`)
    }
  })

  it('says which step of how many it is', () => {
    const steps = [signInPage(step), questionPage({ ...step, question: 'Who?' }), accountsPage(offer)]
    expect(steps.map((page) => /Step \d of \d/.exec(page)?.[0])).toEqual([
      'Step 1 of 3',
      'Step 2 of 3',
      'Step 3 of 3',
    ])
    expect(accountsPage({ ...offer, steps: 2 })).toContain('Step 2 of 2')
  })

  it('shows a user name that was refused again, never the password, and says so in the title', () => {
    const page = signInPage({ ...step, refusedName: 'ada', message: 'The bank did not accept this.' })
    expect(page).toContain(
      'name="username" value="ada" aria-describedby="message made-up" aria-invalid="true"',
    )
    expect(page).toContain('name="password" value=""')
    expect(page).toContain('<title>Error: Sign in to')
    expect(page).toContain('role="alert" id="message"')
  })

  it('reads Reconnect where the bank is connected already', () => {
    expect(signInPage({ ...step, again: true })).toContain('<h1>Reconnect</h1>')
    expect(signInPage(step)).toContain('<h1>Sign in</h1>')
  })

  it('ticks the accounts that the user chose, with type, last digits and balance', () => {
    const page = accountsPage({
      ...step,
      offered: [
        { id: 'acc_1', name: 'Everyday', kind: 'Checking', mask: '1234', balance: '$1.00', chosen: true },
        { id: 'acc_2', name: 'Nest egg', kind: 'Savings', mask: null, balance: null, chosen: false },
      ],
    })
    expect(page).toContain('name="account_id" value="acc_1" checked>')
    expect(page).toContain('name="account_id" value="acc_2">')
    expect(page).toMatch(
      /<bdi>Everyday<\/bdi>.*Checking.*•••• 1234<\/span><span class="hidden">ending in 1234<\/span>.*\$1\.00/,
    )
    expect(page.match(/••••/g)).toHaveLength(1)
  })

  it('has the text of its button for each number of ticked accounts, up to what the style can count', () => {
    const texts = (offered: number, again: boolean) =>
      [
        ...accountsPage({ ...step, again, offered: Array(offered).fill(account) }).matchAll(
          /<span class="n(\d+)">(.*?)<\/span>/g,
        ),
      ].map(([, count, text]) => `${count}: ${text}`)
    expect(texts(2, false)).toEqual(['0: Share 0 accounts', '1: Share 1 account', '2: Share 2 accounts'])
    expect(texts(1, true)).toEqual(['0: Reconnect', '1: Reconnect and add 1 account'])
    expect(texts(6, false)).toHaveLength(7)
    expect(texts(7, false)).toEqual([])
    expect(accountsPage({ ...step, offered: Array(7).fill(account) })).toContain('>Share what is ticked<')
  })

  it('marks accounts that are new, and offers no choice about those that are shared', () => {
    const one = { ...account, id: 'acc_1', name: 'One' }
    const page = accountsPage({ ...step, again: true, offered: [one], shared: [{ ...one, name: 'Two' }] })
    expect(page).toMatch(
      /value="acc_1" checked>.*for="account-0">.*<bdi>One<\/bdi> <span class="chip good">New<\/span>/,
    )
    expect(page).toMatch(/<bdi>Two<\/bdi> <span class="muted/)
    expect(page.match(/type="checkbox"/g)).toHaveLength(1)
  })
})

describe('the end of a visit', () => {
  const done = { bankName: 'Alder Bank', again: false, shared: [account] }
  const returnTo = 'https://app.example/done?a=1&b=2'

  it('says where the browser goes next, and goes there after a while; on the page itself it stays', () => {
    const { headers, bytes } = doneReply({ ...done, returnTo, stayAt: '/widget/x' })
    expect(bytes).toContain(
      '<a class="button" href="https://app.example/done?a=1&amp;b=2">Continue to app.example</a>',
    )
    expect(bytes).toContain('Taking you to app.example')
    expect(bytes).toContain('href="/widget/x">Stay on this page</a>')
    expect(headers['refresh']).toBe(`5; url=${returnTo}`)

    const again = doneReply({ ...done, returnTo })
    expect(again.headers).not.toHaveProperty('refresh')
    expect(again.bytes).toContain('Continue to app.example')
    expect(again.bytes).not.toContain('Taking you')

    const stay = doneReply({ ...done, stayAt: '/widget/x' })
    expect(stay.bytes).toContain('<bdi>Alder Bank</bdi> is connected')
    expect(stay.bytes).not.toMatch(/href=|Taking you/)
    expect(stay.headers).not.toHaveProperty('refresh')
  })

  it('says what was shared, and never that a Connection works which does not', () => {
    expect(donePage(done)).toContain('1 account is shared.')
    expect(donePage({ ...done, shared: [account, account] })).toContain('2 accounts are shared.')
    expect(donePage({ ...done, again: true })).toContain('is reconnected')
    const page = donePage({ ...done, attention: { outcome: 'needs you again', text: 'The bank asks.' } })
    expect(page).toContain('<bdi>Alder Bank</bdi> needs you again')
    expect(page).not.toContain('connected')
  })

  it('leads to web addresses only', () => {
    for (const returnTo of ['javascript:alert(1)', 'data:text/html,x', '//evil.example', 'https://']) {
      const { bytes, headers } = doneReply({ ...done, returnTo, stayAt: '/widget/x' })
      expect([bytes.includes('href='), 'refresh' in headers]).toEqual([false, false])
    }
  })

  it('offers a retry only where one can help', () => {
    expect(pages['unavailable']).toContain(`value="${formActions.retry}">Try again</button>`)
    expect(pages['refused']).not.toContain('<form')
  })

  it('says nothing about why a link does not work', () => {
    expect(invalidLinkPage).toContain('This link does not work')
    expect(invalidLinkPage).not.toMatch(/<form|<a /)
  })
})

describe('a monogram', () => {
  it('has the initials of two words, of any script', () => {
    const names = ['Alder Bank', 'Yarrow & Sons, Bankers', 'kestrel', 'بنك الأمل', '«Ö» 1st', '—']
    expect(names.map(initialsOf)).toEqual(['AB', 'YS', 'K', 'با', 'Ö1', ''])
  })

  it('has a colour that follows from the id alone', () => {
    const fill = (id: string, name: string) => /fill="(oklch[^"]+)"/.exec(monogram(id, name).markup)?.[1]
    expect(fill('ins_a_ok', 'Alder')).toBe(fill('ins_a_ok', 'Birch'))
    expect(fill('ins_a_ok', 'Alder')).not.toBe(fill('ins_b_ok', 'Alder'))
  })
})
