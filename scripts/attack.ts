/**
 * `npm run attack [-- NAME …] [-- --seconds 15]`: attacks the built listener and emulator on this machine while genuine
 * deliveries come at 50 a second, and prints what became of them. Ends by itself within ten minutes; a goal that is missed sets
 * the exit code. Not part of `npm test`.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openInbox } from '../src/inbox/open.ts'
import { type Delivery, sendDeliveries } from './attack/deliveries.ts'
import { mountSmallDisk } from './attack/full-disk.ts'
import { attack, freePort, killAll, startEmulator, startListener, startTarget } from './attack/processes.ts'

interface Result {
  readonly did: string
  /** Genuine deliveries, those that were part of the attack included. */
  readonly sent: number
  readonly acknowledged: number
  /** Of those acknowledged; undefined for requests to the emulator, which keeps none. */
  readonly kept: number | undefined
  /** Milliseconds that the genuine ones at 50 a second waited. */
  readonly waits: readonly number[]
  readonly peak: number
}

interface Plan {
  readonly title: string
  readonly goals: { readonly longest?: number; readonly p99?: number; readonly peak?: number }
  /** Undefined where it cannot be done. */
  run(seconds: number): Promise<Result | undefined>
}

const quick = { p99: 1000, peak: 300 }

const plans: Readonly<Record<string, Plan>> = {
  quiet: { title: 'none', goals: quick, run: (seconds) => onListener(undefined, seconds) },
  chunks: {
    title: 'bodies in one-byte chunks, never finished',
    goals: quick,
    run: (seconds) => onListener('oneByteChunks', seconds),
  },
  sockets: {
    title: 'sockets that are silent or stop inside the header',
    goals: { longest: 35_000, peak: 300 },
    run: (seconds) => onListener('silentSockets', seconds),
  },
  pipelined: {
    title: 'pipelined requests whose answers are not read',
    goals: quick,
    run: (seconds) => onListener('pipelined', seconds),
  },
  nested: {
    title: 'forged bodies nested 400 deep',
    goals: quick,
    run: (seconds) => onListener('nestedBodies', seconds),
  },
  flood: {
    title: 'forged 1 MB and genuine 20 KB',
    goals: quick,
    run: (seconds) => onListener('flood', seconds),
  },
  answers: {
    title: 'one-byte chunks from the target',
    goals: quick,
    run: (seconds) => onListener('drippedAnswers', seconds),
  },
  uploads: { title: 'one-byte chunks uploaded to the emulator', goals: quick, run: onEmulator },
  kills: {
    title: 'SIGKILL in a loop under forged 1 MB and genuine 20 KB',
    goals: { peak: 300 },
    run: (seconds) => onListener('flood', seconds, { killing: true }),
  },
  disk: { title: 'a disk that is full for a while', goals: { peak: 300 }, run: onFullDisk },
}

async function onListener(
  name: string | undefined,
  seconds: number,
  { killing = false } = {},
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'bankapi-attack-'))
  let peak = 0
  let kills = 0
  let over = false
  try {
    const target = await startTarget()
    const port = await freePort()
    const url = `http://127.0.0.1:${port}/`
    let listener = await startListener(folder, port, target.line)
    const stream = { url, perSecond: 50, seconds, bytes: 600 }
    const attacking = name === undefined ? undefined : attack(name, url, seconds)
    const killer = async () => {
      while (killing && !over) {
        await sleep(500 + Math.random() * 1500)
        await listener.stop('SIGKILL')
        peak = Math.max(peak, listener.peak())
        kills++
        listener = await startListener(folder, port, target.line)
      }
    }
    const killed = killer()
    const [deliveries, report] = await Promise.all([sendDeliveries(stream), attacking])
    over = true
    await killed
    await listener.stop()
    peak = Math.max(peak, listener.peak())
    const acknowledged = [...idsOf(deliveries), ...(report?.acknowledged ?? [])]
    return {
      did: [report?.did ?? 'nothing', ...(killing ? [`${kills} kills`] : [])].join(', '),
      sent: deliveries.length + (report?.sent.length ?? 0),
      acknowledged: acknowledged.length,
      kept: keptOf(folder, acknowledged),
      waits: waitsOf(deliveries),
      peak,
    }
  } finally {
    killAll()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Requests to the emulator stand for the genuine deliveries. */
async function onEmulator(seconds: number): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'bankapi-attack-'))
  try {
    const emulator = await startEmulator(folder)
    const attacking = attack('uploads', emulator.url, seconds, emulator.key)
    const asked: Promise<number | undefined>[] = []
    for (const end = Date.now() + seconds * 1000; Date.now() < end; await sleep(20)) {
      const started = performance.now()
      const answer = fetch(`${emulator.url}/institutions`, {
        headers: { Authorization: `Bearer ${emulator.key}` },
        signal: AbortSignal.timeout(30_000),
      })
      asked.push(
        answer
          .then(async (response) => {
            await response.arrayBuffer()
            return response.ok ? performance.now() - started : undefined
          })
          .catch(() => undefined),
      )
    }
    const [waits, { did }] = await Promise.all([Promise.all(asked), attacking])
    const answered = waits.filter((wait) => wait !== undefined)
    return {
      did,
      sent: asked.length,
      acknowledged: answered.length,
      kept: undefined,
      waits: waits.map((wait) => wait ?? Number.POSITIVE_INFINITY),
      peak: emulator.peak(),
    }
  } finally {
    killAll()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function onFullDisk(seconds: number): Promise<Result | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'bankapi-attack-'))
  const disk = mountSmallDisk(folder, 256)
  if (disk === undefined) {
    rmSync(folder, { recursive: true, force: true })
    return undefined
  }
  try {
    const target = await startTarget()
    const port = await freePort()
    const listener = await startListener(folder, port, target.line)
    const delivering = sendDeliveries({
      url: `http://127.0.0.1:${port}/`,
      perSecond: 50,
      seconds,
      bytes: 20_000,
    })
    await sleep((seconds * 1000) / 4)
    disk.fill()
    await sleep((seconds * 1000) / 2)
    disk.free()
    const deliveries = await delivering
    await listener.stop()
    const acknowledged = idsOf(deliveries)
    return {
      did: `full for ${seconds / 2} s`,
      sent: deliveries.length,
      acknowledged: acknowledged.length,
      kept: keptOf(folder, acknowledged),
      waits: waitsOf(deliveries),
      peak: listener.peak(),
    }
  } finally {
    killAll()
    disk.unmount()
    rmSync(folder, { recursive: true, force: true })
  }
}

function idsOf(deliveries: readonly Delivery[]): string[] {
  return deliveries.filter(({ waitedMs }) => waitedMs !== undefined).map(({ id }) => id)
}

/** One that was never acknowledged waited for ever. */
function waitsOf(deliveries: readonly Delivery[]): number[] {
  return deliveries.map(({ waitedMs }) => waitedMs ?? Number.POSITIVE_INFINITY)
}

function keptOf(folder: string, ids: readonly string[]): number {
  const inbox = openInbox({ path: join(folder, 'inbox.sqlite'), now: Date.now })
  try {
    return ids.filter((id) => inbox.deliveries.get(id).some(({ verified }) => verified)).length
  } finally {
    inbox.close()
  }
}

/** The row of the table, and the goals that were missed. */
function judge({ title, goals }: Plan, result: Result): { row: string[]; missed: string[] } {
  const { did, sent, acknowledged, kept, waits, peak } = result
  const sorted = waits.toSorted((a, b) => a - b)
  const longest = sorted.at(-1) ?? 0
  const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? 0
  const lost = kept === undefined ? undefined : acknowledged - kept
  const missed = [
    ...((lost ?? 0) > 0 ? ['lost'] : []),
    ...(Number.isFinite(longest) ? [] : ['one never got in']),
    ...(longest > (goals.longest ?? Number.POSITIVE_INFINITY) ? ['longest wait'] : []),
    ...(p99 > (goals.p99 ?? Number.POSITIVE_INFINITY) ? ['p99'] : []),
    ...(peak > (goals.peak ?? Number.POSITIVE_INFINITY) ? ['memory'] : []),
  ]
  const numbers = [sent, acknowledged, kept ?? '-', lost ?? '-'].map(String)
  const times = [longest, p99].map((ms) => (Number.isFinite(ms) ? `${(ms / 1000).toFixed(2)} s` : 'for ever'))
  const row = [
    `${title} (${did})`,
    ...numbers,
    ...times,
    `${Math.round(peak)} MB`,
    missed.join(', ') || 'met',
  ]
  return { row, missed }
}

const columns = [
  'attack',
  'sent',
  'acknowledged',
  'kept',
  'lost',
  'longest wait',
  'p99',
  'peak memory',
  'goals',
]

function say(cells: readonly string[]): void {
  process.stdout.write(`| ${cells.join(' | ')} |\n`)
}

const MAX_MINUTES = 9.5

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { seconds: { type: 'string', default: '15' } },
  })
  const unknown = positionals.filter((name) => plans[name] === undefined)
  if (unknown.length > 0) throw new Error(`Which attack? ${Object.keys(plans).join(', ')}`)
  const chosen = positionals.length === 0 ? Object.keys(plans) : positionals
  const seconds = Math.min(40, Number(values.seconds))
  const late = setTimeout(() => {
    process.stderr.write(`Not done within ${MAX_MINUTES} minutes.\n`)
    process.exitCode = 1
    process.exit()
  }, MAX_MINUTES * 60_000)
  process.on('exit', killAll)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130))
  say(columns)
  say(columns.map(() => '---'))
  for (const name of chosen) {
    const plan = plans[name] as Plan
    const result = await plan.run(seconds)
    if (result === undefined) {
      process.stderr.write(`Skipped: ${plan.title}. A small disk can be mounted by root only.\n`)
      continue
    }
    const { row, missed } = judge(plan, result)
    say(row)
    if (missed.length > 0) process.exitCode = 1
  }
  clearTimeout(late)
}

await main()
