/** What nearly every command needs at its start, in one chunk; see start-up-plugin.ts. */
import '../../src/cli/command/list-command.ts'
import '../../src/contract/ids.ts'
import '../../src/contract/shapes.ts'
