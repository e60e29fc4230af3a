/** Handlers of the portal: applications for access. */
import type { portal as contract } from '../../contract/portal.ts'
import { applyFor, editApplication } from '../engine/portal.ts'
import type { PortalRequestRow } from '../store/portal-requests.ts'
import type { Handlers } from './handler.ts'

export const portal: Handlers<typeof contract> = {
  createLiveRequest: (fields, { engine, environment }) =>
    onWire(applyFor(engine, environment, 'LIVE', fields)),

  updateLiveRequest: (fields, { engine, environment }) =>
    onWire(editApplication(engine, environment, fields)),

  createAccessRequest: (fields, { engine, environment }) =>
    onWire(applyFor(engine, environment, 'SANDBOX', fields)),

  accessRequestStatus({ 'X-Portal-Idp-User-Id': user }, { engine, environment }) {
    const { portalRequests } = engine.store
    const sandbox = portalRequests.get(environment, 'SANDBOX', user)
    const live = portalRequests.get(environment, 'LIVE', user)
    return {
      sandbox_status: sandbox?.status ?? null,
      live_status: live?.status ?? null,
      sandbox_denial_reason_code_public: sandbox?.denial_code ?? null,
      live_denial_reason_code_public: live?.denial_code ?? null,
    }
  },
}

function onWire({ request_id, status, environment, created_at }: PortalRequestRow) {
  return { request_id, status, environment, created_at }
}
