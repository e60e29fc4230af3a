import { exitCodes as table } from '../../../errors.ts'
import { definitions, example, type HelpTopic, page, paragraph } from './topic.ts'

export const exitCodes: HelpTopic = {
  name: 'exit-codes',
  summary: 'What each exit code means',
  text: page(
    paragraph(
      'Every command ends with one of these. An error is one message on stderr; with --json it is one JSON document, ' +
        '{"error":{…}}, which has the exit code as well.',
    ),
    definitions(Object.values(table).map(({ code, meaning }) => [String(code), meaning])),
    example(
      'bankapi connections refresh con_FDE_123 --wait --timeout 2m',
      'case $? in',
      '  0) echo fresh ;;',
      '  9) echo "the bank did not deliver" ;;',
      '  10) echo "still running" ;;',
      'esac',
    ),
  ),
}
