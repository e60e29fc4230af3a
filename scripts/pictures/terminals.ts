/** The pictures of terminals: a story with `webhooks listen`, and the TUI. */
import { setTimeout as delay } from 'node:timers/promises'
import { bin } from '../../test/support/built-program.ts'
import { freePort } from '../../test/support/free-port.ts'
import { openPty, type PtyScreen } from '../../test/tui/pty-screen.ts'
import type { Line } from './cells.ts'
import { openShell, record } from './film.ts'
import { openStage, type Stage } from './stage.ts'
import type { Frame } from './svg.ts'

export interface TerminalPicture {
  readonly title: string
  readonly columns: number
  readonly dividers: readonly number[]
  readonly frames: readonly Frame[]
  /** The screens that the picture is compared by: one after each step. */
  readonly steps: readonly (readonly Line[])[]
}

const COLUMNS = 96

/** Above, the listener; below, somebody who works. `slowly` for a picture; else as fast as it goes, for a comparison. */
export async function listening(slowly: boolean): Promise<TerminalPicture> {
  const stage = await openStage(['--refresh-duration', '1500ms'])
  try {
    const { env, folder, receiver } = stage
    const shell = { env: { ...env, BANKAPI_CLIENT_ID: 'cli_demo' }, folder, columns: COLUMNS, slowly }
    const above = await openShell({ ...shell, lines: 11 })
    const below = await openShell({ ...shell, lines: 12 })
    const film = record([above, below])
    const steps: (readonly Line[])[] = []
    const step = (ms: number) => {
      film.hold(ms)
      steps.push(film.lines())
    }
    const port = receiver.port === 3000 ? '' : ` --port ${await freePort()}`
    await above.enter(`bankapi webhooks listen --forward localhost:${receiver.port}${port}`)
    await above.until((text) => text.includes('Ready'), 'Ready')
    step(900)

    await below.enter('bankapi connections refresh con_AGGREGATOR_A_1001 --wait')
    await below.prompted()
    await above.until((text) => /00105.*200/s.test(text), 'the refresh')
    step(1800)

    receiver.failures = 1
    await below.clear()
    await below.enter('bankapi emulator trigger connection.disconnected --connection con_FDE_123')
    await below.prompted()
    await above.until((text) => /connection\.disconnected.*500/s.test(text), 'the refused event')
    step(2000)

    await below.enter('bankapi emulator advance 1m')
    await below.prompted()
    await above.until(
      (text) => /connection\.disconnected.*500.*connection\.disconnected.*200/s.test(text),
      'the second attempt',
    )
    step(2000)

    await below.clear()
    await below.enter('bankapi transactions list acc_AGGREGATOR_A_100101 --limit 8')
    await below.prompted()
    step(5000)
    const frames = film.end()
    above.kill('SIGKILL')
    below.kill('SIGKILL')
    return { title: 'Webhooks on your machine', columns: COLUMNS, dividers: [11], frames, steps }
  } finally {
    await stage.close()
  }
}

/** The full-screen view, with deliveries of every kind and an operation that runs. */
export async function fullScreen(): Promise<TerminalPicture> {
  const stage = await openStage()
  const columns = 120
  try {
    const { env, home, receiver } = stage
    // A bank that never answers: its refresh goes on for as long as the picture takes.
    const initiate = ['connections', 'initiate', '--institution', 'ins_a_silent', '--wait']
    const { result } = await home.json<{ result: { connection: { id: string } } }>(initiate)
    const linked = await home.json<{ connection_id: string }>(['emulator', 'link', result.connection.id])
    const target = ['--port', '0', '--forward', `localhost:${receiver.port}`]
    const args = [bin, 'tui', ...target]
    const screen = openPty({ command: process.execPath, args, env, columns, lines: 30 })
    const url = await listenerUrl(stage)
    await home.json(['connections', 'refresh', 'con_AGGREGATOR_A_1001', '--wait'])
    await receiver.answered(5)
    await fetch(url, { method: 'POST', body: '{"type":"connection.active","event_id":"evt_forged"}' })
    await screen.until((text) => text.includes('connection.active'), 'the forged delivery')
    await home.json(['emulator', 'trigger', 'connection.active', '--connection', 'con_AGGREGATOR_B_2001'])
    await screen.until((text) => /connection\.active.*200/.test(text), 'the accepted delivery')
    receiver.failures = 1
    await home.json(['emulator', 'trigger', 'connection.failed', '--connection', 'con_FDE_123'])
    await screen.until((text) => /connection\.failed.*500/.test(text), 'the refused delivery')
    await home.json(['connections', 'refresh', linked.connection_id])
    await screen.until(
      (text) =>
        text.includes('1 running') && /queued.*Deliveries 8 of 8.*connection\.failed.*500/s.test(text),
      'an operation that runs',
    )
    await settled(screen)
    const film = record([screen], false)
    const steps = [film.lines()]
    const frames = film.end()
    screen.kill('SIGKILL')
    return { title: 'bankapi tui', columns, dividers: [], frames, steps }
  } finally {
    await stage.close()
  }
}

/** Waits until a frame is drawn whole: it may come in several pieces. */
async function settled(screen: PtyScreen): Promise<void> {
  for (let before = ''; before !== screen.text(); ) {
    before = screen.text()
    await delay(200)
  }
}

/** Where the listener of this emulator is, once there is one. */
async function listenerUrl({ home }: Stage): Promise<string> {
  for (;;) {
    const { data } = await home.json<{ data: { url: string }[] }>(['webhooks', 'list'])
    if (data[0] !== undefined) return data[0].url
  }
}
