/** `%PDF-1.7`: where the header may stand. Viewers accept it within the first 1024 bytes. */
const headerWithin = 1024

/** True when `bytes` begin like a PDF of any version; the rest of the file is not looked at. */
export function looksLikePdf(bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, headerWithin + 8))
  return /%PDF-\d\.\d/.test(start.toString('latin1'))
}
