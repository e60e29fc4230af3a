/** A command whose exact body bytes are signed with the portal bootstrap secret. */
import { type Command, Flags, type Interfaces } from '@oclif/core'
import { ApiCommand } from '../../cli/command/api-command.ts'
import { UsageError } from '../../cli/errors/errors.ts'
import { inputBytes } from '../../cli/terminal/input.ts'
import type { Fields } from '../../contract/endpoint.ts'

const inputFlag = Flags.string({
  summary: 'Send this JSON file as it is, - for stdin; its exact bytes are signed',
  helpValue: 'FILE',
})

/** One flag per body field, in kebab case, and `--input`. */
export function portalFlags(body: Fields): Interfaces.FlagInput {
  const fields = Object.entries(body).map(([name, { description }]) => [
    kebab(name),
    Flags.string({ summary: description ?? name, exclusive: ['input'], helpGroup: 'BODY' }),
  ])
  return { ...Object.fromEntries(fields), input: inputFlag }
}

export abstract class PortalCommand<T extends typeof Command, Result> extends ApiCommand<T, Result> {
  /**
   * The input of the call and, with `--input`, the bytes to sign and send in its place.
   * @throws UsageError when neither is given, or a required field is missing.
   */
  protected async body<B extends Fields>(
    body: B,
  ): Promise<{ input: { [K in keyof B]: string } & { idp_user_id: string }; rawBody?: Uint8Array }> {
    const flags: Readonly<Record<string, unknown>> = this.flags
    const file = flags['input'] as string | undefined
    const names = Object.keys(body)
    const given = Object.fromEntries(
      names.map((name) => [name, flags[kebab(name)]]).filter(([, value]) => value !== undefined),
    )
    type Input = { [K in keyof B]: string } & { idp_user_id: string }
    if (file !== undefined)
      return { input: { idp_user_id: '' } as Input, rawBody: await inputBytes(file, this.terminal.stdin) }
    if (given['idp_user_id'] === undefined) {
      throw new UsageError('Whose application is it? --idp-user-id is missing', {
        hint: 'Give --idp-user-id and the other fields as flags, or a whole body with --input FILE',
      })
    }
    for (const [name, value] of Object.entries(given)) checkField(name, body[name], value)
    return { input: given as Input }
  }
}

/** Throws UsageError for a value that the service would refuse: not an email, not a date. */
function checkField(name: string, schema: Fields[string] | undefined, value: unknown): void {
  const [issue] = schema?.safeParse(value).error?.issues ?? []
  if (!issue) return
  throw new UsageError(`--${kebab(name)} "${value}": ${issue.message}`, {
    code: 'invalid_field',
    hint: `Write it like ${name === 'email' ? 'name@example.com' : '2026-01-31'}`,
  })
}

function kebab(name: string): string {
  return name.replaceAll('_', '-')
}
