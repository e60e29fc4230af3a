import * as z from 'zod'
import { endpoint } from './endpoint.ts'

export const health = {
  check: endpoint({
    method: 'GET',
    path: '/health',
    summary: 'Is the service up?',
    success: { 200: z.looseObject({ status: z.string().optional() }) },
    scope: null,
    auth: 'none',
    retry: 'safe',
    origin: 'assumed',
    assumes: 'path, response shape',
  }),
}
