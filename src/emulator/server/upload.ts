/** A multipart upload: one file in the named field. */
import type { FastifyRequest } from 'fastify'
import type { Upload } from '../../contract/endpoint.ts'
import { Problem } from '../engine/problem.ts'
import { bodyOf } from './bodies.ts'

/** Throws `validation_failed` without such a file. */
export async function uploadOf(request: FastifyRequest, field: string): Promise<Upload> {
  const type = request.headers['content-type'] ?? ''
  if (!/^multipart\/form-data\b/i.test(type)) {
    throw new Problem('invalid_request', 'The upload has to be multipart/form-data.', { status: 415 })
  }
  const { bytes } = bodyOf(request)
  const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': type } })
    .formData()
    .catch(() => undefined)
  if (!form) throw new Problem('invalid_request', 'The multipart body could not be read.')
  const unknown = [...form.keys()].filter((name) => name !== field)
  const file = form.get(field)
  const errors = unknown.map((param) => ({ param, message: 'is not known here', code: 'unknown_field' }))
  if (!(file instanceof File)) errors.push({ param: field, message: 'has to be a file', code: 'required' })
  const [first] = errors
  if (first || !(file instanceof File)) {
    const param = first?.param ?? field
    throw new Problem('validation_failed', `${param}: ${first?.message ?? ''}`, { param, errors })
  }
  return { filename: file.name, contentType: file.type, content: file }
}
