/** SQL that is made from the declared tables: the tables themselves, and the writing of rows. */
import { type Column, type ColumnType, type Table, type TableName, tables } from './tables.ts'

export interface Dialect {
  readonly kind: 'sqlite' | 'postgres'
  readonly types: Readonly<Record<ColumnType, string>>
}

export const sqliteDialect: Dialect = {
  kind: 'sqlite',
  types: {
    text: 'TEXT',
    integer: 'INTEGER',
    money: 'TEXT',
    time: 'TEXT',
    date: 'TEXT',
    boolean: 'INTEGER',
    json: 'TEXT',
  },
}

export const postgresDialect: Dialect = {
  kind: 'postgres',
  types: {
    text: 'text',
    integer: 'bigint',
    money: 'numeric',
    time: 'timestamptz',
    date: 'date',
    boolean: 'boolean',
    json: 'jsonb',
  },
}

/** The columns of rows that are written together: those of the first one. */
export function columnsOf(name: TableName, rows: readonly object[]): readonly (readonly [string, Column])[] {
  const table: Table = tables[name]
  return Object.keys(rows[0] ?? {}).map((column) => {
    const declared = table.columns[column]
    if (declared === undefined) throw new TypeError(`there is no column ${name}.${column}`)
    return [column, declared] as const
  })
}

/** `INSERT` of what `source` gives, which updates the rows whose key is there already. `first_seen_at` stays. */
export function upsert(name: TableName, columns: readonly string[], source: string): string {
  const { key }: Table = tables[name]
  const list = (names: readonly string[]) => names.map((column) => `"${column}"`).join(', ')
  const updated = columns.filter((column) => !key.includes(column) && column !== 'first_seen_at')
  const change =
    updated.length === 0
      ? 'NOTHING'
      : `UPDATE SET ${updated.map((column) => `"${column}" = excluded."${column}"`).join(', ')}`
  return `INSERT INTO "${name}" (${list(columns)}) ${source} ON CONFLICT (${list(key)}) DO ${change}`
}

/** The statements that bring the tables from one version of the schema to the newest. */
export function schemaChanges(dialect: Dialect, from: number): readonly string[] {
  const statements: string[] = []
  for (const [name, table] of Object.entries(tables) as [string, Table][]) {
    const columns = Object.entries(table.columns)
    const define = ([column, { type, required }]: [string, Column]) =>
      `"${column}" ${dialect.types[type]}${required ? ' NOT NULL' : ''}`
    if ((table.since ?? 1) > from) {
      const key = table.key.map((column) => `"${column}"`).join(', ')
      const options = dialect.kind === 'sqlite' ? ' STRICT' : ''
      statements.push(
        `CREATE TABLE "${name}" (\n  ${[...columns.map(define), `PRIMARY KEY (${key})`].join(',\n  ')}\n)${options}`,
      )
      for (const index of table.indexes ?? []) {
        statements.push(
          `CREATE INDEX "${name}_by_${index.join('_')}" ON "${name}" (${index.map((column) => `"${column}"`).join(', ')})`,
        )
      }
    } else {
      for (const column of columns.filter(([, { since = 1 }]) => since > from)) {
        statements.push(`ALTER TABLE "${name}" ADD COLUMN ${define(column)}`)
      }
    }
  }
  return statements
}
