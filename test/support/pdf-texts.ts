/** Reads what a PDF that pdfkit drew shows. */
import { inflateSync } from 'node:zlib'

/** The texts a PDF shows, page by page, read from its own bytes: the strings its page streams draw, in order. */
export function textsOf(file: Uint8Array): string[][] {
  const raw = Buffer.from(file).toString('latin1')
  const streams = [...raw.matchAll(/stream\r?\n([\s\S]*?)\r?\nendstream/g)].map(([, body]) => body ?? '')
  return streams
    .map((body) => inflateSync(Buffer.from(body, 'latin1')).toString('latin1'))
    .filter((stream) => stream.includes(' TJ'))
    .map((page) => [...page.matchAll(/\[([^\]]*)\] TJ/g)].map(([, pieces]) => drawn(pieces ?? '')))
}

function drawn(pieces: string): string {
  const hex = [...pieces.matchAll(/<([0-9a-f]*)>/gi)].map(([, digits]) => digits).join('')
  return new TextDecoder('windows-1252').decode(Buffer.from(hex, 'hex'))
}
