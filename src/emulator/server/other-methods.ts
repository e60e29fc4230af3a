/** Which methods a path takes: 405 rather than 404 for the wrong one. */
import { everyEndpoint } from '../../contract/contract.ts'
import { basePath } from '../../contract/service.ts'

const paths = everyEndpoint().map(({ endpoint: { method, path } }) => ({
  method,
  matches: new RegExp(`^${basePath}${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}))

/** The methods of the contract's operations at this path, without `/v3` nothing. */
export function methodsOf(path: string): string[] {
  return [...new Set(paths.filter(({ matches }) => matches.test(path)).map(({ method }) => method))]
}
