import { describe, expect, it } from 'vitest'
import { requireLate } from '../../scripts/build/oclif-plugin.ts'

/** Evaluates a CommonJS module and says which modules it has required after each step. */
function evaluate(source: string, use: (exports: Record<string, unknown>) => unknown) {
  const required: string[] = []
  const modules: Record<string, unknown> = {
    './errors': { CLIError: class Cli extends Error {} },
    './list': { default: () => 'a list' },
  }
  const require = (name: string) => {
    required.push(name)
    return modules[name]
  }
  const exports: Record<string, unknown> = {}
  new Function('exports', 'require', source)(exports, require)
  const atStart = [...required]
  return { atStart, result: use(exports), afterwards: required }
}

describe('a module that TypeScript wrote as CommonJS', () => {
  it('requires what it uses at the first use, once', () => {
    const source = `"use strict";
const errors_1 = require("./errors");
exports.fail = () => new errors_1.CLIError('x') instanceof errors_1.CLIError;`
    const { atStart, result, afterwards } = evaluate(requireLate(source), ({ fail }) =>
      (fail as () => unknown)(),
    )
    expect([atStart, result, afterwards]).toEqual([[], true, ['./errors']])
  })

  it('keeps default imports, calls without this, and new', () => {
    const source = `"use strict";
var __importDefault = (mod) => (mod && mod.__esModule ? mod : { default: mod });
const list_1 = __importDefault(require("./list"));
exports.list = () => (0, list_1.default.default)();`
    const { atStart, result } = evaluate(requireLate(source), ({ list }) => (list as () => unknown)())
    expect([atStart, result]).toEqual([[], 'a list'])
  })

  it('stays as it is where an import is used in another way than by its members', () => {
    const source = 'const errors_1 = require("./errors");\nexports.all = errors_1;\n'
    expect(requireLate(source)).toBe(source)
  })

  it('a class that extends an imported one requires it at once', () => {
    const source = `const errors_1 = require("./errors");
class Own extends errors_1.CLIError {}
exports.Own = Own;`
    expect(evaluate(requireLate(source), () => undefined).atStart).toEqual(['./errors'])
  })
})
