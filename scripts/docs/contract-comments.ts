/** Reads the doc comments of the contract: what OpenAPI calls descriptions, by the path of the schema or field. */
import { readdirSync, readFileSync } from 'node:fs'
import ts from 'typescript'

const folder = new URL('../../src/contract/', import.meta.url)

/** `Account.current_balance` → its comment, in one line. */
export function contractComments(): Record<string, string> {
  const comments: Record<string, string> = {}
  const files = readdirSync(folder).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  for (const name of files.sort()) readFile(name, comments)
  return comments
}

function readFile(name: string, comments: Record<string, string>): void {
  const source = ts.createSourceFile(
    name,
    readFileSync(new URL(name, folder), 'utf8'),
    ts.ScriptTarget.Latest,
    true,
  )
  const constants = new Map<string, ts.VariableDeclaration>()
  for (const statement of source.statements) {
    if (!ts.isVariableStatement(statement)) continue
    for (const one of statement.declarationList.declarations) constants.set(one.name.getText(), one)
  }
  for (const [constant, { initializer }] of constants) visit(constant, constants.get(constant), initializer)

  function visit(path: string, commented: ts.Node | undefined, value: ts.Node | undefined): void {
    const comment = commented && textOf(commented)
    if (comment !== undefined) comments[path] ??= comment
    fieldsOf(path, value)
  }

  /** The properties of every object in an expression, and of the constants that it names. */
  function fieldsOf(path: string, node: ts.Node | undefined): void {
    if (node === undefined) return
    if (ts.isObjectLiteralExpression(node)) {
      for (const property of node.properties) {
        if (ts.isPropertyAssignment(property)) {
          const name = ts.isStringLiteral(property.name) ? property.name.text : property.name.getText()
          visit(`${path}.${name}`, property, property.initializer)
        } else if (ts.isSpreadAssignment(property)) fieldsOf(path, property.expression)
      }
      return
    }
    if (ts.isIdentifier(node)) {
      const named = constants.get(node.text)
      if (named) visit(path, named, named.initializer)
      return
    }
    ts.forEachChild(node, (child) => {
      if (!ts.isTypeNode(child) && !ts.isFunctionLike(child)) fieldsOf(path, child)
    })
  }
}

function textOf(node: ts.Node): string | undefined {
  const declaration = ts.isVariableDeclaration(node) ? node.parent.parent : node
  const text = ts
    .getJSDocCommentsAndTags(declaration)
    .flatMap((part) => (ts.isJSDoc(part) ? [ts.getTextOfJSDocComment(part.comment) ?? ''] : []))
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim()
  return text === '' ? undefined : text
}
