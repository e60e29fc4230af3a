import { type PortalRequest, portal } from '../../../contract/portal.ts'
import { PortalCommand, portalFlags } from '../_portal-command.ts'

const { body } = portal.createLiveRequest

export default class PortalLiveRequestCreate extends PortalCommand<
  typeof PortalLiveRequestCreate,
  PortalRequest
> {
  static override summary = 'Apply for production access'
  static override description =
    'Signed with the portal bootstrap secret over the exact body: BANKAPI_PORTAL_SECRET, or bankapi login --portal.'
  static override examples = [
    '<%= config.bin %> portal live-request create --idp-user-id usr_9 --email dev@example.com --company-name Example',
    '<%= config.bin %> portal live-request create --input application.json',
  ]
  static override flags = portalFlags(body)

  protected override async execute(): Promise<PortalRequest> {
    const { input, rawBody } = await this.body(body)
    return this.api.portal.createLiveRequest(input, { signal: this.signal, rawBody })
  }
}
