/** Handlers of the redirect allowlist. */
import type { redirectUrls as contract } from '../../contract/redirect-urls.ts'
import { notFound } from '../engine/errors.ts'
import { setAllowlist } from '../engine/redirect-allowlist.ts'
import type { Handlers } from './handler.ts'

export const redirectUrls: Handlers<typeof contract> = {
  get(_input, { engine, tenant, environment }) {
    const allowed_redirect_urls = engine.store.allowlists.get(tenant.seq)
    if (!allowed_redirect_urls) throw notFound('redirect allowlist')
    return { environment, allowed_redirect_urls }
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
