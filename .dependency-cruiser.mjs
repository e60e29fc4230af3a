// Rules for who may import whom. docs/layout.md explains the modules; test/arch checks that every rule reports a violation.

/**
 * The modules of src/. `values` are the modules whose code a module may use, `types` those it may only name in types,
 * `lazy` those it may load with import() only.
 * @type {Record<string, { values: string[], types?: string[], lazy?: string[], path?: string }>}
 */
const modules = {
  // The base of every error: each module may throw one.
  errors: { path: '^src/errors\\.ts$', values: [] },
  // Bodies arrive in every module that reads from a network or a pipe.
  'growing-buffer': { path: '^src/growing-buffer\\.ts$', values: [] },
  // Both servers read bodies that others send.
  turns: { path: '^src/turns\\.ts$', values: [] },
  pipelining: { path: '^src/pipelining\\.ts$', values: [] },
  // Who may call the emulator, and what may be called in the clear.
  'private-names': { path: '^src/private-names\\.ts$', values: [] },
  contract: { values: [] },
  signing: { values: [] },
  openapi: { values: ['contract'] },
  api: { values: ['errors', 'growing-buffer', 'contract', 'signing'] },
  machine: { values: ['errors', 'growing-buffer'] },
  postgres: { values: ['errors'] },
  // Only the settings of endpoints need the contract itself.
  config: {
    values: ['errors', 'growing-buffer', 'private-names', 'machine', 'postgres'],
    lazy: ['contract'],
  },
  secrets: { values: ['errors', 'growing-buffer', 'config', 'machine'], types: ['contract'] },
  workflows: { values: ['errors', 'growing-buffer', 'contract', 'api'] },
  inbox: { values: ['errors', 'growing-buffer', 'machine', 'postgres'], types: ['contract'] },
  sync: { values: ['errors', 'growing-buffer', 'machine', 'postgres', 'contract', 'api', 'workflows'] },
  // Masks secrets in text from outside: the emulator's log and the assistant's answers show such text.
  'without-secrets': { path: '^src/without-secrets\\.ts$', values: [] },
  'mcp-sdk': { path: '^src/mcp-sdk\\.ts$', values: [] },
  // The assistant's tools over the same workflows as the commands.
  mcp: {
    path: '^src/mcp/(?!connector/)',
    values: ['errors', 'mcp-sdk', 'without-secrets', 'contract', 'api', 'workflows'],
    lazy: ['inbox', 'sync'],
  },
  // Passes messages on to the service, with sentences about what went wrong.
  'mcp/connector': { values: ['errors', 'growing-buffer', 'contract', 'api', 'secrets', 'output'] },
  listener: { values: ['errors', 'growing-buffer', 'turns', 'pipelining', 'contract', 'signing', 'inbox'] },
  emulator: {
    values: [
      'growing-buffer',
      'mcp-sdk',
      'private-names',
      'without-secrets',
      'turns',
      'pipelining',
      'contract',
      'signing',
    ],
  },
  output: { values: ['errors', 'growing-buffer'], types: ['contract'] },
  'tui/state': { values: [], types: ['contract'] },
  // The line of a delivery is the same on the screen as below a listener.
  'tui/views': { values: ['tui/state', 'output'] },
  'tui/effects': { values: ['workflows', 'listener', 'inbox', 'tui/state'], types: ['contract'] },
  // The TUI's own entry puts the three together.
  tui: {
    path: '^src/tui/[^/]+$',
    values: ['tui/state', 'tui/views', 'tui/effects', 'workflows', 'listener', 'inbox'],
  },
  cli: {
    values: [
      'errors',
      'growing-buffer',
      'config',
      'secrets',
      'machine',
      'api',
      'output',
      'contract',
      'workflows',
    ],
    // The inbox brings SQLite, the listener undici: loaded when there is something to note or to send.
    lazy: ['inbox', 'listener', 'tui'],
  },
  // What programs import as bankapi: the calls, with types that need no package.
  client: {
    path: '^src/client(?:\\.ts$|/)',
    values: ['errors', 'api', 'workflows'],
    types: ['contract'],
  },
  // What programs import as bankapi/webhooks: small, for any runtime, with the types of the events.
  webhooks: { path: '^src/webhooks\\.ts$', values: ['signing'], types: ['contract'] },
  // What programs import as bankapi/emulator: the emulator, with durations as text.
  'emulator-entry': { path: '^src/emulator\\.ts$', values: ['emulator', 'cli'] },
  // Files whose name begins with _ are no commands: they serve the commands of their area.
  areas: {
    path: '^src/commands/(?:_|.*/_)',
    values: [
      'errors',
      'growing-buffer',
      'cli',
      'config',
      'secrets',
      'machine',
      'api',
      'workflows',
      'output',
      'contract',
    ],
    lazy: ['listener', 'emulator', 'tui', 'inbox', 'signing', 'sync', 'mcp', 'mcp/connector'],
  },
  commands: {
    path: '^src/commands/(?!_|.*/_)',
    values: ['errors', 'growing-buffer', 'areas', 'cli', 'machine', 'workflows', 'output', 'contract'],
    // Heavy: loaded when the command runs, never when it is listed.
    lazy: ['listener', 'emulator', 'tui', 'inbox', 'signing', 'sync', 'mcp', 'mcp/connector', 'openapi'],
  },
}

/**
 * Packages that one module owns.
 * @type {Record<string, { packages: string[], only: string, because: string }>}
 */
const owned = {
  'undici-in-senders': {
    packages: ['undici'],
    only: '^src/(?:api|listener)/|^src/emulator/deliveries(?:/|\\.ts$)',
    because: 'requests leave from api/, listener/ and the deliveries of the emulator',
  },
  'keyring-in-keychain': {
    packages: ['@napi-rs/keyring'],
    only: '^src/secrets/keychain-process\\.ts$',
    because: 'one adapter knows the keychain, and its native code runs where it can be given up on',
  },
  'pg-in-postgres': {
    packages: ['pg'],
    only: '^src/postgres/pool\\.ts$',
    because: 'every connection is opened there: verified TLS, no password in an address',
  },
  'pg-boss-in-queue': {
    packages: ['pg-boss'],
    only: '^src/sync/jobs/queue\\.ts$',
    because: 'the workers know a queue, not the package that keeps it',
  },
  'mcp-sdk-in-servers': {
    packages: ['@modelcontextprotocol/server', '@modelcontextprotocol/client'],
    only: '^src/mcp-sdk\\.ts$',
    because: 'the build makes one file of it, which few commands read',
  },
  'ink-in-views': {
    packages: ['ink', 'react'],
    only: '^src/tui/views/|^src/tui/index\\.tsx?$',
    because: 'only the views draw',
  },
  'fastify-in-emulator': {
    packages: ['fastify'],
    only: '^src/emulator/',
    because: 'the emulator is the only server that needs it',
  },
}

/** Packages that are installed to build with: their code becomes part of dist/. test/package/ holds it to this. */
const bundledPackages = [
  ...[
    '@inquirer/prompts',
    '@modelcontextprotocol/server',
    '@oclif/core',
    'chalk',
    'csv-stringify',
    'ink',
    'jpeg-js',
    'kysely',
    'pdfkit',
    'pg',
    'pg-boss',
    'react',
    'undici',
    'yaml',
    'zod',
  ],
]

const tests = '\\.test\\.tsx?$'

/** @param {string} module */
const pathOf = (module) => modules[module]?.path ?? `^src/${module}/`
/** @param {string[]} names */
const pathsOf = (names) => names.map((name) => (name === 'tui' ? '^src/tui/' : pathOf(name)))
/** @param {string[]} names */
const packagePaths = (names) => names.map((name) => `(?:^|/)node_modules/(?:@types/)?${name}/`)

/**
 * @param {string} name
 * @param {string} comment
 * @param {import('dependency-cruiser').IRegularForbiddenRuleType['from']} from
 * @param {import('dependency-cruiser').IRegularForbiddenRuleType['to']} to
 * @returns {import('dependency-cruiser').IForbiddenRuleType}
 */
const forbid = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to })

/** A module imports itself and the modules of its line in the table, in the way the table says. */
const boundaries = Object.entries(modules).flatMap(([module, { values, types = [], lazy = [] }]) => {
  const name = module.replace('/', '-')
  const from = { path: pathOf(module), pathNot: tests }
  const allowed = [...values, ...types, ...lazy]
  const rules = [
    forbid(`${name}-boundary`, `${module} may import: ${allowed.join(', ') || 'no other module'}`, from, {
      path: '^src/',
      pathNot: [pathOf(module), ...pathsOf(allowed)],
    }),
  ]
  if (types.length > 0) {
    const comment = `${module} may import only types from: ${types.join(', ')}`
    const to = { path: pathsOf(types) }
    rules.push(forbid(`${name}-types-only`, comment, from, { ...to, dependencyTypesNot: ['type-only'] }))
  }
  if (lazy.length > 0) {
    const comment = `${module} reaches through import() only: ${lazy.join(', ')}`
    const to = { path: pathsOf(lazy) }
    rules.push(
      forbid(`${name}-lazy`, comment, from, { ...to, dependencyTypesNot: ['dynamic-import', 'type-only'] }),
    )
  }
  return rules
})

const ownedPackages = Object.entries(owned).map(([name, { packages, only, because }]) =>
  forbid(name, because, { path: '^src/', pathNot: [tests, only] }, { path: packagePaths(packages) }),
)

/** @param {string} module */
const codeOf = (module) => ({ path: pathOf(module), pathNot: tests })

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...boundaries,
    ...ownedPackages,
    forbid('contract-needs-zod-only', 'the contract is data: zod, and nothing of Node', codeOf('contract'), {
      pathNot: ['^src/', ...packagePaths(['zod'])],
    }),
    forbid(
      'openapi-needs-zod-only',
      'the document is made from the contract: no I/O, and no packages but zod',
      codeOf('openapi'),
      { pathNot: ['^src/', ...packagePaths(['zod'])] },
    ),
    forbid(
      'signing-needs-node-only',
      'signing is pure, and small enough to be read by an auditor: no packages',
      codeOf('signing'),
      { pathNot: '^src/', dependencyTypesNot: ['core'] },
    ),
    forbid(
      'tui-state-needs-nothing',
      'state is a pure function of what happened: no I/O, and no packages but the one that measures text, which decides how far it scrolls',
      codeOf('tui/state'),
      { pathNot: ['^src/', ...packagePaths(['string-width'])] },
    ),
    forbid(
      'no-test-code-in-production',
      'what users run does not import what tests need; bin/dev.js is not shipped',
      { path: '^(?:src|bin)/', pathNot: [tests, '^bin/dev\\.js$'] },
      { path: [tests, '^test/', '^scripts/'] },
    ),
    forbid(
      'no-dev-packages-in-production',
      'a devDependency is not there when the tool is installed, unless the build puts its code into dist/',
      { path: '^src/', pathNot: tests },
      {
        dependencyTypes: ['npm-dev'],
        dependencyTypesNot: ['type-only'],
        pathNot: packagePaths(bundledPackages),
      },
    ),
    forbid(
      'no-cycles',
      'modules that need each other cannot be understood one at a time; types count too',
      {},
      { circular: true },
    ),
    forbid('no-unresolvable', 'an import that leads nowhere', {}, { couldNotResolve: true }),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // The last imports a package that is built after this check.
    exclude: { path: '^test/arch/fixtures/|^dist/|^test/client/every-runtime\\.ts$' },
    // Read the TypeScript itself, so that imports of types are seen, and seen as such.
    tsPreCompilationDeps: true,
    parser: 'tsc',
    enhancedResolveOptions: {
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
    skipAnalysisNotInRules: true,
  },
}
