/** The Client that a call is about. */
import * as z from 'zod'
import { BankapiError } from '../errors.ts'
import type { Assistant } from './assistant.ts'

export const ClientInput = z.string().max(200).optional().describe('cli_…; find_clients has them')

/** @throws BankapiError when the call names none and the environment has no default. */
export function clientOf({ clientId }: Assistant, given: string | undefined): string {
  const found = given ?? clientId
  if (found !== undefined) return found
  throw new BankapiError('Which client? client_id is missing', {
    code: 'client_missing',
    exit: 'usage',
    hint: 'Give client_id; find_clients lists them',
  })
}
