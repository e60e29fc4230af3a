/**
 * Loads what draws. React picks its build when it is loaded, and the one for development is several times slower and
 * keeps a record of every frame: here it is always the other one.
 */
export async function loadScreen(env: NodeJS.ProcessEnv) {
  const before = env['NODE_ENV']
  env['NODE_ENV'] = 'production'
  try {
    return await import('./views/mount.tsx')
  } finally {
    if (before === undefined) delete env['NODE_ENV']
    else env['NODE_ENV'] = before
  }
}
