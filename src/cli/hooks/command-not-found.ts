/** oclif calls this for words that name no command: one error that says what was meant, and never a question. */
import type { Hook } from '@oclif/core'
import { closest } from '../../config/closest.ts'
import { helpTopic } from '../help-topics/topics.ts'
import { UsageError } from '../usage-error.ts'

const hook: Hook.CommandNotFound = async ({ config, id, argv = [] }) => {
  const words = id.split(':')
  const typed = [...words, ...argv.filter((word) => !word.startsWith('-'))].join(' ')
  if (helpTopic(words[0]) !== undefined && words.length === 1) {
    throw new UsageError(`${words[0]} is a help topic, not a command`, {
      code: 'unknown_command',
      hint: `${config.bin} help ${words[0]}`,
    })
  }
  const names = config.commandIDs.map((name) => name.replaceAll(':', ' '))
  const topic = names.some((name) => name.startsWith(`${words[0]} `)) ? words[0] : undefined
  const meant = closest(words.join(' '), [...names, ...config.topics.map(({ name }) => name)])
  throw new UsageError(
    `"${typed}" is not a command.${meant === undefined ? '' : ` Did you mean "${meant}"?`}`,
    {
      code: 'unknown_command',
      hint: `See what there is: ${config.bin} ${topic === undefined ? '' : `${topic} `}--help`,
    },
  )
}

export default hook
