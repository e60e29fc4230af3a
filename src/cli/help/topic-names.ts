/** The names of the topics that `bankapi help <topic>` explains; their pages are in topics.ts. */
export const topicNames = ['environment', 'exit-codes', 'formatting', 'webhooks'] as const

export type TopicName = (typeof topicNames)[number]
