/**
 * Starts the bridge. The build makes a file of its own of what only this command needs (`bridge.ts`); the transport, its errors
 * and the secrets stay in the program and are passed to it, because a second copy of an error is another class.
 */
import { basePath, connectorPath } from '../../contract/service.ts'
import type { BridgeOptions } from './bridge.ts'
import { failureSentence } from './failure-sentence.ts'
import { connectService, type ServiceOptions } from './service.ts'

export interface ConnectorOptions
  extends Omit<ServiceOptions, 'onWait'>,
    Omit<BridgeOptions, 'service' | 'describe'> {}

/** The address of the connector: at the service's root, beside the base path. */
export function connectorUrl(baseUrl: string): string {
  return baseUrl.slice(0, -basePath.length) + connectorPath
}

/** Runs until stdin ends, the signal aborts or the reader of stdout goes away. @throws what stdout fails with otherwise */
export async function startBridge(options: ConnectorOptions): Promise<void> {
  const { url, onEvent } = options
  const service = connectService({
    ...options,
    onWait({ reason, delayMs }) {
      const seconds = Math.ceil(delayMs / 1000)
      if (delayMs >= 1000)
        onEvent(`The service: ${reason.replaceAll('_', ' ')}, trying again in ${seconds} s`)
    },
  })
  try {
    const { bridge } = await import('./bridge.ts')
    await bridge({ ...options, service, describe: (error) => failureSentence(error, url) })
  } finally {
    await service.close()
  }
}
