import { Flags } from '@oclif/core'
import { ApiCommand } from '../../../cli/command/api-command.ts'
import type { AccessRequestStatus } from '../../../contract/portal.ts'

export default class PortalAccessRequestStatus extends ApiCommand<
  typeof PortalAccessRequestStatus,
  AccessRequestStatus
> {
  static override summary = 'Show where an applicant stands'
  static override description =
    'Signed with the portal bootstrap secret over the user id. A status is null when no application was filed.'
  static override examples = ['<%= config.bin %> portal access-request status --idp-user-id usr_9']
  static override flags = {
    'idp-user-id': Flags.string({ summary: 'Identity-provider id of the applicant', required: true }),
  }

  protected override async execute(): Promise<AccessRequestStatus> {
    return this.api.portal.accessRequestStatus(
      { 'X-Portal-Idp-User-Id': this.flags['idp-user-id'] },
      { signal: this.signal },
    )
  }
}
