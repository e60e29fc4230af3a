/** Every operation of the service, its input and its answer. Made from the contract by `npm run docs`. */
import type { Call, ListCall } from './calls.ts'
import type { Download, Upload } from '../contract/values.ts'

/** Codes that the reference names or that are assumed; the service may answer with others. */
export type ErrorCode =
  | 'unknown_api_key'
  | 'insufficient_scope'
  | 'live_key_not_allowed'
  | 'not_found'
  | 'validation_failed'
  | 'invalid_request'
  | 'idempotency_conflict'
  | 'request_in_progress'
  | 'connection_deleted'
  | 'rate_limit_exceeded'
  | 'length_required'
  | 'payload_too_large'
  | 'refresh_partially_failed'
  | 'refresh_timed_out'
  | 'refresh_outcome_not_observable'
  | 'no_refreshable_accounts'
  | 'refresh_not_supported'
  | 'credentials_invalid'
  | 'account_locked_by_institution'
  | 'institution_unavailable'
  | 'mfa_required'
  | 'source_internal_error'
  | 'desktop_app_required'
  | 'desktop_app_route_choice'
  | 'firm_under_review'
  | 'pairing_code_invalid'
  | 'desktop_app_session_closed'
  | 'desktop_service_unavailable'
  | 'pairing_rate_limited'

/** Operations whose method and path the reference does not show. */
export type AssumedOperation =
  | 'reports.generate'
  | 'webhooks.get'
  | 'webhooks.update'
  | 'webhooks.delete'
  | 'webhooks.rotateSecret'
  | 'webhooks.test'
  | 'keys.create'
  | 'keys.list'
  | 'keys.revoke'
  | 'redirectUrls.get'
  | 'health.check'

/** Every operation, by area and name. */
export interface Operations {
  /** End-users whose bank data is read. */
  readonly clients: {
    /** Create a Client: `POST /clients`, with the scope `write:clients`. It may be sent again only when the service did not act on it: a refused connection, or a 429. Assumed where the reference is silent: status 201, response fields, that no field is required, scope. */
    readonly create: Call<ClientsCreateInput, Client>
    /** List Clients: `GET /clients`, with the scope `read:clients`. A page: follow `next_cursor` while `has_more` is true. It may be sent again after a failure. Assumed where the reference is silent: item shape, scope. */
    readonly list: ListCall<ClientsListInput, Client>
  }
  /** The catalog of banks. */
  readonly institutions: {
    /** Search the institution catalog by name: `GET /institutions`, with the scope `read:connections`. A page: follow `next_cursor` while `has_more` is true. It may be sent again after a failure. Assumed where the reference is silent: limit and cursor, scope. */
    readonly search: ListCall<InstitutionsSearchInput, Institution>
    /** Show an institution: `GET /institutions/{institution_id}`, with the scope `read:connections`. It may be sent again after a failure. Assumed where the reference is silent: scope. */
    readonly get: Call<InstitutionsGetInput, Institution>
  }
  /** Helpers that exist in the sandbox only. */
  readonly sandbox: {
    /** List the institutions to test with: `GET /sandbox/institutions`, with the scope `read:connections`. It may be sent again after a failure. Assumed where the reference is silent: scope. */
    readonly institutions: Call<SandboxInstitutionsInput, SandboxInstitutionsResult>
  }
  /** Links between a Client and a bank. */
  readonly connections: {
    /** Start linking a Client's bank: `POST /clients/{client_id}/connections`, with the scope `write:connections`. It goes on after the answer: poll the operation that the answer names. It may be sent again only when the service did not act on it: a refused connection, or a 429. Assumed where the reference is silent: scope. */
    readonly initiate: Call<ConnectionsInitiateInput, OperationAccepted>
    /** List a Client's Connections (canonical ids only): `GET /clients/{client_id}/connections`, with the scope `read:connections`. A page: follow `next_cursor` while `has_more` is true. It may be sent again after a failure. Assumed where the reference is silent: scope. */
    readonly list: ListCall<ConnectionsListInput, Connection>
    /** Show a Connection: `GET /connections/{connection_id}`, with the scope `read:connections`. It may be sent again after a failure. Assumed where the reference is silent: scope. */
    readonly get: Call<ConnectionsGetInput, Connection>
    /** Delete a Connection: `DELETE /connections/{connection_id}`, with the scope `write:connections`. It may be sent again after a failure. Assumed where the reference is silent: response 204, scope. */
    readonly delete: Call<ConnectionsDeleteInput, undefined>
    /** Ask the source for fresh data: `POST /connections/{connection_id}/refresh`, with the scope `write:connections`. It goes on after the answer: poll the operation that the answer names. Send `Content-Length: 0`. It may be sent again only when the service did not act on it: a refused connection, or a 429. Assumed where the reference is silent: no request body, scope. */
    readonly refresh: Call<ConnectionsRefreshInput, OperationAccepted>
    /** Make a link for the user to repair a Connection or share more accounts: `POST /connections/{connection_id}/reauthorize`, with the scope `write:connections`. Send `Content-Length: 0`. It is not to be sent again by a program: only the user may ask again. Assumed where the reference is silent: status 200, scope. */
    readonly reauthorize: Call<ConnectionsReauthorizeInput, Reauthorization>
  }
  /** Hosted links with which a user picks and connects a bank. */
  readonly connectSessions: {
    /** Make a hosted pick-and-connect link: `POST /clients/{client_id}/connect-session`, with the scope `write:connections`. After a failure it may be sent again with the same Idempotency-Key. Assumed where the reference is silent: status 201, scope. */
    readonly create: Call<ConnectSessionsCreateInput, ConnectSession>
    /** Kill a pick-and-connect link: `DELETE /clients/{client_id}/connect-session/{sid}`, with the scope `write:connections`. It may be sent again after a failure. Assumed where the reference is silent: response 204, scope. */
    readonly delete: Call<ConnectSessionsDeleteInput, undefined>
    /** The hosted page itself, opened by the user: `GET /connect-session`. It may be sent again after a failure. Assumed where the reference is silent: the name of the query parameter: token. */
    readonly page: Call<ConnectSessionsPageInput, Download>
  }
  /** Accounts of a Client. */
  readonly accounts: {
    /** List a Client's accounts: `GET /accounts`, with the scope `read:accounts`. A page: follow `next_cursor` while `has_more` is true. It may be sent again after a failure. Assumed where the reference is silent: scope. */
    readonly list: ListCall<AccountsListInput, Account>
    /** Show an account: `GET /accounts/{account_id}`, with the scope `read:accounts`. It may be sent again after a failure. Assumed where the reference is silent: scope. */
    readonly get: Call<AccountsGetInput, Account>
  }
  /** Transactions of an account. */
  readonly transactions: {
    /** List an account's transactions, most recently recorded first: `GET /accounts/{account_id}/transactions`, with the scope `read:transactions`. A page: follow `next_cursor` while `has_more` is true. It may be sent again after a failure. Assumed where the reference is silent: from and to are inclusive, scope. */
    readonly list: ListCall<TransactionsListInput, Transaction>
    /** Show a transaction: `GET /transactions/{transaction_id}`, with the scope `read:transactions`. It may be sent again after a failure. Assumed where the reference is silent: scope. */
    readonly get: Call<TransactionsGetInput, Transaction>
  }
  /** Statements, their files, and what is extracted from a PDF. */
  readonly statements: {
    /** List an account's statements: `GET /accounts/{account_id}/statements`, with the scope `read:statements`. A page: follow `next_cursor` while `has_more` is true. It may be sent again after a failure. Assumed where the reference is silent: scope. */
    readonly list: ListCall<StatementsListInput, Statement>
    /** Show a statement: `GET /statements/{statement_id}`, with the scope `read:statements`. It may be sent again after a failure. Assumed where the reference is silent: scope. */
    readonly get: Call<StatementsGetInput, Statement>
    /** Download a statement's PDF: `GET /statements/{statement_id}/download`, with the scope `read:statements`. It may be sent again after a failure. Assumed where the reference is silent: scope. */
    readonly download: Call<StatementsDownloadInput, Download>
    /** Upload a PDF statement and extract its line items: `POST /statements/extract`, with the scope `write:statements`. It goes on after the answer: poll the operation that the answer names. It may be sent again only when the service did not act on it: a refused connection, or a 429. Assumed where the reference is silent: the upload encoding: multipart/form-data with one field, file (or the setting upload.encoding); scope. */
    readonly extract: Call<StatementsExtractInput, OperationAccepted>
  }
  /** Images of checks. */
  readonly checks: {
    /** List an account's checks (empty for accounts that are not FDE): `GET /accounts/{account_id}/checks`, with the scope `read:checks`. A page: follow `next_cursor` while `has_more` is true. It may be sent again after a failure. */
    readonly list: ListCall<ChecksListInput, Check>
    /** Show a check: `GET /accounts/{account_id}/checks/{check_id}`, with the scope `read:checks`. It may be sent again after a failure. */
    readonly get: Call<ChecksGetInput, Check>
    /** Download a check's image: `GET /accounts/{account_id}/checks/{check_id}/download`, with the scope `read:checks`. It may be sent again after a failure. */
    readonly download: Call<ChecksDownloadInput, Download>
  }
  /** Work that goes on after its request was answered. */
  readonly operations: {
    /** Show an operation: `GET /operations/{operation_id}`. It may be sent again after a failure. Assumed where the reference is silent: that any key may read an operation of its customer. */
    readonly get: Call<OperationsGetInput, Operation>
  }
  /** Verification reports. */
  readonly reports: {
    /** Generate a verification report: `POST /clients/{client_id}/verification-reports`, with the scope `read:accounts`. It goes on after the answer: poll the operation that the answer names. Send `Content-Length: 0`. It may be sent again only when the service did not act on it: a refused connection, or a 429. The method and path are assumed; the setting `endpoints.reports.generate` of bankapi replaces them. Assumed where the reference is silent: method, path, no body, scope. */
    readonly generate: Call<ReportsGenerateInput, OperationAccepted>
  }
  /** Subscriptions to events. */
  readonly webhooks: {
    /** Subscribe a URL to events: `POST /webhooks/subscriptions`, with the scope `write:webhooks`. It may be sent again only when the service did not act on it: a refused connection, or a 429. Assumed where the reference is silent: status 201, scope. */
    readonly create: Call<WebhooksCreateInput, SubscriptionWithSecret>
    /** List webhook subscriptions: `GET /webhooks/subscriptions`, with the scope `read:webhooks`. A page: follow `next_cursor` while `has_more` is true. It may be sent again after a failure. Assumed where the reference is silent: scope. */
    readonly list: ListCall<WebhooksListInput, Subscription>
    /** Show a webhook subscription: `GET /webhooks/subscriptions/{subscription_id}`, with the scope `read:webhooks`. It may be sent again after a failure. The method and path are assumed; the setting `endpoints.webhooks.get` of bankapi replaces them. Assumed where the reference is silent: method, path, scope. */
    readonly get: Call<WebhooksGetInput, Subscription>
    /** Change a webhook subscription's URL or event types: `PATCH /webhooks/subscriptions/{subscription_id}`, with the scope `write:webhooks`. It may be sent again only when the service did not act on it: a refused connection, or a 429. The method and path are assumed; the setting `endpoints.webhooks.update` of bankapi replaces them. Assumed where the reference is silent: path, body fields, scope. */
    readonly update: Call<WebhooksUpdateInput, Subscription>
    /** Remove a webhook subscription: `DELETE /webhooks/subscriptions/{subscription_id}`, with the scope `write:webhooks`. It may be sent again after a failure. The method and path are assumed; the setting `endpoints.webhooks.delete` of bankapi replaces them. Assumed where the reference is silent: that it exists; method, path, response, scope. */
    readonly delete: Call<WebhooksDeleteInput, undefined>
    /** Replace the signing secret; the old one stays valid 24 hours: `POST /webhooks/subscriptions/{subscription_id}/rotate-secret`, with the scope `write:webhooks`. Send `Content-Length: 0`. It may be sent again only when the service did not act on it: a refused connection, or a 429. The method and path are assumed; the setting `endpoints.webhooks.rotateSecret` of bankapi replaces them. Assumed where the reference is silent: method, path, response shape, scope. */
    readonly rotateSecret: Call<WebhooksRotateSecretInput, SubscriptionWithSecret>
    /** Queue a signed webhook.test delivery: `POST /webhooks/subscriptions/{subscription_id}/test`, with the scope `write:webhooks`. Send `Content-Length: 0`. It may be sent again only when the service did not act on it: a refused connection, or a 429. The method and path are assumed; the setting `endpoints.webhooks.test` of bankapi replaces them. Assumed where the reference is silent: path, scope. */
    readonly test: Call<WebhooksTestInput, WebhooksTestResult>
  }
  /** API keys and their scopes. */
  readonly keys: {
    /** Create an API key: `POST /api-keys`, with the scope `write:api-keys`. It may be sent again only when the service did not act on it: a refused connection, or a 429. The method and path are assumed; the setting `endpoints.keys.create` of bankapi replaces them. Assumed where the reference is silent: path, body, the name of the field with the plaintext (secret), scope. */
    readonly create: Call<KeysCreateInput, ApiKeyWithSecret>
    /** List API keys: `GET /api-keys`, with the scope `read:api-keys`. A page: follow `next_cursor` while `has_more` is true. It may be sent again after a failure. The method and path are assumed; the setting `endpoints.keys.list` of bankapi replaces them. Assumed where the reference is silent: path, paging, scope. */
    readonly list: ListCall<KeysListInput, ApiKey>
    /** Set a key's complete, final scopes: `PATCH /api-keys/{api_key_id}`, with the scope `write:api-keys`. It may be sent again only when the service did not act on it: a refused connection, or a 429. Assumed where the reference is silent: scope. */
    readonly updateScopes: Call<KeysUpdateScopesInput, ApiKey>
    /** Revoke a key for good: `DELETE /api-keys/{api_key_id}`, with the scope `write:api-keys`. It may be sent again after a failure. The method and path are assumed; the setting `endpoints.keys.revoke` of bankapi replaces them. Assumed where the reference is silent: method, path, response, scope. */
    readonly revoke: Call<KeysRevokeInput, undefined>
  }
  /** The allowlist of redirect URLs. */
  readonly redirectUrls: {
    /** Show the redirect allowlist: `GET /settings/redirect-urls`, with the scope `read:connections`. It may be sent again after a failure. The method and path are assumed; the setting `endpoints.redirectUrls.get` of bankapi replaces them. Assumed where the reference is silent: that it exists, an empty list when there is no row, scope. */
    readonly get: Call<RedirectUrlsGetInput, RedirectAllowlist>
    /** Replace the whole redirect allowlist: `POST /settings/redirect-urls`, with the scope `write:connections`. It may be sent again only when the service did not act on it: a refused connection, or a 429. Assumed where the reference is silent: status 200, scope. */
    readonly set: Call<RedirectUrlsSetInput, RedirectAllowlist>
    /** Remove the redirect allowlist: `DELETE /settings/redirect-urls`, with the scope `write:connections`. It may be sent again after a failure. Assumed where the reference is silent: scope. */
    readonly clear: Call<RedirectUrlsClearInput, undefined>
  }
  /** Counts of data and deliveries. */
  readonly metrics: {
    /** Counts of Clients, Connections, accounts and data: `GET /metrics/summary`. It may be sent again after a failure. Assumed where the reference is silent: that any key may read metrics. */
    readonly summary: Call<MetricsSummaryInput, MetricsSummary>
    /** How webhook deliveries went: `GET /metrics/webhook-delivery`. It may be sent again after a failure. Assumed where the reference is silent: that any key may read metrics. */
    readonly webhookDelivery: Call<MetricsWebhookDeliveryInput, WebhookDeliveryMetrics>
  }
  /** Applications for access, signed by the developer portal. */
  readonly portal: {
    /** Apply for production access: `POST /portal/live-request`. It may be sent again only when the service did not act on it: a refused connection, or a 429. Assumed where the reference is silent: status 201, that only idp_user_id is required. */
    readonly createLiveRequest: Call<PortalCreateLiveRequestInput, PortalRequest>
    /** Edit an application for production access: `PATCH /portal/live-request`. It may be sent again only when the service did not act on it: a refused connection, or a 429. */
    readonly updateLiveRequest: Call<PortalUpdateLiveRequestInput, PortalRequest>
    /** Apply for sandbox access: `POST /portal/access-request`. It may be sent again only when the service did not act on it: a refused connection, or a 429. Assumed where the reference is silent: the body and the answer: those of a live request. */
    readonly createAccessRequest: Call<PortalCreateAccessRequestInput, PortalRequest>
    /** Where an applicant stands: `GET /portal/access-request/status`. It may be sent again after a failure. */
    readonly accessRequestStatus: Call<PortalAccessRequestStatusInput, AccessRequestStatus>
  }
  /** The liveness probe. */
  readonly health: {
    /** Is the service up?: `GET /health`. It may be sent again after a failure. The method and path are assumed; the setting `endpoints.health.check` of bankapi replaces them. Assumed where the reference is silent: path, response shape. */
    readonly check: Call<HealthCheckInput, HealthCheckResult>
  }
}

export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
interface components {
    schemas: {
        AccountId: string;
        ApiKeyId: string;
        CheckId: string;
        ClientId: string;
        /** @description Canonical or placeholder: `con_<SOURCE>_<bankAccountId>` or `con_<uuid>`. */
        ConnectionId: string;
        /** @description `evt_<id>` or a bare UUID: opaque, compared as the exact string. */
        EventId: string;
        InstitutionId: string;
        OperationId: string;
        /** @description The opaque id of a connect session; also the link's credential. */
        SessionId: string;
        StatementId: string;
        SubscriptionId: string;
        TransactionId: string;
        /**
         * @description Where data comes from. `PDF` is read-only: never a Connection.
         * @enum {string}
         */
        Source: "AGGREGATOR_A" | "AGGREGATOR_B" | "FDE" | "PDF";
        /** @enum {string} */
        ConnectionSource: "AGGREGATOR_A" | "AGGREGATOR_B" | "FDE";
        /** @enum {string} */
        Capability: "transactions" | "balance" | "available_balance" | "statements" | "check_images";
        /** @enum {string} */
        CapabilityStatus: "succeeded" | "failed" | "skipped" | "unsupported" | "pending";
        /**
         * @description Every scope of an API key, spelled as the API does.
         * @enum {string}
         */
        Scope: "read:clients" | "write:clients" | "read:connections" | "write:connections" | "read:accounts" | "read:transactions" | "read:statements" | "write:statements" | "read:checks" | "manage:webhooks" | "read:webhooks" | "write:webhooks" | "read:api-keys" | "write:api-keys";
        /**
         * @description Eight real events plus `webhook.test`. There is no `connection.initiated` and no account-added event.
         * @enum {string}
         */
        EventType: "connection.requires_action" | "connection.active" | "connection.failed" | "connection.disconnected" | "connection.capability_changed" | "account.refresh.completed" | "account.refresh.failed" | "statement.available" | "webhook.test";
        /** @description The source's promise, per capability. */
        ExpectedCapabilities: {
            [key: string]: {
                /** @enum {string} */
                promise: "always" | "sometimes" | "never";
            };
        };
        /** @description The observed status, per capability. Tracked at bank level: shared by the accounts of one Connection. */
        RealizedCapabilities: {
            [key: string]: {
                status: components["schemas"]["CapabilityStatus"];
                /** Format: date-time */
                last_success_at?: string;
                /** Format: date-time */
                next_refresh_after?: string;
                last_error?: components["schemas"]["ApiError"];
            };
        };
        /** @description `error` of the envelope; also `last_error` of a Connection and `error` of an Operation. */
        ApiError: {
            code: string;
            message: string;
            type?: string;
            doc_url?: string;
            category?: string;
            is_user_actionable?: boolean;
            source_diagnostic_code?: string;
            param?: string;
            trace_id?: string;
            /** @description One field-level problem of a `validation_failed` error. */
            errors?: {
                param?: string;
                message: string;
                code?: string;
            }[];
            /** @description An account that did not report, as a refresh failure lists it. Its fields are assumed: the reference names only `accounts[]`. */
            accounts?: {
                id?: string;
                code?: string;
                message?: string;
            }[];
        };
        ErrorEnvelope: {
            /** @description `error` of the envelope; also `last_error` of a Connection and `error` of an Operation. */
            error: components["schemas"]["ApiError"];
        };
        /** @description An end-user. Every field but `id` is assumed: the reference shows only what the creation accepts. */
        Client: {
            id: components["schemas"]["ClientId"];
            email?: string | null;
            name?: string | null;
            /** @description The caller's own join key. */
            external_id?: string | null;
            created_at?: string | null;
        };
        Institution: {
            id: components["schemas"]["InstitutionId"];
            name: string;
            logo_url?: string | null;
            /** @description True when the bank is reached through FDE and needs the desktop app for refreshes; omitted when unknown. */
            requires_desktop_app?: boolean;
        };
        /** @description A Client's link to an institution through a source. */
        Connection: {
            id: components["schemas"]["ConnectionId"];
            client_id?: components["schemas"]["ClientId"];
            source: components["schemas"]["ConnectionSource"];
            status: components["schemas"]["ConnectionStatus"];
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            last_refreshed_at: string | null;
            institution: {
                id: components["schemas"]["InstitutionId"];
                name: string;
                logo_url?: string | null;
            };
            last_error?: components["schemas"]["ApiError"] | null;
            expected_capabilities?: components["schemas"]["ExpectedCapabilities"];
            realized_capabilities?: components["schemas"]["RealizedCapabilities"];
            /** @description FDE only: when true the desktop app must be open and connected for a refresh to run. */
            requires_desktop_app?: boolean;
        };
        /** @enum {string} */
        ConnectionStatus: "initiated" | "requires_action" | "active" | "failed" | "disconnected";
        /** @description `result` of a Connection operation: a snapshot, written once. An initiate's holds the widget URL to open. */
        ConnectionResult: {
            kind: string;
            connection: {
                id: components["schemas"]["ConnectionId"];
                source?: components["schemas"]["ConnectionSource"];
                status?: components["schemas"]["ConnectionStatus"];
                action?: {
                    widget_url: string;
                } | null;
                _debug?: {
                    source_used: string;
                } | null;
            };
        };
        /** @description Answer to reauthorize. `reauth_url` is a reusable bearer credential until `expires_at` (about six days): not to be logged. A `source` that differs from the id's means an add-bank link for another provider: new ids will follow. */
        Reauthorization: {
            connection_id: components["schemas"]["ConnectionId"];
            source: components["schemas"]["ConnectionSource"];
            action: {
                /** @constant */
                kind: "reauthorize";
                reauth_url: string;
                /** Format: date-time */
                expires_at: string;
            };
        };
        /** @description A hosted pick-and-connect link. `sid` is also the link's credential: kept server-side. */
        ConnectSession: {
            sid: components["schemas"]["SessionId"];
            url: string;
            /** Format: date-time */
            expires_at: string;
        };
        /** @description An account. Balances are in major units of `iso_currency_code`. */
        Account: {
            id: components["schemas"]["AccountId"];
            source: components["schemas"]["Source"];
            type: components["schemas"]["AccountType"];
            iso_currency_code: string;
            /** @description Canonical; null for PDF and on a sandbox single fetch. */
            connection_id: components["schemas"]["ConnectionId"] | null;
            client_id?: components["schemas"]["ClientId"];
            name?: string;
            /** @description Open vocabulary; `unknown` when the source gave no type. */
            subtype: string;
            /** @description At most the last 4 digits of the account number. */
            mask?: string | null;
            /** @description Signed from the holder's view: positive is value held, negative is value owed. */
            current_balance?: number | null;
            /** @description Not sign-flipped; reported only by AGGREGATOR_B and only for some accounts. */
            available_balance?: number | null;
            last_refreshed_at?: string | null;
            /** @description The minimum transaction date held; can move backwards after a backfill. */
            oldest_transaction_date?: string | null;
            /** @description Terms of a liability account. A missing field means the bank did not say, not zero. Amounts in major units. */
            liabilities?: {
                credit_limit?: number | null;
                available_credit?: number | null;
                /** @description Signed like `current_balance`: owed is negative. */
                statement_balance?: number | null;
                minimum_payment?: number | null;
                /** @description As current as the last refresh: a past date means the cycle rolled over, not that a payment is overdue. */
                payment_due_date?: string | null;
            } | null;
            realized_capabilities?: components["schemas"]["RealizedCapabilities"] | null;
            created_at?: string | null;
            updated_at?: string | null;
        };
        /** @enum {string} */
        AccountType: "checking" | "savings" | "credit_card" | "loan" | "investment" | "other";
        /** @description A transaction. A field that is not known is absent, not null. `amount` is in major units: money out negative, money in positive, on every source. */
        Transaction: {
            id: components["schemas"]["TransactionId"];
            account_id: components["schemas"]["AccountId"];
            amount: number;
            iso_currency_code: string;
            /**
             * Format: date
             * @description The posted date; of a pending charge, the date the bank recorded it, which can change on settlement.
             */
            date: string;
            description: string;
            /** @description The upstream aggregator's id, when available. */
            external_id?: string;
            merchant_name?: string;
            /** @description Normalized, best effort across sources. */
            category?: string;
            /** @description True while the bank holds an authorization rather than a settled charge. */
            pending: boolean;
        };
        Statement: {
            id: components["schemas"]["StatementId"];
            /** Format: date */
            statement_date: string;
            /** @description Populated when listing an account's statements, null on get-by-id. */
            account_id?: components["schemas"]["AccountId"] | null;
            source: components["schemas"]["Source"];
            /** @description Relative `/v3` path of the PDF; needs the Authorization header; does not expire. */
            download_url?: string;
            /** @description Accounting platform the statement was exported to, if any. */
            exported_to?: string;
        };
        /** @description The front of a check, FDE only. A field that is not known is absent, not null. Amounts in major units of the account's currency. */
        Check: {
            id: components["schemas"]["CheckId"];
            account_id: components["schemas"]["AccountId"];
            source: components["schemas"]["Source"];
            /** @description Relative `/v3` path of the image; needs the Authorization header. */
            download_url: string;
            check_number?: string;
            amount?: number;
            pay_to?: string;
            description?: string;
            /**
             * Format: date
             * @description Date of the bank transaction the check belongs to.
             */
            transaction_date?: string;
            /** @description Read from the image by OCR, separate from the bank's data; absent when nothing was recognised. */
            ocr?: {
                pay_to?: string;
                amount?: number;
                check_number?: string;
                bank_name?: string;
                /** Format: date */
                check_date?: string;
                memo?: string;
            };
        };
        /** @description The progress of an asynchronous call. */
        Operation: {
            id: components["schemas"]["OperationId"];
            /** @description Open vocabulary, for example `account.refresh`, `connection.initiate`. */
            type: string;
            /** @enum {string} */
            status: "queued" | "succeeded" | "failed";
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description Absent while `queued`.
             */
            completed_at?: string;
            /** @description Populated when `succeeded`; `kind` says of what. */
            result?: components["schemas"]["ConnectionResult"] | {
                kind: string;
            };
            /** @description Populated when `failed`. */
            error?: components["schemas"]["ApiError"];
        };
        /** @description Answer to every asynchronous call. */
        OperationAccepted: {
            operation_id: string;
            /** @constant */
            status: "queued";
            poll_url: string;
            /** @description A best-effort floor, in seconds. */
            estimated_seconds?: number;
        };
        /** @description A webhook subscription. It stays `active` however badly delivery goes. */
        Subscription: {
            id: components["schemas"]["SubscriptionId"];
            url: string;
            event_types: components["schemas"]["EventType"][];
            /** @constant */
            status: "active";
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description Omitted, never null, when there is nothing to report.
             */
            last_success_at?: string;
            /**
             * Format: date-time
             * @description Newer than `last_success_at` means deliveries are failing now. Omitted when there was no failure.
             */
            last_failure_at?: string;
        };
        /** @description A subscription with its signing secret, which is shown once. */
        SubscriptionWithSecret: {
            id: components["schemas"]["SubscriptionId"];
            url: string;
            event_types: components["schemas"]["EventType"][];
            /** @constant */
            status: "active";
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description Omitted, never null, when there is nothing to report.
             */
            last_success_at?: string;
            /**
             * Format: date-time
             * @description Newer than `last_success_at` means deliveries are failing now. Omitted when there was no failure.
             */
            last_failure_at?: string;
            signing_secret: string;
        };
        ApiKey: {
            id: components["schemas"]["ApiKeyId"];
            /** @enum {string} */
            environment: "sandbox" | "live";
            /** @description The first few characters of the key, safe to display. */
            prefix: string;
            scopes: components["schemas"]["Scope"][];
            /** @enum {string} */
            status: "active" | "revoked";
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description Absent until it happened, as `revoked_at` is.
             */
            last_used_at?: string;
            /** Format: date-time */
            revoked_at?: string;
        };
        /** @description A key with its plaintext, which is returned exactly once. The field name `secret` is assumed. */
        ApiKeyWithSecret: {
            id: components["schemas"]["ApiKeyId"];
            /** @enum {string} */
            environment: "sandbox" | "live";
            /** @description The first few characters of the key, safe to display. */
            prefix: string;
            scopes: components["schemas"]["Scope"][];
            /** @enum {string} */
            status: "active" | "revoked";
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description Absent until it happened, as `revoked_at` is.
             */
            last_used_at?: string;
            /** Format: date-time */
            revoked_at?: string;
            secret: string;
        };
        /** @description The redirect allowlist of an environment: at most 20 https URLs of at most 2048 characters. */
        RedirectAllowlist: {
            environment: string;
            allowed_redirect_urls: string[];
        };
        MetricsSummary: {
            /** @description All-time. */
            total_clients: number;
            /** @description Currently active. */
            active_connections: number;
            /** @description On any active Connection. */
            linked_accounts: number;
            statements_in_period: number;
            transactions_in_period: number;
            stale_accounts_count: number;
        };
        WebhookDeliveryMetrics: {
            total_deliveries: number;
            success_count: number;
            failure_count: number;
            /** @description Attempted delivery time minus event creation time, in milliseconds. */
            p95_latency_ms: number;
            /** @description The top 10 event types by failures. */
            failures_by_event: {
                event_type: string;
                count: number;
            }[];
        };
        /** @description An application for access. */
        PortalRequest: {
            /** Format: uuid */
            request_id: string;
            /** @enum {string} */
            status: "PENDING" | "NEEDS_INFO" | "APPROVED" | "DENIED";
            /** @enum {string} */
            environment: "SANDBOX" | "LIVE";
            /** Format: date-time */
            created_at: string;
        };
        /** @description The status of an applicant's requests; null when none was filed. */
        AccessRequestStatus: {
            sandbox_status: ("PENDING" | "NEEDS_INFO" | "APPROVED" | "DENIED") | null;
            live_status: ("PENDING" | "NEEDS_INFO" | "APPROVED" | "DENIED") | null;
            sandbox_denial_reason_code_public?: string | null;
            live_denial_reason_code_public?: string | null;
        };
        ClientsCreateInput: {
            email?: string;
            name?: string;
            external_id?: string;
        };
        ClientsListInput: {
            /**
             * @description Items of a page. More than 500 is capped, not refused.
             * @default 100
             */
            limit?: number;
            /** @description The `next_cursor` of the page before. It belongs to the exact query that it was made for. */
            cursor?: string;
        };
        InstitutionsSearchInput: {
            /** @description Part of a name. */
            q?: string;
            /**
             * @description Items of a page. More than 500 is capped, not refused.
             * @default 100
             */
            limit?: number;
            /** @description The `next_cursor` of the page before. It belongs to the exact query that it was made for. */
            cursor?: string;
        };
        InstitutionsGetInput: {
            /** @description The institution, from the catalog. */
            institution_id: components["schemas"]["InstitutionId"];
        };
        SandboxInstitutionsInput: Record<string, never>;
        SandboxInstitutionsResult: {
            data: {
                id: components["schemas"]["InstitutionId"];
                name: string;
                logo_url?: string | null;
            }[];
        };
        ConnectionsInitiateInput: {
            /** @description The Client whose data it is; it is looked up within that Client only. */
            client_id: components["schemas"]["ClientId"];
            institution_id: components["schemas"]["InstitutionId"];
            redirect_url?: string | null;
            /** @description Deprecated and ignored: bank credentials are never sent to the API. */
            credentials?: {
                [key: string]: unknown;
            } | null;
        };
        ConnectionsListInput: {
            /** @description The Client whose data it is; it is looked up within that Client only. */
            client_id: components["schemas"]["ClientId"];
            /**
             * @description Items of a page. More than 500 is capped, not refused.
             * @default 100
             */
            limit?: number;
            /** @description The `next_cursor` of the page before. It belongs to the exact query that it was made for. */
            cursor?: string;
        };
        ConnectionsGetInput: {
            /** @description The canonical id of a Connection. A placeholder, `con_<uuid>`, is refused with 400. */
            connection_id: components["schemas"]["ConnectionId"];
        };
        ConnectionsDeleteInput: {
            /** @description The canonical id of a Connection. A placeholder, `con_<uuid>`, is refused with 400. */
            connection_id: components["schemas"]["ConnectionId"];
        };
        ConnectionsRefreshInput: {
            /** @description The canonical id of a Connection. A placeholder, `con_<uuid>`, is refused with 400. */
            connection_id: components["schemas"]["ConnectionId"];
        };
        ConnectionsReauthorizeInput: {
            /** @description The canonical id of a Connection. A placeholder, `con_<uuid>`, is refused with 400. */
            connection_id: components["schemas"]["ConnectionId"];
        };
        ConnectSessionsCreateInput: {
            /** @description The Client whose data it is; it is looked up within that Client only. */
            client_id: components["schemas"]["ClientId"];
            redirect_url?: string;
        };
        ConnectSessionsDeleteInput: {
            /** @description The Client whose data it is; it is looked up within that Client only. */
            client_id: components["schemas"]["ClientId"];
            /** @description The connect session. It is also the link's credential: do not log it. */
            sid: components["schemas"]["SessionId"];
        };
        ConnectSessionsPageInput: {
            /** @description The link's token. It is a credential. */
            token: string;
        };
        AccountsListInput: {
            /** @description The Client whose data it is; it is looked up within that Client only. */
            client_id: components["schemas"]["ClientId"];
            /** @description Only accounts of this Connection. */
            connection_id?: components["schemas"]["ConnectionId"];
            /**
             * @description Items of a page. More than 500 is capped, not refused.
             * @default 100
             */
            limit?: number;
            /** @description The `next_cursor` of the page before. It belongs to the exact query that it was made for. */
            cursor?: string;
        };
        AccountsGetInput: {
            /** @description The account. */
            account_id: components["schemas"]["AccountId"];
            /** @description The Client whose data it is; it is looked up within that Client only. */
            client_id: components["schemas"]["ClientId"];
        };
        TransactionsListInput: {
            /** @description The account. */
            account_id: components["schemas"]["AccountId"];
            /** @description The Client whose data it is; it is looked up within that Client only. */
            client_id: components["schemas"]["ClientId"];
            /**
             * Format: date
             * @description The earliest transaction date, inclusive (assumed).
             */
            from?: string;
            /**
             * Format: date
             * @description The latest transaction date, inclusive (assumed).
             */
            to?: string;
            /**
             * @description Items of a page. More than 500 is capped, not refused.
             * @default 100
             */
            limit?: number;
            /** @description The `next_cursor` of the page before. It belongs to the exact query that it was made for. */
            cursor?: string;
        };
        TransactionsGetInput: {
            /** @description The transaction. */
            transaction_id: components["schemas"]["TransactionId"];
            /** @description The Client whose data it is; it is looked up within that Client only. */
            client_id: components["schemas"]["ClientId"];
        };
        StatementsListInput: {
            /** @description The account. */
            account_id: components["schemas"]["AccountId"];
            /** @description The Client whose data it is; it is looked up within that Client only. */
            client_id: components["schemas"]["ClientId"];
            /**
             * @description Items of a page. More than 500 is capped, not refused.
             * @default 100
             */
            limit?: number;
            /** @description The `next_cursor` of the page before. It belongs to the exact query that it was made for. */
            cursor?: string;
        };
        StatementsGetInput: {
            /** @description The statement. */
            statement_id: components["schemas"]["StatementId"];
            /** @description The Client whose data it is; it is looked up within that Client only. */
            client_id: components["schemas"]["ClientId"];
        };
        StatementsDownloadInput: {
            /** @description The statement. */
            statement_id: components["schemas"]["StatementId"];
            /** @description The Client whose data it is; it is looked up within that Client only. */
            client_id: components["schemas"]["ClientId"];
        };
        StatementsExtractInput: {
            /** Format: binary */
            file: Upload;
        };
        ChecksListInput: {
            /** @description The account. */
            account_id: components["schemas"]["AccountId"];
            /** @description The Client whose data it is; it is looked up within that Client only. */
            client_id: components["schemas"]["ClientId"];
            /**
             * @description Items of a page. More than 500 is capped, not refused.
             * @default 100
             */
            limit?: number;
            /** @description The `next_cursor` of the page before. It belongs to the exact query that it was made for. */
            cursor?: string;
        };
        ChecksGetInput: {
            /** @description The account. */
            account_id: components["schemas"]["AccountId"];
            /** @description The check. */
            check_id: components["schemas"]["CheckId"];
            /** @description The Client whose data it is; it is looked up within that Client only. */
            client_id: components["schemas"]["ClientId"];
        };
        ChecksDownloadInput: {
            /** @description The account. */
            account_id: components["schemas"]["AccountId"];
            /** @description The check. */
            check_id: components["schemas"]["CheckId"];
            /** @description The Client whose data it is; it is looked up within that Client only. */
            client_id: components["schemas"]["ClientId"];
        };
        OperationsGetInput: {
            /** @description The operation, from the 202 that started it. */
            operation_id: components["schemas"]["OperationId"];
        };
        ReportsGenerateInput: {
            /** @description The Client whose data it is; it is looked up within that Client only. */
            client_id: components["schemas"]["ClientId"];
        };
        WebhooksCreateInput: {
            url: string;
            event_types: string[];
        };
        WebhooksListInput: {
            /**
             * @description Items of a page. More than 500 is capped, not refused.
             * @default 100
             */
            limit?: number;
            /** @description The `next_cursor` of the page before. It belongs to the exact query that it was made for. */
            cursor?: string;
        };
        WebhooksGetInput: {
            /** @description The webhook subscription. */
            subscription_id: components["schemas"]["SubscriptionId"];
        };
        WebhooksUpdateInput: {
            /** @description The webhook subscription. */
            subscription_id: components["schemas"]["SubscriptionId"];
            url?: string;
            event_types?: string[];
        };
        WebhooksDeleteInput: {
            /** @description The webhook subscription. */
            subscription_id: components["schemas"]["SubscriptionId"];
        };
        WebhooksRotateSecretInput: {
            /** @description The webhook subscription. */
            subscription_id: components["schemas"]["SubscriptionId"];
        };
        WebhooksTestInput: {
            /** @description The webhook subscription. */
            subscription_id: components["schemas"]["SubscriptionId"];
        };
        WebhooksTestResult: {
            event_id: components["schemas"]["EventId"];
        };
        KeysCreateInput: {
            scopes: string[];
        };
        KeysListInput: {
            /**
             * @description Items of a page. More than 500 is capped, not refused.
             * @default 100
             */
            limit?: number;
            /** @description The `next_cursor` of the page before. It belongs to the exact query that it was made for. */
            cursor?: string;
        };
        KeysUpdateScopesInput: {
            /** @description The API key, by its id and not its secret. */
            api_key_id: components["schemas"]["ApiKeyId"];
            scopes: string[];
        };
        KeysRevokeInput: {
            /** @description The API key, by its id and not its secret. */
            api_key_id: components["schemas"]["ApiKeyId"];
        };
        RedirectUrlsGetInput: Record<string, never>;
        RedirectUrlsSetInput: {
            allowed_redirect_urls: string[];
        };
        RedirectUrlsClearInput: Record<string, never>;
        MetricsSummaryInput: {
            /**
             * Format: date-time
             * @description Begin of the window, inclusive; 30 days before now unless given. The window has at most 366 days.
             */
            from?: string;
            /**
             * Format: date-time
             * @description End of the window, exclusive; now unless given.
             */
            to?: string;
        };
        MetricsWebhookDeliveryInput: {
            /**
             * Format: date-time
             * @description Begin of the window, inclusive; 30 days before now unless given. The window has at most 366 days.
             */
            from?: string;
            /**
             * Format: date-time
             * @description End of the window, exclusive; now unless given.
             */
            to?: string;
        };
        PortalCreateLiveRequestInput: {
            /** @description Id of the applicant at the identity provider */
            idp_user_id: string;
            /**
             * Format: idn-email
             * @description E-mail address of the applicant
             */
            email?: string;
            /** @description First name of the applicant */
            first_name?: string;
            /** @description Last name of the applicant */
            last_name?: string;
            /** @description Token of the bot challenge that the applicant passed */
            challenge_token?: string;
            /** @description IP address from which the applicant applies */
            client_ip?: string;
            /** @description Name under which the company is known */
            company_name?: string;
            /** @description Country of the company */
            country?: string;
            /** @description What the bank data is used for */
            use_case?: string;
            /** @description Name of the legal entity, as registered */
            legal_entity_name?: string;
            /** @description Website of the business */
            business_website?: string;
            /** @description Whom to ask about data protection: a name or an address */
            data_protection_contact?: string;
            /** @description How much use is expected in a month, in your own words */
            expected_monthly_volume?: string;
            /**
             * Format: date
             * @description Date on which production use is to begin, YYYY-MM-DD
             */
            go_live_target_date?: string;
            /** @description What the bank data is used for in production */
            production_use_case?: string;
        };
        PortalUpdateLiveRequestInput: {
            /** @description Id of the applicant at the identity provider */
            idp_user_id: string;
            /** @description Name under which the company is known */
            company_name?: string;
            /** @description Country of the company */
            country?: string;
            /** @description What the bank data is used for */
            use_case?: string;
            /** @description Name of the legal entity, as registered */
            legal_entity_name?: string;
            /** @description Website of the business */
            business_website?: string;
            /** @description Whom to ask about data protection: a name or an address */
            data_protection_contact?: string;
            /** @description How much use is expected in a month, in your own words */
            expected_monthly_volume?: string;
            /**
             * Format: date
             * @description Date on which production use is to begin, YYYY-MM-DD
             */
            go_live_target_date?: string;
            /** @description What the bank data is used for in production */
            production_use_case?: string;
        };
        PortalCreateAccessRequestInput: {
            /** @description Id of the applicant at the identity provider */
            idp_user_id: string;
            /**
             * Format: idn-email
             * @description E-mail address of the applicant
             */
            email?: string;
            /** @description First name of the applicant */
            first_name?: string;
            /** @description Last name of the applicant */
            last_name?: string;
            /** @description Token of the bot challenge that the applicant passed */
            challenge_token?: string;
            /** @description IP address from which the applicant applies */
            client_ip?: string;
            /** @description Name under which the company is known */
            company_name?: string;
            /** @description Country of the company */
            country?: string;
            /** @description What the bank data is used for */
            use_case?: string;
            /** @description Name of the legal entity, as registered */
            legal_entity_name?: string;
            /** @description Website of the business */
            business_website?: string;
            /** @description Whom to ask about data protection: a name or an address */
            data_protection_contact?: string;
            /** @description How much use is expected in a month, in your own words */
            expected_monthly_volume?: string;
            /**
             * Format: date
             * @description Date on which production use is to begin, YYYY-MM-DD
             */
            go_live_target_date?: string;
            /** @description What the bank data is used for in production */
            production_use_case?: string;
        };
        PortalAccessRequestStatusInput: {
            /** @description Id of the applicant at the identity provider. The signature is made over this value. */
            "X-Portal-Idp-User-Id": string;
        };
        HealthCheckInput: Record<string, never>;
        HealthCheckResult: {
            status?: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type AccountId = components['schemas']['AccountId'];
export type ApiKeyId = components['schemas']['ApiKeyId'];
export type CheckId = components['schemas']['CheckId'];
export type ClientId = components['schemas']['ClientId'];
export type ConnectionId = components['schemas']['ConnectionId'];
export type EventId = components['schemas']['EventId'];
export type InstitutionId = components['schemas']['InstitutionId'];
export type OperationId = components['schemas']['OperationId'];
export type SessionId = components['schemas']['SessionId'];
export type StatementId = components['schemas']['StatementId'];
export type SubscriptionId = components['schemas']['SubscriptionId'];
export type TransactionId = components['schemas']['TransactionId'];
export type Source = components['schemas']['Source'];
export type ConnectionSource = components['schemas']['ConnectionSource'];
export type Capability = components['schemas']['Capability'];
export type CapabilityStatus = components['schemas']['CapabilityStatus'];
export type Scope = components['schemas']['Scope'];
export type ExpectedCapabilities = components['schemas']['ExpectedCapabilities'];
export type RealizedCapabilities = components['schemas']['RealizedCapabilities'];
export type ApiError = components['schemas']['ApiError'];
export type ErrorEnvelope = components['schemas']['ErrorEnvelope'];
export type Client = components['schemas']['Client'];
export type Institution = components['schemas']['Institution'];
export type Connection = components['schemas']['Connection'];
export type ConnectionStatus = components['schemas']['ConnectionStatus'];
export type ConnectionResult = components['schemas']['ConnectionResult'];
export type Reauthorization = components['schemas']['Reauthorization'];
export type ConnectSession = components['schemas']['ConnectSession'];
export type Account = components['schemas']['Account'];
export type AccountType = components['schemas']['AccountType'];
export type Transaction = components['schemas']['Transaction'];
export type Statement = components['schemas']['Statement'];
export type Check = components['schemas']['Check'];
export type Operation = components['schemas']['Operation'];
export type OperationAccepted = components['schemas']['OperationAccepted'];
export type Subscription = components['schemas']['Subscription'];
export type SubscriptionWithSecret = components['schemas']['SubscriptionWithSecret'];
export type ApiKey = components['schemas']['ApiKey'];
export type ApiKeyWithSecret = components['schemas']['ApiKeyWithSecret'];
export type RedirectAllowlist = components['schemas']['RedirectAllowlist'];
export type MetricsSummary = components['schemas']['MetricsSummary'];
export type WebhookDeliveryMetrics = components['schemas']['WebhookDeliveryMetrics'];
export type PortalRequest = components['schemas']['PortalRequest'];
export type AccessRequestStatus = components['schemas']['AccessRequestStatus'];
export type ClientsCreateInput = components['schemas']['ClientsCreateInput'];
export type ClientsListInput = components['schemas']['ClientsListInput'];
export type InstitutionsSearchInput = components['schemas']['InstitutionsSearchInput'];
export type InstitutionsGetInput = components['schemas']['InstitutionsGetInput'];
export type SandboxInstitutionsInput = components['schemas']['SandboxInstitutionsInput'];
export type SandboxInstitutionsResult = components['schemas']['SandboxInstitutionsResult'];
export type ConnectionsInitiateInput = components['schemas']['ConnectionsInitiateInput'];
export type ConnectionsListInput = components['schemas']['ConnectionsListInput'];
export type ConnectionsGetInput = components['schemas']['ConnectionsGetInput'];
export type ConnectionsDeleteInput = components['schemas']['ConnectionsDeleteInput'];
export type ConnectionsRefreshInput = components['schemas']['ConnectionsRefreshInput'];
export type ConnectionsReauthorizeInput = components['schemas']['ConnectionsReauthorizeInput'];
export type ConnectSessionsCreateInput = components['schemas']['ConnectSessionsCreateInput'];
export type ConnectSessionsDeleteInput = components['schemas']['ConnectSessionsDeleteInput'];
export type ConnectSessionsPageInput = components['schemas']['ConnectSessionsPageInput'];
export type AccountsListInput = components['schemas']['AccountsListInput'];
export type AccountsGetInput = components['schemas']['AccountsGetInput'];
export type TransactionsListInput = components['schemas']['TransactionsListInput'];
export type TransactionsGetInput = components['schemas']['TransactionsGetInput'];
export type StatementsListInput = components['schemas']['StatementsListInput'];
export type StatementsGetInput = components['schemas']['StatementsGetInput'];
export type StatementsDownloadInput = components['schemas']['StatementsDownloadInput'];
export type StatementsExtractInput = components['schemas']['StatementsExtractInput'];
export type ChecksListInput = components['schemas']['ChecksListInput'];
export type ChecksGetInput = components['schemas']['ChecksGetInput'];
export type ChecksDownloadInput = components['schemas']['ChecksDownloadInput'];
export type OperationsGetInput = components['schemas']['OperationsGetInput'];
export type ReportsGenerateInput = components['schemas']['ReportsGenerateInput'];
export type WebhooksCreateInput = components['schemas']['WebhooksCreateInput'];
export type WebhooksListInput = components['schemas']['WebhooksListInput'];
export type WebhooksGetInput = components['schemas']['WebhooksGetInput'];
export type WebhooksUpdateInput = components['schemas']['WebhooksUpdateInput'];
export type WebhooksDeleteInput = components['schemas']['WebhooksDeleteInput'];
export type WebhooksRotateSecretInput = components['schemas']['WebhooksRotateSecretInput'];
export type WebhooksTestInput = components['schemas']['WebhooksTestInput'];
export type WebhooksTestResult = components['schemas']['WebhooksTestResult'];
export type KeysCreateInput = components['schemas']['KeysCreateInput'];
export type KeysListInput = components['schemas']['KeysListInput'];
export type KeysUpdateScopesInput = components['schemas']['KeysUpdateScopesInput'];
export type KeysRevokeInput = components['schemas']['KeysRevokeInput'];
export type RedirectUrlsGetInput = components['schemas']['RedirectUrlsGetInput'];
export type RedirectUrlsSetInput = components['schemas']['RedirectUrlsSetInput'];
export type RedirectUrlsClearInput = components['schemas']['RedirectUrlsClearInput'];
export type MetricsSummaryInput = components['schemas']['MetricsSummaryInput'];
export type MetricsWebhookDeliveryInput = components['schemas']['MetricsWebhookDeliveryInput'];
export type PortalCreateLiveRequestInput = components['schemas']['PortalCreateLiveRequestInput'];
export type PortalUpdateLiveRequestInput = components['schemas']['PortalUpdateLiveRequestInput'];
export type PortalCreateAccessRequestInput = components['schemas']['PortalCreateAccessRequestInput'];
export type PortalAccessRequestStatusInput = components['schemas']['PortalAccessRequestStatusInput'];
export type HealthCheckInput = components['schemas']['HealthCheckInput'];
export type HealthCheckResult = components['schemas']['HealthCheckResult'];
export type operations = Record<string, never>;
