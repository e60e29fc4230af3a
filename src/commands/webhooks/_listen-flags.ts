/** The flags of every command that listens for deliveries. */
import { Flags } from '@oclif/core'
import { duration } from '../../cli/command/flags.ts'
import { secretFlags } from './_signing-secret.ts'

export const listenFlags = {
  forward: Flags.string({
    summary: 'Where to forward: 3000, localhost:3000/path, a URL, or connection.*=URL for some types',
    helpValue: 'URL',
    multiple: true,
    multipleNonGreedy: true,
  }),
  port: Flags.integer({
    summary: 'Port to listen on; 0 picks a free one',
    default: 4020,
    min: 0,
    max: 65_535,
  }),
  host: Flags.string({ summary: 'Address to listen on', default: '127.0.0.1' }),
  path: Flags.string({ summary: 'Path at which deliveries come', default: '/' }),
  events: Flags.string({
    summary: 'Only these types, separated by commas; * stands for any text',
    helpValue: 'a,b',
  }),
  ...secretFlags,
  'public-url': Flags.string({
    summary: 'Address under which the service reaches this listener; subscribes it while listening',
    helpValue: 'URL',
  }),
  rotate: Flags.boolean({
    summary: "Replace the subscription's secret if it is not known here (the old one stays valid 24 hours)",
  }),
  ack: Flags.boolean({ summary: 'Answer 200 whatever your server says' }),
  dedupe: Flags.boolean({ summary: 'Do not forward an event again that your server accepted' }),
  'insecure-forward': Flags.boolean({ summary: 'Forward also what does not verify' }),
  'insecure-tls': Flags.boolean({ summary: 'Accept any certificate of your server' }),
  header: Flags.string({
    char: 'H',
    summary: 'A header for your server',
    helpValue: 'NAME:VALUE',
    multiple: true,
    multipleNonGreedy: true,
  }),
  'forward-timeout': duration({
    summary: 'Give your server this long to answer',
    default: 30_000,
    defaultHelp: async () => '30s',
  }),
}
