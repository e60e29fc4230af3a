/** Where the program's own files are. Built: in dist/. Under bin/dev.js: in src/, with help made anew each time. */
export interface Place {
  /** The folder of package.json and oclif.manifest.json. */
  readonly root: URL
  /** The file of a command, whether it is there or not. */
  commandFile(words: readonly string[]): URL
  /** The folder of an area's commands, whether it is there or not. */
  areaFolder(words: readonly string[]): URL
  /** The help of a command, an area or a topic, of the whole program for no words; undefined when there is none. */
  helpPage(words: readonly string[]): Promise<string | undefined>
}
