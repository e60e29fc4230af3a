import { Flags } from '@oclif/core'
import { BaseCommand } from '../cli/command/base-command.ts'
import { serviceFlags } from '../cli/command/flags.ts'
import { UsageError } from '../cli/errors/errors.ts'
import type { Version } from '../openapi/document.ts'
import type { DocumentFormat } from '../output/document.ts'
import { overridesOf } from './_overrides.ts'

export default class OpenApi extends BaseCommand<typeof OpenApi, object> {
  static override summary = 'Print the OpenAPI document of the API'
  static override description =
    'Operations, webhooks, schemas, scopes and error codes, for programs that make a client from them, draw pages or check ' +
    'requests. x-origin tells what the reference shows from what is assumed; methods and paths that the settings replace ' +
    '(endpoints.<area>.<name>) are those of the settings. The examples are answers of the emulator. Needs no key and no network.'
  static override examples = [
    '<%= config.bin %> openapi > openapi.json',
    '<%= config.bin %> openapi --yaml --server http://127.0.0.1:4010/v3 > openapi.yaml',
    "<%= config.bin %> openapi --jq '.webhooks | keys'",
  ]
  static override flags = {
    env: serviceFlags.env,
    yaml: Flags.boolean({ summary: 'Print YAML, as -o yaml does', exclusive: ['json', 'output', 'jq'] }),
    version: Flags.option({
      summary: 'Version of OpenAPI',
      options: ['3.1', '3.2'] as const satisfies readonly Version[],
      default: '3.1' as const,
    })(),
    server: Flags.string({
      summary:
        'Address of the service, ending in /v3, in place of the two that are to be filled in; can be repeated',
      helpValue: 'URL',
      multiple: true,
      multipleNonGreedy: true,
    }),
  }

  /** A document is for programs, on a terminal, too. */
  protected override get format(): DocumentFormat {
    return this.flags.yaml ? 'yaml' : (super.format ?? 'json')
  }

  protected override async execute(): Promise<object> {
    const { version } = this.flags
    const servers = this.flags.server?.map(serverAddress)
    const [{ recordedDocument, UnusableOverride }, { everyEndpoint }, overrides] = await Promise.all([
      import('../openapi/openapi.ts'),
      import('../contract/contract.ts'),
      overridesOf(this.machine, this.flags.env, this.warning),
    ])
    const operations = everyEndpoint().map(({ area, name }) => `${area}.${name}`)
    const replaced = Object.keys(overrides).filter((name) => operations.includes(name))
    if (replaced.length > 0) this.note(`With methods and paths of your settings: ${replaced.join(', ')}`)
    try {
      return recordedDocument({ version, overrides, ...(servers === undefined ? {} : { servers }) })
    } catch (error) {
      if (!(error instanceof UnusableOverride)) throw error
      throw new UsageError(error.message, {
        code: 'invalid_endpoint_override',
        hint: 'Where it is set: bankapi config list',
      })
    }
  }
}

/** Without a slash at its end, as paths begin with one. It is not repeated in an error, since it may be, or hold, a secret. */
function serverAddress(text: string): string {
  const url = URL.parse(text)
  const reason = url === null ? 'is not a URL' : serverFault(text, url)
  if (url !== null && reason === undefined) return url.origin + url.pathname.replace(/\/+$/, '')
  throw new UsageError(`An address of --server ${reason}`, {
    hint: 'It looks like https://api.example.com/v3',
  })
}

function serverFault(text: string, url: URL): string | undefined {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'is neither https nor http'
  if (url.username !== '' || url.password !== '') return 'has a user name or password in it'
  // An empty query or fragment is seen only in the text.
  return /[?#]/.test(text) ? 'has a query or fragment' : undefined
}
