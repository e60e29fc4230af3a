/** What `import … from '@oclif/core'` means in the bundle: each name from the module that has it. */
export * as Args from '@oclif/core/args'
export { Command } from '@oclif/core/command'
export * as Errors from '@oclif/core/errors'
export * as Flags from '@oclif/core/flags'
