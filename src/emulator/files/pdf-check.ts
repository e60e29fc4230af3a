/** `%PDF-1.7`: where the header may stand. Viewers accept it within the first 1024 bytes. */
const headerWithin = 1024

/** Whether `bytes` begin like a PDF of any version. Says nothing about whether the rest of the file is sound. */
export function looksLikePdf(bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, headerWithin + 8))
  return /%PDF-\d\.\d/.test(start.toString('latin1'))
}
