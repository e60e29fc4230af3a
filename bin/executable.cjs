// Entry point of the executable (`npm run executable`), in which it stands beside package.json. There is no `node` to run
// another module with: the program starts itself with the path of that module, as it would start Node. CommonJS starts faster.

// Where a process mounts its files is for Node to choose, so that only the end of the path counts.
const [, name] = /[\\/]vfs[\\/]\d+[\\/]dist[\\/]([a-z\\/-]+-process)\.js$/.exec(process.argv[2] ?? '') ?? []
const file = name === undefined ? './bin/run.js' : `./dist/${name.replaceAll('\\', '/')}.js`
if (name === undefined) {
  require(file)
} else {
  void import(file)
}
