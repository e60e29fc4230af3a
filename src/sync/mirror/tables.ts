/**
 * The tables of the mirror as data: the migrations, the types of rows and `bankapi sync schema` come from this. A column or
 * table that a later version adds has a `since`; nothing is ever removed or renamed.
 */

/**
 * A column's type, and how it is stored: `money` is an exact decimal (numeric in Postgres, text in SQLite), `time` a UTC
 * moment (timestamptz, ISO-8601 text), `json` text in SQLite and jsonb in Postgres.
 */
export type ColumnType = 'text' | 'integer' | 'money' | 'time' | 'date' | 'boolean' | 'json'

export interface Column {
  readonly type: ColumnType
  readonly means: string
  /** NOT NULL. */
  readonly required?: true
  /** The version of the schema that added it; 1 when absent. */
  readonly since?: number
  /** Says who somebody is, or may: a name, an address, a mask, a whole answer. */
  readonly personal?: true
}

export interface Table {
  readonly means: string
  readonly key: readonly string[]
  readonly columns: Readonly<Record<string, Column>>
  readonly indexes?: readonly (readonly string[])[]
  readonly since?: number
}

/** The newest version of the schema. */
export const schemaVersion = 1

const text = (means: string) => ({ type: 'text', means }) as const
const id = (means: string) => ({ type: 'text', means, required: true }) as const
const integer = (means: string) => ({ type: 'integer', means }) as const
const money = (means: string) => ({ type: 'money', means }) as const
const time = (means: string) => ({ type: 'time', means }) as const
const date = (means: string) => ({ type: 'date', means }) as const
const boolean = (means: string) => ({ type: 'boolean', means }) as const
const json = (means: string) => ({ type: 'json', means }) as const
const personal = <C extends Column>(column: C) => ({ ...column, personal: true }) as const

/** What every mirrored resource has beside the API's own fields. */
const mirrored = {
  raw: personal({
    type: 'json',
    means: "The service's whole answer, unknown fields included",
    required: true,
  }),
  fingerprint: personal(id('A hash of the answer: another one means that something changed')),
  first_seen_at: { type: 'time', means: 'When sync first stored it', required: true },
  changed_at: { type: 'time', means: 'When sync last stored a change of it', required: true },
  gone_at: time('When it was proven to be gone; null while the service has it'),
  gone_reason: text('dropped, retracted, moved, not_found or unlisted'),
  missing_since: time('Since when a listing lacks it, although asked for by id the service still answers it'),
} as const satisfies Record<string, Column>

export const tables = {
  clients: {
    means: 'End-users',
    key: ['id'],
    columns: {
      id: id('cli_…'),
      email: personal(text('E-mail address')),
      name: personal(text('Name')),
      external_id: text("The caller's own join key"),
      created_at: time('When the service stored it'),
      listed_in: { type: 'integer', means: 'The last walk of the Clients that met it', required: true },
      ...mirrored,
    },
  },
  institutions: {
    means: 'Banks, as the Connections name them',
    key: ['id'],
    columns: {
      id: id('ins_…'),
      name: text('Name'),
      logo_url: text('Address of the logo'),
      ...mirrored,
    },
  },
  connections: {
    means: 'Links between a Client and a bank',
    key: ['id'],
    columns: {
      id: id('con_<SOURCE>_…'),
      client_id: id('The Client'),
      institution_id: text('The bank'),
      source: text('AGGREGATOR_A, AGGREGATOR_B or FDE'),
      status: text('initiated, requires_action, active, failed or disconnected'),
      last_error_code: text('The code of last_error'),
      last_error: json('The error that keeps it from working'),
      requires_desktop_app: boolean('FDE only: a refresh needs the desktop app'),
      expected_capabilities: json('What the bank is expected to give'),
      realized_capabilities: json('What it gave, per capability'),
      created_at: time('When it was linked'),
      updated_at: time('When the service last changed it'),
      last_refreshed_at: time('When its data was last refreshed'),
      ...mirrored,
    },
    indexes: [['client_id']],
  },
  accounts: {
    means: 'Accounts. One that is gone keeps its rows',
    key: ['id'],
    columns: {
      id: id('acc_<SOURCE>_…'),
      client_id: id('The Client'),
      connection_id: text('The Connection; null for PDF'),
      source: text('AGGREGATOR_A, AGGREGATOR_B, FDE or PDF'),
      type: text('checking, savings, credit_card, loan, investment or other'),
      subtype: text('Open vocabulary, finer than type'),
      name: personal(text('Name')),
      mask: personal(text('At most the last 4 digits of the number')),
      iso_currency_code: text('ISO 4217 code'),
      current_balance: money('In major units; positive is held, negative is owed'),
      available_balance: money('In major units, not sign-flipped'),
      liabilities: json('Terms of a liability account'),
      realized_capabilities: json('Per capability, tracked at bank level'),
      oldest_transaction_date: date('The earliest date of a transaction the service holds'),
      created_at: time('When the service stored it'),
      updated_at: time('When the service last changed it'),
      last_refreshed_at: time('When it was last refreshed'),
      ...mirrored,
    },
    indexes: [['client_id']],
  },
  transactions: {
    means: 'Transactions, pending and gone ones included. What counts is in the view ledger',
    key: ['account_id', 'id'],
    columns: {
      account_id: id('The account whose listing has it'),
      id: id('txn_<SOURCE>_…, unique within its account'),
      client_id: id('The Client'),
      date: date('The posted date; of a pending one the date the bank recorded it'),
      amount: money('In major units; money out is negative'),
      amount_minor: integer('The same in units of 10^-amount_exponent'),
      amount_exponent: integer("Decimals of amount_minor: the currency's, or more where the amount has more"),
      iso_currency_code: text('ISO 4217 code'),
      description: text('Text of the bank'),
      merchant_name: text('Merchant'),
      category: text('Normalized, best effort'),
      external_id: text("The aggregator's id; changes on settlement"),
      pending: { type: 'boolean', means: 'The bank holds an authorization', required: true },
      settled_at: time('When it settled under this id; null for one that came settled'),
      superseded_by: text('Of a dropped pending row: the settled row that was issued in its place'),
      superseded_match: text('exact or inferred'),
      position: {
        type: 'integer',
        means: 'Order of the listing: a larger one was recorded later',
        required: true,
      },
      ...mirrored,
    },
    indexes: [
      ['account_id', 'position'],
      ['account_id', 'date'],
    ],
  },
  statements: {
    means: 'Statements',
    key: ['account_id', 'id'],
    columns: {
      account_id: id('The account'),
      id: id('stmt_<SOURCE>_…'),
      client_id: id('The Client'),
      statement_date: date('Date of the statement'),
      source: text('AGGREGATOR_A, AGGREGATOR_B or FDE'),
      download_url: text('Relative path of the PDF; needs the Authorization header'),
      exported_to: text('Accounting platform it was exported to'),
      ...mirrored,
    },
  },
  checks: {
    means: 'Fronts of checks (FDE only)',
    key: ['account_id', 'id'],
    columns: {
      account_id: id('The account'),
      id: id('chk_<SOURCE>_…'),
      client_id: id('The Client'),
      source: text('FDE'),
      check_number: text('As reported by the bank'),
      amount: money('As reported by the bank'),
      amount_minor: integer('The same in units of 10^-amount_exponent'),
      amount_exponent: integer('Decimals of amount_minor'),
      pay_to: personal(text('Payee as reported by the bank')),
      description: text('Text of the bank'),
      transaction_date: date('Date of the transaction that it belongs to'),
      download_url: text('Relative path of the image; needs the Authorization header'),
      ocr: personal(json('Read from the image')),
      ...mirrored,
    },
  },
  files: {
    means: 'Files that were downloaded with --files: each is complete or absent',
    key: ['kind', 'account_id', 'id'],
    columns: {
      kind: id('statements or checks'),
      account_id: id('The account'),
      id: id('The id of the statement or check'),
      client_id: id('The Client'),
      path: text('Below the folder of --files'),
      content_type: text('As the service said'),
      bytes: integer('Size'),
      sha256: text('Hash of the content, in hex'),
      fetched_at: time('When it was downloaded'),
    },
  },
  account_balances: {
    means: 'A row per change of a balance: the history that the API does not keep',
    key: ['account_id', 'changed_at'],
    columns: {
      account_id: id('The account'),
      changed_at: { type: 'time', means: 'When sync saw it', required: true },
      client_id: id('The Client'),
      iso_currency_code: text('ISO 4217 code'),
      current_balance: money('In major units'),
      current_balance_minor: integer('The same in units of 10^-amount_exponent'),
      available_balance: money('In major units'),
      available_balance_minor: integer('The same in units of 10^-amount_exponent'),
      amount_exponent: integer('Decimals of the minor units'),
    },
  },
  connection_events: {
    means: "A row per change of a Connection's status or error",
    key: ['connection_id', 'changed_at'],
    columns: {
      connection_id: id('The Connection'),
      changed_at: { type: 'time', means: 'When sync saw it', required: true },
      client_id: id('The Client'),
      previous_status: text('The status before; null for the first'),
      status: text('The status'),
      error_code: text('The code of last_error'),
    },
  },
  account_lineage: {
    means: 'Accounts that continue another after a re-link',
    key: ['old_account_id', 'new_account_id'],
    columns: {
      old_account_id: id('The account before the re-link'),
      new_account_id: id('The account that continues it'),
      client_id: id('The Client'),
      match: text(
        'exact: their settled rows are equal one to one; inferred: type, currency and mask are equal',
      ),
      matching_rows: integer('How many settled rows are equal'),
      decision: text('confirmed or rejected by a person'),
      since: date(
        "The successor's oldest date: from it on its rows count in place of equal ones of the old account",
      ),
      first_seen_at: { type: 'time', means: 'When sync found it', required: true },
    },
  },
  streams: {
    means: 'What is walked and resumed as one',
    key: ['kind', 'subject'],
    columns: {
      kind: id('clients, connections, accounts, transactions, statements or checks'),
      subject: id('The Client or account; empty for the clients'),
      client_id: text('The Client'),
      walk: { type: 'integer', means: 'The number of the latest walk', required: true },
      complete_walk: {
        type: 'integer',
        means: 'The number of the last walk that reached its end',
        required: true,
      },
      walk_rows: { type: 'integer', means: 'Rows of the latest walk so far', required: true },
      walk_mode: text('full or incremental'),
      cursor: text('Where the latest walk goes on; null when it reached its end'),
      lease: text('Who walks, or walked last: a writer without it is refused'),
      leased_until: time('When another may take the lease; null when nobody walks'),
      complete_at: time('When the last complete walk was committed'),
      full_at: time('When the last full walk was committed'),
      failures: { type: 'integer', means: 'Failures in a row', required: true },
      error_code: text('Of the last failure; null after a success'),
      error_message: text('Of the last failure'),
      account_updated_at: time("The account's updated_at, read before the last complete walk"),
      account_refreshed_at: time("The account's last_refreshed_at, read before the last complete walk"),
      account_read_at: time('When those two were read'),
      oldest_transaction_date: date("The account's oldest_transaction_date at the last complete walk"),
    },
    indexes: [['client_id']],
  },
  runs: {
    means: 'Runs of sync',
    key: ['id'],
    columns: {
      id: id('UUID'),
      mode: text('once, watch or worker'),
      started_at: { type: 'time', means: 'Start', required: true },
      ended_at: time('End; null while it runs, or when it was killed'),
      outcome: text('complete, failed, interrupted or timed_out'),
      summary: json('What the command printed'),
    },
  },
  forgotten_clients: {
    means: 'Clients that were erased with `sync forget`: they are not imported again',
    key: ['client_id'],
    columns: {
      client_id: id('The Client'),
      forgotten_at: { type: 'time', means: 'When', required: true },
    },
  },
  pauses: {
    means: 'Until when nobody reads the service, because it asked to wait: for all workers (Postgres)',
    key: ['name'],
    columns: {
      name: id('reads'),
      paused_until: { type: 'time', means: "By the database's clock", required: true },
    },
  },
  mirror: {
    means: 'What the mirror is of',
    key: ['name'],
    columns: {
      name: id('schema_version, environment, base_url, created_at or scheduled_run_at'),
      value: id('Its value'),
    },
  },
} as const satisfies Record<string, Table>

export type TableName = keyof typeof tables

/** The personal columns of every table; of most none. */
export const personalColumns: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries<Table>(tables).map(([table, { columns }]) => [
    table,
    Object.keys(columns).filter((column) => columns[column]?.personal),
  ]),
)

/** How a column is read by Kysely: SQLite has numbers for booleans, and both give JSON and money as text. */
interface Read {
  text: string
  integer: number
  money: string
  time: string
  date: string
  boolean: boolean | number
  json: string
}

type Value<C> = C extends { type: infer T extends ColumnType }
  ? C extends { required: true }
    ? Read[T]
    : Read[T] | null
  : never

export type Row<T extends TableName> = {
  -readonly [C in keyof (typeof tables)[T]['columns']]: Value<(typeof tables)[T]['columns'][C]>
}

/** The database as Kysely types it. */
export type MirrorTables = { [T in TableName]: Row<T> }
