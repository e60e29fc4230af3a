/**
 * `npm run pictures`: takes the pictures of docs/pictures/ from the built program. Beside each stands a text file with what it shows;
 * test/docs/pictures.test.ts takes that again and compares. Names as arguments: only these.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { withDigest } from './pictures/png.ts'
import { digestOf, shownScreens } from './pictures/shown.ts'
import { drawTerminal } from './pictures/svg.ts'
import { fullScreen, listening, type TerminalPicture } from './pictures/terminals.ts'
import { emulatorConsole, phones, type WebPicture } from './pictures/web.ts'

const folder = new URL('../docs/pictures/', import.meta.url)

export interface Picture {
  readonly file: string
  readonly needsBrowser: boolean
  /** What it shows now. */
  shown(): Promise<string>
  /** The picture and what it shows. */
  draw(): Promise<{ readonly bytes: string | Uint8Array; readonly shown: string }>
}

function terminal(file: string, take: (slowly: boolean) => Promise<TerminalPicture>): Picture {
  return {
    file,
    needsBrowser: false,
    shown: async () => shownScreens((await take(false)).steps),
    async draw() {
      const picture = await take(true)
      const shown = shownScreens(picture.steps)
      return { shown, bytes: drawTerminal({ ...picture, digest: digestOf(shown) }) }
    },
  }
}

function web(file: string, take: (draw: boolean) => Promise<WebPicture>): Picture {
  return {
    file,
    needsBrowser: true,
    shown: async () => (await take(false)).shown,
    async draw() {
      const { png = new Uint8Array(), shown } = await take(true)
      return { shown, bytes: withDigest(png, digestOf(shown)) }
    },
  }
}

export const pictures: readonly Picture[] = [
  terminal('listen.svg', listening),
  terminal('tui.svg', fullScreen),
  web('phones.png', phones),
  web('console.png', emulatorConsole),
]

if (import.meta.main) {
  const { positionals } = parseArgs({ allowPositionals: true })
  await mkdir(folder, { recursive: true })
  for (const picture of pictures) {
    if (positionals.length > 0 && !positionals.some((name) => picture.file.startsWith(name))) continue
    const { bytes, shown } = await picture.draw()
    await writeFile(new URL(picture.file, folder), bytes)
    await writeFile(new URL(`${picture.file}.txt`, folder), shown)
    process.stdout.write(`docs/pictures/${picture.file}: ${Math.round(bytes.length / 1024)} KiB\n`)
  }
}
