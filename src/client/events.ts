/** Every event that a subscription can deliver. Made from the contract by `npm run docs`. */

interface Events {
  'connection.requires_action': ConnectionRequiresActionEvent
  'connection.active': ConnectionActiveEvent
  'connection.failed': ConnectionFailedEvent
  'connection.disconnected': ConnectionDisconnectedEvent
  'connection.capability_changed': ConnectionCapabilityChangedEvent
  'account.refresh.completed': AccountRefreshCompletedEvent
  'account.refresh.failed': AccountRefreshFailedEvent
  'statement.available': StatementAvailableEvent
  'webhook.test': WebhookTestEvent
}

/** A delivery: its `type` tells which `data` it has. */
export type WebhookEvent<T extends EventType = EventType> = Events[T]

/** `data` of the events of a type. */
export type EventData<T extends EventType> = Events[T]['data']

interface components {
    schemas: {
        /**
         * @description Eight real events plus `webhook.test`. There is no `connection.initiated` and no account-added event.
         * @enum {string}
         */
        EventType: "connection.requires_action" | "connection.active" | "connection.failed" | "connection.disconnected" | "connection.capability_changed" | "account.refresh.completed" | "account.refresh.failed" | "statement.available" | "webhook.test";
        /** @description A delivery of `connection.requires_action`. */
        ConnectionRequiresActionEvent: {
            /** @description Equals X-LS-Webhook-Event-Id. Dedupe on the exact string. */
            event_id: components["schemas"]["EventId"];
            /** @constant */
            type: "connection.requires_action";
            /**
             * Format: date-time
             * @description Stable across retries; the tiebreaker when order matters.
             */
            created_at: string;
            api_version: string;
            livemode: boolean;
            /** @description The reference does not show the field of the reason code; `data.connection.last_error` is assumed. */
            data: {
                /** @description `client_id` is omitted, never null, when the owner cannot be resolved. */
                connection: {
                    id: components["schemas"]["ConnectionId"];
                    source: components["schemas"]["ConnectionSource"];
                    status: components["schemas"]["ConnectionStatus"];
                    client_id?: components["schemas"]["ClientId"];
                    last_error?: components["schemas"]["ApiError"];
                };
            };
        };
        /** @description A delivery of `connection.active`. */
        ConnectionActiveEvent: {
            /** @description Equals X-LS-Webhook-Event-Id. Dedupe on the exact string. */
            event_id: components["schemas"]["EventId"];
            /** @constant */
            type: "connection.active";
            /**
             * Format: date-time
             * @description Stable across retries; the tiebreaker when order matters.
             */
            created_at: string;
            api_version: string;
            livemode: boolean;
            data: {
                /** @description `client_id` is omitted, never null, when the owner cannot be resolved. */
                connection: {
                    id: components["schemas"]["ConnectionId"];
                    source: components["schemas"]["ConnectionSource"];
                    status: components["schemas"]["ConnectionStatus"];
                    client_id?: components["schemas"]["ClientId"];
                };
            };
        };
        /** @description A delivery of `connection.failed`. */
        ConnectionFailedEvent: {
            /** @description Equals X-LS-Webhook-Event-Id. Dedupe on the exact string. */
            event_id: components["schemas"]["EventId"];
            /** @constant */
            type: "connection.failed";
            /**
             * Format: date-time
             * @description Stable across retries; the tiebreaker when order matters.
             */
            created_at: string;
            api_version: string;
            livemode: boolean;
            /** @description The reference does not show the field of the reason code; `data.connection.last_error` is assumed. */
            data: {
                /** @description `client_id` is omitted, never null, when the owner cannot be resolved. */
                connection: {
                    id: components["schemas"]["ConnectionId"];
                    source: components["schemas"]["ConnectionSource"];
                    status: components["schemas"]["ConnectionStatus"];
                    client_id?: components["schemas"]["ClientId"];
                    last_error?: components["schemas"]["ApiError"];
                };
            };
        };
        /** @description A delivery of `connection.disconnected`. */
        ConnectionDisconnectedEvent: {
            /** @description Equals X-LS-Webhook-Event-Id. Dedupe on the exact string. */
            event_id: components["schemas"]["EventId"];
            /** @constant */
            type: "connection.disconnected";
            /**
             * Format: date-time
             * @description Stable across retries; the tiebreaker when order matters.
             */
            created_at: string;
            api_version: string;
            livemode: boolean;
            /** @description The reference does not show the field of the reason code; `data.connection.last_error` is assumed. */
            data: {
                /** @description `client_id` is omitted, never null, when the owner cannot be resolved. */
                connection: {
                    id: components["schemas"]["ConnectionId"];
                    source: components["schemas"]["ConnectionSource"];
                    status: components["schemas"]["ConnectionStatus"];
                    client_id?: components["schemas"]["ClientId"];
                    last_error?: components["schemas"]["ApiError"];
                };
            };
        };
        /** @description A delivery of `connection.capability_changed`. */
        ConnectionCapabilityChangedEvent: {
            /** @description Equals X-LS-Webhook-Event-Id. Dedupe on the exact string. */
            event_id: components["schemas"]["EventId"];
            /** @constant */
            type: "connection.capability_changed";
            /**
             * Format: date-time
             * @description Stable across retries; the tiebreaker when order matters.
             */
            created_at: string;
            api_version: string;
            livemode: boolean;
            data: {
                /** @description `client_id` is omitted, never null, when the owner cannot be resolved. */
                connection: {
                    id: components["schemas"]["ConnectionId"];
                    source: components["schemas"]["ConnectionSource"];
                    status: components["schemas"]["ConnectionStatus"];
                    client_id?: components["schemas"]["ClientId"];
                };
                change: {
                    /** @description The name of this field is not shown; `capability` is assumed. */
                    capability: components["schemas"]["Capability"];
                    previous_status: components["schemas"]["CapabilityStatus"];
                    current_status: components["schemas"]["CapabilityStatus"];
                    /** @description 3 for a failure, 2 for a recovery, 1 for the sentinels unsupported, skipped and pending. */
                    consecutive_observations: number;
                    /** @description Only when `current_status` is `failed`. */
                    last_error?: components["schemas"]["ApiError"];
                };
            };
        };
        /** @description A delivery of `account.refresh.completed`. */
        AccountRefreshCompletedEvent: {
            /** @description Equals X-LS-Webhook-Event-Id. Dedupe on the exact string. */
            event_id: components["schemas"]["EventId"];
            /** @constant */
            type: "account.refresh.completed";
            /**
             * Format: date-time
             * @description Stable across retries; the tiebreaker when order matters.
             */
            created_at: string;
            api_version: string;
            livemode: boolean;
            /** @description Optional keys are omitted rather than null. `id`, `connection_id` and `client_id` are assumed. */
            data: {
                account: {
                    id: components["schemas"]["AccountId"];
                    connection_id?: components["schemas"]["ConnectionId"];
                    client_id?: components["schemas"]["ClientId"];
                    /** @description Above 0 means: read the account's transactions again. */
                    new_transaction_count: number;
                    current_balance?: {
                        amount: number;
                        iso_currency_code: string;
                    };
                    available_balance?: {
                        amount: number;
                        iso_currency_code: string;
                    };
                    realized_capabilities?: components["schemas"]["RealizedCapabilities"];
                };
            };
        };
        /** @description A delivery of `account.refresh.failed`. */
        AccountRefreshFailedEvent: {
            /** @description Equals X-LS-Webhook-Event-Id. Dedupe on the exact string. */
            event_id: components["schemas"]["EventId"];
            /** @constant */
            type: "account.refresh.failed";
            /**
             * Format: date-time
             * @description Stable across retries; the tiebreaker when order matters.
             */
            created_at: string;
            api_version: string;
            livemode: boolean;
            /** @description Assumed whole: the reference does not show it. */
            data: {
                account: {
                    id: components["schemas"]["AccountId"];
                    connection_id?: components["schemas"]["ConnectionId"];
                    client_id?: components["schemas"]["ClientId"];
                    error: components["schemas"]["ApiError"];
                };
            };
        };
        /** @description A delivery of `statement.available`. */
        StatementAvailableEvent: {
            /** @description Equals X-LS-Webhook-Event-Id. Dedupe on the exact string. */
            event_id: components["schemas"]["EventId"];
            /** @constant */
            type: "statement.available";
            /**
             * Format: date-time
             * @description Stable across retries; the tiebreaker when order matters.
             */
            created_at: string;
            api_version: string;
            livemode: boolean;
            /** @description Assumed whole: the reference does not show it. */
            data: {
                statement: {
                    id: components["schemas"]["StatementId"];
                    account_id: components["schemas"]["AccountId"];
                    source: components["schemas"]["Source"];
                    /** Format: date */
                    statement_date: string;
                    client_id?: components["schemas"]["ClientId"];
                };
            };
        };
        /** @description A delivery of `webhook.test`. */
        WebhookTestEvent: {
            /** @description Equals X-LS-Webhook-Event-Id. Dedupe on the exact string. */
            event_id: components["schemas"]["EventId"];
            /** @constant */
            type: "webhook.test";
            /**
             * Format: date-time
             * @description Stable across retries; the tiebreaker when order matters.
             */
            created_at: string;
            api_version: string;
            livemode: boolean;
            /** @description Assumed whole: the reference does not show it. */
            data: {
                subscription_id?: components["schemas"]["SubscriptionId"];
                message?: string;
            };
        };
        /** @description `evt_<id>` or a bare UUID: opaque, compared as the exact string. */
        EventId: string;
        /** @description Canonical or placeholder: `con_<SOURCE>_<bankAccountId>` or `con_<uuid>`. */
        ConnectionId: string;
        /** @enum {string} */
        ConnectionSource: "AGGREGATOR_A" | "AGGREGATOR_B" | "FDE";
        /** @enum {string} */
        ConnectionStatus: "initiated" | "requires_action" | "active" | "failed" | "disconnected";
        ClientId: string;
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
        /** @enum {string} */
        Capability: "transactions" | "balance" | "available_balance" | "statements" | "check_images";
        /** @enum {string} */
        CapabilityStatus: "succeeded" | "failed" | "skipped" | "unsupported" | "pending";
        AccountId: string;
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
        StatementId: string;
        /**
         * @description Where data comes from. `PDF` is read-only: never a Connection.
         * @enum {string}
         */
        Source: "AGGREGATOR_A" | "AGGREGATOR_B" | "FDE" | "PDF";
        SubscriptionId: string;
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type EventType = components['schemas']['EventType'];
export type ConnectionRequiresActionEvent = components['schemas']['ConnectionRequiresActionEvent'];
export type ConnectionActiveEvent = components['schemas']['ConnectionActiveEvent'];
export type ConnectionFailedEvent = components['schemas']['ConnectionFailedEvent'];
export type ConnectionDisconnectedEvent = components['schemas']['ConnectionDisconnectedEvent'];
export type ConnectionCapabilityChangedEvent = components['schemas']['ConnectionCapabilityChangedEvent'];
export type AccountRefreshCompletedEvent = components['schemas']['AccountRefreshCompletedEvent'];
export type AccountRefreshFailedEvent = components['schemas']['AccountRefreshFailedEvent'];
export type StatementAvailableEvent = components['schemas']['StatementAvailableEvent'];
export type WebhookTestEvent = components['schemas']['WebhookTestEvent'];
