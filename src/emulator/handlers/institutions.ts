/** Handlers of the institution search and of the sandbox helpers. */
import type {
  Institution,
  institutions as institutionsContract,
  sandbox as sandboxContract,
} from '../../contract/institutions.ts'
import { notFound, ServiceError } from '../engine/errors.ts'
import { pageOf } from '../engine/paging.ts'
import {
  type CatalogInstitution,
  institutions as catalog,
  findInstitution,
  searchInstitutions,
} from '../institutions/catalog.ts'
import type { Handlers } from './handler.ts'

export const institutions: Handlers<typeof institutionsContract> = {
  search({ q = '', ...page }, { engine }) {
    const found = searchInstitutions(q)
    const places = catalog.map((institution, index) => ({ seq: index + 1, institution }))
    return pageOf(
      engine,
      ['institutions', q],
      page,
      ({ after = 0, limit }) =>
        places.filter(({ seq, institution }) => seq > after && found.includes(institution)).slice(0, limit),
      ({ institution }) => onWire(institution),
    )
  },

  get({ institution_id }) {
    const institution = findInstitution(institution_id)
    if (!institution) throw notFound('institution')
    return onWire(institution)
  },
}

export const sandbox: Handlers<typeof sandboxContract> = {
  institutions(_input, { environment }) {
    if (environment === 'live')
      throw new ServiceError('live_key_not_allowed', 'Sandbox helpers take no live key.')
    return { data: catalog.map(({ id, name, logo_url }) => ({ id, name, logo_url })) }
  },
}

function onWire({ id, name, logo_url, requires_desktop_app }: CatalogInstitution): Institution {
  return { id, name, logo_url, ...(requires_desktop_app === undefined ? {} : { requires_desktop_app }) }
}
