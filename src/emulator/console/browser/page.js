/**
 * Keeps a page of the console up to date. When the emulator says that something has changed, it reads the page again and takes
 * over what differs, so that focus, open menus and the place scrolled to stay. Forms are sent without leaving the page.
 */

/** Between two readings of the page, in milliseconds. */
const PAUSE_MS = 250
/** How long a sentence about what was done stays. */
const SAID_MS = 6000

const live = element('live')
const said = element('said')

let isReading = false
let isStale = false
let readAt = performance.now()

/** @param {string} id */
function element(id) {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`no #${id}`)
  return found
}

// ---- What has changed

let stream = listen()

function listen() {
  const source = new EventSource('/console/live')
  source.onopen = () => showState('on', 'Live')
  source.onmessage = () => void update()
  source.onerror = () => {
    const isOver = source.readyState === EventSource.CLOSED
    showState(
      'lost',
      isOver ? 'Started anew: open the address that it printed' : 'The emulator does not answer',
    )
  }
  return source
}

// A browser opens six connections to a host at most: what nobody looks at holds none. A new stream tells of changes at once.
document.addEventListener('visibilitychange', () => {
  stream.close()
  if (!document.hidden) stream = listen()
})

/**
 * @param {string} state
 * @param {string} text
 */
function showState(state, text) {
  live.dataset['state'] = state
  if (live.textContent !== text) live.textContent = text
}

/** Reads the page again, and once more when something changes meanwhile. */
async function update() {
  isStale = true
  if (isReading) return
  isReading = true
  while (isStale) {
    isStale = false
    await read().catch(() => undefined)
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
  isReading = false
}

async function read() {
  const response = await fetch(location.href, { headers: { accept: 'text/html' } })
  if (response.status !== 200 && response.status !== 404) return
  const next = new DOMParser().parseFromString(await response.text(), 'text/html').getElementById('main')
  if (next === null) return
  readAt = performance.now()
  takeOver(element('main'), next)
  tick()
}

/**
 * Makes `old` like `next`. Elements with an id are found by it; a field keeps what was typed. An open menu stays as it is until
 * it closes: what is about to be pressed must not become something else.
 * @param {Element} old
 * @param {Element} next
 */
function takeOver(old, next) {
  if (isOpenMenu(old)) return
  for (const { name } of [...old.attributes]) {
    if (!next.hasAttribute(name) && !(name === 'open' || name === 'disabled')) old.removeAttribute(name)
  }
  for (const { name, value } of next.attributes)
    if (old.getAttribute(name) !== value) old.setAttribute(name, value)
  if (next.children.length === 0 || hasOwnText(next)) {
    if (old.innerHTML !== next.innerHTML) old.replaceChildren(...next.childNodes)
    return
  }
  let place = old.firstElementChild
  for (const child of [...next.children]) {
    const known = child.id === '' ? place : (old.querySelector(`:scope > #${CSS.escape(child.id)}`) ?? null)
    if (known !== null && isSame(known, child)) {
      if (known === place) place = place.nextElementSibling
      else old.insertBefore(known, place)
      takeOver(known, child)
    } else {
      child.classList.toggle('new', child.tagName === 'LI')
      old.insertBefore(child, place)
    }
  }
  while (place !== null) {
    const after = place.nextElementSibling
    if (!isOpenMenu(place)) place.remove()
    place = after
  }
}

/** @param {Element} element */
function isOpenMenu(element) {
  return element.matches('details.menu[open]')
}

/**
 * @param {Element} known
 * @param {Element} child
 */
function isSame(known, child) {
  return known.tagName === child.tagName && known.id === child.id
}

/** @param {Element} element */
function hasOwnText(element) {
  return [...element.childNodes].some((node) => node instanceof Text && node.data.trim() !== '')
}

// ---- What the user does

document.addEventListener('submit', async (event) => {
  const form = event.target
  if (!(form instanceof HTMLFormElement) || form.method !== 'post') return
  event.preventDefault()
  const button = event.submitter
  const body = new URLSearchParams(
    [...new FormData(form, button)].map(([name, value]) => [name, String(value)]),
  )
  setBusy(form, true)
  try {
    const response = await fetch(form.action, {
      method: 'POST',
      body,
      headers: { accept: 'application/json' },
    })
    const answer = await response.json()
    if (!response.ok) say(answer.error?.message ?? 'It was refused.', true)
    else if (answer.go_to !== '/' && answer.go_to !== location.pathname) {
      location.href = `${answer.go_to}${location.search}`
      return
    } else say(answer.said, false)
  } catch {
    say('The emulator does not answer.', true)
  }
  setBusy(form, false)
  closeMenus()
  await update()
})

/**
 * @param {HTMLFormElement} form
 * @param {boolean} isBusy
 */
function setBusy(form, isBusy) {
  for (const button of form.querySelectorAll('button')) button.disabled = isBusy
}

let silence = 0

/**
 * @param {string} text
 * @param {boolean} isBad
 */
function say(text, isBad) {
  clearTimeout(silence)
  said.textContent = text
  said.classList.toggle('bad', isBad)
  silence = setTimeout(() => said.replaceChildren(), SAID_MS)
}

// Toggling does not bubble. A menu that closes takes over what it had missed; one that opens may be below what is in sight.
document.addEventListener(
  'toggle',
  ({ target }) => {
    if (!(target instanceof HTMLDetailsElement && target.matches('.menu'))) return
    if (target.open) target.querySelector('form')?.scrollIntoView({ block: 'nearest' })
    else void update()
  },
  true,
)

document.addEventListener('keydown', ({ key }) => {
  if (key === 'Escape') closeMenus()
})
document.addEventListener('click', ({ target }) => closeMenus(target))

/**
 * Closes all but the one that `target` is in. The focus goes back to what opened it.
 * @param {EventTarget | null} [target]
 */
function closeMenus(target = null) {
  for (const menu of document.querySelectorAll('details.menu[open]')) {
    if (target instanceof Node && menu.contains(target)) continue
    if (menu.contains(document.activeElement)) menu.querySelector('summary')?.focus()
    menu.removeAttribute('open')
  }
}

// An opened row may be far down its list, which scrolls by itself.
document.querySelector('.row[aria-current]')?.scrollIntoView({ block: 'nearest' })

// ---- The clock

/** Writes the time at the emulator, which passes as it does here unless the clock stands still. */
function tick() {
  const clock = document.getElementById('clock')
  const { now, runs } = clock?.dataset ?? {}
  if (clock === null || now === undefined || runs !== '1') return
  const [day, time] = new Date(Number(now) + performance.now() - readAt).toISOString().slice(0, 19).split('T')
  const places = clock.querySelectorAll('span')
  for (const [index, text] of [day, time].entries()) {
    const place = places[index]
    if (place && place.textContent !== text) place.textContent = text ?? ''
  }
}
setInterval(tick, 500)
