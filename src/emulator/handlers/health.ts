import type { health as contract } from '../../contract/health.ts'
import type { Handlers } from './handler.ts'

export const health: Handlers<typeof contract> = {
  check: () => ({ status: 'ok' }),
}
