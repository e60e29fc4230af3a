import { ApiCommand } from '../cli/command/api-command.ts'
import type { Contract } from '../contract/contract.ts'
import type { Output } from '../contract/endpoint.ts'

type Health = Output<Contract['health']['check']> & {
  readonly base_url: string
  readonly duration_ms: number
}

export default class HealthCheck extends ApiCommand<typeof HealthCheck, Health> {
  static override summary = 'Is the service up? Needs no key'
  static override description =
    'Exit code 11 when it cannot be reached. The path of the liveness probe is an assumption; set another with ' +
    "<%= config.bin %> config set endpoints.health.check 'GET /path', or 'GET {root}/path' for one beside the /v3 of the base URL"
  static override examples = ['<%= config.bin %> health --env local']

  protected override async execute(): Promise<Health> {
    const { now } = this.machine
    const started = now()
    const answer = await this.api.health.check({}, { signal: this.signal })
    return { ...answer, base_url: this.session.baseUrl.value, duration_ms: Math.round(now() - started) }
  }
}
