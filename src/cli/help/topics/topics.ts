import { environment } from './environment.ts'
import { exitCodes } from './exit-codes.ts'
import { formatting } from './formatting.ts'
import type { HelpTopic } from './topic.ts'
import { webhooks } from './webhooks.ts'

/** What `bankapi help <topic>` explains, beside the commands. */
export const helpTopics: readonly HelpTopic[] = [environment, exitCodes, formatting, webhooks]

export function helpTopic(name: string | undefined): HelpTopic | undefined {
  return helpTopics.find((topic) => topic.name === name)
}
