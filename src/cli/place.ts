/** Where the program's own parts are. Built: in dist/. Under bin/dev.js: in src/, with help made anew each time. */
export interface Place {
  /** The folder of package.json and oclif.manifest.json. */
  readonly root: URL
  /** The words of every command: `connections list`. */
  commands(): readonly string[]
  /** Loads, once, what runs a command or reports a failure. `use` names what for: `connections-list`. */
  bundle(use: string): Promise<typeof import('./bundle.ts')>
  /** The help of a command, an area or a topic, of the whole program for no words; undefined when there is none. */
  helpPage(words: readonly string[]): Promise<string | undefined>
}
