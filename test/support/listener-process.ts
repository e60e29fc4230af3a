/**
 * Runs a listener as a process that tests kill: `node listener-process.ts INBOX SECRET [TARGET]`. Prints only its address.
 */
import { openInbox } from '../../src/inbox/open.ts'
import { createListener } from '../../src/listener/listener.ts'

const [path = '', secret = '', target] = process.argv.slice(2)
const inbox = openInbox({ path, now: Date.now })
const listener = createListener({
  environment: 'local',
  inbox,
  secrets: async () => [secret],
  clock: { now: Date.now },
  port: 0,
  ...(target === undefined ? {} : { forward: [{ url: target }] }),
})
const { url } = await listener.start()
process.stdout.write(`${url}\n`)
