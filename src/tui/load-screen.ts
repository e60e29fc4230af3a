/**
 * Loads the views with React's production build, which React chooses by NODE_ENV when it is loaded. The development
 * build is several times slower and records every frame.
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
