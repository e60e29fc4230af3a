import { exitCodes } from '../../src/errors.ts'
/** docs/exit-codes.md: the table that scripts rely on. */

export function exitCodesPage(): string {
  const rows = Object.values(exitCodes).map(({ code, meaning }) => `| ${code} | ${meaning} |`)
  return `# Exit codes

Generated from the code (\`npm run docs\`). An error is one message on stderr, under \`--json\` one JSON document
\`{"error":{…,"exit_code":N}}\`; stdout then has nothing, or what was already streamed.

| exit | meaning |
| --- | --- |
${rows.join('\n')}

\`bankapi doctor\` ends with the code of its first check that failed, as another command would end with it: the checks
after it may follow from it. \`bankapi help exit-codes\` shows this table.
`
}
