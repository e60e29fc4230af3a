/** Headers of a delivery, as a Headers object (fetch) or a plain record (node:http). */
export type HeaderSource =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

/** The values of the signature headers: text from outside, undefined where a header is missing. */
export interface SignatureHeaders {
  timestamp?: string | undefined
  signature?: string | undefined
  signaturePrev?: string | undefined
}

export const webhookHeaderNames = {
  timestamp: 'X-LS-Webhook-Timestamp',
  signature: 'X-LS-Webhook-Signature',
  signaturePrev: 'X-LS-Webhook-Signature-Prev',
} as const

/** Reads the three headers, whatever the case of their names. The values of a header sent twice are joined. */
export function readSignatureHeaders(headers: HeaderSource): SignatureHeaders {
  const read = reader(headers)
  return {
    timestamp: read(webhookHeaderNames.timestamp),
    signature: read(webhookHeaderNames.signature),
    signaturePrev: read(webhookHeaderNames.signaturePrev),
  }
}

function reader(headers: HeaderSource): (name: string) => string | undefined {
  if (isHeaders(headers)) return (name) => headers.get(name) ?? undefined
  const byName = new Map<string, string>()
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) continue
    const text = typeof value === 'string' ? value : value.join(', ')
    const key = name.toLowerCase()
    const before = byName.get(key)
    byName.set(key, before === undefined ? text : `${before}, ${text}`)
  }
  return (name) => byName.get(name.toLowerCase())
}

function isHeaders(headers: HeaderSource): headers is { get(name: string): string | null } {
  return typeof headers['get'] === 'function'
}
