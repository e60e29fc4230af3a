/**
 * A plugin of Stryker that leaves texts for people alone: an error message, a hint or a line of a log may be reworded
 * without a test. Every other string is mutated: header names, codes, paths, SQL.
 */
import type { NodePath } from '@babel/core'

const sql = /^\s*(?:SELECT|INSERT|UPDATE|DELETE|CREATE|DROP|ALTER|PRAGMA|BEGIN|WITH|WHERE|AND|ORDER|VACUUM)\b/

export const strykerPlugins = [
  {
    kind: 'Ignore',
    name: 'sentences',
    value: { shouldIgnore: (path: NodePath) => (isSentence(path) ? 'a text for people' : undefined) },
  },
]

/** Three words or more. A template that computes something is mutated, because what is ignored is ignored whole. */
function isSentence({ node }: NodePath): boolean {
  const text =
    node.type === 'StringLiteral'
      ? node.value
      : node.type === 'TemplateLiteral' && node.expressions.every(isName)
        ? node.quasis.map(({ value }) => value.raw).join('x')
        : ''
  return (
    !sql.test(text) &&
    text
      .trim()
      .split(/\s+/)
      .filter((word) => /[a-z]/i.test(word)).length >= 3
  )
}

function isName({ type }: { type: string }): boolean {
  return type === 'Identifier' || type === 'MemberExpression'
}
