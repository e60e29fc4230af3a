/** Describes the tables and views of a mirror, from their declarations and the SQL of the views; no mirror is needed. */
import { DatabaseSync } from 'node:sqlite'
import { migration, viewSource, views } from './migrate.ts'
import { postgresDialect, sqliteDialect } from './sql.ts'
import { type ColumnType, type Table, tables } from './tables.ts'

export interface SchemaColumn {
  readonly name: string
  readonly type: ColumnType
  readonly required: boolean
  readonly means: string
}

export interface SchemaEntry {
  readonly name: string
  readonly kind: 'table' | 'view'
  readonly means: string
  /** The primary key; empty for a view. */
  readonly key: readonly string[]
  readonly columns: readonly SchemaColumn[]
}

/** The views first: they are what people read. */
export function describeSchema(): readonly SchemaEntry[] {
  const described = (Object.entries(tables) as [string, Table][]).map(
    ([name, { means, key, columns }]): SchemaEntry => ({
      name,
      kind: 'table',
      means,
      key,
      columns: Object.entries(columns).map(([column, { type, required = false, means: meaning }]) => ({
        name: column,
        type,
        required,
        means: meaning,
      })),
    }),
  )
  return [...describedViews(), ...described]
}

/** The statements that make the tables and views of a new mirror. */
export function schemaSql(kind: 'sqlite' | 'postgres'): string {
  const dialect = kind === 'sqlite' ? sqliteDialect : postgresDialect
  return migration(dialect, 0)
    .filter((statement) => statement.startsWith('CREATE '))
    .map((statement) => `${statement};\n`)
    .join('\n')
}

/** SQLite itself says which table a view's column comes from; what a view computes is described at the head of its SQL. */
function describedViews(): SchemaEntry[] {
  const database = new DatabaseSync(':memory:')
  try {
    for (const statement of migration(sqliteDialect, 0)) database.exec(statement)
    return views.map((name) => {
      const { means, columns: own } = head(viewSource(name, sqliteDialect))
      const columns = database
        .prepare(`SELECT * FROM "${name}"`)
        .columns()
        .map(({ name: column, table, column: origin }): SchemaColumn => {
          const declared = (tables as Readonly<Record<string, Table>>)[table ?? '']?.columns[origin ?? '']
          const computed = own.get(column)
          if (computed !== undefined) return { name: column, required: false, ...computed }
          if (declared === undefined) throw new TypeError(`${name}.${column} is not described`)
          const { type, means: meaning } = declared
          return {
            name: column,
            type,
            required: false,
            means: origin === column ? meaning : `${table}.${origin}: ${meaning}`,
          }
        })
      return { name, kind: 'view' as const, means, key: [], columns }
    })
  } finally {
    database.close()
  }
}

/** The comment at the head of a view's SQL: what it is, then a line `column (type): meaning` per column that it computes. */
function head(source: string): { means: string; columns: Map<string, { type: ColumnType; means: string }> } {
  const means: string[] = []
  const columns = new Map<string, { type: ColumnType; means: string }>()
  for (const line of source.split('\n')) {
    if (!line.startsWith('-- ')) break
    const [, name, type, meaning] = /^-- ([a-z_]+) \((\w+)\): (.+)$/.exec(line) ?? []
    if (name === undefined || meaning === undefined) means.push(line.slice(3))
    else columns.set(name, { type: type as ColumnType, means: meaning })
  }
  return { means: means.join(' '), columns }
}
