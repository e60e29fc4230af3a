/** What operations end with is what docs/api-coverage.md lists. */
import { expect, test } from 'vitest'
import { type OperationResult, operationResults } from '../../src/contract/assumptions.ts'
import { type CallOptions, runningEmulator, type TestEmulator } from '../support/running-emulator.ts'

type Request = readonly [path: string, body?: CallOptions['body']]

const pdf = async ({ sandbox, get }: TestEmulator): Promise<Blob> => {
  const { data } = await get('/accounts/acc_FDE_12301/statements?client_id=cli_demo&limit=1')
  const { origin } = new URL(sandbox.base_url)
  const answer = await fetch(origin + data[0].download_url, {
    headers: { authorization: `Bearer ${sandbox.api_key}` },
  })
  return new Blob([await answer.arrayBuffer()], { type: 'application/pdf' })
}

const requests: Readonly<
  Record<keyof typeof operationResults, (emulator: TestEmulator) => Promise<Request> | Request>
> = {
  'connection.initiate': () => ['/clients/cli_demo/connections', { institution_id: 'ins_a_ok' }],
  'account.refresh': () => ['/connections/con_AGGREGATOR_B_2001/refresh'],
  'statement.extraction': async (emulator) => {
    const form = new FormData()
    form.append('file', await pdf(emulator), 'march.pdf')
    return ['/statements/extract', form]
  },
  'verification_report.generation': () => ['/clients/cli_demo/verification-reports'],
}

test.each(Object.entries<OperationResult>(operationResults))(
  '%s has its type, and a result with the fields that are listed',
  async (type, { kind, fields }) => {
    const emulator = await runningEmulator()
    const [path, body] = await requests[type as keyof typeof operationResults](emulator)
    const { operation_id } = await emulator.post(path, body)
    await emulator.advance(5000)
    const operation = await emulator.get(`/operations/${operation_id}`)
    expect(operation).toMatchObject({ type, status: 'succeeded', result: { kind } })
    const found = fieldsOf(operation.result).filter((field) => field !== 'kind')
    // What a Connection has is in the reference.
    const ofConnection =
      kind === 'connection' ? ['connection'] : fields.map((field) => field.replace('?', ''))
    expect(found.sort()).toEqual([...ofConnection].sort())
  },
)

/** Paths of all fields; of a Connection only that it is there. */
function fieldsOf(result: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(result).flatMap(([name, value]) => {
    if (!Array.isArray(value)) return [name]
    const items = value.flatMap((item) => Object.keys(item as object))
    return [name, ...new Set(items.map((item) => `${name}[].${item}`))]
  })
}
