/** install.sh against a server on this machine, with small scripts in place of executables. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../support/machine.ts'
import { until } from '../support/until.ts'

const script = new URL('../../install.sh', import.meta.url)
const tools = ['sh', 'awk', 'chmod', 'curl', 'mkdir', 'mktemp', 'mv', 'rm', 'sha256sum', 'uname', 'xz']
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

let files: Map<string, Buffer>
let asked: string[]
let downloads: string
let home: string
/** A folder of programs, the whole PATH. */
let path: string

function publish(contents: Record<string, string>): void {
  const folder = temporaryFolder()
  for (const [name, content] of Object.entries(contents)) {
    const file = join(folder, name)
    writeFileSync(file, content)
    execFileSync('xz', ['--keep', file])
    files.set(name, readFileSync(file))
    files.set(`${name}.xz`, readFileSync(`${file}.xz`))
  }
  const sums = [...files].map(([name, bytes]) => `${sha256(bytes)}  ${name}\n`).join('')
  files.set('SHA256SUMS', Buffer.from(sums))
}

function replaceTool(name: string, code: string): void {
  execFileSync('rm', ['-f', join(path, name)])
  writeFileSync(join(path, name), `#!/bin/sh\n${code}\n`)
  chmodSync(join(path, name), 0o755)
}

function start(text: string, env: Record<string, string> = {}): ChildProcess {
  const child = spawn('/bin/sh', ['-s'], {
    env: { HOME: home, PATH: path, BANKAPI_DOWNLOADS: downloads, ...env },
    stdio: 'pipe',
    detached: true,
  })
  child.stdin?.on('error', () => {})
  child.stdin?.end(text)
  return child
}

/** Pipes the script to a shell, as `curl … | sh` does. */
async function install(env: Record<string, string> = {}, text = readFileSync(script, 'utf8')) {
  const child = start(text, env)
  let [stdout, stderr] = ['', '']
  child.stdout?.on('data', (part) => (stdout += part))
  child.stderr?.on('data', (part) => (stderr += part))
  const code = await new Promise((resolve) => child.on('close', resolve))
  return { code, stdout, stderr }
}

const folder = () => join(home, '.local/bin')
const installed = () => (existsSync(folder()) ? readdirSync(folder()) : [])

describe.skipIf(process.platform !== 'linux')(
  `install.sh${process.platform === 'linux' ? '' : ` is not run on ${process.platform}: Linux is`}`,
  () => {
    beforeEach(async () => {
      home = temporaryFolder()
      path = join(temporaryFolder(), 'bin')
      mkdirSync(path)
      for (const tool of tools) {
        symlinkSync(
          execFileSync('sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' }).trim(),
          join(path, tool),
        )
      }
      replaceTool('uname', '[ "$1" = -s ] && echo Linux || echo x86_64')
      files = new Map()
      asked = []
      publish({ 'bankapi-linux-x64': '#!/bin/sh\necho "bankapi/9.9.9 $*"\n' })
      const server = createServer((request, response) => {
        const name = request.url?.slice(1) ?? ''
        asked.push(name)
        const bytes = files.get(name)
        if (name === 'stalls/SHA256SUMS') response.write('0')
        else response.writeHead(bytes === undefined ? 404 : 200).end(bytes)
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      downloads = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      onTestFinished(() => {
        server.closeAllConnections()
        server.close()
      })
    })

    test('downloads the .xz, verifies it, installs it and says that the folder is not in PATH', async () => {
      const { code, stdout, stderr } = await install()
      expect([code, stderr]).toEqual([0, ''])
      expect(asked).toEqual(['SHA256SUMS', 'bankapi-linux-x64.xz'])
      expect(stdout).toContain(`Installed ${folder()}/bankapi: bankapi/9.9.9 --version`)
      expect(stdout).toContain(`export PATH="${folder()}:$PATH"`)
      expect(installed()).toEqual(['bankapi'])
      expect(statSync(join(folder(), 'bankapi')).mode & 0o777).toBe(0o755)
    })

    test('without xz it takes the file itself, with wget where curl is not; a folder in PATH needs no words', async () => {
      for (const tool of ['xz', 'curl']) execFileSync('rm', [join(path, tool)])
      // Debian's build images lack wget.
      replaceTool(
        'wget',
        `exec '${process.execPath}' -e '
      fetch(process.argv[2]).then((r) => r.bytes()).then((b) => fs.writeFileSync(process.argv[1], b))' -- "$3" "$4"`,
      )
      const own = join(home, 'own folder')
      const { code, stdout, stderr } = await install({ BANKAPI_INSTALL_DIR: own, PATH: `${path}:${own}` })
      expect([code, stderr]).toEqual([0, ''])
      expect(asked).toEqual(['SHA256SUMS', 'bankapi-linux-x64'])
      expect(stdout).not.toContain('PATH')
      expect(readdirSync(own)).toEqual(['bankapi'])
    })

    test.each([
      ['bankapi-linux-x64.xz', 'is not the file that SHA256SUMS names'],
      ['bankapi-linux-x64', 'is not the file that SHA256SUMS names'],
    ])('%s with another checksum is refused, and what was installed stays', async (changed, sentence) => {
      if (changed === 'bankapi-linux-x64') execFileSync('rm', [join(path, 'xz')])
      await install()
      files.set(changed, Buffer.from('#!/bin/sh\ntouch "$HOME/ran"\n'))
      const { code, stderr } = await install()
      expect(code).toBe(1)
      expect(stderr).toContain(`bankapi was not installed: ${changed} ${sentence}`)
      expect(installed()).toEqual(['bankapi'])
      expect(readFileSync(join(folder(), 'bankapi'), 'utf8')).toContain('9.9.9')
      expect(existsSync(join(home, 'ran'))).toBe(false)
    })

    test('what is missing, unverifiable or does not run is a sentence, and nothing is installed', async () => {
      const sums = files.get('SHA256SUMS') ?? Buffer.alloc(0)
      const refused = async (sentence: string, env: Record<string, string> = {}) => {
        const { code, stderr } = await install(env)
        expect([code, stderr]).toEqual([1, expect.stringContaining(sentence)])
        expect(installed()).toEqual([])
      }
      files.set('SHA256SUMS', Buffer.from('<html>Not found</html>\n'))
      await refused('SHA256SUMS does not have bankapi-linux-x64')
      files.set('SHA256SUMS', sums)
      files.delete('bankapi-linux-x64.xz')
      await refused(`${downloads}/bankapi-linux-x64.xz could not be downloaded`)
      files.delete('SHA256SUMS')
      await refused('/SHA256SUMS could not be downloaded')
      await refused('could not be downloaded', { BANKAPI_DOWNLOADS: 'http://127.0.0.1:1' })
      await refused('has to begin with https://', { BANKAPI_DOWNLOADS: 'http://downloads.example' })
      files.clear()
      publish({ 'bankapi-linux-x64': '#!/bin/sh\nexit 127\n' })
      await refused('bankapi-linux-x64 does not run on this machine')
      replaceTool('uname', '[ "$1" = -s ] && echo Darwin || echo x86_64')
      await refused('there is no file for Darwin x86_64')
      execFileSync('rm', [join(path, 'sha256sum')])
      replaceTool('uname', '[ "$1" = -s ] && echo Linux || echo x86_64')
      await refused('it takes sha256sum or shasum')
    })

    test('a script that arrives cut off does nothing, wherever it is cut', async () => {
      const text = readFileSync(script, 'utf8')
      const end = text.lastIndexOf('main\n')
      const cuts = [...text.matchAll(/\n/g)].map(({ index }) => index).filter((index) => index < end)
      for (const cut of [...cuts.filter((_, at) => at % 8 === 0), end, end + 2]) {
        await install({}, text.slice(0, cut))
        expect([asked, readdirSync(home)], text.slice(cut - 40, cut)).toEqual([[], []])
      }
    })

    test('interrupted during a download, it leaves nothing behind', async () => {
      const child = start(readFileSync(script, 'utf8'), { BANKAPI_DOWNLOADS: `${downloads}/stalls` })
      await until(() => asked.includes('stalls/SHA256SUMS') && installed().length === 1, 'the download')
      const ended = new Promise((resolve) => child.on('close', resolve))
      // As Ctrl-C in a terminal does: the whole group gets it.
      process.kill(-(child.pid ?? 0), 'SIGINT')
      await ended
      expect(installed()).toEqual([])
    })
  },
)
