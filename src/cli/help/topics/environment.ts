import { environmentVariables } from '../environment-variables.ts'
import { definitions, example, type HelpTopic, page, paragraph } from './topic.ts'

export const environment: HelpTopic = {
  name: 'environment',
  summary: 'Environments, where keys come from, environment variables',
  text: page(
    paragraph('ENVIRONMENTS'),
    definitions([
      ['local', 'the emulator on this machine; while it runs, its address and key are known'],
      ['sandbox', 'test data, keys sk_test_…; the default'],
      ['live', 'real data, keys sk_live_…; what deletes or may bill asks first'],
    ]),
    paragraph(
      'The environment is --env, else BANKAPI_ENV, else the setting default_environment, else sandbox. A key whose prefix ' +
        'does not fit it is refused before anything is sent.',
    ),
    paragraph('KEYS'),
    paragraph(
      'An API key is looked up in BANKAPI_API_KEY, then in the keychain of this computer, where `bankapi login` puts it. ' +
        'Without a keychain, `bankapi login --insecure-storage` keeps it in a file that only you can read. A secret is ' +
        'never an argument: it is typed, piped with --key-stdin, or in the environment.',
    ),
    example(
      'bankapi login --env sandbox --base-url https://api.example.com/v3',
      'printf %s "$KEY" | bankapi login --env live --key-stdin',
      'bankapi whoami',
    ),
    paragraph('ENVIRONMENT VARIABLES'),
    definitions(environmentVariables.map(({ name, meaning }) => [name, meaning])),
  ),
}
