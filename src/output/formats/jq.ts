/** Runs the jq program of `--jq` over the JSON document. */
import { OutputError } from '../output-error.ts'
import { escapeInJson, safeJson, safeTabbed } from '../safe-text.ts'

/**
 * The results of the program, a line each: strings raw and other values as compact JSON, as `gh --jq` does.
 * On a terminal a raw string keeps only its newlines and tabs; in a pipe it is exact, as with `jq -r`. The
 * program gets no access to this machine's files and environment. Loads jq-wasm.
 * @throws OutputError (exit 2) when the program does not compile or fails on this document
 */
export async function renderJq(data: unknown, program: string, terminal: boolean): Promise<string> {
  const results = await run(safeJson(data), program)
  return results.map((json) => `${lineOf(json, terminal)}\n`).join('')
}

/** @throws OutputError (exit 2) when the program does not compile. Runs it on nothing. */
export async function assertCompiles(program: string): Promise<void> {
  await run('', program)
}

/** Whether any result of the program is neither `false` nor `null`. @throws OutputError as renderJq does */
export async function matchesJq(data: unknown, program: string): Promise<boolean> {
  const results = await run(safeJson(data), program)
  return results.some((json) => json !== 'false' && json !== 'null')
}

/** For each document whether any result of the program is neither `false` nor `null`. @throws OutputError as renderJq does */
export async function matchingJq(documents: readonly unknown[], program: string): Promise<boolean[]> {
  if (program.trim() === '') throw mistake(doesNotCompile, 'empty program (try `.`)')
  const matching: boolean[] = []
  // Once without any, so that a mistake shows although there is no document.
  for (let at = 0; at === 0 || at < documents.length; at += atOnce) {
    const text = safeJson(documents.slice(at, at + atOnce))
    // On a line of its own, so that it may end with a comment.
    for (const json of await run(text, `.[] | [\n${program}\n] | any`)) matching.push(json === 'true')
  }
  return matching
}

/** Documents given to jq at once. */
const atOnce = 1000

function lineOf(json: string, terminal: boolean): string {
  if (!json.startsWith('"')) return escapeInJson(json)
  const text: string = JSON.parse(json)
  return terminal ? safeTabbed(text) : text
}

/** The exit code of jq for a program that does not compile. */
const doesNotCompile = 3

/** The results of a jq program, one JSON text each. */
async function run(json: string, program: string): Promise<string[]> {
  if (program.trim() === '') throw mistake(doesNotCompile, 'empty program (try `.`)')
  const { raw } = await import('jq-wasm')
  // `--` ends the options: a program that begins with a dash is a program.
  const { stdout, stderr, exitCode } = await raw(withoutLoneSurrogates(json), program, ['-c', '--'])
  if (exitCode !== 0) throw mistake(exitCode, stderr)
  return stdout === '' ? [] : stdout.split('\n')
}

/**
 * Half of a surrogate pair, which JSON can spell and jq refuses, becomes U+FFFD: the rest of the document matters more.
 */
function withoutLoneSurrogates(json: string): string {
  if (!json.includes('\\ud')) return json
  return json.replace(/\\ud[89ab]..\\ud[c-f]..|\\ud[89a-f]..|\\./g, (found) =>
    /^\\ud...$/.test(found) ? '\\ufffd' : found,
  )
}

function mistake(exitCode: number, said: string): OutputError {
  const reason = said
    .replaceAll(/jq: error( \(at [^)]*\))?:? ?/g, '')
    .replace(/ at <top-level>/, '')
    .replace(/\njq: \d+ compile errors?$/, '')
    .trim()
  return exitCode === doesNotCompile
    ? new OutputError(`--jq: the program does not compile: ${reason}`, 'https://jqlang.org/manual/')
    : new OutputError(`--jq: the program failed on this document: ${reason}`, undefined, 'jq_failed')
}
