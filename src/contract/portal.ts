import * as z from 'zod'
import { endpoint } from './endpoint.ts'
import { CalendarDate, DateTime } from './shapes.ts'

const PortalStatus = z.enum(['PENDING', 'NEEDS_INFO', 'APPROVED', 'DENIED'])

/** An application for access. */
export const PortalRequest = z.looseObject({
  request_id: z.uuid(),
  status: PortalStatus,
  environment: z.enum(['SANDBOX', 'LIVE']),
  created_at: DateTime,
})
export type PortalRequest = z.infer<typeof PortalRequest>

/** The status of an applicant's requests; null when none was filed. */
export const AccessRequestStatus = z.looseObject({
  sandbox_status: PortalStatus.nullable(),
  live_status: PortalStatus.nullable(),
  sandbox_denial_reason_code_public: z.string().nullish(),
  live_denial_reason_code_public: z.string().nullish(),
})
export type AccessRequestStatus = z.infer<typeof AccessRequestStatus>

const idpUserId = z.string().describe('Id of the applicant at the identity provider')

/** Fields that an integrator supplies and may change later. */
const editable = {
  company_name: z.string().optional().describe('Name under which the company is known'),
  country: z.string().optional().describe('Country of the company'),
  use_case: z.string().optional().describe('What the bank data is used for'),
  legal_entity_name: z.string().optional().describe('Name of the legal entity, as registered'),
  business_website: z.string().optional().describe('Website of the business'),
  data_protection_contact: z
    .string()
    .optional()
    .describe('Whom to ask about data protection: a name or an address'),
  expected_monthly_volume: z
    .string()
    .optional()
    .describe('How much use is expected in a month, in your own words'),
  go_live_target_date: CalendarDate.optional().describe(
    'Date on which production use is to begin, YYYY-MM-DD',
  ),
  production_use_case: z.string().optional().describe('What the bank data is used for in production'),
} as const

const application = {
  idp_user_id: idpUserId,
  email: z
    .email({ pattern: z.regexes.unicodeEmail, error: 'has to be an email' })
    .optional()
    .describe('E-mail address of the applicant'),
  first_name: z.string().optional().describe('First name of the applicant'),
  last_name: z.string().optional().describe('Last name of the applicant'),
  challenge_token: z.string().optional().describe('Token of the bot challenge that the applicant passed'),
  client_ip: z.string().optional().describe('IP address from which the applicant applies'),
  ...editable,
} as const

export const portal = {
  createLiveRequest: endpoint({
    method: 'POST',
    path: '/portal/live-request',
    summary: 'Apply for production access',
    body: application,
    success: { 201: PortalRequest },
    scope: null,
    auth: 'portal-body',
    retry: 'if-refused',
    origin: 'documented',
    assumes: 'status 201, that only idp_user_id is required',
  }),
  updateLiveRequest: endpoint({
    method: 'PATCH',
    path: '/portal/live-request',
    summary: 'Edit an application for production access',
    body: { idp_user_id: idpUserId, ...editable },
    success: { 200: PortalRequest },
    scope: null,
    codes: ['not_found'],
    auth: 'portal-body',
    retry: 'if-refused',
    origin: 'documented',
  }),
  createAccessRequest: endpoint({
    method: 'POST',
    path: '/portal/access-request',
    summary: 'Apply for sandbox access',
    body: application,
    success: { 201: PortalRequest },
    scope: null,
    auth: 'portal-body',
    retry: 'if-refused',
    origin: 'documented',
    assumes: 'the body and the answer: those of a live request',
  }),
  accessRequestStatus: endpoint({
    method: 'GET',
    path: '/portal/access-request/status',
    summary: 'Where an applicant stands',
    headers: { 'X-Portal-Idp-User-Id': z.string().min(1) },
    success: { 200: AccessRequestStatus },
    scope: null,
    auth: 'portal-user',
    retry: 'safe',
    origin: 'documented',
  }),
}
