/** Handlers of the redirect allowlist. */
import type { redirectUrls as contract } from '../../contract/redirect-urls.ts'
import { setAllowlist } from '../engine/redirect-allowlist.ts'
import type { Handlers } from './handler.ts'

export const redirectUrls: Handlers<typeof contract> = {
  get(_input, { engine, tenant, environment }) {
    return { environment, allowed_redirect_urls: engine.store.allowlists.get(tenant.seq) ?? [] }
  },

  async set({ allowed_redirect_urls }, { engine, tenant, environment }) {
    await setAllowlist(engine, tenant.seq, allowed_redirect_urls)
    return { environment, allowed_redirect_urls }
  },

  clear(_input, { engine, tenant }) {
    engine.store.allowlists.clear(tenant.seq)
    return undefined
  },
}
