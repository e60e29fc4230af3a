/** Starts linking a bank. The address where the user signs in is for a person: the assistant never sees it. */
import * as z from 'zod'
import { items } from '../../api/pages.ts'
import type { Institution } from '../../contract/institutions.ts'
import { pageSize } from '../../contract/service.ts'
import { BankapiError } from '../../errors.ts'
import type { Call } from '../assistant.ts'
import { BankText, bankText } from '../bank-text.ts'
import { ClientInput, clientOf } from '../client-of.ts'
import { PAGE_ROWS, type Paging } from '../paging.ts'
import { tool } from '../tool.ts'
import { widgetUrlCommand } from './get-operation.ts'

const Match = z.object({ institution_id: z.string(), bank_text: BankText })

export const linkBank = tool({
  name: 'link_bank',
  title: 'Start linking a bank',
  description:
    'Starts a link for a client. Where several banks have the name, they are listed and nothing is started. The sign-in address is a secret and not in the answer: a person shows it with the command get_link and gives it to the user. Each call starts one.',
  input: {
    client_id: ClientInput,
    institution: z.string().min(1).max(200).describe('ins_… or part of the name'),
  },
  output: {
    started: z.boolean(),
    operation_id: z.string().optional(),
    get_link: z.string().optional(),
    institutions: z.array(Match),
    more_institutions: z.boolean().optional(),
  },
  scopes: ['read:connections', 'write:connections'],
  group: 'link',
  async run(call, { client_id, institution }) {
    const client = clientOf(call, client_id)
    const [found, more] = await institutionsOf(call, institution)
    const institutions = found.map(({ id, name }) => ({
      institution_id: id,
      bank_text: bankText({ name }) ?? {},
    }))
    const [only, ...others] = found
    if (only === undefined) throw noInstitution()
    if (others.length > 0) return { data: { started: false, institutions, more_institutions: more } }
    const { operation_id, estimated_seconds } = await call.api.connections.initiate(
      { client_id: client, institution_id: only.id },
      { signal: call.signal },
    )
    await call.journal.started({
      ...{ id: operation_id, type: 'connection.initiate', subject: client },
      estimatedSeconds: estimated_seconds,
    })
    return {
      data: { started: true, operation_id, get_link: widgetUrlCommand(call, operation_id), institutions },
    }
  },
})

/** Those it may mean, at most a page, and whether there are more. */
async function institutionsOf(
  { api, signal }: Call,
  wanted: string,
): Promise<[found: Institution[], more: boolean]> {
  if (wanted.startsWith('ins_'))
    return [[await api.institutions.get({ institution_id: wanted }, { signal })], false]
  const found: Institution[] = []
  const list = (page: Paging) => api.institutions.search({ q: wanted, ...page }, { signal })
  for await (const institution of items<Paging, Institution>(list, { limit: pageSize.max })) {
    if (found.length === PAGE_ROWS) return [found, true]
    found.push(institution)
  }
  return [found, false]
}

function noInstitution(): BankapiError {
  return new BankapiError('The catalog has no institution with this name', {
    code: 'institution_not_found',
    exit: 'notFound',
    hint: 'Try a part of the name',
  })
}
