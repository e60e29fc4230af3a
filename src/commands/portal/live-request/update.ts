import { type PortalRequest, portal } from '../../../contract/portal.ts'
import { PortalCommand, portalFlags } from '../_portal-command.ts'

const { body } = portal.updateLiveRequest

export default class PortalLiveRequestUpdate extends PortalCommand<
  typeof PortalLiveRequestUpdate,
  PortalRequest
> {
  static override summary = 'Edit an application for production access while it is PENDING or NEEDS_INFO'
  static override description =
    'Only fields that the applicant supplies can change. An approved or denied application is rejected (exit code 7).'
  static override examples = [
    '<%= config.bin %> portal live-request update --idp-user-id usr_9 --expected-monthly-volume 5000',
  ]
  static override flags = portalFlags(body)

  protected override async execute(): Promise<PortalRequest> {
    const { input, rawBody } = await this.body(body)
    return this.api.portal.updateLiveRequest(input, { signal: this.signal, rawBody })
  }
}
