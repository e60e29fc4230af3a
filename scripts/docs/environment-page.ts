/** Writes docs/environment.md: the table of `bankapi help environment`. */
import { environmentVariables } from '../../src/cli/help/topics.ts'

export function environmentPage(): string {
  const rows = environmentVariables.map(({ name, meaning }) => {
    const names = name.split(', ').map((each) => `\`${each}\``)
    return `| ${names.join(', ')} | ${meaning} |`
  })
  return `# Environment variables

Generated from the code (\`npm run docs\`). A flag goes before its variable, a variable before the settings.

| variable | meaning |
| --- | --- |
${rows.join('\n')}
`
}
