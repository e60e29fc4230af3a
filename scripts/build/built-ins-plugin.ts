/**
 * Node's own modules, taken when they are used. `import { existsSync } from 'node:fs'` makes Node read every export of
 * node:fs, whose getters load streams, promises and watchers; `import { randomUUID } from 'node:crypto'` loads all of
 * crypto although most commands need no random number. In the bundle an import is one property, and a plain
 * function is looked up at its first call.
 */
import { isBuiltin } from 'node:module'
import type { Plugin } from 'esbuild'

/** The module's source: one export per name, so that esbuild drops those that nobody imports. */
export function sourceOf(name: string): string {
  const builtIn = process.getBuiltinModule(name) as unknown as Record<string, unknown>
  const exports = Object.keys(builtIn)
    .filter((key) => /^[\w$]+$/.test(key) && key !== 'default')
    .map((key) =>
      isPlainFunction(key, builtIn[key])
        ? `function ${key}_(...args) { return take('${key}')(...args) }\nexport { ${key}_ as ${key} }`
        : `const ${key}_ = /* @__PURE__ */ take('${key}')\nexport { ${key}_ as ${key} }`,
    )
  return [
    `const whole = () => process.getBuiltinModule('${name}')`,
    'const take = (key) => whole()[key]',
    ...exports,
    'export default /* @__PURE__ */ whole()',
  ].join('\n')
}

/** Neither a constructor nor a function that carries something (`realpathSync.native`, what promisify asks for). */
function isPlainFunction(key: string, value: unknown): boolean {
  const usual = ['length', 'name', 'prototype']
  return (
    typeof value === 'function' &&
    /^[a-z]/.test(key) &&
    Reflect.ownKeys(value).every((own) => usual.includes(String(own)))
  )
}

export const builtInsPlugin: Plugin = {
  name: 'built-ins',
  setup(build) {
    build.onResolve({ filter: /^node:/ }, ({ path, kind }) =>
      kind === 'import-statement' && isBuiltin(path)
        ? { path, namespace: 'built-in', sideEffects: false }
        : undefined,
    )
    build.onLoad({ filter: /./, namespace: 'built-in' }, ({ path }) => ({
      contents: sourceOf(path),
      loader: 'js',
    }))
  },
}
