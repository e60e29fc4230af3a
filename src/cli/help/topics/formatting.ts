import { definitions, example, type HelpTopic, page, paragraph } from './topic.ts'

export const formatting: HelpTopic = {
  name: 'formatting',
  summary: 'Tables, JSON, NDJSON, CSV, YAML, jq and columns',
  text: page(
    paragraph(
      'Results go to stdout and nothing else does: progress, hints and errors go to stderr. People get a table or a ' +
        'record as wide as the terminal; a pipe gets the same values whole, separated by tabs, without headings.',
    ),
    definitions([
      ['--json', "one JSON document in the API's own shape; a list is {data, next_cursor, has_more}"],
      ['-o ndjson', 'one JSON object per line; with --all in constant memory, however long the list'],
      [
        '-o csv',
        'a header and one row per line; cells a spreadsheet would run as a formula are made harmless',
      ],
      ['-o yaml', 'the JSON document as YAML'],
      ['--jq EXPR', 'filter the JSON with jq; strings are printed without quotes'],
      [
        '--columns a,b',
        'what to show in a table, a record, csv or ndjson; without a value: the names it takes',
      ],
      ['--utc', 'times in UTC for people; JSON has them as the API sent them'],
    ]),
    example(
      'bankapi transactions list acc_FDE_9 --columns',
      'bankapi transactions list acc_FDE_9 --columns date,amount,description',
      "bankapi accounts list --jq '.data[] | {id, name}'",
      'bankapi transactions list acc_FDE_9 --all -o csv > transactions.csv',
    ),
    paragraph(
      'Money out is negative and money in is positive; an amount for people has its currency. A list shows one page ' +
        '(--limit, --cursor); --all reads every page and shows each id once. An empty list says so on stderr and exits 0.',
    ),
    paragraph(
      'Control characters in what the service sends are shown as escapes, never sent to the terminal. Long text goes ' +
        'through a pager on a terminal: BANKAPI_PAGER, PAGER or less.',
    ),
  ),
}
