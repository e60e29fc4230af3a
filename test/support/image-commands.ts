/** Runs what a Dockerfile says without a container engine: each stage is a folder, in which its absolute paths are. */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Copy, DockerfileParser, type Instruction } from 'dockerfile-ast'

export interface Stage {
  /** The folder that stands for its root. */
  readonly root: string
  workdir: string
  env: Record<string, string>
  /** The arguments of ENTRYPOINT, CMD and HEALTHCHECK. */
  readonly argv: Record<string, string[]>
}

export interface ImageOptions {
  /** Where the stages' folders are made. */
  readonly folder: string
  /** Copies what the build context has of a path. */
  readonly context: (from: string, to: string) => void
  /** Commands that are exchanged for quicker ones; each has to be there. */
  readonly instead: Readonly<Record<string, (stage: Stage) => string>>
}

const ownPaths = /(?<=^|[\s=])\/(?=(?:source|opt|tmp|data|usr\/local\/bin)(?:[/\s*]|$))/g

/** Runs the Dockerfile, and returns its stages by name. Throws for an instruction that it does not know. */
export function runDockerfile(text: string, { folder, context, instead }: ImageOptions): Map<string, Stage> {
  const stages = new Map<string, Stage>()
  const exchanged = new Map(Object.entries(instead))
  let stage: Stage | undefined
  for (const instruction of DockerfileParser.parse(text).getInstructions()) {
    const keyword = instruction.getKeyword()
    const words = instruction.getArguments().map((argument) => argument.getValue())
    if (keyword === 'FROM') {
      stage = stageFrom(words, stages, folder)
      continue
    }
    if (keyword === 'ARG' && stage === undefined) continue
    if (stage === undefined) throw new Error(`${keyword} before FROM`)
    perform(instruction, words, stage)
  }
  if (exchanged.size > 0) throw new Error(`the Dockerfile has no ${[...exchanged.keys()].join(', ')}`)
  return stages

  function perform(instruction: Instruction, words: readonly string[], current: Stage): void {
    const inStage = (path: string) => join(current.root, resolve(current.workdir, path))
    const keyword = instruction.getKeyword()
    const raw = instruction.getRawArgumentsContent() ?? ''
    switch (keyword) {
      case 'RUN': {
        const quicker = exchanged.get(raw)?.(current)
        exchanged.delete(raw)
        runIn(current, quicker ?? raw.replaceAll(ownPaths, `${current.root}/`))
        break
      }
      case 'COPY': {
        const copy = instruction as Copy
        const from = copy
          .getFlags()
          .find((flag) => flag.getName() === 'from')
          ?.getValue()
        const [target = '', ...sources] = words.toReversed()
        const source = from == null ? undefined : stages.get(from)
        for (const path of sources) {
          if (source === undefined) context(path, inStage(target))
          else cpSync(join(source.root, path), inStage(target), { recursive: true, verbatimSymlinks: true })
        }
        break
      }
      case 'ENV':
        for (const word of words) {
          const [name = '', value = ''] = word.split('=')
          current.env[name] = value.replaceAll(ownPaths, `${current.root}/`)
        }
        break
      case 'WORKDIR':
        current.workdir = resolve(current.workdir, words[0] ?? '')
        mkdirSync(inStage('.'), { recursive: true })
        break
      case 'ENTRYPOINT':
      case 'CMD':
      case 'HEALTHCHECK':
        // In brackets: with a shell in between, signals would not reach the program.
        current.argv[keyword] = JSON.parse(raw.slice(raw.indexOf('[')))
        break
      case 'USER':
      case 'VOLUME':
      case 'EXPOSE':
        break
      default:
        throw new Error(`${keyword} is not known here`)
    }
  }
}

/** The environment of the stage's processes: nothing of this machine but Node and npm's cache. */
export function environmentOf({ root, env }: Stage): Record<string, string> {
  const PATH = `${join(root, 'usr/local/bin')}:${process.env['PATH']}`
  return { ...env, PATH, HOME: '/nonexistent', TZ: 'UTC' }
}

function runIn(stage: Stage, command: string): void {
  const { HOME = '', NODE_EXTRA_CA_CERTS = '' } = process.env
  execFileSync('sh', ['-euc', command], {
    cwd: join(stage.root, stage.workdir),
    env: {
      ...environmentOf(stage),
      HOME,
      npm_config_prefer_offline: 'true',
      ...(NODE_EXTRA_CA_CERTS && { NODE_EXTRA_CA_CERTS }),
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

/** A stage of its own, or one that goes on where an earlier one ended. */
function stageFrom(words: readonly string[], stages: Map<string, Stage>, folder: string): Stage {
  const [base = '', , name = ''] = words
  const earlier = stages.get(base)
  const stage: Stage = earlier
    ? { ...earlier, env: { ...earlier.env }, argv: { ...earlier.argv } }
    : { root: join(folder, name), workdir: '/', env: {}, argv: {} }
  for (const path of ['opt', 'tmp', 'usr/local/bin']) mkdirSync(join(stage.root, path), { recursive: true })
  stages.set(name, stage)
  return stage
}
