/**
 * Tables. `tenant` is one customer in one environment: no query leaves it out, so sandbox and live data and the
 * customers never mix. `seq` is the order of recording, which paging walks. Times on the wire are ISO text; `due_at`
 * is milliseconds on the emulator's clock.
 */
export const firstSchema = `
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;

CREATE TABLE tenants (
  seq INTEGER PRIMARY KEY,
  environment TEXT NOT NULL,
  customer TEXT NOT NULL,
  UNIQUE (environment, customer)
);

CREATE TABLE api_keys (
  seq INTEGER PRIMARY KEY,
  tenant INTEGER NOT NULL REFERENCES tenants,
  id TEXT NOT NULL UNIQUE,
  hash TEXT NOT NULL UNIQUE,
  prefix TEXT NOT NULL,
  scopes TEXT NOT NULL,
  status TEXT NOT NULL,
  created_at TEXT NOT NULL,
  last_used_at TEXT,
  revoked_at TEXT
);

CREATE TABLE clients (
  seq INTEGER PRIMARY KEY,
  tenant INTEGER NOT NULL REFERENCES tenants,
  id TEXT NOT NULL,
  email TEXT,
  name TEXT,
  external_id TEXT,
  created_at TEXT NOT NULL,
  UNIQUE (tenant, id)
);
CREATE INDEX clients_page ON clients (tenant, seq);

CREATE TABLE connections (
  seq INTEGER PRIMARY KEY,
  tenant INTEGER NOT NULL REFERENCES tenants,
  client INTEGER NOT NULL REFERENCES clients,
  placeholder_id TEXT,
  id TEXT NOT NULL,
  institution_id TEXT NOT NULL,
  source TEXT NOT NULL,
  status TEXT NOT NULL,
  reached_active INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  last_refreshed_at TEXT,
  last_error TEXT,
  capabilities TEXT NOT NULL,
  widget_token TEXT,
  redirect_url TEXT,
  bank_account_id TEXT NOT NULL,
  syncs INTEGER NOT NULL DEFAULT 0,
  recovered INTEGER NOT NULL DEFAULT 0,
  unshared_accounts INTEGER NOT NULL DEFAULT 0,
  UNIQUE (tenant, id)
);
CREATE INDEX connections_page ON connections (client, seq);
CREATE UNIQUE INDEX connections_widget ON connections (widget_token);
CREATE INDEX connections_placeholder ON connections (placeholder_id);

CREATE TABLE accounts (
  seq INTEGER PRIMARY KEY,
  tenant INTEGER NOT NULL REFERENCES tenants,
  client INTEGER NOT NULL REFERENCES clients,
  connection INTEGER REFERENCES connections,
  id TEXT NOT NULL,
  source TEXT NOT NULL,
  type TEXT NOT NULL,
  subtype TEXT NOT NULL,
  iso_currency_code TEXT NOT NULL,
  name TEXT,
  mask TEXT,
  current_balance REAL,
  available_balance REAL,
  last_refreshed_at TEXT,
  oldest_transaction_date TEXT,
  liabilities TEXT,
  created_at TEXT,
  updated_at TEXT,
  UNIQUE (tenant, id)
);
CREATE INDEX accounts_page ON accounts (client, seq);
CREATE INDEX accounts_connection ON accounts (connection, seq);

CREATE TABLE transactions (
  seq INTEGER PRIMARY KEY,
  account INTEGER NOT NULL,
  id TEXT NOT NULL,
  amount REAL NOT NULL,
  iso_currency_code TEXT NOT NULL,
  date TEXT NOT NULL,
  description TEXT NOT NULL,
  external_id TEXT,
  merchant_name TEXT,
  category TEXT,
  pending INTEGER NOT NULL DEFAULT 0,
  retracted INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL
);
CREATE INDEX transactions_page ON transactions (account, seq);
CREATE INDEX transactions_id ON transactions (id);

CREATE TABLE statements (
  seq INTEGER PRIMARY KEY,
  account INTEGER NOT NULL REFERENCES accounts,
  id TEXT NOT NULL,
  statement_date TEXT NOT NULL,
  period_start TEXT NOT NULL,
  opening_balance REAL NOT NULL,
  closing_balance REAL NOT NULL,
  exported_to TEXT,
  created_at TEXT NOT NULL
);
CREATE INDEX statements_page ON statements (account, seq);
CREATE INDEX statements_id ON statements (id);

CREATE TABLE checks (
  seq INTEGER PRIMARY KEY,
  account INTEGER NOT NULL REFERENCES accounts,
  id TEXT NOT NULL,
  check_number TEXT,
  amount REAL,
  pay_to TEXT,
  description TEXT,
  transaction_date TEXT,
  ocr TEXT
);
CREATE INDEX checks_page ON checks (account, seq);
CREATE INDEX checks_id ON checks (id);

CREATE TABLE operations (
  seq INTEGER PRIMARY KEY,
  tenant INTEGER NOT NULL REFERENCES tenants,
  id TEXT NOT NULL,
  type TEXT NOT NULL,
  status TEXT NOT NULL,
  connection INTEGER REFERENCES connections,
  created_at TEXT NOT NULL,
  completed_at TEXT,
  result TEXT,
  error TEXT,
  UNIQUE (tenant, id)
);
CREATE INDEX operations_waiting ON operations (connection) WHERE status = 'queued';

CREATE TABLE refresh_reports (
  operation INTEGER NOT NULL REFERENCES operations,
  account INTEGER NOT NULL REFERENCES accounts,
  outcome TEXT,
  error TEXT,
  PRIMARY KEY (operation, account)
) WITHOUT ROWID;

CREATE TABLE refresh_budget (
  connection INTEGER NOT NULL REFERENCES connections,
  day TEXT NOT NULL,
  used INTEGER NOT NULL,
  PRIMARY KEY (connection, day)
) WITHOUT ROWID;

CREATE TABLE subscriptions (
  seq INTEGER PRIMARY KEY,
  tenant INTEGER NOT NULL REFERENCES tenants,
  id TEXT NOT NULL,
  url TEXT NOT NULL,
  event_types TEXT NOT NULL,
  signing_secret TEXT NOT NULL,
  previous_secret TEXT,
  rotated_at TEXT,
  created_at TEXT NOT NULL,
  last_success_at TEXT,
  last_failure_at TEXT,
  UNIQUE (tenant, id)
);

CREATE TABLE events (
  seq INTEGER PRIMARY KEY,
  tenant INTEGER NOT NULL REFERENCES tenants,
  id TEXT NOT NULL,
  type TEXT NOT NULL,
  created_at TEXT NOT NULL,
  body TEXT NOT NULL
);
CREATE INDEX events_id ON events (tenant, id);

CREATE TABLE deliveries (
  seq INTEGER PRIMARY KEY,
  event INTEGER NOT NULL REFERENCES events,
  subscription INTEGER NOT NULL REFERENCES subscriptions ON DELETE CASCADE,
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL
);
CREATE INDEX deliveries_subscription ON deliveries (subscription);

CREATE TABLE delivery_attempts (
  seq INTEGER PRIMARY KEY,
  tenant INTEGER NOT NULL REFERENCES tenants,
  event_id TEXT NOT NULL,
  event_type TEXT NOT NULL,
  subscription_id TEXT NOT NULL,
  attempted_at TEXT NOT NULL,
  latency_ms INTEGER NOT NULL,
  succeeded INTEGER NOT NULL,
  detail TEXT NOT NULL
);
CREATE INDEX delivery_attempts_window ON delivery_attempts (tenant, attempted_at);

CREATE TABLE jobs (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  due_at INTEGER NOT NULL,
  claimed INTEGER NOT NULL DEFAULT 0,
  job TEXT NOT NULL
);
CREATE INDEX jobs_due ON jobs (claimed, due_at, seq);

CREATE TABLE connect_sessions (
  seq INTEGER PRIMARY KEY,
  tenant INTEGER NOT NULL REFERENCES tenants,
  sid TEXT NOT NULL UNIQUE,
  client INTEGER NOT NULL REFERENCES clients,
  redirect_url TEXT,
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  revoked INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE reauth_links (
  seq INTEGER PRIMARY KEY,
  tenant INTEGER NOT NULL REFERENCES tenants,
  token TEXT NOT NULL UNIQUE,
  connection INTEGER NOT NULL REFERENCES connections,
  add_bank_source TEXT,
  expires_at TEXT NOT NULL
);

CREATE TABLE redirect_allowlists (
  tenant INTEGER PRIMARY KEY REFERENCES tenants,
  urls TEXT NOT NULL
);

CREATE TABLE idempotent_requests (
  api_key INTEGER NOT NULL REFERENCES api_keys,
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  status INTEGER,
  body TEXT,
  trace_id TEXT,
  PRIMARY KEY (api_key, key)
) WITHOUT ROWID;

CREATE TABLE portal_requests (
  seq INTEGER PRIMARY KEY,
  base TEXT NOT NULL,
  environment TEXT NOT NULL,
  idp_user_id TEXT NOT NULL,
  request_id TEXT NOT NULL,
  status TEXT NOT NULL,
  denial_code TEXT,
  fields TEXT NOT NULL,
  created_at TEXT NOT NULL,
  UNIQUE (base, environment, idp_user_id)
);
`

/** A Connection that the caller deleted is told from one that its source disconnected. */
export const deletedConnections = 'ALTER TABLE connections ADD COLUMN deleted INTEGER NOT NULL DEFAULT 0;'

/** Accounts that went away at their bank, and Connections that a later one of the same bank took the place of. */
export const goneAccounts = `
ALTER TABLE accounts ADD COLUMN gone INTEGER NOT NULL DEFAULT 0;
ALTER TABLE connections ADD COLUMN replaced INTEGER NOT NULL DEFAULT 0;`

/** Locks of a bank, which outlast other changes of status, and the headers of answers that are replayed. */
export const locksAndHeaders = `
ALTER TABLE connections ADD COLUMN locked INTEGER NOT NULL DEFAULT 0;
UPDATE connections SET locked = 1 WHERE last_error LIKE '%"account_locked_by_institution"%';
ALTER TABLE idempotent_requests ADD COLUMN headers TEXT NOT NULL DEFAULT '{}';`

/** The latest attempts to deliver, with what was sent and what came back; deliveries are found by their event. */
export const sentLog = `
CREATE TABLE sent (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  delivery INTEGER NOT NULL REFERENCES deliveries ON DELETE CASCADE,
  attempt INTEGER NOT NULL,
  at TEXT NOT NULL,
  ms INTEGER NOT NULL,
  detail TEXT NOT NULL,
  headers TEXT,
  answer TEXT
);
CREATE INDEX sent_delivery ON sent (delivery);
CREATE INDEX deliveries_event ON deliveries (event);
CREATE INDEX connections_newest ON connections (tenant, seq);`

/** The Connection that a reauthorize link of a bank that moved has added: each link adds one at most. */
export const addedByReauthLinks =
  'ALTER TABLE reauth_links ADD COLUMN added_connection INTEGER REFERENCES connections;'

/** The latest requests that were answered. Their numbers are not given again, so that a reader can go on after one. */
export const requestLog = `
CREATE TABLE requests (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  at TEXT NOT NULL,
  environment TEXT NOT NULL,
  method TEXT NOT NULL,
  path TEXT NOT NULL,
  status INTEGER,
  complete INTEGER NOT NULL,
  ms INTEGER NOT NULL,
  key_prefix TEXT,
  error_code TEXT,
  trace_id TEXT NOT NULL,
  request_body TEXT,
  response_body TEXT
);`
