import { type PortalRequest, portal } from '../../../contract/portal.ts'
import { PortalCommand, portalFlags } from '../_portal-command.ts'

const { body } = portal.createAccessRequest

export default class PortalAccessRequestCreate extends PortalCommand<
  typeof PortalAccessRequestCreate,
  PortalRequest
> {
  static override summary = 'Apply for sandbox access'
  static override description =
    'Signed with the portal bootstrap secret over the exact body. The reference does not show the body of this call: it ' +
    'is taken to be that of a live request.'
  static override examples = [
    '<%= config.bin %> portal access-request create --idp-user-id usr_9 --email dev@example.com',
  ]
  static override flags = portalFlags(body)

  protected override async execute(): Promise<PortalRequest> {
    const { input, rawBody } = await this.body(body)
    return this.api.portal.createAccessRequest(input, { signal: this.signal, rawBody })
  }
}
