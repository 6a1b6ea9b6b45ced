// Generated from /openapi.json: see test/integration/api/openapi.test.ts.
export interface paths {
    "/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What answers here, and where it is described
         * @description What answers here, and where it is described.
         */
        get: operations["getService"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/alerts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What an operator has to know of now, the worst first
         * @description Every condition that holds at this moment, also where no channel is configured. An alert is sent of one that lasts. `since` is what the ledger knows, or when the daemon noticed it first.
         */
        get: operations["adminGetAlerts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api-keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an API key, for ever, within two seconds everywhere
         * @description Revoke an API key, for ever, within two seconds everywhere.
         */
        delete: operations["adminRevokeApiKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api-keys/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A new API key with the same limits; both are taken while they overlap
         * @description A new API key with the same limits; both are taken while they overlap.
         */
        post: operations["adminRotateApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who did what, and when
         * @description Who did what, and when.
         */
        get: operations["adminListAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/audit/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check the audit trail's chain of hashes
         * @description Keep `head` elsewhere. With it, `audit verify --head` on the command line shows whether entries were cut off at the end. A file of archived entries is checked there too.
         */
        get: operations["adminGetAuditVerify"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/businesses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the businesses
         * @description List the businesses.
         */
        get: operations["adminListBusinesses"];
        put?: never;
        /**
         * Create a business
         * @description Create a business.
         */
        post: operations["adminCreateBusiness"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/businesses/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One business
         * @description One business.
         */
        get: operations["adminGetBusiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the settings of a business; omitted ones stay
         * @description Change the settings of a business; omitted ones stay.
         */
        patch: operations["adminUpdateBusiness"];
        trace?: never;
    };
    "/admin/businesses/{id}/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a business's API keys, revoked ones too
         * @description List a business's API keys, revoked ones too.
         */
        get: operations["adminListBusinessApiKeys"];
        put?: never;
        /**
         * Create an API key
         * @description Create an API key.
         */
        post: operations["adminCreateBusinessApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/businesses/{id}/console-link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a link into the console of a business, good for ten minutes and once
         * @description Make a link into the console of a business, good for ten minutes and once.
         */
        post: operations["adminCreateConsoleLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/businesses/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End a business's suspension
         * @description End a business's suspension.
         */
        post: operations["adminResumeBusiness"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/businesses/{id}/sightings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the transfers of unlisted tokens to a business's wallets
         * @description List the transfers of unlisted tokens to a business's wallets.
         */
        get: operations["adminListBusinessSightings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/businesses/{id}/statements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the statements of a business that were given out
         * @description List the statements of a business that were given out.
         */
        get: operations["adminListBusinessStatements"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/businesses/{id}/suspend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Suspend a business: its keys are refused, its wallets watched
         * @description Suspend a business: its keys are refused, its wallets watched.
         */
        post: operations["adminSuspendBusiness"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/businesses/{id}/transactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a business's transactions
         * @description List a business's transactions.
         */
        get: operations["adminListBusinessTransactions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/businesses/{id}/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify a business: its keys open the API from now on
         * @description Verify a business: its keys open the API from now on.
         */
        post: operations["adminVerifyBusiness"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/businesses/{id}/wallets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a business's watched wallets
         * @description List a business's watched wallets.
         */
        get: operations["adminListBusinessWallets"];
        put?: never;
        /**
         * Watch one wallet, or up to 10,000, all or none
         * @description One wallet as an object answers one; a list under `wallets` answers a list.
         */
        post: operations["adminCreateBusinessWallet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/chains/{name}/endpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How the endpoints of a chain answered in the last day
         * @description Of every ten minutes and endpoint the longest time of answers and how many requests failed, the oldest first. Where no watcher has reported there is nothing.
         */
        get: operations["adminGetChainEndpoints"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/chains/{name}/lag": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How far a chain was behind in the last day
         * @description The most seconds of every ten minutes, the oldest first. Where no watcher has reported there is nothing.
         */
        get: operations["adminGetChainLag"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/chains/{name}/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Forget a chain and begin it anew
         * @description Its transactions become dropped or reversed, which notifies.
         */
        post: operations["adminResetChain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/chains/{name}/rewind": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Read the blocks above a block once more
         * @description A transaction that is found again notifies nobody; any other becomes dropped or reversed.
         */
        post: operations["adminRewindChain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/chains/{name}/settle": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Settle what is held in a block, by your word
         * @description Its transactions wait no longer for their proof, and show `confirmed_alone`. Refused where nothing of that block is held; the message names the blocks of which something is.
         */
        post: operations["adminSettleChain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The process that answers, with its parts, and its database
         * @description The process that answers, with its parts, and its database.
         */
        get: operations["adminGetHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/ledger/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check the ledger against itself
         * @description Checks that all accounts add up to zero, and that balances and transactions agree with their entries. Checks that no entry was changed since it was sealed. It reads the whole ledger. `findings` is empty where all is well. Keep `heads` elsewhere: with them you can tell later that nothing before them was rewritten.
         */
        get: operations["adminGetLedgerCheck"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/ledger/reconciliations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Every comparison with a chain, and every discrepancy with its resolution
         * @description Every comparison with a chain, and every discrepancy with its resolution.
         */
        get: operations["adminListLedgerReconciliations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/notifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the notifications of all businesses
         * @description List the notifications of all businesses.
         */
        get: operations["adminListNotifications"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/notifications/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One notification of any business with every attempt
         * @description One notification of any business with every attempt.
         */
        get: operations["adminGetNotification"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/notifications/{id}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deliver a notification once more
         * @description Deliver a notification once more.
         */
        post: operations["adminRedeliverNotification"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/outbox": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What is still to be delivered, by business, and how receivers answer
         * @description Businesses, the longest wait first. Receivers of the last day's attempts, the slowest first. Their failures by cause, the most frequent first. At most a hundred of each, and only of the newest 20,000 attempts: `since` says from when they are.
         */
        get: operations["adminGetOutbox"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/reconcile": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Compare the ledger with the chains, and answer when it is done
         * @description Of one wallet, or of all. `found`: reading the blocks again explained it. `adjusted`: an asset that changes by itself. `unattributed`: what contracts paid, on a chain that cannot be traced. `opening_corrected`: the opening balance had been read wrong. `discrepancy`: nothing explains it. `moved`: it changed meanwhile, and is open until it has been looked at again.
         */
        post: operations["adminReconcile"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What a hash, an address, an id or a part of a text names
         * @description What a hash, an address, an id or a part of a text names.
         */
        get: operations["adminSearch"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/statements/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a statement that was given out; the audit trail keeps its digest
         * @description Remove a statement that was given out; the audit trail keeps its digest.
         */
        delete: operations["adminDeleteStatement"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How far each chain is, and how many notifications wait
         * @description How far each chain is, and how many notifications wait.
         */
        get: operations["adminGetStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/transactions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One transaction of any business, with its notifications
         * @description One transaction of any business, with its notifications.
         */
        get: operations["adminGetTransaction"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/wallets/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One watched wallet of any business, with its balances
         * @description One watched wallet of any business, with its balances.
         */
        get: operations["adminGetWallet"];
        put?: never;
        post?: never;
        /**
         * Remove a wallet; its history stays
         * @description An empty wallet is watched no longer. A wallet with money is `leaving`: it is watched, counted and notified until it is empty. Archiving it, or adding its address for a business, ends that too.
         */
        delete: operations["adminDeleteWallet"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/wallets/{id}/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Watch a wallet no longer, whatever it holds; its history stays
         * @description Watch a wallet no longer, whatever it holds; its history stays.
         */
        post: operations["adminArchiveWallet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/wallets/{id}/backfill": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Fill a wallet's history in from a block on
         * @description Behind the head: it moves no balance and notifies nobody. Safe to repeat.
         */
        post: operations["adminBackfillWallet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/wallets/{id}/thresholds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Replace the thresholds of a wallet, of which its business is notified
         * @description The same list again changes nothing; an empty one ends them.
         */
        put: operations["adminGetWalletThreshold"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the current webhooks with their health
         * @description List the current webhooks with their health.
         */
        get: operations["adminListWebhooks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the settings of a webhook; omitted ones stay
         * @description Change the settings of a webhook; omitted ones stay.
         */
        patch: operations["adminUpdateWebhook"];
        trace?: never;
    };
    "/admin/webhooks/{id}/disable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Notify it no longer; its events are held
         * @description Notify it no longer; its events are held.
         */
        post: operations["adminDisableWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/webhooks/{id}/enable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Notify it again; held notifications are due at once
         * @description Notify it again; held notifications are due at once.
         */
        post: operations["adminEnableWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/webhooks/{id}/recover": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Queue again what it did not accept
         * @description Queue again what it did not accept.
         */
        post: operations["adminRecoverWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/webhooks/{id}/recoveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the recoveries of a webhook
         * @description List the recoveries of a webhook.
         */
        get: operations["adminListWebhookRecoveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/webhooks/{id}/recoveries/{recovery}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How far a recovery of a webhook is
         * @description How far a recovery of a webhook is.
         */
        get: operations["adminGetWebhookRecovery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the API keys, revoked ones too
         * @description List the API keys, revoked ones too.
         */
        get: operations["listApiKeys"];
        put?: never;
        /**
         * Create an API key
         * @description With a key that has no limits of its own. The key is shown now and never again.
         */
        post: operations["createApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api-keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an API key, for ever, within two seconds everywhere
         * @description With a key that has no limits of its own. A key may revoke itself.
         */
        delete: operations["revokeApiKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who changed what of the business, and when
         * @description Who changed what of the business, and when.
         */
        get: operations["listAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mint an access token
         * @description With an API key; a token cannot mint a token. The token dies with its key.
         */
        post: operations["createAccessToken"];
        /**
         * End the access token that is shown
         * @description Within two seconds no process takes it any more. Other tokens of its key stay.
         */
        delete: operations["endAccessToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the key's access tokens
         * @description With an API key: those of this key that are valid. The tokens themselves are not kept.
         */
        get: operations["listAccessTokens"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End one of the key's access tokens
         * @description With an API key. Within two seconds no process takes the token any more.
         */
        delete: operations["endListedAccessToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/balance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What all wallets hold together
         * @description What all wallets hold together.
         */
        get: operations["getBalance"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/chains": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How far the chains are that are watched
         * @description How far the chains are that are watched.
         */
        get: operations["getChains"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The same, always 200
         * @description The same, always 200.
         */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether the process answers
         * @description Whether the process answers.
         */
        get: operations["getHealthLive"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether every part makes progress, and which does not
         * @description Whether every part makes progress, and which does not.
         */
        get: operations["getHealthReady"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the notifications
         * @description Newest first. `from` is included, `to` is not; both are times of writing. With `Accept: text/csv` or `application/x-ndjson` the whole list is streamed, from `cursor` on, and `limit` does not matter. A broken connection means that it is not whole. The trailer `chainbell-counts` has the number of rows. Each row has every field of `include`.
         */
        get: operations["listNotifications"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notifications/counts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How the notifications of each hour or day stand: waiting, delivered, exhausted, held, cancelled, filtered
         * @description By the times at which they were written. UTC hours or days, the oldest first, with empty ones, at most 400. Without `to`: up to now. Without `from`: thirty of them. Each counts once. Of several webhooks, the worst status counts: `exhausted`, then `held`, then `waiting`. Else it is `delivered` if a webhook has it. With `webhook_id`: those that were written for this webhook, as they stand there.
         */
        get: operations["countNotifications"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notifications/feed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The notifications in the order of the ledger, from a cursor on
         * @description One body a line, oldest first, byte for byte as it is signed and sent. Send the header `chainbell-cursor` of the answer as `after` of the next request, also after an empty answer. `wait` holds an empty answer back until something comes, for up to that many seconds. With `Accept: text/event-stream` the answer does not end. Each event has a body as `data` and its cursor as `id`. The header `Last-Event-ID` takes that cursor. With `cursor_unknown` and `cursor_expired`, the header `chainbell-cursor` has the cursor to go on from.
         */
        get: operations["getNotificationFeed"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notifications/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One notification with every attempt
         * @description One notification with every attempt.
         */
        get: operations["getNotification"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notifications/{id}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deliver it once more: the same body and id, one attempt
         * @description Deliver it once more: the same body and id, one attempt.
         */
        post: operations["redeliverNotification"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/open-matters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What keeps a period open
         * @description It lists the matters that hinder the operator from closing the period for you. It asks no chain: `differs` is of the last comparison, and a close makes one. At most 1,000 of a kind.
         */
        get: operations["getOpenMatters"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/reconciliations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the reconciliations of credits
         * @description Newest first.
         */
        get: operations["listReconciliations"];
        put?: never;
        /**
         * Compare credits with the ledger
         * @description One credit a line: CSV whose first line names the columns, or JSON Lines. Fields: `transaction_id`, or `tx_hash` with `wallet_id` or `address`; `asset`, `amount`, `reference`, `credited_at`. The body is read as it comes. The answer counts the verdicts; `GET /reconciliations/{reconciliation_id}` has the lines. The ledger is not changed.
         */
        post: operations["createReconciliation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/reconciliations/{reconciliation_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One reconciliation of credits, with its lines
         * @description In the order of the file. Money that no line names follows after the last one.
         */
        get: operations["listReconciliation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What a hash, an address, an id or a part of a text names
         * @description At most ten of each kind, the newest first.
         */
        get: operations["search"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sightings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the transfers of unlisted tokens
         * @description Newest first. Transfers of tokens that are not configured, to wallets of the business. They are in no balance. At most 50 of a wallet and day are kept, for 90 days.
         */
        get: operations["listSightings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/statements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A signed statement of a period
         * @description The opening, every entry of the journal and the closing of each wallet and asset. The statement names the blocks and seals that it rests on. It is made whole, stored, and then sent. A period that is over gives the same statement each time. The last line, `end`, has the digest and the signature: without it the statement is not whole. `GET /statements/making` says how far it is, and the header `chainbell-entries` how many entries come.
         */
        get: operations["getStatements"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/statements/all": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the statements that were given out
         * @description Newest first, with their digests.
         */
        get: operations["listStatementAll"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/statements/making": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the statements that are being made
         * @description Newest first, each with the entries that it has so far. The list keeps a statement of an ended process for five minutes.
         */
        get: operations["listStatementMaking"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/statements/{statement_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A statement that was given out, once more
         * @description As it was signed, or in another form.
         */
        get: operations["getStatement"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/totals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Totals of a period by asset: money in and money out
         * @description By the times of the blocks, of every type of transaction. Confirmed ones are apart from those that are pending and those that were reversed; dropped ones are left out. Every sum is exact.
         */
        get: operations["getTotals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/transactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the transactions
         * @description Newest first. Where no type is asked for: deposit, withdrawal, payment. With `Accept: text/csv` or `application/x-ndjson` the whole list is streamed, from `cursor` on, and `limit` does not matter. A broken connection means that it is not whole. The trailer `chainbell-counts` has the number of rows. Each row has every field of `include`.
         */
        get: operations["listTransactions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/transactions/counts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How many transactions there were, hour by hour or day by day
         * @description By the times of their blocks. UTC hours or days, the oldest first, with empty ones, at most 400. Without `to`: up to now. Without `from`: thirty of them. A reversed transaction is counted there alone, a dropped one nowhere.
         */
        get: operations["countTransactions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/transactions/{transaction_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One transaction, with its notifications
         * @description One transaction, with its notifications.
         */
        get: operations["getTransaction"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/wallets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the wallets
         * @description List the wallets.
         */
        get: operations["listWallets"];
        put?: never;
        /**
         * Watch an own address, or up to 100, all or none
         * @description With a key that an operator gave the scope `wallets:write`. One wallet as an object answers one; a list under `wallets` answers a list. `address_refused`: the installation does not take the address from a business.
         */
        post: operations["createWallet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/wallets/{wallet_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One wallet
         * @description One wallet.
         */
        get: operations["getWallet"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/wallets/{wallet_id}/balances": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What a wallet held at a block
         * @description The balances in the ledger at a confirmed block. `at` is its number, or a moment: then the newest block that the ledger knows of that moment. Without `at`: the confirmed height.
         */
        get: operations["getWalletBalances"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/wallets/{wallet_id}/thresholds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Replace the thresholds of a wallet
         * @description With a key that an operator gave the scope `wallets:write`. `wallet.balance_below` and `wallet.balance_restored` notify of the confirmed balance. A balance that is below a new threshold is notified at once. The same list again changes nothing; an empty one ends them.
         */
        put: operations["getWalletThreshold"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The first registration and its health
         * @description The first registration and its health.
         */
        get: operations["getWebhook"];
        put?: never;
        /**
         * Register the webhook; another URL replaces it, or stands beside it
         * @description Register the webhook; another URL replaces it, or stands beside it.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/all": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All webhooks with their health, the first one first
         * @description All webhooks with their health, the first one first.
         */
        get: operations["getWebhookAll"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/origins": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The addresses that notifications come from, for a receiver's firewall
         * @description The addresses that notifications come from, for a receiver's firewall.
         */
        get: operations["getWebhookOrigins"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete it; deliveries that wait are cancelled
         * @description Delete it; deliveries that wait are cancelled.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /**
         * Change what is given; id and secret stay
         * @description Change what is given; id and secret stay.
         */
        patch: operations["updateWebhook"];
        trace?: never;
    };
    "/webhooks/{id}/recover": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Queue again what was not accepted
         * @description In batches. A recovery of at most 1,000 is mostly done when this answers. `GET /webhooks/{id}/recoveries/{recovery}` says how far another one is.
         */
        post: operations["recoverNotifications"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/recoveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the recoveries of a webhook
         * @description Newest first.
         */
        get: operations["listWebhookRecoveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/recoveries/{recovery}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How far a recovery is
         * @description How far a recovery is.
         */
        get: operations["getWebhookRecovery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A new secret, shown once, and a new pair where there is one; old and new sign while they overlap
         * @description A new secret, shown once, and a new pair where there is one; old and new sign while they overlap.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/rotate-secret/finish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End the overlap early
         * @description End the overlap early.
         */
        post: operations["finishWebhookSecretRotation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Notify it now of a test; answers what the receiver answered
         * @description Its body has every field of the event. Nothing in it could be taken for money: the blockchain is `test`, the asset `TEST`. Amounts are 0, and ids are zeros.
         */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "transaction.deposit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sent when an incoming transfer to a deposit wallet is confirmed
         * @description Sent until a receiver answers 2xx within 15 seconds. It comes at least once, and in no promised order. Recognise a repetition by `id`.
         */
        post: operations["onTransactionDeposit"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "transaction.withdrawal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sent when an outgoing transfer is confirmed
         * @description Sent until a receiver answers 2xx within 15 seconds. It comes at least once, and in no promised order. Recognise a repetition by `id`.
         */
        post: operations["onTransactionWithdrawal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "transaction.payment": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sent when an incoming transfer to a payment wallet is confirmed
         * @description Sent until a receiver answers 2xx within 15 seconds. It comes at least once, and in no promised order. Recognise a repetition by `id`.
         */
        post: operations["onTransactionPayment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "transaction.reversed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sent when a confirmed transaction has left the chain
         * @description Sent until a receiver answers 2xx within 15 seconds. It comes at least once, and in no promised order. Recognise a repetition by `id`.
         */
        post: operations["onTransactionReversed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "transaction.pending": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sent when a transaction is on the chain, not yet confirmed
         * @description Sent until a receiver answers 2xx within 15 seconds. It comes at least once, and in no promised order. Recognise a repetition by `id`. Only for a business that asked for it.
         */
        post: operations["onTransactionPending"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "transaction.dropped": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sent when a pending transaction has left the chain
         * @description Sent until a receiver answers 2xx within 15 seconds. It comes at least once, and in no promised order. Recognise a repetition by `id`. Only for a business that asked for it.
         */
        post: operations["onTransactionDropped"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "wallet.balance_below": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sent when a wallet's confirmed balance is below a threshold
         * @description Sent until a receiver answers 2xx within 15 seconds. It comes at least once, and in no promised order. Recognise a repetition by `id`.
         */
        post: operations["onWalletBalance_below"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "wallet.balance_restored": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sent when a wallet's confirmed balance was below a threshold and is restored
         * @description Sent until a receiver answers 2xx within 15 seconds. It comes at least once, and in no promised order. Recognise a repetition by `id`.
         */
        post: operations["onWalletBalance_restored"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "token.unlisted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sent when a wallet got a token that is not configured, in a confirmed block
         * @description Sent until a receiver answers 2xx within 15 seconds. It comes at least once, and in no promised order. Recognise a repetition by `id`. Only for a webhook whose filter names it in `events`.
         */
        post: operations["onTokenUnlisted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "webhook.test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sent when the business tried its webhook
         * @description Sent until a receiver answers 2xx within 15 seconds. It comes at least once, and in no promised order. Recognise a repetition by `id`.
         */
        post: operations["onWebhookTest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        AccessToken: {
            /**
             * Format: uuid
             * @description The id of the access token: its claim `jti`.
             * @example 01a20098-2c90-7000-8000-5b7d3e9a1c42
             */
            id: string;
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it expires.
             * @example 2026-01-31T12:00:00.000Z
             */
            expires_at: string;
            /**
             * @description The address of the client that asked for the token.
             * @example 203.0.113.7
             */
            address: string;
        };
        AdminNotificationDetail: {
            /**
             * Format: uuid
             * @description The id of the notification.
             * @example 01a20098-2c90-7000-8000-5b7d3e9a1c42
             */
            id: string;
            /**
             * @description transaction.deposit: an incoming transfer to a deposit wallet is confirmed. transaction.withdrawal: an outgoing transfer is confirmed. transaction.payment: an incoming transfer to a payment wallet is confirmed. transaction.reversed: a confirmed transaction has left the chain. transaction.pending: a transaction is on the chain, not yet confirmed. transaction.dropped: a pending transaction has left the chain. wallet.balance_below: a wallet's confirmed balance is below a threshold. wallet.balance_restored: a wallet's confirmed balance was below a threshold and is restored. token.unlisted: a wallet got a token that is not configured, in a confirmed block. webhook.test: the business tried its webhook.
             * @example transaction.deposit
             */
            event: string;
            /**
             * @description waiting: its next attempt is due at a time. delivered: an attempt was accepted. exhausted: every attempt has failed. held: waiting, but the webhook is inactive or there is none. cancelled: the webhook was deleted. filtered: the filter of the first webhook left it out.
             * @enum {string}
             */
            status: "waiting" | "delivered" | "exhausted" | "held" | "cancelled" | "filtered";
            /**
             * @description The id of the transaction. Null: the notification is about none.
             * @example 01a20098-8fc0-7006-8000-07e22e7f4d94
             */
            transaction_id: string | null;
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /** @description When the receiver answered 2xx. Null: not yet. */
            delivered_at: string | null;
            /**
             * @description The number of attempts so far, at the first webhook.
             * @example 1
             */
            attempt_count: number;
            /** @description The body that is sent, as an object. */
            payload: {
                [key: string]: unknown;
            };
            /**
             * @description The body as text: exactly the bytes that are signed and sent.
             * @example {"id":"01a20098-39e4-7000-8000-02911919b011","event":"transaction.deposit"}
             */
            body: string;
            /** @description Every attempt, the oldest first. */
            attempts: components["schemas"]["Attempt"][];
            /**
             * Format: uuid
             * @description The id of the business.
             * @example 01a20098-1f40-7000-8000-3c9e5a7d2b18
             */
            business_id: string;
        };
        AdminTransactionDetail: {
            /**
             * Format: uuid
             * @description The id of the transaction.
             * @example 01a20098-2c90-7000-8000-5b7d3e9a1c42
             */
            id: string;
            /**
             * @description deposit: an incoming transfer to a deposit wallet. withdrawal: an outgoing transfer. payment: an incoming transfer to a payment wallet. fee: what a wallet paid for a transaction of its own, also for a failed one. income: coin that no transfer brought: a validator's withdrawal or a block's fees. adjustment: the correction of a token whose balances also change without a transfer. unattributed: a change of the coin on a chain whose inner calls cannot be read.
             * @enum {string}
             */
            type: "deposit" | "withdrawal" | "payment" | "fee" | "income" | "adjustment" | "unattributed";
            /**
             * @description The amount as an exact decimal, in units of the asset.
             * @example 1.5
             */
            amount: string;
            /**
             * @description The code of the asset.
             * @example USDC
             */
            asset: string;
            /**
             * @description pending: on the chain, not deep enough. completed: confirmed. dropped: was pending, is no longer on the chain. reversed: was completed, is no longer on the chain.
             * @enum {string}
             */
            status: "pending" | "completed" | "dropped" | "reversed";
            /**
             * Format: date-time
             * @description The time of the block that the transfer is in.
             * @example 2026-01-31T12:00:00.000Z
             */
            date: string;
            /**
             * Format: uuid
             * @description The id of the wallet.
             * @example 01a20098-39e4-7000-8000-02911919b011
             */
            wallet_id: string;
            /**
             * @description The configured name of the chain.
             * @example ethereum
             */
            blockchain: string;
            /**
             * @description The hash of the transaction on the chain.
             * @example 0x825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f
             */
            tx_hash: string;
            /**
             * @description The address that sent the transfer.
             * @example 0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc
             */
            from_address: string;
            /**
             * @description The address that received the transfer.
             * @example 0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc
             */
            to_address: string;
            /** @description The memo of the transfer: 32 bytes that the payer chose (TIP-20 on Tempo). Null: there is none. */
            memo: string | null;
            /** @description The virtual address that was paid (TIP-1022 on Tempo). The money is in its master wallet. Null: no virtual address was paid. */
            virtual_address: string | null;
            /**
             * @description The number of blocks from the transaction's own to the position, its own included.
             * @example 12
             */
            confirmations: number;
            /**
             * @description The number of the block.
             * @example 21000000
             */
            block_number: number;
            /**
             * @description The hash of the block.
             * @example 0x825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f
             */
            block_hash: string;
            /**
             * @description The place of the transfer's log in its block. Null: no log shows it.
             * @example 17
             */
            log_index: number | null;
            /**
             * @description The place of the internal transfer in its transaction. Null: it is no internal transfer.
             * @example 0.1
             */
            trace_path: string | null;
            /** @description The proof that it happened; of a correction, the proof of the balance. `root`: the rebuilt header has the block's hash, and its roots cover the transactions and receipts. `bloom`: the rebuilt header's bloom holds exactly the logs' addresses and topics; one endpoint answered their amounts and number. `agreed`: endpoints of two different hosts answered the same, and the hash could not be rebuilt from it. `answered`: one endpoint answered it, such as a trace or a chain whose blocks cannot be rebuilt */
            proof: ("root" | "bloom" | "agreed" | "answered") | null;
            /**
             * @description For an adjustment, the block at which the balance was last right. The corrected change lies above it. Null: it is no adjustment.
             * @example 20999000
             */
            since_block: number | null;
            /** @description True: one endpoint alone confirmed it, or an operator settled it. The other endpoints had been silent for too long, or could not say which blocks are final. */
            confirmed_alone: boolean;
            /**
             * @description The confirmations that it needs; an estimate where the chain's setting is a length of time. Null: the chain's own `safe` or `finalized` block decides.
             * @example 12
             */
            required_confirmations: number | null;
            /** @description The fee that the wallet paid for its own send. Transactions of one tx_hash show the same fee, so count it once. Null: the wallet paid none. */
            fee: {
                /**
                 * @description The amount as an exact decimal, in units of the asset.
                 * @example 1.5
                 */
                amount: string;
                /**
                 * @description The code of the asset.
                 * @example USDC
                 */
                asset: string;
            } | null;
            /** @description The worth of the amount in US dollars at its confirmation. Null: it is not confirmed yet, or no fresh price was known then. */
            usd_value: string | null;
            /**
             * @description The present label of its wallet. Null: the wallet has none.
             * @example shop in Lisbon
             */
            label: string | null;
            /**
             * @description The present reference of its wallet. Null: the wallet has none.
             * @example customer-17
             */
            reference: string | null;
            /**
             * Format: date-time
             * @description When Chainbell recorded it.
             * @example 2026-01-31T12:00:00.000Z
             */
            seen_at: string;
            /** @description When Chainbell confirmed it. Null: it is not confirmed. */
            completed_at: string | null;
            /**
             * @description An address that the wallet paid before, which the sender imitates (address poisoning). Both begin and end with the same four characters. Never pay the sender's address in its place. Missing: the sender imitates none.
             * @example 0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc
             */
            lookalike_of?: string;
            /** @description The transaction's notifications, with their deliveries. */
            notifications: components["schemas"]["TransactionNotification"][];
            /**
             * Format: uuid
             * @description The id of the business.
             * @example 01a20098-1f40-7000-8000-3c9e5a7d2b18
             */
            business_id: string;
        };
        AdminWallet: {
            /**
             * Format: uuid
             * @description The id of the wallet.
             * @example 01a20098-39e4-7000-8000-02911919b011
             */
            wallet_id: string;
            /**
             * @description The configured name of the chain.
             * @example ethereum
             */
            blockchain: string;
            /**
             * @description The address, with its EIP-55 checksum.
             * @example 0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc
             */
            address: string;
            /**
             * @description The codes of the assets that are watched on the wallet's chain.
             * @example [
             *       "ETH",
             *       "USDC"
             *     ]
             */
            currencies: string[];
            /**
             * @description The label of the wallet. Null: it has none.
             * @example shop in Lisbon
             */
            label: string | null;
            /**
             * @description Your own reference of the wallet. Null: it has none.
             * @example customer-17
             */
            reference: string | null;
            /**
             * @description `deposit`: a customer's address. `payment`: a checkout address, whose incoming transfers are payments.
             * @enum {string}
             */
            purpose: "deposit" | "payment";
            /**
             * @description `watched`: all its movements are recorded. `syncing`: its opening balance was not read yet. `leaving`: it was removed with money, and is watched until it is empty.
             * @enum {string}
             */
            status: "syncing" | "watched" | "leaving";
            /**
             * @description The first block of the history that is filled in. Null: none is.
             * @example 20000000
             */
            from_block: number | null;
            /** @description `agrees`: the wallet's history, with what was held before it, adds up to the opening balance. Null: the wallet has no history. */
            history: ("filling" | "agrees" | "differs" | "unknown") | null;
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /**
             * Format: uuid
             * @description The id of the business.
             * @example 01a20098-1f40-7000-8000-3c9e5a7d2b18
             */
            business_id: string;
        };
        AdminWalletDetail: {
            /**
             * Format: uuid
             * @description The id of the wallet.
             * @example 01a20098-39e4-7000-8000-02911919b011
             */
            wallet_id: string;
            /**
             * @description The configured name of the chain.
             * @example ethereum
             */
            blockchain: string;
            /**
             * @description The address, with its EIP-55 checksum.
             * @example 0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc
             */
            address: string;
            /**
             * @description The codes of the assets that are watched on the wallet's chain.
             * @example [
             *       "ETH",
             *       "USDC"
             *     ]
             */
            currencies: string[];
            /**
             * @description The label of the wallet. Null: it has none.
             * @example shop in Lisbon
             */
            label: string | null;
            /**
             * @description Your own reference of the wallet. Null: it has none.
             * @example customer-17
             */
            reference: string | null;
            /**
             * @description `deposit`: a customer's address. `payment`: a checkout address, whose incoming transfers are payments.
             * @enum {string}
             */
            purpose: "deposit" | "payment";
            /**
             * @description `watched`: all its movements are recorded. `syncing`: its opening balance was not read yet. `leaving`: it was removed with money, and is watched until it is empty.
             * @enum {string}
             */
            status: "syncing" | "watched" | "leaving";
            /**
             * @description The first block of the history that is filled in. Null: none is.
             * @example 20000000
             */
            from_block: number | null;
            /** @description `agrees`: the wallet's history, with what was held before it, adds up to the opening balance. Null: the wallet has no history. */
            history: ("filling" | "agrees" | "differs" | "unknown") | null;
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /**
             * Format: uuid
             * @description The id of the business.
             * @example 01a20098-1f40-7000-8000-3c9e5a7d2b18
             */
            business_id: string;
            /** @description The thresholds of the wallet, the whole list. */
            thresholds: components["schemas"]["Threshold"][];
            /** @description The wallet's balances at the confirmed height. Null: the chain has no confirmed block yet. */
            balances: components["schemas"]["WalletBalances"] | null;
        };
        Alert: {
            /**
             * @description The kind of thing that was found.
             * @enum {string}
             */
            kind: "ChainbellLedgerUnreadable" | "ChainbellChainNotWatched" | "ChainbellChainStopped" | "ChainbellChainSilent" | "ChainbellChainBehind" | "ChainbellChainHeld" | "ChainbellLedgerDiffers" | "ChainbellMoneyUnproven" | "ChainbellNoDispatcher" | "ChainbellNoRelay" | "ChainbellMoneyLate" | "ChainbellQueueOutOfReach" | "ChainbellWebhookFailing" | "ChainbellWebhookDeactivated" | "ChainbellEndpointFailing" | "ChainbellEndpointBehind" | "ChainbellEndpointSlow" | "ChainbellUpgradeAhead" | "ChainbellAuditUnchained" | "ChainbellSnapshotOld" | "ChainbellDeadRows" | "ChainbellClaimsSlow" | "ChainbellPriceStale";
            /**
             * @description `critical`: somebody must act now. `warning`: somebody must act soon.
             * @enum {string}
             */
            severity: "critical" | "warning";
            /**
             * @description The alert in one sentence.
             * @example ethereum is 6 min behind: deposits are seen that much later.
             */
            summary: string;
            /** @description When the condition began to hold. Null: nobody knows. */
            since: string | null;
            /**
             * @description The chain that it is about. Null: it is about none.
             * @example ethereum
             */
            chain: string | null;
            /**
             * @description The endpoint that it is about. Null: it is about none.
             * @example rpc.example.com
             */
            endpoint: string | null;
            /**
             * @description The asset that it is about. Null: it is about none.
             * @example null
             */
            asset: string | null;
            /**
             * @description The values in `summary`, by name, for a text of your own.
             * @example {
             *       "lag_seconds": 360
             *     }
             */
            values: {
                [key: string]: string | number;
            };
            /** @description For an alert about webhooks, the webhooks: at most fifty, those in trouble for longest first. */
            webhooks: components["schemas"]["TroubledWebhook"][];
            /**
             * @description The section of the runbooks that says what to do.
             * @example docs/runbooks.md#chainbellchainbehind
             */
            runbook: string;
        };
        ApiKey: {
            /**
             * Format: uuid
             * @description The id of the API key.
             * @example 01a20098-2c90-7000-8000-5b7d3e9a1c42
             */
            id: string;
            /**
             * Format: uuid
             * @description The id of the business.
             * @example 01a20098-1f40-7000-8000-3c9e5a7d2b18
             */
            business_id: string;
            /**
             * @description The label of the key. Null: it has none.
             * @example shop in Lisbon
             */
            label: string | null;
            /**
             * @description The first characters of the key, by which you recognise it.
             * @example cb_3Vt1
             */
            prefix: string;
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /** @description When it was revoked. Null: it is valid. */
            revoked_at: string | null;
            /** @description When it expires. Null: never. */
            expires_at: string | null;
            /** @description When the key was last used, to the minute. Null: never. */
            last_used_at: string | null;
            /** @description The scopes of the key: it may use only their routes. Empty: all scopes except `wallets:write`. */
            scopes: ("read" | "webhooks" | "credits" | "notifications" | "wallets:write")[];
            /**
             * @description The CIDR blocks from which the key works. Empty: from everywhere.
             * @example [
             *       "198.51.100.0/28"
             *     ]
             */
            networks: string[];
            /** @description For a key with `wallets:write`: the most wallets that the business may have after the key added some. Null: the key may not add wallets. */
            max_wallets: number | null;
        };
        Attempt: {
            /**
             * Format: uuid
             * @description The id of the webhook.
             * @example 01a20098-8e18-7000-8000-4c1f0a7d2e35
             */
            webhook_id: string;
            /**
             * @description The number of the row, from 1 without a gap.
             * @example 1
             */
            number: number;
            /**
             * @description The URL to which the attempt was sent. If `request` is null, the URL that the webhook has now. Null: the webhook was replaced long ago.
             * @example https://example.com/hook
             */
            url: string | null;
            /**
             * Format: date-time
             * @description When it began.
             * @example 2026-01-31T12:00:00.000Z
             */
            at: string;
            /**
             * @description The time from the beginning of the attempt to its end, in ms.
             * @example 42
             */
            latency_ms: number;
            /**
             * @description The status of the receiver's answer. Null: there was none.
             * @example 200
             */
            status_code: number | null;
            /** @description The reason why the attempt has no answer. Null: there was one. */
            error: ("timeout" | "dns" | "connection" | "tls" | "target_refused" | "unrecorded" | "withheld") | null;
            /**
             * @description The first 1 KB of the answer. Null: there was none.
             * @example ok
             */
            response: string | null;
            /** @description When the next attempt is due. Null: none is. */
            next_attempt_at: string | null;
        };
        AttemptWithRequest: {
            /**
             * Format: uuid
             * @description The id of the webhook.
             * @example 01a20098-8e18-7000-8000-4c1f0a7d2e35
             */
            webhook_id: string;
            /**
             * @description The number of the row, from 1 without a gap.
             * @example 1
             */
            number: number;
            /**
             * @description The URL to which the attempt was sent. If `request` is null, the URL that the webhook has now. Null: the webhook was replaced long ago.
             * @example https://example.com/hook
             */
            url: string | null;
            /**
             * Format: date-time
             * @description When it began.
             * @example 2026-01-31T12:00:00.000Z
             */
            at: string;
            /**
             * @description The time from the beginning of the attempt to its end, in ms.
             * @example 42
             */
            latency_ms: number;
            /**
             * @description The status of the receiver's answer. Null: there was none.
             * @example 200
             */
            status_code: number | null;
            /** @description The reason why the attempt has no answer. Null: there was one. */
            error: ("timeout" | "dns" | "connection" | "tls" | "target_refused" | "unrecorded" | "withheld") | null;
            /**
             * @description The first 1 KB of the answer. Null: there was none.
             * @example ok
             */
            response: string | null;
            /** @description When the next attempt is due. Null: none is. */
            next_attempt_at: string | null;
            /** @description The request as it was sent. Null: an earlier release sent it, nobody knows how it ended, or its webhook is long gone. */
            request: components["schemas"]["SentRequest"] | null;
        };
        AuditEntry: {
            /**
             * Format: uuid
             * @description The id of the entry.
             * @example 01a20098-2c90-7000-8000-5b7d3e9a1c42
             */
            id: string;
            /**
             * Format: date-time
             * @description When it happened.
             * @example 2026-01-31T12:00:00.000Z
             */
            at: string;
            /**
             * @description The author: the name of an operator's admin token, or of the system's user. Else the id of the key or session.
             * @example ops
             */
            actor: string;
            /**
             * @description A name for `actor`. A key has its label or prefix. A session has the name of its key, or of the operator who made its link. Null: `actor` is the name already, or the key or session is gone.
             * @example null
             */
            actor_name: string | null;
            /**
             * @description `api`: a business itself, and the actor is its key. `console`: the same in the console, and the actor is its session. `sql`: Chainbell did not write this entry, and the actor is unknown.
             * @enum {string}
             */
            via: "http" | "cli" | "system" | "api" | "console" | "sql";
            /**
             * @description The address of the client that sent the request. Null: the change was made on the command line.
             * @example 0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc
             */
            address: string | null;
            /**
             * @description The verb of the change, such as `wallet.add`.
             * @example webhook.register
             */
            action: string;
            /**
             * @description The id or name of the thing that was changed.
             * @example 01a20098-8e18-7000-8000-4c1f0a7d2e35
             */
            subject: string | null;
            /** @description The request and its outcome. */
            details: {
                [key: string]: unknown;
            };
        };
        /** @description The event, its balance and the threshold. Further fields may be added. */
        BalanceNotificationData: {
            /**
             * Format: uuid
             * @description The id of the wallet, as in `GET /wallets`.
             * @example 01a20098-39e4-7000-8000-02911919b011
             */
            walletId: string;
            /**
             * @description The address of the wallet, with its EIP-55 checksum.
             * @example 0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc
             */
            address: string;
            /**
             * @description The wallet's reference, or null.
             * @example customer-17
             */
            reference: string | null;
            /**
             * @description The configured name of the chain.
             * @example ethereum
             */
            blockchain: string;
            /**
             * @description The code of the asset.
             * @example USDC
             */
            asset: string;
            /**
             * @description The confirmed balance when it crossed the threshold, in units of the asset, exact.
             * @example 6.25
             */
            balance: string;
            /**
             * @description The limit of the threshold. Every smaller balance is below it.
             * @example 12.5
             */
            below: string;
            /**
             * @description The least balance that counts as restored.
             * @example 25
             */
            restoredFrom: string;
            /**
             * @description The number of this notification among those of its threshold, from 1.
             * @example 1
             */
            crossing: number;
        };
        Business: {
            /**
             * Format: uuid
             * @description The id of the business.
             * @example 01a20098-2c90-7000-8000-5b7d3e9a1c42
             */
            id: string;
            /**
             * @description The name of the business.
             * @example Example Ltd
             */
            name: string;
            /**
             * @description The legal name in the head of statements. Null: `name` stands there.
             * @example Example Trading Limited
             */
            legal_name: string | null;
            /**
             * @description The postal address in the head of statements, with line breaks. Null: none stands there.
             * @example 1 Example Street
             *     London
             */
            address: string | null;
            /** @description When an operator verified the business. Null: it is not verified. */
            verified_at: string | null;
            /** @description When an operator suspended the business. Null: it is not suspended. */
            suspended_at: string | null;
            /** @description True: the business also gets the events of pending transactions. */
            notify_pending: boolean;
            /**
             * @description The most deliveries of the business that are under way at once. Null: the configured default.
             * @example 10
             */
            in_flight: number | null;
            /**
             * @description The most attempts a second, at all webhooks of the business together. Null: not limited.
             * @example 50
             */
            rate: number | null;
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
        };
        Chain: {
            /**
             * @description The configured name of the chain.
             * @example ethereum
             */
            name: string;
            /**
             * @description The EIP-155 id of the chain.
             * @example 1
             */
            chain_id: number;
            /**
             * @description The address of a block explorer of the chain. A transaction is below `/tx/`. Null: none is known.
             * @example https://etherscan.io
             */
            explorer: string | null;
            /**
             * @description The code of the chain's own coin. Null: the coin is not watched.
             * @example ETH
             */
            native_asset: string | null;
            /**
             * @description The codes of all assets of the chain that are recorded, or once were.
             * @example [
             *       "ETH",
             *       "USDC"
             *     ]
             */
            assets: string[];
            /**
             * @description The newest block that is recorded, with all blocks before it. Null: none is.
             * @example 21000024
             */
            position: number | null;
            /**
             * @description The newest block that an endpoint has.
             * @example 21000024
             */
            head: number | null;
            /**
             * @description The confirmed height: the newest block that is deep enough.
             * @example 21000012
             */
            confirmed: number | null;
            /**
             * @description The age of the position's block, in seconds. Null: there is no position yet.
             * @example 2
             */
            lag_seconds: number | null;
            /** @description True: the chain is stopped. Nothing new is recorded until the operator mends the cause. */
            stopped: boolean;
            /** @description True: a movement waits for the agreement of further endpoints. It is confirmed after they agree. */
            held: boolean;
            /**
             * @description The confirmations that a transaction on the chain needs. Null: the chain's own word decides, or a length of time.
             * @example 12
             */
            required_confirmations: number | null;
        };
        CheckedCredit: {
            /** @description The number of the line in the file, from 1. Null: money that no line names. */
            line: number | null;
            /**
             * @description matches: the ledger has the transaction, confirmed, and the credit is the same. not_received: credited, and the ledger has not received it. not_credited: received and confirmed, and no credit names it. credited_twice: another credit has the same transaction already. other_wallet: the money came to another wallet than the credit says. other_asset: the money is of another asset than the credit says. other_amount: the amount is another than the credit says. before_confirmed: credited before the transaction was confirmed. reversed: credited, and the transaction has left the chain since. malformed: the line cannot be read; its text is kept.
             * @enum {string}
             */
            verdict: "matches" | "not_received" | "not_credited" | "credited_twice" | "other_wallet" | "other_asset" | "other_amount" | "before_confirmed" | "reversed" | "malformed";
            /**
             * @description The cause of the verdict: a word that never changes. Null: the line matches.
             * @example decimals
             */
            cause: string | null;
            /**
             * @description A sentence on what probably led to the finding. Its wording may change.
             * @example The amounts differ by a power of ten: one was read with other decimals.
             */
            likely_cause: string | null;
            /**
             * @description A sentence on what to do about the finding. Its wording may change.
             * @example Correct the credit. Take the decimal amount of the notification as it is.
             */
            next_step: string | null;
            /** @description new: the run before did not have it. changed: the run before had another verdict or cause, or the credit says something else now. gone: the run before had it, and this one has not. Null without `changes=true`. */
            change: ("new" | "changed" | "gone") | null;
            /**
             * @description Your own reference of the wallet. Null: it has none.
             * @example customer-17
             */
            reference: string | null;
            /** @description When your books credited it. */
            credited_at: string | null;
            /**
             * @description The code of the asset.
             * @example USDC
             */
            asset: string | null;
            /** @description The amount as an exact decimal, in units of the asset. */
            amount: string | null;
            /**
             * @description The id of the transaction. Null: the notification is about none.
             * @example 01a20098-8fc0-7006-8000-07e22e7f4d94
             */
            transaction_id: string | null;
            /** @description The hash of the transaction on the chain. */
            tx_hash: string | null;
            /**
             * @description The id of the wallet.
             * @example 01a20098-39e4-7000-8000-02911919b011
             */
            wallet_id: string | null;
            /** @description The address, with its EIP-55 checksum. */
            address: string | null;
            /** @description Asset and amount of the transaction in the ledger. Null: the ledger has no such transaction. */
            received: {
                /**
                 * @description The code of the asset.
                 * @example USDC
                 */
                asset: string;
                /**
                 * @description The amount as an exact decimal, in units of the asset.
                 * @example 1.5
                 */
                amount: string;
            } | null;
            /**
             * @description The reason why the line cannot be read. Null: it can be read.
             * @example amount: missing
             */
            problem: string | null;
            /**
             * @description A stable word for `problem`. Null where there is none, or where an earlier release compared. encoding: the encoding of the line is not UTF-8. quotes: a quote of the line is not closed, or stands in a cell without quotes. cells: the line has another number of cells than the first line. not_an_object: the line is not a JSON object. unknown_field: a credit has no field of this name. not_a_text: the value of the field is not a JSON text. missing: a field is missing. no_transaction: the line names no transaction. id: the field has no id. hash: the field has no hash. address: the field has no address. checksum: the EIP-55 checksum of the address is wrong. plain_text: the field has no plain text. amount: the field has no amount above zero. time: the field has no time with its zone.
             * @example missing
             */
            problem_code: string | null;
            /**
             * @description The values in `problem`, for a text of your own.
             * @example {
             *       "field": "amount"
             *     }
             */
            problem_values: {
                [key: string]: string | number;
            };
            /**
             * @description The whole text of a malformed line. Null: the line can be read.
             * @example 01a20098-8fc0-8000-8000-02911919b011,ETH,,credit-1,2026-01-31T12:00:00Z
             */
            text: string | null;
        };
        ConsoleLink: {
            /**
             * Format: uuid
             * @description The id of the business.
             * @example 01a20098-1f40-7000-8000-3c9e5a7d2b18
             */
            business_id: string;
            /**
             * @description viewer: looks. developer: does what an API key of the business may.
             * @enum {string}
             */
            role: "viewer" | "developer";
            /**
             * @description The secret of the link, which is shown here and never again. It lets in everybody who has it.
             * @example cbl_3vJ0C1T9d2m8Qw5Xr7YbZkLhNfPgSaUeViWoRtEyU4I
             */
            link: string;
            /**
             * @description The path to open in a browser, below the address of the console.
             * @example /console/enter#cbl_3vJ0C1T9d2m8Qw5Xr7YbZkLhNfPgSaUeViWoRtEyU4I
             */
            path: string;
            /**
             * Format: date-time
             * @description When it expires. Null: never.
             * @example 2026-01-31T12:00:00.000Z
             */
            expires_at: string;
        };
        CreditCheck: {
            /**
             * Format: uuid
             * @description The id of the run.
             * @example 01a20098-2c90-7000-8000-5b7d3e9a1c42
             */
            id: string;
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the comparison was done.
             * @example 2026-01-31T12:00:00.000Z
             */
            finished_at: string;
            /**
             * @description The form in which the credits came.
             * @enum {string}
             */
            format: "csv" | "jsonl";
            /**
             * @description The SHA-256 of the bytes that were sent, in hex.
             * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
             */
            digest: string;
            /** @description The number of lines in the file, with malformed lines. */
            credits: number;
            /**
             * Format: date-time
             * @description The beginning of the period of the money that was to be credited. It is included.
             * @example 2026-01-31T12:00:00.000Z
             */
            from: string;
            /**
             * Format: date-time
             * @description The end of that period. It is not included.
             * @example 2026-01-31T12:00:00.000Z
             */
            to: string;
            /** @description The number of lines with each verdict. */
            counts: {
                /** @description The number of lines with the verdict `matches`. */
                matches: number;
                /** @description The number of lines with the verdict `not_received`. */
                not_received: number;
                /** @description The number of lines with the verdict `not_credited`. */
                not_credited: number;
                /** @description The number of lines with the verdict `credited_twice`. */
                credited_twice: number;
                /** @description The number of lines with the verdict `other_wallet`. */
                other_wallet: number;
                /** @description The number of lines with the verdict `other_asset`. */
                other_asset: number;
                /** @description The number of lines with the verdict `other_amount`. */
                other_amount: number;
                /** @description The number of lines with the verdict `before_confirmed`. */
                before_confirmed: number;
                /**
                 * @description The number of lines with the verdict `reversed`.
                 * @example 0
                 */
                reversed: number;
                /** @description The number of lines with the verdict `malformed`. */
                malformed: number;
            };
            /** @description The sums of each asset. */
            assets: components["schemas"]["CreditedAsset"][];
        };
        CreditedAsset: {
            /**
             * @description The code of the asset. Null: this row counts the codes that the installation does not know. It has no sums.
             * @example USDC
             */
            asset: string | null;
            /** @description The number of lines in the file. */
            credits: number;
            /** @description The sum that your books credited. Null: an amount cannot be added. */
            credited: string | null;
            /** @description The confirmed sum of the credited transactions, and of those that nobody credited. Null: the row has no sums. */
            received: string | null;
            /** @description `credited` less `received`. Null: one of them is null. */
            difference: string | null;
        };
        /** @description The one form of every error. */
        Error: {
            /** @constant */
            success: false;
            /** @description The reason why the attempt has no answer. Null: there was one. */
            error: {
                /** @description The code of the cause, which never changes. */
                code: components["schemas"]["ErrorCode"];
                /**
                 * @description Says what happened, names the value at fault, and says what to do.
                 * @example limit must be a whole number from 1 to 500; it is '9999'.
                 */
                message: string;
                /**
                 * @description The page about the code, relative to the API's address.
                 * @example /docs/errors#invalid_request
                 */
                doc_url: string;
                /** @description The fields at fault, if fields are. */
                details?: {
                    /** @example limit */
                    field: string;
                    /**
                     * @description The fault, and what to do.
                     * @example limit must be a whole number from 1 to 500; it is '9999'.
                     */
                    message: string;
                    /**
                     * @description unknown_field: the request has no such field. text: the value is not a text. plain_text: the text is empty or too long, or has control characters. name_text: the text is empty or too long, or has control characters or ones that hide or turn text. id: the value is not an id. hash: the value is not the hash of a transaction or block. block: the value is not the number of a block. not_reached: the block is after the last one of `chain`, `position`. not_started: `chain` has no block yet. date: the value is neither an ISO 8601 date nor such a time. time: the value is not a time with its zone. network: a value is not a CIDR block. above_zero: the value is not above 0. not_below: the value is less than that of `below`. decimals: the value is not a decimal, or has more than `most` decimals. too_slow: the search took too long with so little text. too_long: the list took too long for this time. vague: the text names more than `most` wallets. one_business: the search needs one business, for there are more than `most` wallets. one_wallet: a business with more than `most` wallets must name one wallet instead. too_many: there are more than `most` entries. each_once: two headers have the same name. choice: the value is none of `choices`. unknown_chain: no configured chain has this name; `chains` are configured. no_chain: no chain is configured. address: the value is not an address. checksum: the address has a wrong EIP-55 checksum. repeated: the list has the same wallet before, at `other`. taken: `business` (`business_id`) has the address on that chain already. not_watched: `name` is not watched; `choices` are. nothing_watched: `name` is not watched, and nothing is yet. not_among_assets: `name` is not among `assets`. foreign_wallet: `wallet` is no wallet of the business. unasked_events: the operator must ask for `events` first, for the business. assetless_events: `events` are about no configured asset. none_on_chains: none of the wallets is on one of `blockchains`. none_referred: none of the wallets has such a reference. none_with_events: none of the wallets has such events. none_on_left_chains: none of the assets is on a chain that the other fields leave. header_name: `name` is not the name of a header of at most `most` characters. header_reserved: `name` is a header that cannot be set. header_value: the header `name` needs a value of 1 to `most` visible ASCII characters. certificate: it is not a certificate and its private key without a passphrase, both PEM. certificate_key: the private key is not that of the certificate. certificate_expired: the certificate has expired. invalid: the value is not allowed; `message` says why.
                     * @enum {string}
                     */
                    code: "unknown_field" | "text" | "plain_text" | "name_text" | "id" | "hash" | "block" | "not_reached" | "not_started" | "date" | "time" | "network" | "above_zero" | "not_below" | "decimals" | "too_slow" | "too_long" | "vague" | "one_business" | "one_wallet" | "too_many" | "each_once" | "choice" | "unknown_chain" | "no_chain" | "address" | "checksum" | "repeated" | "taken" | "not_watched" | "nothing_watched" | "not_among_assets" | "foreign_wallet" | "unasked_events" | "assetless_events" | "none_on_chains" | "none_referred" | "none_with_events" | "none_on_left_chains" | "header_name" | "header_reserved" | "header_value" | "certificate" | "certificate_key" | "certificate_expired" | "invalid";
                    /**
                     * @description The values in `message`, for a text of your own.
                     * @example {}
                     */
                    values: {
                        [key: string]: string | number;
                    };
                }[];
            };
            /** @example 8109552d-768d-416c-b820-4b386319cdf9 */
            request_id: string;
        };
        /**
         * @description A stable word for machines. Further ones may be added.
         * @enum {string}
         */
        ErrorCode: "invalid_request" | "forbidden" | "route_not_found" | "method_not_allowed" | "not_acceptable" | "request_timeout" | "length_required" | "precondition_failed" | "payload_too_large" | "uri_too_long" | "unsupported_media_type" | "range_not_satisfiable" | "expectation_failed" | "misdirected_request" | "upgrade_required" | "rate_limited" | "headers_too_large" | "invalid_address" | "invalid_url" | "target_refused" | "unknown_blockchain" | "invalid_api_key" | "missing_credentials" | "invalid_access_token" | "access_token_expired" | "invalid_admin_token" | "invalid_console_link" | "invalid_sign_in" | "insufficient_user_authentication" | "console_session_over" | "key_revoked" | "key_expired" | "scope_missing" | "network_refused" | "role_missing" | "console_request_refused" | "business_unverified" | "business_suspended" | "business_not_found" | "api_key_not_found" | "wallet_not_found" | "transaction_not_found" | "webhook_not_found" | "notification_not_found" | "console_session_not_found" | "token_not_found" | "chain_not_found" | "reconciliation_not_found" | "recovery_not_found" | "statement_not_found" | "wallet_exists" | "address_refused" | "wallet_removed" | "limit_reached" | "webhook_inactive" | "delivery_in_flight" | "reconciliation_running" | "recovery_running" | "close_running" | "idempotency_key_in_use" | "idempotency_answer_lost" | "cursor_unknown" | "cursor_expired" | "idempotency_key_reused" | "database_unavailable" | "queue_unavailable" | "rpc_unavailable" | "rpc_inconsistent" | "state_unavailable" | "identity_provider_unavailable" | "unavailable" | "internal_error";
        /** @description The limits of the filter. A field that is not known here is refused. */
        FilterAsked: {
            /** @description Only notifications of these events. `token.unlisted` comes only if it is named here. */
            events?: ("transaction.deposit" | "transaction.withdrawal" | "transaction.payment" | "transaction.reversed" | "transaction.pending" | "transaction.dropped" | "wallet.balance_below" | "wallet.balance_restored" | "token.unlisted")[];
            /**
             * @description Only notifications on one of these chains, by name.
             * @example [
             *       "ethereum"
             *     ]
             */
            blockchains?: string[];
            /**
             * @description Only notifications that move one of these assets, by code.
             * @example [
             *       "ETH",
             *       "USDC"
             *     ]
             */
            assets?: string[];
            /**
             * @description Only notifications about one of these wallets, by id.
             * @example [
             *       "01a20098-39e4-7000-8000-02911919b011"
             *     ]
             */
            wallet_ids?: string[];
            /**
             * @description Only notifications of wallets whose reference begins with one of these texts.
             * @example [
             *       "shop-"
             *     ]
             */
            references?: string[];
            /**
             * @description The least amount that moves, by asset. An asset that is not named has no limit.
             * @example {
             *       "USDC": "1000"
             *     }
             */
            min_amount?: {
                [key: string]: string;
            };
            /**
             * @description The least worth in US dollars, at that moment. An event without an amount or a price passes.
             * @example 1000
             */
            min_usd?: string;
        };
        Found: {
            /**
             * @description The kind of thing that was found.
             * @enum {string}
             */
            kind: "transaction" | "sighting" | "wallet" | "notification" | "key" | "business" | "chain";
            /**
             * @description The id of the thing. For a chain, its name.
             * @example 01a20098-2c90-7000-8000-5b7d3e9a1c42
             */
            id: string;
            /**
             * @description The name, label or hash by which you recognise it. Null: it has none.
             * @example shop in Lisbon
             */
            label: string;
            /**
             * @description A mark that tells it from others, such as its status or address.
             * @example deposit completed ethereum
             */
            detail: string;
            /**
             * @description The id of the business that has it. Null: it is a chain.
             * @example 01a20098-1f40-7000-8000-3c9e5a7d2b18
             */
            business_id: string | null;
        };
        Holding: {
            /**
             * @description The code of the asset.
             * @example USDC
             */
            asset: string;
            /**
             * @description The configured name of the chain.
             * @example ethereum
             */
            blockchain: string;
            /**
             * @description The confirmed amount in all wallets of that chain together, as an exact decimal.
             * @example 1.5
             */
            amount: string;
            /** @description The worth of `amount` in US dollars. Null: no fresh price is known. */
            usd: string | null;
            /** @description The source of the price. `agreed`: two hosts said it. `answered`: one host said it, near what two said before or with no other to ask. Null where it is fixed or not known. */
            price_proof: ("agreed" | "answered") | null;
            /**
             * @description The incoming amount that is not confirmed yet. It is not part of `amount`.
             * @example 1.5
             */
            pending: string;
        };
        KeyToCreate: {
            /**
             * @description A label of at most 200 characters.
             * @example shop in Lisbon
             */
            label?: string;
            /**
             * @description The scopes of the key. Left out: everything but `wallets:write`.
             * @example [
             *       "read"
             *     ]
             */
            scopes?: string[];
            /**
             * @description CIDR blocks from which it works. Left out: from everywhere.
             * @example [
             *       "198.51.100.0/28"
             *     ]
             */
            networks?: string[];
            /**
             * @description An ISO 8601 time after which the key is refused. Left out: never.
             * @example 2027-01-31T12:00:00Z
             */
            expires_at?: string;
        };
        KeyToGrant: {
            /**
             * @description A label of at most 200 characters.
             * @example shop in Lisbon
             */
            label?: string;
            /**
             * @description The scopes of the key. Left out: everything but `wallets:write`.
             * @example [
             *       "read"
             *     ]
             */
            scopes?: string[];
            /**
             * @description CIDR blocks from which it works. Left out: from everywhere.
             * @example [
             *       "198.51.100.0/28"
             *     ]
             */
            networks?: string[];
            /**
             * @description An ISO 8601 time after which the key is refused. Left out: never.
             * @example 2027-01-31T12:00:00Z
             */
            expires_at?: string;
            /** @description The most wallets that the business may have after the key added some. It goes with the scope `wallets:write`. */
            max_wallets?: number;
        };
        LastAttempt: {
            /**
             * @description The URL that is notified.
             * @example https://example.com/hook
             */
            url: string | null;
            /**
             * Format: date-time
             * @description When it happened.
             * @example 2026-01-31T12:00:00.000Z
             */
            at: string;
            /**
             * @description The status of the receiver's answer. Null: there was none.
             * @example 200
             */
            status_code: number | null;
            /** @description The reason why the attempt has no answer. Null: there was one. */
            error: ("timeout" | "dns" | "connection" | "tls" | "target_refused" | "unrecorded" | "withheld") | null;
            /**
             * @description The first 200 characters of the answer. Null: none is kept.
             * @example ok
             */
            response: string | null;
        };
        LedgerFinding: {
            /**
             * @description The kind of thing that was found.
             * @example entry_changed
             */
            kind: string;
            /**
             * @description The finding in words.
             * @example balance
             */
            what: string;
            /**
             * @description The values in `what`, for a text of your own. Amounts are in atomic units, as texts.
             * @example {
             *       "chain_name": "ethereum",
             *       "number": "17",
             *       "entry_id": "4711"
             *     }
             */
            values: {
                [key: string]: string | number;
            };
        };
        NewApiKey: {
            /**
             * Format: uuid
             * @description The id of the API key.
             * @example 01a20098-2c90-7000-8000-5b7d3e9a1c42
             */
            id: string;
            /**
             * Format: uuid
             * @description The id of the business.
             * @example 01a20098-1f40-7000-8000-3c9e5a7d2b18
             */
            business_id: string;
            /**
             * @description The label of the key. Null: it has none.
             * @example shop in Lisbon
             */
            label: string | null;
            /**
             * @description The first characters of the key, by which you recognise it.
             * @example cb_3Vt1
             */
            prefix: string;
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /** @description When it was revoked. Null: it is valid. */
            revoked_at: string | null;
            /** @description When it expires. Null: never. */
            expires_at: string | null;
            /** @description When the key was last used, to the minute. Null: never. */
            last_used_at: string | null;
            /** @description The scopes of the key: it may use only their routes. Empty: all scopes except `wallets:write`. */
            scopes: ("read" | "webhooks" | "credits" | "notifications" | "wallets:write")[];
            /**
             * @description The CIDR blocks from which the key works. Empty: from everywhere.
             * @example [
             *       "198.51.100.0/28"
             *     ]
             */
            networks: string[];
            /** @description For a key with `wallets:write`: the most wallets that the business may have after the key added some. Null: the key may not add wallets. */
            max_wallets: number | null;
            /**
             * @description The key itself. It is shown here and never again: store it now.
             * @example cb_3Vt1mQ0yq5n0o7Yh2cQm4l8w
             */
            key: string;
        };
        NewApiKeyAnswer: {
            /** @constant */
            success: true;
            /**
             * Format: uuid
             * @description The id of the API key.
             * @example 01a20098-2c90-7000-8000-5b7d3e9a1c42
             */
            id: string;
            /**
             * @description The key. It is shown here, and never again.
             * @example cb_3Vt1mQ0yq5n0o7Yh2cQm4l8w
             */
            key: string;
            data: components["schemas"]["NewApiKey"];
        };
        NewWallet: {
            /**
             * @description The configured name of the chain.
             * @example ethereum
             */
            blockchain: string;
            /**
             * @description The address, in any case. A mixed-case one needs the right EIP-55 checksum.
             * @example 0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc
             */
            address: string;
            /**
             * @description `deposit`, the default, or `payment` for a checkout address.
             * @default deposit
             * @example deposit
             */
            purpose: string;
            /**
             * @description Your own reference, of at most 200 characters. Answers and events repeat it.
             * @default null
             * @example customer-17
             */
            reference: string | null;
            /**
             * @description A label of at most 200 characters.
             * @default null
             * @example shop in Lisbon
             */
            label: string | null;
            /**
             * @description The first block of a history that is filled in. Left out: none is.
             * @default null
             * @example 20000000
             */
            from_block: number | null;
        };
        Notification: {
            /**
             * Format: uuid
             * @description The id of the notification.
             * @example 01a20098-2c90-7000-8000-5b7d3e9a1c42
             */
            id: string;
            /**
             * @description transaction.deposit: an incoming transfer to a deposit wallet is confirmed. transaction.withdrawal: an outgoing transfer is confirmed. transaction.payment: an incoming transfer to a payment wallet is confirmed. transaction.reversed: a confirmed transaction has left the chain. transaction.pending: a transaction is on the chain, not yet confirmed. transaction.dropped: a pending transaction has left the chain. wallet.balance_below: a wallet's confirmed balance is below a threshold. wallet.balance_restored: a wallet's confirmed balance was below a threshold and is restored. token.unlisted: a wallet got a token that is not configured, in a confirmed block. webhook.test: the business tried its webhook.
             * @example transaction.deposit
             */
            event: string;
            /**
             * @description waiting: its next attempt is due at a time. delivered: an attempt was accepted. exhausted: every attempt has failed. held: waiting, but the webhook is inactive or there is none. cancelled: the webhook was deleted. filtered: the filter of the first webhook left it out.
             * @enum {string}
             */
            status: "waiting" | "delivered" | "exhausted" | "held" | "cancelled" | "filtered";
            /**
             * @description The id of the transaction. Null: the notification is about none.
             * @example 01a20098-8fc0-7006-8000-07e22e7f4d94
             */
            transaction_id: string | null;
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /** @description When the receiver answered 2xx. Null: not yet. */
            delivered_at: string | null;
            /**
             * @description The number of attempts so far, at the first webhook.
             * @example 1
             */
            attempt_count: number;
            /** @description The body that is sent, as an object. */
            payload: {
                [key: string]: unknown;
            };
            /**
             * @description The webhook that `status` is of. Null: the first one.
             * @example 01a20098-8e18-7000-8000-4c1f0a7d2e35
             */
            webhook_id: string | null;
            /** @description The last attempt at the webhook that `status` is of. Null: there was none. */
            last_attempt: components["schemas"]["LastAttempt"] | null;
            /** @description The fee that the wallet paid for its own send. Transactions of one tx_hash show the same fee, so count it once. Null: the wallet paid none. */
            fee?: {
                /**
                 * @description The amount as an exact decimal, in units of the asset.
                 * @example 1.5
                 */
                amount: string;
                /**
                 * @description The code of the asset.
                 * @example USDC
                 */
                asset: string;
            } | null;
            /** @description The worth of the amount in US dollars at its confirmation. Null: it is not confirmed yet, or no fresh price was known then. */
            usd_value?: string | null;
            /**
             * @description The present label of its wallet. Null: the wallet has none.
             * @example shop in Lisbon
             */
            label?: string | null;
        };
        NotificationCount: {
            /**
             * Format: date-time
             * @description When the hour or day of the row begins.
             * @example 2026-01-31T12:00:00.000Z
             */
            at: string;
            /**
             * @description The number of notifications that wait.
             * @example 0
             */
            waiting: number;
            /** @description The number of notifications that were delivered. */
            delivered: number;
            /** @description The number of notifications that were given up. */
            exhausted: number;
            /**
             * @description The number of notifications without an active webhook.
             * @example 0
             */
            held: number;
            /**
             * @description The number of notifications that were cancelled.
             * @example 2
             */
            cancelled: number;
            /** @description The number of notifications that the filter left out. */
            filtered: number;
        };
        /** @description The event and its transaction. Further fields may be added. */
        NotificationData: {
            /**
             * Format: uuid
             * @description The id of the transaction, for `GET /transactions/:id`.
             * @example 01a20098-8fc0-7006-8000-07e22e7f4d94
             */
            transactionId: string;
            /**
             * @description The hash of the transaction on the chain.
             * @example 0x825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f
             */
            txHash: string;
            /**
             * @description The amount in units of the asset, exact. Keep it as text, or read it with a decimal library.
             * @example 12.5
             */
            amount: string;
            /**
             * @description The code of the asset.
             * @example USDC
             */
            asset: string;
            /**
             * @description The configured name of the chain.
             * @example ethereum
             */
            blockchain: string;
            /**
             * @description The payer, with its EIP-55 checksum; the zero address for a mint.
             * @example 0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc
             */
            fromAddress: string;
            /**
             * @description The kind of movement, seen from the business.
             * @enum {string}
             */
            type: "deposit" | "withdrawal" | "payment";
            /**
             * @description The address that was paid, with its EIP-55 checksum.
             * @example 0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc
             */
            toAddress: string;
            /**
             * Format: uuid
             * @description The id of the wallet, as in `GET /wallets`.
             * @example 01a20098-39e4-7000-8000-02911919b011
             */
            walletId: string;
            /**
             * @description The wallet's reference, or null.
             * @example customer-17
             */
            reference: string | null;
            /**
             * @description The number of the block that the transaction is in, or was in.
             * @example 21000000
             */
            blockNumber: number;
            /** @description True if one endpoint alone confirmed it. The others had been silent for too long, or no other can say which blocks are final. True also if an operator settled it. */
            confirmedAlone: boolean;
            /**
             * @description The proof that it happened; left out where an old release recorded it without. `root`: the rebuilt header has the block's hash, and its roots cover the transactions and receipts. `bloom`: the rebuilt header's bloom holds exactly the logs' addresses and topics; one endpoint answered their amounts and number. `agreed`: endpoints of two different hosts answered the same, and the hash could not be rebuilt from it. `answered`: one endpoint answered it, such as a trace or a chain whose blocks cannot be rebuilt.
             * @enum {string}
             */
            proof?: "root" | "bloom" | "agreed" | "answered";
            /**
             * @description 32 bytes that the payer chose (TIP-20 on Tempo); left out where there are none.
             * @example 0x825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f
             */
            memo?: string;
            /**
             * @description The virtual address that was paid, whose master wallet has the money (TIP-1022 on Tempo); left out where none was.
             * @example 0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc
             */
            virtualAddress?: string;
            /**
             * @description An address that the wallet paid before, which the sender imitates (address poisoning). Both begin and end with the same four characters. Never pay the sender's address in its place. Missing: the sender imitates none.
             * @example 0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc
             */
            lookalikeOf?: string;
        };
        NotificationTotal: {
            /**
             * @description The number of notifications that wait.
             * @example 0
             */
            waiting: number;
            /** @description The number of notifications that were delivered. */
            delivered: number;
            /** @description The number of notifications that were given up. */
            exhausted: number;
            /**
             * @description The number of notifications without an active webhook.
             * @example 0
             */
            held: number;
            /**
             * @description The number of notifications that were cancelled.
             * @example 2
             */
            cancelled: number;
            /** @description The number of notifications that the filter left out. */
            filtered: number;
        };
        Opening: {
            /**
             * @description The kind of the balance: `opening`, or a correction of one.
             * @example opening
             */
            kind: string;
            /**
             * @description The code of the asset.
             * @example USDC
             */
            asset: string;
            /**
             * @description The amount as an exact decimal, in units of the asset.
             * @example 1.5
             */
            amount: string;
            /**
             * @description The block of this balance. Every movement above it is a transaction of its own.
             * @example 21000000
             */
            block_number: number;
            /**
             * Format: date-time
             * @description When it was recorded.
             * @example 2026-01-31T12:00:00.000Z
             */
            recorded_at: string;
            /** @description The proof of it. `state`: the state root in the block's header, which its hash covers. `agreed`: endpoints of two hosts answered the same. `answered`: one endpoint answered it. Null: it is not the opening any more, or of before this was kept. */
            proof: ("state" | "agreed" | "answered") | null;
        };
        OwnAuditEntry: {
            /**
             * Format: uuid
             * @description The id of the entry.
             * @example 01a20098-2c90-7000-8000-5b7d3e9a1c42
             */
            id: string;
            /**
             * Format: date-time
             * @description When it happened.
             * @example 2026-01-31T12:00:00.000Z
             */
            at: string;
            /**
             * @description The kind of author: a key, a session of the console, or an operator.
             * @enum {string}
             */
            actor: "key" | "console" | "operator";
            /**
             * @description The id of the API key that was used, or of the access token's key. Null: no key was used.
             * @example 01a20098-21a8-7000-8000-7e4c2f9b6d50
             */
            key_id: string | null;
            /**
             * @description The id of the console's session that was used. Null: none was.
             * @example 01a20098-6a5c-7000-8000-0f8d3b5e7c21
             */
            session_id: string | null;
            /**
             * @description The address of the client that used the key or the console.
             * @example 0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc
             */
            address: string | null;
            /**
             * @description The verb of the change, such as `wallet.add`.
             * @example webhook.register
             */
            action: string;
            /**
             * @description The id or name of the thing that was changed.
             * @example 01a20098-8e18-7000-8000-4c1f0a7d2e35
             */
            subject: string | null;
            /** @description The request and its outcome. */
            details: {
                [key: string]: unknown;
            };
        };
        OwnWallet: {
            /**
             * @description The configured name of the chain.
             * @example ethereum
             */
            blockchain: string;
            /**
             * @description The address, in any case. A mixed-case one needs the right EIP-55 checksum.
             * @example 0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc
             */
            address: string;
            /**
             * @description `deposit`, the default, or `payment` for a checkout address.
             * @default deposit
             * @example deposit
             */
            purpose: string;
            /**
             * @description Your own reference, of at most 200 characters. Answers and events repeat it.
             * @default null
             * @example customer-17
             */
            reference: string | null;
            /**
             * @description A label of at most 200 characters.
             * @default null
             * @example shop in Lisbon
             */
            label: string | null;
        };
        Readiness: {
            success: boolean;
            /** @description True: every part makes progress. */
            ready: boolean;
            /** @description The parts of the process, and whether each makes progress. */
            services: {
                /**
                 * @description The name of the part.
                 * @example ethereum
                 */
                name: string;
                /**
                 * @description The fault. Null: there is none.
                 * @example null
                 */
                trouble: string | null;
            }[];
        };
        ReconciliationRecord: {
            /**
             * Format: uuid
             * @description The id of the comparison.
             * @example 01a20098-2c90-7000-8000-5b7d3e9a1c42
             */
            id: string;
            /**
             * @description The number of the row, from 1 without a gap.
             * @example 1
             */
            number: number;
            /**
             * Format: date-time
             * @description When it happened.
             * @example 2026-01-31T12:00:00.000Z
             */
            at: string;
            /**
             * @description The configured name of the chain.
             * @example ethereum
             */
            blockchain: string;
            /**
             * @description finished: all of a chain was compared. found: a balance differs, and nothing explains it. changed: it differs by another amount than before. resolved: it differs no more, or is not compared again.
             * @enum {string}
             */
            event: "finished" | "found" | "changed" | "resolved";
            /**
             * @description The block at which it was compared.
             * @example 21000000
             */
            block_number: number | null;
            /**
             * @description The number of balances that were compared.
             * @example 120
             */
            compared: number | null;
            /**
             * @description The number of balances that were equal in the ledger and on the chain.
             * @example 21000012
             */
            agreed: number | null;
            /**
             * @description The number of balances that differed.
             * @example 0
             */
            discrepancies: number | null;
            /**
             * @description The id of the wallet.
             * @example 01a20098-39e4-7000-8000-02911919b011
             */
            wallet_id: string | null;
            /** @description The address, with its EIP-55 checksum. */
            address: string | null;
            /**
             * @description The id of the business.
             * @example 01a20098-1f40-7000-8000-3c9e5a7d2b18
             */
            business_id: string | null;
            /**
             * @description The present reference of its wallet. Null: the wallet has none.
             * @example customer-17
             */
            reference: string | null;
            /**
             * @description The present label of its wallet. Null: the wallet has none.
             * @example shop in Lisbon
             */
            label: string | null;
            /**
             * @description The code of the asset.
             * @example USDC
             */
            asset: string | null;
            /** @description The balance in the ledger. */
            ledger: string | null;
            /** @description The balance on the chain. */
            chain: string | null;
            /** @description agreed: ledger and chain say the same again. reset: its chain was reset. unwatched: its wallet or asset is watched no more, so it is not compared again. */
            resolution: ("agreed" | "reset" | "unwatched") | null;
            /**
             * @description True of the newest row of a discrepancy that is still open.
             * @example true
             */
            open: boolean;
            /**
             * @description The digest of this record and of all before it.
             * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
             */
            hash: string;
        };
        Recovery: {
            /**
             * Format: uuid
             * @description The id of the recovery.
             * @example 01a20098-b2f4-7000-8000-6c3a9e1d5f78
             */
            recovery: string;
            /**
             * Format: uuid
             * @description The id of the webhook.
             * @example 01a20098-8e18-7000-8000-4c1f0a7d2e35
             */
            webhook_id: string;
            /**
             * @description running: it goes on, in batches; while its webhook is inactive it waits. done: everything that it is for is queued again. failed: its webhook was deleted or replaced before: the rest is not queued.
             * @enum {string}
             */
            state: "running" | "done" | "failed";
            /**
             * @description The number of notifications that the recovery has queued again so far.
             * @example 4
             */
            queued: number;
            /**
             * Format: date-time
             * @description The first moment that it covers.
             * @example 2026-01-31T12:00:00.000Z
             */
            since: string;
            /** @description The first moment that it no longer covers. Null: the moment of the request. */
            until: string | null;
            /** @description The states of delivery that it queues again. */
            include: ("held" | "exhausted" | "cancelled" | "waiting")[];
            /** @description The notifications that it wants; null: everything but `token.unlisted`. All fields that are there must hold. */
            filter: components["schemas"]["WebhookFilter"] | null;
            /** @description The progress: all notifications written up to this time were looked at. Null: none was yet. */
            position: string | null;
            /** @description When the newest notification of the recovery was written. Null: there was none. */
            through: string | null;
            /**
             * Format: date-time
             * @description When it began.
             * @example 2026-01-31T12:00:00.000Z
             */
            started_at: string;
            /** @description When it was done or failed. Null: it is running. */
            ended_at: string | null;
        };
        /** @description The headers as they were sent, without those of HTTP itself. The values of your own headers are masked. The user agent is that of the release that answers. */
        SentRequest: {
            /** @description The headers as they were sent. */
            headers: {
                /**
                 * @description The name of the header.
                 * @example x-shop
                 */
                name: string;
                /**
                 * @description The value of the header. Null: it is masked.
                 * @example application/json
                 */
                value: string | null;
            }[];
            /** @description True: one of its keys was replaced since, so all signatures are masked. */
            is_secret_gone: boolean;
        };
        Sighting: {
            /**
             * Format: uuid
             * @description The id of the sighting.
             * @example 01a20098-2c90-7000-8000-5b7d3e9a1c42
             */
            id: string;
            /**
             * @description `pending`: its block is on the chain, not yet confirmed. `confirmed`: its block is confirmed. `dropped`: it has left the chain
             * @enum {string}
             */
            status: "pending" | "confirmed" | "dropped";
            /**
             * @description The configured name of the chain.
             * @example ethereum
             */
            blockchain: string;
            /**
             * Format: uuid
             * @description The id of the wallet.
             * @example 01a20098-39e4-7000-8000-02911919b011
             */
            wallet_id: string;
            /**
             * @description The present reference of its wallet. Null: the wallet has none.
             * @example customer-17
             */
            reference: string | null;
            /**
             * @description The present label of its wallet. Null: the wallet has none.
             * @example shop in Lisbon
             */
            label: string | null;
            /**
             * @description The address of the token's contract, which is not configured.
             * @example 0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc
             */
            contract: string;
            /**
             * @description The symbol that the contract says of itself. Anybody may deploy a token that says USDC: never take it for one. At most 32 characters, control characters escaped. Null: it says none, or was not asked yet.
             * @example USDT
             */
            unverified_symbol: string | null;
            /**
             * @description The amount as the contract counts it, an integer. Its decimals are unknown, for nobody vouches for them.
             * @example 12500000
             */
            raw_amount: string;
            /**
             * @description The hash of the transaction on the chain.
             * @example 0x825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f
             */
            tx_hash: string;
            /**
             * @description The address that sent the transfer.
             * @example 0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc
             */
            from_address: string;
            /**
             * @description The address that received the transfer.
             * @example 0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc
             */
            to_address: string;
            /**
             * @description The number of the block.
             * @example 21000000
             */
            block_number: number;
            /**
             * @description The place of the transfer's log in its block. Null: no log shows it.
             * @example 17
             */
            log_index: number;
            /**
             * Format: date-time
             * @description The time of the block that the transfer is in.
             * @example 2026-01-31T12:00:00.000Z
             */
            date: string;
            /**
             * @description The proof that the contract logged it. `root`: the rebuilt header has the block's hash, and its roots cover the transactions and receipts. `bloom`: the rebuilt header's bloom holds exactly the logs' addresses and topics; one endpoint answered their amounts and number. `agreed`: endpoints of two different hosts answered the same, and the hash could not be rebuilt from it. `answered`: one endpoint answered it, such as a trace or a chain whose blocks cannot be rebuilt
             * @enum {string}
             */
            proof: "root" | "bloom" | "agreed" | "answered";
            /**
             * @description An address that the wallet paid before, which the sender imitates (address poisoning). Both begin and end with the same four characters. Never pay the sender's address in its place. Missing: the sender imitates none.
             * @example 0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc
             */
            lookalike_of?: string;
        };
        Statement: {
            /**
             * Format: uuid
             * @description The id of the statement.
             * @example 01a20098-2c90-7000-8000-5b7d3e9a1c42
             */
            id: string;
            /**
             * Format: uuid
             * @description The id of the business.
             * @example 01a20098-1f40-7000-8000-3c9e5a7d2b18
             */
            business_id: string;
            /**
             * Format: date-time
             * @description When it was made.
             * @example 2026-01-31T12:00:00.000Z
             */
            made_at: string;
            /**
             * @description The author of the statement: the id of a key or session, or an operator's name. A business sees every operator as `operator`.
             * @example 01a20098-21a8-7000-8000-7e4c2f9b6d50
             */
            made_by: string;
            /**
             * @description The way in which it was made, in the words of the audit trail. A business sees `operator` if an operator made it.
             * @example api
             * @enum {string}
             */
            made_via: "http" | "cli" | "system" | "api" | "console" | "sql" | "operator";
            /**
             * Format: date-time
             * @description The beginning of the period. It is included.
             * @example 2026-01-31T12:00:00.000Z
             */
            from: string;
            /**
             * Format: date-time
             * @description The end of the period. It is not included.
             * @example 2026-01-31T12:00:00.000Z
             */
            to: string;
            /**
             * @description The time zone of its days and months.
             * @example Europe/Zurich
             */
            time_zone: string;
            /** @description The limits of what it covers. */
            filter: components["schemas"]["StatementFilter"];
            /** @description True: the period was over on every chain. False: it was not, and the statement is kept for 400 days only. */
            final: boolean;
            /** @description The number of holdings: each is an asset of a wallet. */
            holdings: number;
            /** @description The number of holdings whose first balance was not read yet. */
            unknown_openings: number;
            /**
             * @description The number of entries that it covers.
             * @example 86579
             */
            entries: number;
            /** @description The number of entries without a known value in dollars. */
            unpriced: number;
            /** @description The number of transactions in blocks of the period that the closing balance leaves out, since they are not confirmed. */
            unconfirmed: number;
            /**
             * @description The SHA-256 of all its lines except the last one, in hex.
             * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
             */
            digest: string;
            /** @description The signature over the digest, and the key that made it. */
            signature: {
                /**
                 * @description The id of the key that signed.
                 * @example 5b0c6d3f9a1e7742
                 */
                key_id: string;
                /**
                 * @description The algorithm of the signature.
                 * @constant
                 */
                algorithm: "ed25519";
                /**
                 * @description The signature, in base64.
                 * @example q0Zrq0Zrq0Zrq0Zrq0Zrq0Zrq0Zrq0Zrq0Zrq0Zrq0Zrq0Zrq0Zrq0Zrq0Zrq0Zrq0Zrq0Zrq0Zrq0Zrq0ZrBw==
                 */
                value: string;
            };
            /** @description The chains, each with its own rows. */
            chains: {
                /**
                 * @description The configured name of the chain.
                 * @example ethereum
                 */
                blockchain: string;
                /** @description The EIP-155 id of the chain. */
                chain_id: number;
                /** @description The beginning of the period on this chain: the last block before it. */
                opening: components["schemas"]["StatementEnd"];
                /** @description The end of the period on this chain: the last block in it. */
                closing: components["schemas"]["StatementEnd"];
            }[];
        };
        StatementEnd: {
            /** @description The number of the block. Null: the chain had none yet. */
            block: number | null;
            /** @description The hash of the block. Null: it is no longer stored. */
            block_hash: string | null;
            /** @description The time of the block. */
            block_time: string | null;
            /** @description The number of the journal's seal at that block. */
            seal: number;
            /** @description The digest of that seal. Null: there is none. */
            seal_hash: string | null;
            /** @description True: the moment is confirmed. False: it was not when the statement was made. */
            final: boolean;
        };
        StatementFilter: {
            /**
             * @description Only this chain. Null: all of them.
             * @example ethereum
             */
            blockchain: string | null;
            /**
             * @description Only this asset. Null: all of them.
             * @example USDC
             */
            asset: string | null;
            /**
             * @description Only this wallet. Null: all of them.
             * @example 01a20098-39e4-7000-8000-02911919b011
             */
            wallet_id: string | null;
            /**
             * @description Only wallets with this label. Null: all wallets.
             * @example shop in Lisbon
             */
            label: string | null;
            /**
             * @description Only wallets whose reference begins so. Null: all wallets.
             * @example customer-
             */
            reference_prefix: string | null;
        };
        StatementUnderWay: {
            /**
             * Format: uuid
             * @description The id of the statement.
             * @example 01a20098-2c90-7000-8000-5b7d3e9a1c42
             */
            id: string;
            /**
             * Format: date-time
             * @description When its making began.
             * @example 2026-01-31T12:00:00.000Z
             */
            begun_at: string;
            /**
             * Format: date-time
             * @description The beginning of the period. It is included.
             * @example 2026-01-31T12:00:00.000Z
             */
            from: string;
            /**
             * Format: date-time
             * @description The end of the period. It is not included.
             * @example 2026-01-31T12:00:00.000Z
             */
            to: string;
            /**
             * @description The time zone of its days and months.
             * @example Europe/Zurich
             */
            time_zone: string;
            /** @description The limits of what it covers. */
            filter: components["schemas"]["StatementFilter"];
            /**
             * @description The number of entries that were read so far. The number is at most a second old.
             * @example 86579
             */
            entries: number;
            /** @description The number of entries that it will have, as far as is known. */
            entries_expected: number;
        };
        Threshold: {
            /**
             * @description The code of the asset.
             * @example USDC
             */
            asset: string;
            /**
             * @description The limit in units of the asset. A smaller balance is below the threshold.
             * @example 1.5
             */
            below: string;
            /**
             * @description The least balance that counts as restored, in units of the asset.
             * @example 1.5
             */
            restored_from: string;
            /** @description True: the balance is below the limit. Null: the balance is not known yet. */
            is_below: boolean | null;
            /**
             * Format: date-time
             * @description When the threshold was set, or when `is_below` last changed.
             * @example 2026-01-31T12:00:00.000Z
             */
            since: string;
        };
        ThresholdAsked: {
            /**
             * @description The code of an asset on the wallet's chain.
             * @example ETH
             */
            asset: string;
            /**
             * @description The limit, more than 0, in units of the asset. A smaller balance notifies `wallet.balance_below`.
             * @example 1.5
             */
            below: string;
            /**
             * @description A balance of at least this much notifies `wallet.balance_restored`. It must not be less than `below`. Left out: `below`.
             * @example 2
             */
            restored_from?: string | null;
        };
        /** @description The transfer of a token that is not configured. It is money to nobody. Further fields may be added. */
        TokenNotificationData: {
            /**
             * Format: uuid
             * @description The id of the sighting, as in `GET /sightings`.
             * @example 01a20098-8fc0-8007-8000-1f5c7e0a2b66
             */
            sightingId: string;
            /**
             * Format: uuid
             * @description The id of the wallet, as in `GET /wallets`.
             * @example 01a20098-39e4-7000-8000-02911919b011
             */
            walletId: string;
            /**
             * @description The wallet's label, or null.
             * @example shop in Lisbon
             */
            label: string | null;
            /**
             * @description The wallet's reference, or null.
             * @example customer-17
             */
            reference: string | null;
            /**
             * @description The configured name of the chain.
             * @example ethereum
             */
            blockchain: string;
            /**
             * @description The address of the token's contract, which is not configured.
             * @example 0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc
             */
            contract: string;
            /**
             * @description The symbol that the contract says of itself. Anybody may deploy a token that says USDC: never take it for one. At most 32 characters, control characters escaped. Null: it says none, or was not asked yet.
             * @example USDT
             */
            unverifiedSymbol: string | null;
            /**
             * @description The amount as the contract counts it, an integer. Its decimals are unknown, for nobody vouches for them.
             * @example 12500000
             */
            rawAmount: string;
            /**
             * @description The hash of the transaction on the chain.
             * @example 0x825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f
             */
            txHash: string;
            /**
             * @description The sender, by the word of the contract.
             * @example 0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc
             */
            fromAddress: string;
            /**
             * @description The address of the wallet, with its EIP-55 checksum.
             * @example 0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc
             */
            toAddress: string;
            /**
             * @description The number of the block that the transfer was in when it was reported.
             * @example 21000000
             */
            blockNumber: number;
            /**
             * @description The hash of that block. A reorganisation that takes it away is not notified.
             * @example 0x825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f
             */
            blockHash: string;
            /**
             * @description The place of the transfer's log in the block.
             * @example 7
             */
            logIndex: number;
            /**
             * @description The proof that the contract logged it. `root`: the rebuilt header has the block's hash, and its roots cover the transactions and receipts. `bloom`: the rebuilt header's bloom holds exactly the logs' addresses and topics; one endpoint answered their amounts and number. `agreed`: endpoints of two different hosts answered the same, and the hash could not be rebuilt from it. `answered`: one endpoint answered it, such as a trace or a chain whose blocks cannot be rebuilt
             * @enum {string}
             */
            proof: "root" | "bloom" | "agreed" | "answered";
            /**
             * @description An address that the wallet paid before, which the sender imitates (address poisoning). Both begin and end with the same four characters. Never pay the sender's address in its place. Missing: the sender imitates none.
             * @example 0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc
             */
            lookalikeOf?: string;
        };
        /** @description The body that is sent when a wallet got a token that is not configured, in a confirmed block. */
        TokenUnlisted: {
            /**
             * Format: uuid
             * @description The id of the notification. It is the same on every attempt, also when it is sent again. Remember it, and ignore a known one.
             * @example 01a20098-2c90-7000-8000-5b7d3e9a1c42
             */
            id: string;
            /**
             * @description The events that the webhook gets: always `*`. Its filter says more.
             * @constant
             */
            event: "token.unlisted";
            /**
             * Format: date-time
             * @description When the event happened.
             * @example 2026-01-31T12:00:00.000Z
             */
            timestamp: string;
            data: components["schemas"]["TokenNotificationData"] & {
                /**
                 * @description The transfer was seen. It is no transaction, and in no balance.
                 * @constant
                 */
                status: "sighted";
            };
        };
        Total: {
            /**
             * @description The code of the asset.
             * @example USDC
             */
            asset: string;
            /**
             * @description The configured name of the chain.
             * @example ethereum
             */
            blockchain?: string;
            /**
             * @description The type of the transactions.
             * @enum {string}
             */
            type?: "deposit" | "withdrawal" | "payment" | "fee" | "income" | "adjustment" | "unattributed";
            /**
             * @description The label of the wallets in this row. Null: they have none.
             * @example shop in Lisbon
             */
            label?: string | null;
            /**
             * @description The day or month of the row.
             * @example 2026-10
             */
            period?: string;
            /** @description The sums of what is confirmed. */
            completed: {
                /**
                 * @description The number of transactions.
                 * @example 3
                 */
                count: number;
                /**
                 * @description The sum of the money that came in, as an exact decimal.
                 * @example 1.5
                 */
                in: string;
                /**
                 * @description The sum of the money that went out, as an exact decimal.
                 * @example 1.5
                 */
                out: string;
                /** @description The sum in US dollars at confirmation, of the transactions whose value is known. Null: no value is known. */
                usd_in: string | null;
                /** @description The sum in US dollars at confirmation, of the transactions whose value is known. Null: no value is known. */
                usd_out: string | null;
                /** @description The number of transactions without a known value in dollars. `usd_in` and `usd_out` leave them out. */
                unpriced: number;
            };
            /** @description The sums of what is not confirmed yet. */
            pending: {
                /**
                 * @description The number of transactions.
                 * @example 3
                 */
                count: number;
                /**
                 * @description The sum of the money that came in, as an exact decimal.
                 * @example 1.5
                 */
                in: string;
                /**
                 * @description The sum of the money that went out, as an exact decimal.
                 * @example 1.5
                 */
                out: string;
            };
            /** @description The sums of what was confirmed, and has left the chain. */
            reversed: {
                /**
                 * @description The number of transactions.
                 * @example 3
                 */
                count: number;
                /**
                 * @description The sum of the money that came in, as an exact decimal.
                 * @example 1.5
                 */
                in: string;
                /**
                 * @description The sum of the money that went out, as an exact decimal.
                 * @example 1.5
                 */
                out: string;
            };
        };
        Transaction: {
            /**
             * Format: uuid
             * @description The id of the transaction.
             * @example 01a20098-2c90-7000-8000-5b7d3e9a1c42
             */
            id: string;
            /**
             * @description deposit: an incoming transfer to a deposit wallet. withdrawal: an outgoing transfer. payment: an incoming transfer to a payment wallet. fee: what a wallet paid for a transaction of its own, also for a failed one. income: coin that no transfer brought: a validator's withdrawal or a block's fees. adjustment: the correction of a token whose balances also change without a transfer. unattributed: a change of the coin on a chain whose inner calls cannot be read.
             * @enum {string}
             */
            type: "deposit" | "withdrawal" | "payment" | "fee" | "income" | "adjustment" | "unattributed";
            /**
             * @description The amount as an exact decimal, in units of the asset.
             * @example 1.5
             */
            amount: string;
            /**
             * @description The code of the asset.
             * @example USDC
             */
            asset: string;
            /**
             * @description pending: on the chain, not deep enough. completed: confirmed. dropped: was pending, is no longer on the chain. reversed: was completed, is no longer on the chain.
             * @enum {string}
             */
            status: "pending" | "completed" | "dropped" | "reversed";
            /**
             * Format: date-time
             * @description The time of the block that the transfer is in.
             * @example 2026-01-31T12:00:00.000Z
             */
            date: string;
            /**
             * Format: uuid
             * @description The id of the wallet.
             * @example 01a20098-39e4-7000-8000-02911919b011
             */
            wallet_id: string;
            /**
             * @description The configured name of the chain.
             * @example ethereum
             */
            blockchain: string;
            /**
             * @description The hash of the transaction on the chain.
             * @example 0x825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f
             */
            tx_hash: string;
            /**
             * @description The address that sent the transfer.
             * @example 0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc
             */
            from_address: string;
            /**
             * @description The address that received the transfer.
             * @example 0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc
             */
            to_address: string;
            /** @description The memo of the transfer: 32 bytes that the payer chose (TIP-20 on Tempo). Null: there is none. */
            memo: string | null;
            /** @description The virtual address that was paid (TIP-1022 on Tempo). The money is in its master wallet. Null: no virtual address was paid. */
            virtual_address: string | null;
            /**
             * @description The number of blocks from the transaction's own to the position, its own included.
             * @example 12
             */
            confirmations: number;
            /**
             * @description The number of the block.
             * @example 21000000
             */
            block_number?: number;
            /**
             * @description The hash of the block.
             * @example 0x825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f
             */
            block_hash?: string;
            /**
             * @description The place of the transfer's log in its block. Null: no log shows it.
             * @example 17
             */
            log_index?: number | null;
            /**
             * @description The place of the internal transfer in its transaction. Null: it is no internal transfer.
             * @example 0.1
             */
            trace_path?: string | null;
            /** @description The proof that it happened; of a correction, the proof of the balance. `root`: the rebuilt header has the block's hash, and its roots cover the transactions and receipts. `bloom`: the rebuilt header's bloom holds exactly the logs' addresses and topics; one endpoint answered their amounts and number. `agreed`: endpoints of two different hosts answered the same, and the hash could not be rebuilt from it. `answered`: one endpoint answered it, such as a trace or a chain whose blocks cannot be rebuilt */
            proof?: ("root" | "bloom" | "agreed" | "answered") | null;
            /**
             * @description For an adjustment, the block at which the balance was last right. The corrected change lies above it. Null: it is no adjustment.
             * @example 20999000
             */
            since_block?: number | null;
            /** @description True: one endpoint alone confirmed it, or an operator settled it. The other endpoints had been silent for too long, or could not say which blocks are final. */
            confirmed_alone?: boolean;
            /**
             * @description The confirmations that it needs; an estimate where the chain's setting is a length of time. Null: the chain's own `safe` or `finalized` block decides.
             * @example 12
             */
            required_confirmations?: number | null;
            /** @description The fee that the wallet paid for its own send. Transactions of one tx_hash show the same fee, so count it once. Null: the wallet paid none. */
            fee?: {
                /**
                 * @description The amount as an exact decimal, in units of the asset.
                 * @example 1.5
                 */
                amount: string;
                /**
                 * @description The code of the asset.
                 * @example USDC
                 */
                asset: string;
            } | null;
            /** @description The worth of the amount in US dollars at its confirmation. Null: it is not confirmed yet, or no fresh price was known then. */
            usd_value?: string | null;
            /**
             * @description The present label of its wallet. Null: the wallet has none.
             * @example shop in Lisbon
             */
            label?: string | null;
            /**
             * @description The present reference of its wallet. Null: the wallet has none.
             * @example customer-17
             */
            reference?: string | null;
            /**
             * Format: date-time
             * @description When Chainbell recorded it.
             * @example 2026-01-31T12:00:00.000Z
             */
            seen_at?: string;
            /** @description When Chainbell confirmed it. Null: it is not confirmed. */
            completed_at?: string | null;
            /**
             * @description An address that the wallet paid before, which the sender imitates (address poisoning). Both begin and end with the same four characters. Never pay the sender's address in its place. Missing: the sender imitates none.
             * @example 0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc
             */
            lookalike_of?: string;
        };
        TransactionCount: {
            /**
             * Format: date-time
             * @description When the hour or day of the row begins.
             * @example 2026-01-31T12:00:00.000Z
             */
            at: string;
            /** @description The number of transactions of the type `deposit`. */
            deposits: number;
            /** @description The number of transactions of the type `payment`. */
            payments: number;
            /** @description The number of transactions of the type `withdrawal`. */
            withdrawals: number;
            /**
             * @description The number of transactions that were completed and have left the chain.
             * @example 0
             */
            reversed: number;
        };
        /** @description The state of the notification at one webhook. */
        TransactionDelivery: {
            /**
             * @description The webhook. Null: the first one.
             * @example 01a20098-8e18-7000-8000-4c1f0a7d2e35
             */
            webhook_id: string | null;
            /**
             * @description The URL that the webhook has now. Null: it is gone, or none is there.
             * @example https://example.com/hook
             */
            url: string | null;
            /**
             * @description waiting: its next attempt is due at a time. delivered: an attempt was accepted. exhausted: every attempt has failed. held: waiting, but the webhook is inactive or there is none. cancelled: the webhook was deleted. filtered: the filter of the first webhook left it out.
             * @enum {string}
             */
            status: "waiting" | "delivered" | "exhausted" | "held" | "cancelled" | "filtered";
            /**
             * @description The number of attempts so far, at this webhook.
             * @example 1
             */
            attempts: number;
            /** @description When the receiver answered 2xx. Null: not yet. */
            delivered_at: string | null;
        };
        /** @description The body that is sent when an incoming transfer to a deposit wallet is confirmed. */
        TransactionDeposit: {
            /**
             * Format: uuid
             * @description The id of the notification. It is the same on every attempt, also when it is sent again. Remember it, and ignore a known one.
             * @example 01a20098-2c90-7000-8000-5b7d3e9a1c42
             */
            id: string;
            /**
             * @description The events that the webhook gets: always `*`. Its filter says more.
             * @constant
             */
            event: "transaction.deposit";
            /**
             * Format: date-time
             * @description When the event happened.
             * @example 2026-01-31T12:00:00.000Z
             */
            timestamp: string;
            /**
             * @description The place among the events of its business and blockchain: from 1, without a gap. Missing: a release before 0.3.0 wrote the notification.
             * @example 1042
             */
            sequence?: number;
            data: components["schemas"]["NotificationData"] & {
                /**
                 * @description The state that the transaction has reached.
                 * @constant
                 */
                status: "confirmed";
            };
        };
        TransactionDetail: {
            /**
             * Format: uuid
             * @description The id of the transaction.
             * @example 01a20098-2c90-7000-8000-5b7d3e9a1c42
             */
            id: string;
            /**
             * @description deposit: an incoming transfer to a deposit wallet. withdrawal: an outgoing transfer. payment: an incoming transfer to a payment wallet. fee: what a wallet paid for a transaction of its own, also for a failed one. income: coin that no transfer brought: a validator's withdrawal or a block's fees. adjustment: the correction of a token whose balances also change without a transfer. unattributed: a change of the coin on a chain whose inner calls cannot be read.
             * @enum {string}
             */
            type: "deposit" | "withdrawal" | "payment" | "fee" | "income" | "adjustment" | "unattributed";
            /**
             * @description The amount as an exact decimal, in units of the asset.
             * @example 1.5
             */
            amount: string;
            /**
             * @description The code of the asset.
             * @example USDC
             */
            asset: string;
            /**
             * @description pending: on the chain, not deep enough. completed: confirmed. dropped: was pending, is no longer on the chain. reversed: was completed, is no longer on the chain.
             * @enum {string}
             */
            status: "pending" | "completed" | "dropped" | "reversed";
            /**
             * Format: date-time
             * @description The time of the block that the transfer is in.
             * @example 2026-01-31T12:00:00.000Z
             */
            date: string;
            /**
             * Format: uuid
             * @description The id of the wallet.
             * @example 01a20098-39e4-7000-8000-02911919b011
             */
            wallet_id: string;
            /**
             * @description The configured name of the chain.
             * @example ethereum
             */
            blockchain: string;
            /**
             * @description The hash of the transaction on the chain.
             * @example 0x825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f
             */
            tx_hash: string;
            /**
             * @description The address that sent the transfer.
             * @example 0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc
             */
            from_address: string;
            /**
             * @description The address that received the transfer.
             * @example 0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc
             */
            to_address: string;
            /** @description The memo of the transfer: 32 bytes that the payer chose (TIP-20 on Tempo). Null: there is none. */
            memo: string | null;
            /** @description The virtual address that was paid (TIP-1022 on Tempo). The money is in its master wallet. Null: no virtual address was paid. */
            virtual_address: string | null;
            /**
             * @description The number of blocks from the transaction's own to the position, its own included.
             * @example 12
             */
            confirmations: number;
            /**
             * @description The number of the block.
             * @example 21000000
             */
            block_number: number;
            /**
             * @description The hash of the block.
             * @example 0x825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f
             */
            block_hash: string;
            /**
             * @description The place of the transfer's log in its block. Null: no log shows it.
             * @example 17
             */
            log_index: number | null;
            /**
             * @description The place of the internal transfer in its transaction. Null: it is no internal transfer.
             * @example 0.1
             */
            trace_path: string | null;
            /** @description The proof that it happened; of a correction, the proof of the balance. `root`: the rebuilt header has the block's hash, and its roots cover the transactions and receipts. `bloom`: the rebuilt header's bloom holds exactly the logs' addresses and topics; one endpoint answered their amounts and number. `agreed`: endpoints of two different hosts answered the same, and the hash could not be rebuilt from it. `answered`: one endpoint answered it, such as a trace or a chain whose blocks cannot be rebuilt */
            proof: ("root" | "bloom" | "agreed" | "answered") | null;
            /**
             * @description For an adjustment, the block at which the balance was last right. The corrected change lies above it. Null: it is no adjustment.
             * @example 20999000
             */
            since_block: number | null;
            /** @description True: one endpoint alone confirmed it, or an operator settled it. The other endpoints had been silent for too long, or could not say which blocks are final. */
            confirmed_alone: boolean;
            /**
             * @description The confirmations that it needs; an estimate where the chain's setting is a length of time. Null: the chain's own `safe` or `finalized` block decides.
             * @example 12
             */
            required_confirmations: number | null;
            /** @description The fee that the wallet paid for its own send. Transactions of one tx_hash show the same fee, so count it once. Null: the wallet paid none. */
            fee: {
                /**
                 * @description The amount as an exact decimal, in units of the asset.
                 * @example 1.5
                 */
                amount: string;
                /**
                 * @description The code of the asset.
                 * @example USDC
                 */
                asset: string;
            } | null;
            /** @description The worth of the amount in US dollars at its confirmation. Null: it is not confirmed yet, or no fresh price was known then. */
            usd_value: string | null;
            /**
             * @description The present label of its wallet. Null: the wallet has none.
             * @example shop in Lisbon
             */
            label: string | null;
            /**
             * @description The present reference of its wallet. Null: the wallet has none.
             * @example customer-17
             */
            reference: string | null;
            /**
             * Format: date-time
             * @description When Chainbell recorded it.
             * @example 2026-01-31T12:00:00.000Z
             */
            seen_at: string;
            /** @description When Chainbell confirmed it. Null: it is not confirmed. */
            completed_at: string | null;
            /**
             * @description An address that the wallet paid before, which the sender imitates (address poisoning). Both begin and end with the same four characters. Never pay the sender's address in its place. Missing: the sender imitates none.
             * @example 0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc
             */
            lookalike_of?: string;
            /** @description The transaction's notifications, with their deliveries. */
            notifications: components["schemas"]["TransactionNotification"][];
        };
        /** @description The body that is sent when a pending transaction has left the chain. */
        TransactionDropped: {
            /**
             * Format: uuid
             * @description The id of the notification. It is the same on every attempt, also when it is sent again. Remember it, and ignore a known one.
             * @example 01a20098-2c90-7000-8000-5b7d3e9a1c42
             */
            id: string;
            /**
             * @description The events that the webhook gets: always `*`. Its filter says more.
             * @constant
             */
            event: "transaction.dropped";
            /**
             * Format: date-time
             * @description When the event happened.
             * @example 2026-01-31T12:00:00.000Z
             */
            timestamp: string;
            /**
             * @description The place among the events of its business and blockchain: from 1, without a gap. Missing: a release before 0.3.0 wrote the notification.
             * @example 1042
             */
            sequence?: number;
            data: components["schemas"]["NotificationData"] & {
                /**
                 * @description The state that the transaction has reached.
                 * @constant
                 */
                status: "dropped";
            };
        };
        TransactionNotification: {
            /**
             * Format: uuid
             * @description The id of the notification.
             * @example 01a20098-2c90-7000-8000-5b7d3e9a1c42
             */
            id: string;
            /**
             * @description transaction.deposit: an incoming transfer to a deposit wallet is confirmed. transaction.withdrawal: an outgoing transfer is confirmed. transaction.payment: an incoming transfer to a payment wallet is confirmed. transaction.reversed: a confirmed transaction has left the chain. transaction.pending: a transaction is on the chain, not yet confirmed. transaction.dropped: a pending transaction has left the chain. wallet.balance_below: a wallet's confirmed balance is below a threshold. wallet.balance_restored: a wallet's confirmed balance was below a threshold and is restored. token.unlisted: a wallet got a token that is not configured, in a confirmed block. webhook.test: the business tried its webhook.
             * @example transaction.deposit
             */
            event: string;
            /**
             * @description waiting: its next attempt is due at a time. delivered: an attempt was accepted. exhausted: every attempt has failed. held: waiting, but the webhook is inactive or there is none. cancelled: the webhook was deleted. filtered: the filter of the first webhook left it out.
             * @enum {string}
             */
            status: "waiting" | "delivered" | "exhausted" | "held" | "cancelled" | "filtered";
            /**
             * @description The number of attempts so far.
             * @example 1
             */
            attempts: number;
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /** @description When the receiver answered 2xx. Null: not yet. */
            delivered_at: string | null;
            /** @description When the last attempt was made. Null: none was. */
            last_attempt_at: string | null;
            /** @description When the next attempt is due. Null: none is. */
            next_attempt_at: string | null;
            /**
             * @description For a reversal, the id of the notification that it takes back. Null: it is no reversal.
             * @example 01a20098-8fc0-8006-8000-1e92b23647fa
             */
            reverses_notification_id: string | null;
            deliveries: components["schemas"]["TransactionDelivery"][];
        };
        /** @description The body that is sent when an incoming transfer to a payment wallet is confirmed. */
        TransactionPayment: {
            /**
             * Format: uuid
             * @description The id of the notification. It is the same on every attempt, also when it is sent again. Remember it, and ignore a known one.
             * @example 01a20098-2c90-7000-8000-5b7d3e9a1c42
             */
            id: string;
            /**
             * @description The events that the webhook gets: always `*`. Its filter says more.
             * @constant
             */
            event: "transaction.payment";
            /**
             * Format: date-time
             * @description When the event happened.
             * @example 2026-01-31T12:00:00.000Z
             */
            timestamp: string;
            /**
             * @description The place among the events of its business and blockchain: from 1, without a gap. Missing: a release before 0.3.0 wrote the notification.
             * @example 1042
             */
            sequence?: number;
            data: components["schemas"]["NotificationData"] & {
                /**
                 * @description The state that the transaction has reached.
                 * @constant
                 */
                status: "confirmed";
            };
        };
        /** @description The body that is sent when a transaction is on the chain, not yet confirmed. */
        TransactionPending: {
            /**
             * Format: uuid
             * @description The id of the notification. It is the same on every attempt, also when it is sent again. Remember it, and ignore a known one.
             * @example 01a20098-2c90-7000-8000-5b7d3e9a1c42
             */
            id: string;
            /**
             * @description The events that the webhook gets: always `*`. Its filter says more.
             * @constant
             */
            event: "transaction.pending";
            /**
             * Format: date-time
             * @description When the event happened.
             * @example 2026-01-31T12:00:00.000Z
             */
            timestamp: string;
            /**
             * @description The place among the events of its business and blockchain: from 1, without a gap. Missing: a release before 0.3.0 wrote the notification.
             * @example 1042
             */
            sequence?: number;
            data: components["schemas"]["NotificationData"] & {
                /**
                 * @description The state that the transaction has reached.
                 * @constant
                 */
                status: "pending";
            };
        };
        /** @description The body that is sent when a confirmed transaction has left the chain. */
        TransactionReversed: {
            /**
             * Format: uuid
             * @description The id of the notification. It is the same on every attempt, also when it is sent again. Remember it, and ignore a known one.
             * @example 01a20098-2c90-7000-8000-5b7d3e9a1c42
             */
            id: string;
            /**
             * @description The events that the webhook gets: always `*`. Its filter says more.
             * @constant
             */
            event: "transaction.reversed";
            /**
             * Format: date-time
             * @description When the event happened.
             * @example 2026-01-31T12:00:00.000Z
             */
            timestamp: string;
            /**
             * @description The place among the events of its business and blockchain: from 1, without a gap. Missing: a release before 0.3.0 wrote the notification.
             * @example 1042
             */
            sequence?: number;
            data: components["schemas"]["NotificationData"] & {
                /**
                 * @description The state that the transaction has reached.
                 * @constant
                 */
                status: "reversed";
                /**
                 * Format: uuid
                 * @description The notification that this one undoes.
                 */
                reversesNotificationId?: string;
            };
        };
        /** @description The body that is sent when an outgoing transfer is confirmed. */
        TransactionWithdrawal: {
            /**
             * Format: uuid
             * @description The id of the notification. It is the same on every attempt, also when it is sent again. Remember it, and ignore a known one.
             * @example 01a20098-2c90-7000-8000-5b7d3e9a1c42
             */
            id: string;
            /**
             * @description The events that the webhook gets: always `*`. Its filter says more.
             * @constant
             */
            event: "transaction.withdrawal";
            /**
             * Format: date-time
             * @description When the event happened.
             * @example 2026-01-31T12:00:00.000Z
             */
            timestamp: string;
            /**
             * @description The place among the events of its business and blockchain: from 1, without a gap. Missing: a release before 0.3.0 wrote the notification.
             * @example 1042
             */
            sequence?: number;
            data: components["schemas"]["NotificationData"] & {
                /**
                 * @description The state that the transaction has reached.
                 * @constant
                 */
                status: "confirmed";
            };
        };
        TroubledWebhook: {
            /**
             * Format: uuid
             * @description The id of the webhook.
             * @example 01a20098-8e18-7000-8000-4c1f0a7d2e35
             */
            webhook_id: string;
            /**
             * @description The URL that is notified.
             * @example https://example.com/hook
             */
            url: string;
            /**
             * Format: uuid
             * @description The id of the business.
             * @example 01a20098-1f40-7000-8000-3c9e5a7d2b18
             */
            business_id: string;
            /**
             * @description The name of the business.
             * @example Example Ltd
             */
            business_name: string;
            /** @description When its trouble began. Null: nobody knows. */
            since: string | null;
        };
        Wallet: {
            /**
             * Format: uuid
             * @description The id of the wallet.
             * @example 01a20098-39e4-7000-8000-02911919b011
             */
            wallet_id: string;
            /**
             * @description The configured name of the chain.
             * @example ethereum
             */
            blockchain: string;
            /**
             * @description The address, with its EIP-55 checksum.
             * @example 0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc
             */
            address: string;
            /**
             * @description The codes of the assets that are watched on the wallet's chain.
             * @example [
             *       "ETH",
             *       "USDC"
             *     ]
             */
            currencies: string[];
            /**
             * @description The label of the wallet. Null: it has none.
             * @example shop in Lisbon
             */
            label: string | null;
            /**
             * @description Your own reference of the wallet. Null: it has none.
             * @example customer-17
             */
            reference: string | null;
            /**
             * @description `deposit`: a customer's address. `payment`: a checkout address, whose incoming transfers are payments.
             * @enum {string}
             */
            purpose: "deposit" | "payment";
            /**
             * @description `watched`: all its movements are recorded. `syncing`: its opening balance was not read yet. `leaving`: it was removed with money, and is watched until it is empty.
             * @enum {string}
             */
            status: "syncing" | "watched" | "leaving";
            /**
             * @description The first block of the history that is filled in. Null: none is.
             * @example 20000000
             */
            from_block: number | null;
            /** @description `agrees`: the wallet's history, with what was held before it, adds up to the opening balance. Null: the wallet has no history. */
            history: ("filling" | "agrees" | "differs" | "unknown") | null;
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
        };
        /** @description The body that is sent when a wallet's confirmed balance is below a threshold. */
        WalletBalance_below: {
            /**
             * Format: uuid
             * @description The id of the notification. It is the same on every attempt, also when it is sent again. Remember it, and ignore a known one.
             * @example 01a20098-2c90-7000-8000-5b7d3e9a1c42
             */
            id: string;
            /**
             * @description The events that the webhook gets: always `*`. Its filter says more.
             * @constant
             */
            event: "wallet.balance_below";
            /**
             * Format: date-time
             * @description When the event happened.
             * @example 2026-01-31T12:00:00.000Z
             */
            timestamp: string;
            data: components["schemas"]["BalanceNotificationData"] & {
                /**
                 * @description The state that the balance has reached.
                 * @constant
                 */
                status: "below";
            };
        };
        /** @description The body that is sent when a wallet's confirmed balance was below a threshold and is restored. */
        WalletBalance_restored: {
            /**
             * Format: uuid
             * @description The id of the notification. It is the same on every attempt, also when it is sent again. Remember it, and ignore a known one.
             * @example 01a20098-2c90-7000-8000-5b7d3e9a1c42
             */
            id: string;
            /**
             * @description The events that the webhook gets: always `*`. Its filter says more.
             * @constant
             */
            event: "wallet.balance_restored";
            /**
             * Format: date-time
             * @description When the event happened.
             * @example 2026-01-31T12:00:00.000Z
             */
            timestamp: string;
            data: components["schemas"]["BalanceNotificationData"] & {
                /**
                 * @description The state that the balance has reached.
                 * @constant
                 */
                status: "restored";
            };
        };
        WalletBalances: {
            /**
             * Format: uuid
             * @description The id of the wallet.
             * @example 01a20098-39e4-7000-8000-02911919b011
             */
            wallet_id: string;
            /**
             * @description The configured name of the chain.
             * @example ethereum
             */
            blockchain: string;
            /**
             * @description The number of the block.
             * @example 21000000
             */
            block_number: number;
            /** @description The hash of the block. Null: only its number is still stored. */
            block_hash: string | null;
            /** @description The holdings of the wallet, asset by asset. */
            balances: {
                /**
                 * @description The code of the asset.
                 * @example USDC
                 */
                asset: string;
                /** @description The amount that the wallet held, as an exact decimal. Null: the wallet was not watched yet at that block. */
                amount: string | null;
                /** @description The newest block at which the ledger's balance was found equal to the chain's. Null: the two were not compared yet. */
                compared_block: number | null;
            }[];
        };
        WalletDetail: {
            /**
             * Format: uuid
             * @description The id of the wallet.
             * @example 01a20098-39e4-7000-8000-02911919b011
             */
            wallet_id: string;
            /**
             * @description The configured name of the chain.
             * @example ethereum
             */
            blockchain: string;
            /**
             * @description The address, with its EIP-55 checksum.
             * @example 0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc
             */
            address: string;
            /**
             * @description The codes of the assets that are watched on the wallet's chain.
             * @example [
             *       "ETH",
             *       "USDC"
             *     ]
             */
            currencies: string[];
            /**
             * @description The label of the wallet. Null: it has none.
             * @example shop in Lisbon
             */
            label: string | null;
            /**
             * @description Your own reference of the wallet. Null: it has none.
             * @example customer-17
             */
            reference: string | null;
            /**
             * @description `deposit`: a customer's address. `payment`: a checkout address, whose incoming transfers are payments.
             * @enum {string}
             */
            purpose: "deposit" | "payment";
            /**
             * @description `watched`: all its movements are recorded. `syncing`: its opening balance was not read yet. `leaving`: it was removed with money, and is watched until it is empty.
             * @enum {string}
             */
            status: "syncing" | "watched" | "leaving";
            /**
             * @description The first block of the history that is filled in. Null: none is.
             * @example 20000000
             */
            from_block: number | null;
            /** @description `agrees`: the wallet's history, with what was held before it, adds up to the opening balance. Null: the wallet has no history. */
            history: ("filling" | "agrees" | "differs" | "unknown") | null;
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /** @description The thresholds of the wallet, the whole list. */
            thresholds: components["schemas"]["Threshold"][];
        };
        WalletRemoval: {
            /**
             * Format: uuid
             * @description The id of the wallet.
             * @example 01a20098-39e4-7000-8000-02911919b011
             */
            wallet_id: string;
            /**
             * @description `leaving`: the wallet holds money, or may. It is watched until it is empty or archived.
             * @enum {string}
             */
            status: "leaving" | "removed";
            /** @description When it was removed with money. Null: it is not leaving. */
            leaving_at: string | null;
            /** @description When it is watched no longer. Null: it is watched. */
            removed_at: string | null;
        };
        Webhook: {
            /**
             * Format: uuid
             * @description The id of the webhook.
             * @example 01a20098-2c90-7000-8000-5b7d3e9a1c42
             */
            id: string;
            /**
             * @description The URL that is notified.
             * @example https://example.com/hook
             */
            url: string;
            /**
             * @description The purpose of the webhook, in the words of its business. Null: the business gave none.
             * @example Credits of the shop
             */
            description: string | null;
            /** @description True: it stands beside the first webhook, and a new registration never replaces it. */
            additional: boolean;
            /** @description True: the webhook is notified. False: its deliveries are held. */
            is_active: boolean;
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /** @description When a receiver last answered 2xx. Null: never. */
            last_success_at: string | null;
            /** @description The number of failed attempts since the last success. */
            consecutive_failures: number;
            /** @description When it was deactivated. Null: it is active. */
            disabled_at: string | null;
            /**
             * @description gone: its receiver answered 410. failing: every attempt has failed for five days. requested: somebody paused it.
             * @example null
             */
            disabled_reason: ("gone" | "failing" | "requested") | null;
            /**
             * @description The most attempts a second at this webhook, on average. Null: not limited.
             * @example 50
             */
            rate: number | null;
            /** @description The notifications that it wants; null: everything but `token.unlisted`. All fields that are there must hold. */
            filter: components["schemas"]["WebhookFilter"] | null;
            /**
             * @description The notifications that the webhook gets, in words.
             * @example transaction.deposit, of USDC, from 1000 USDC
             */
            wants: string;
            /**
             * @description The order of notifications. `none`: no order. `wallet`: each wallet has one delivery at a time.
             * @enum {string}
             */
            order: "none" | "wallet";
            /**
             * @description The step after a notification is given up, with an order. `continue`: the next one is sent. `hold`: its wallet waits.
             * @enum {string}
             */
            on_exhausted: "continue" | "hold";
            /**
             * @description `open`: 10 attempts in a row failed. Only one attempt is then made at `circuit_retry_at`, until one succeeds. `closed`: every due attempt is made.
             * @enum {string}
             */
            circuit: "closed" | "open";
            /** @description When the circuit opened. Null: it is closed. */
            circuit_opened_at: string | null;
            /** @description When the next attempt is made while the circuit is open. Null: the circuit is closed. */
            circuit_retry_at: string | null;
            /**
             * @description The events that the webhook gets: always `*`. Its filter says more.
             * @constant
             */
            event: "*";
            /** @description When the old secret ends; until then both sign. Null: no rotation is going on. */
            overlap_ends_at: string | null;
            /**
             * @description The names of the headers that you add to its requests.
             * @example [
             *       "Authorization"
             *     ]
             */
            header_names: string[];
            /** @description The client certificate: the SHA-256 of its DER in hex, and when it expires. Null: none is set. */
            client_certificate: {
                /**
                 * @description The SHA-256 of the certificate.
                 * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
                 */
                fingerprint: string;
                /**
                 * Format: date-time
                 * @description When it expires.
                 * @example 2026-01-31T12:00:00.000Z
                 */
                expires_at: string;
            } | null;
            /**
             * @description The public key that verifies signatures `v1a`: `whpk_` and base64. Null: requests have no such signature.
             * @example whpk_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=
             */
            public_key: string | null;
            /**
             * @description The public key that follows `public_key` while a rotation overlaps. It is valid already. Null: no rotation is going on.
             * @example whpk_2Lk0mXv8Jq1s5t7u9w0y2A4C6E8G0I2K4M6O8Q0S2U4=
             */
            next_public_key: string | null;
        };
        WebhookFilter: {
            /** @description Only notifications of these events. `token.unlisted` comes only if it is named here. */
            events?: ("transaction.deposit" | "transaction.withdrawal" | "transaction.payment" | "transaction.reversed" | "transaction.pending" | "transaction.dropped" | "wallet.balance_below" | "wallet.balance_restored" | "token.unlisted")[];
            /**
             * @description Only notifications on one of these chains, by name.
             * @example [
             *       "ethereum"
             *     ]
             */
            blockchains?: string[];
            /**
             * @description Only notifications that move one of these assets, by code.
             * @example [
             *       "ETH",
             *       "USDC"
             *     ]
             */
            assets?: string[];
            /**
             * @description Only notifications about one of these wallets, by id.
             * @example [
             *       "01a20098-39e4-7000-8000-02911919b011"
             *     ]
             */
            wallet_ids?: string[];
            /**
             * @description Only notifications of wallets whose reference begins with one of these texts.
             * @example [
             *       "shop-"
             *     ]
             */
            references?: string[];
            /**
             * @description The least amount that moves, by asset. An asset that is not named has no limit.
             * @example {
             *       "USDC": "1000"
             *     }
             */
            min_amount?: {
                [key: string]: string;
            };
            /**
             * @description The least worth in US dollars, at that moment. An event without an amount or a price passes.
             * @example 1000
             */
            min_usd?: string;
        };
        WebhookHealth: {
            /**
             * Format: uuid
             * @description The id of the webhook.
             * @example 01a20098-2c90-7000-8000-5b7d3e9a1c42
             */
            id: string;
            /**
             * @description The URL that is notified.
             * @example https://example.com/hook
             */
            url: string;
            /**
             * @description The purpose of the webhook, in the words of its business. Null: the business gave none.
             * @example Credits of the shop
             */
            description: string | null;
            /** @description True: it stands beside the first webhook, and a new registration never replaces it. */
            additional: boolean;
            /** @description True: the webhook is notified. False: its deliveries are held. */
            is_active: boolean;
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /** @description When a receiver last answered 2xx. Null: never. */
            last_success_at: string | null;
            /** @description The number of failed attempts since the last success. */
            consecutive_failures: number;
            /** @description When it was deactivated. Null: it is active. */
            disabled_at: string | null;
            /**
             * @description gone: its receiver answered 410. failing: every attempt has failed for five days. requested: somebody paused it.
             * @example null
             */
            disabled_reason: ("gone" | "failing" | "requested") | null;
            /**
             * @description The most attempts a second at this webhook, on average. Null: not limited.
             * @example 50
             */
            rate: number | null;
            /** @description The notifications that it wants; null: everything but `token.unlisted`. All fields that are there must hold. */
            filter: components["schemas"]["WebhookFilter"] | null;
            /**
             * @description The notifications that the webhook gets, in words.
             * @example transaction.deposit, of USDC, from 1000 USDC
             */
            wants: string;
            /**
             * @description The order of notifications. `none`: no order. `wallet`: each wallet has one delivery at a time.
             * @enum {string}
             */
            order: "none" | "wallet";
            /**
             * @description The step after a notification is given up, with an order. `continue`: the next one is sent. `hold`: its wallet waits.
             * @enum {string}
             */
            on_exhausted: "continue" | "hold";
            /**
             * @description `open`: 10 attempts in a row failed. Only one attempt is then made at `circuit_retry_at`, until one succeeds. `closed`: every due attempt is made.
             * @enum {string}
             */
            circuit: "closed" | "open";
            /** @description When the circuit opened. Null: it is closed. */
            circuit_opened_at: string | null;
            /** @description When the next attempt is made while the circuit is open. Null: the circuit is closed. */
            circuit_retry_at: string | null;
        };
        WebhookInOrder: {
            /**
             * Format: uuid
             * @description The id of the webhook.
             * @example 01a20098-2c90-7000-8000-5b7d3e9a1c42
             */
            id: string;
            /**
             * @description The URL that is notified.
             * @example https://example.com/hook
             */
            url: string;
            /**
             * @description The purpose of the webhook, in the words of its business. Null: the business gave none.
             * @example Credits of the shop
             */
            description: string | null;
            /** @description True: it stands beside the first webhook, and a new registration never replaces it. */
            additional: boolean;
            /** @description True: the webhook is notified. False: its deliveries are held. */
            is_active: boolean;
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /** @description When a receiver last answered 2xx. Null: never. */
            last_success_at: string | null;
            /** @description The number of failed attempts since the last success. */
            consecutive_failures: number;
            /** @description When it was deactivated. Null: it is active. */
            disabled_at: string | null;
            /**
             * @description gone: its receiver answered 410. failing: every attempt has failed for five days. requested: somebody paused it.
             * @example null
             */
            disabled_reason: ("gone" | "failing" | "requested") | null;
            /**
             * @description The most attempts a second at this webhook, on average. Null: not limited.
             * @example 50
             */
            rate: number | null;
            /** @description The notifications that it wants; null: everything but `token.unlisted`. All fields that are there must hold. */
            filter: components["schemas"]["WebhookFilter"] | null;
            /**
             * @description The notifications that the webhook gets, in words.
             * @example transaction.deposit, of USDC, from 1000 USDC
             */
            wants: string;
            /**
             * @description The order of notifications. `none`: no order. `wallet`: each wallet has one delivery at a time.
             * @enum {string}
             */
            order: "none" | "wallet";
            /**
             * @description The step after a notification is given up, with an order. `continue`: the next one is sent. `hold`: its wallet waits.
             * @enum {string}
             */
            on_exhausted: "continue" | "hold";
            /**
             * @description `open`: 10 attempts in a row failed. Only one attempt is then made at `circuit_retry_at`, until one succeeds. `closed`: every due attempt is made.
             * @enum {string}
             */
            circuit: "closed" | "open";
            /** @description When the circuit opened. Null: it is closed. */
            circuit_opened_at: string | null;
            /** @description When the next attempt is made while the circuit is open. Null: the circuit is closed. */
            circuit_retry_at: string | null;
            /**
             * @description The events that the webhook gets: always `*`. Its filter says more.
             * @constant
             */
            event: "*";
            /** @description When the old secret ends; until then both sign. Null: no rotation is going on. */
            overlap_ends_at: string | null;
            /**
             * @description The names of the headers that you add to its requests.
             * @example [
             *       "Authorization"
             *     ]
             */
            header_names: string[];
            /** @description The client certificate: the SHA-256 of its DER in hex, and when it expires. Null: none is set. */
            client_certificate: {
                /**
                 * @description The SHA-256 of the certificate.
                 * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
                 */
                fingerprint: string;
                /**
                 * Format: date-time
                 * @description When it expires.
                 * @example 2026-01-31T12:00:00.000Z
                 */
                expires_at: string;
            } | null;
            /**
             * @description The public key that verifies signatures `v1a`: `whpk_` and base64. Null: requests have no such signature.
             * @example whpk_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=
             */
            public_key: string | null;
            /**
             * @description The public key that follows `public_key` while a rotation overlaps. It is valid already. Null: no rotation is going on.
             * @example whpk_2Lk0mXv8Jq1s5t7u9w0y2A4C6E8G0I2K4M6O8Q0S2U4=
             */
            next_public_key: string | null;
            /** @description `waiting`: wallets with a notification that has not ended. `held`: those of them that a given-up notification holds. `oldest_waiting_at`: since when the oldest waits. Null: the webhook has no order. */
            lines: {
                /**
                 * @description The number of wallets that wait for a notification.
                 * @example 0
                 */
                waiting: number;
                /**
                 * @description The number of wallets that a given-up notification holds.
                 * @example 0
                 */
                held: number;
                /** @description When the oldest began to wait. Null: none waits. */
                oldest_waiting_at: string | null;
            } | null;
        };
        /** @description The body that is sent when the business tried its webhook. */
        WebhookTest: {
            /**
             * Format: uuid
             * @description The id of the notification. It is the same on every attempt, also when it is sent again. Remember it, and ignore a known one.
             * @example 01a20098-2c90-7000-8000-5b7d3e9a1c42
             */
            id: string;
            /**
             * @description The events that the webhook gets: always `*`. Its filter says more.
             * @constant
             */
            event: "webhook.test";
            /**
             * Format: date-time
             * @description When the event happened.
             * @example 2026-01-31T12:00:00.000Z
             */
            timestamp: string;
            data: components["schemas"]["NotificationData"] & {
                /**
                 * @description The state that the transaction has reached.
                 * @constant
                 */
                status: "test";
            };
        };
    };
    responses: {
        /** @description Bad Request: `invalid_request`. */
        InvalidRequest: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "error": {
                 *         "code": "invalid_request",
                 *         "message": "The request cannot be read: send well-formed JSON.",
                 *         "doc_url": "/docs/errors#invalid_request"
                 *       },
                 *       "request_id": "8109552d-768d-416c-b820-4b386319cdf9"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Internal Server Error: `internal_error`. */
        InternalError: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "error": {
                 *         "code": "internal_error",
                 *         "message": "Something went wrong on our side: try again, and quote the request_id if it stays.",
                 *         "doc_url": "/docs/errors#internal_error"
                 *       },
                 *       "request_id": "8109552d-768d-416c-b820-4b386319cdf9"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Unauthorized: `invalid_api_key`, `missing_credentials`. */
        InvalidApiKeyOrMissingCredentials: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "error": {
                 *         "code": "missing_credentials",
                 *         "message": "Send the API key in the header x-api-key.",
                 *         "doc_url": "/docs/errors#missing_credentials"
                 *       },
                 *       "request_id": "8109552d-768d-416c-b820-4b386319cdf9"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Forbidden: `business_suspended`, `business_unverified`, `key_expired`, `key_revoked`, `network_refused`, `scope_missing`. */
        Forbidden: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "error": {
                 *         "code": "business_suspended",
                 *         "message": "The business is suspended: ask the operator.",
                 *         "doc_url": "/docs/errors#business_suspended"
                 *       },
                 *       "request_id": "8109552d-768d-416c-b820-4b386319cdf9"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Request Timeout: `request_timeout`. */
        RequestTimeout: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "error": {
                 *         "code": "request_timeout",
                 *         "message": "The request did not arrive in time: send it again.",
                 *         "doc_url": "/docs/errors#request_timeout"
                 *       },
                 *       "request_id": "8109552d-768d-416c-b820-4b386319cdf9"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Payload Too Large: `payload_too_large`. */
        PayloadTooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "error": {
                 *         "code": "payload_too_large",
                 *         "message": "The body is too large for this route: send less.",
                 *         "doc_url": "/docs/errors#payload_too_large"
                 *       },
                 *       "request_id": "8109552d-768d-416c-b820-4b386319cdf9"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Unsupported Media Type: `unsupported_media_type`. */
        UnsupportedMediaType: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "error": {
                 *         "code": "unsupported_media_type",
                 *         "message": "The body is not JSON: send it with Content-Type: application/json.",
                 *         "doc_url": "/docs/errors#unsupported_media_type"
                 *       },
                 *       "request_id": "8109552d-768d-416c-b820-4b386319cdf9"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Too Many Requests: `rate_limited`. */
        RateLimited: {
            headers: {
                "retry-after": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "error": {
                 *         "code": "rate_limited",
                 *         "message": "Too many requests: wait and send it again.",
                 *         "doc_url": "/docs/errors#rate_limited"
                 *       },
                 *       "request_id": "8109552d-768d-416c-b820-4b386319cdf9"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Service Unavailable: `database_unavailable`, `unavailable`. */
        DatabaseUnavailableOrUnavailable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "error": {
                 *         "code": "database_unavailable",
                 *         "message": "The service cannot answer in time: send the request again.",
                 *         "doc_url": "/docs/errors#database_unavailable"
                 *       },
                 *       "request_id": "8109552d-768d-416c-b820-4b386319cdf9"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Unauthorized: `access_token_expired`, `invalid_access_token`, `missing_credentials`. */
        AccessTokenExpiredOrInvalidAccessTokenOrMissingCredentials: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "error": {
                 *         "code": "missing_credentials",
                 *         "message": "Send the API key in the header x-api-key.",
                 *         "doc_url": "/docs/errors#missing_credentials"
                 *       },
                 *       "request_id": "8109552d-768d-416c-b820-4b386319cdf9"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Not Found: `token_not_found`. */
        TokenNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "error": {
                 *         "code": "token_not_found",
                 *         "message": "There is no such token: check the id.",
                 *         "doc_url": "/docs/errors#token_not_found"
                 *       },
                 *       "request_id": "8109552d-768d-416c-b820-4b386319cdf9"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Unauthorized: `access_token_expired`, `invalid_access_token`, `invalid_api_key`, `missing_credentials`. */
        InvalidAccessTokenOrInvalidApiKey: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "error": {
                 *         "code": "missing_credentials",
                 *         "message": "Send the API key in the header x-api-key.",
                 *         "doc_url": "/docs/errors#missing_credentials"
                 *       },
                 *       "request_id": "8109552d-768d-416c-b820-4b386319cdf9"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Bad Request: `invalid_address`, `invalid_request`, `unknown_blockchain`. */
        InvalidAddressOrInvalidRequestOrUnknownBlockchain: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "error": {
                 *         "code": "invalid_request",
                 *         "message": "The request cannot be read: send well-formed JSON.",
                 *         "doc_url": "/docs/errors#invalid_request"
                 *       },
                 *       "request_id": "8109552d-768d-416c-b820-4b386319cdf9"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Conflict: `address_refused`, `idempotency_answer_lost`, `idempotency_key_in_use`, `limit_reached`, `wallet_exists`. */
        Conflict: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "error": {
                 *         "code": "wallet_exists",
                 *         "message": "The wallet is watched already on that blockchain; nothing was added.",
                 *         "doc_url": "/docs/errors#wallet_exists"
                 *       },
                 *       "request_id": "8109552d-768d-416c-b820-4b386319cdf9"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Unprocessable Entity: `idempotency_key_reused`. */
        IdempotencyKeyReused: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "error": {
                 *         "code": "idempotency_key_reused",
                 *         "message": "This Idempotency-Key belongs to another request: use a new key.",
                 *         "doc_url": "/docs/errors#idempotency_key_reused"
                 *       },
                 *       "request_id": "8109552d-768d-416c-b820-4b386319cdf9"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Not Found: `wallet_not_found`. */
        WalletNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "error": {
                 *         "code": "wallet_not_found",
                 *         "message": "There is no such wallet: check the id.",
                 *         "doc_url": "/docs/errors#wallet_not_found"
                 *       },
                 *       "request_id": "8109552d-768d-416c-b820-4b386319cdf9"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Not Found: `transaction_not_found`. */
        TransactionNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "error": {
                 *         "code": "transaction_not_found",
                 *         "message": "There is no such transaction: check the id.",
                 *         "doc_url": "/docs/errors#transaction_not_found"
                 *       },
                 *       "request_id": "8109552d-768d-416c-b820-4b386319cdf9"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Not Found: `chain_not_found`, `wallet_not_found`. */
        ChainNotFoundOrWalletNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "error": {
                 *         "code": "chain_not_found",
                 *         "message": "There is no chain 'ethereum': GET /chains and the command status list the names.",
                 *         "doc_url": "/docs/errors#chain_not_found"
                 *       },
                 *       "request_id": "8109552d-768d-416c-b820-4b386319cdf9"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Conflict: `limit_reached`. */
        LimitReached: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "error": {
                 *         "code": "limit_reached",
                 *         "message": "The business has as many of these as it may have: remove one first.",
                 *         "doc_url": "/docs/errors#limit_reached"
                 *       },
                 *       "request_id": "8109552d-768d-416c-b820-4b386319cdf9"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Not Found: `statement_not_found`. */
        StatementNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "error": {
                 *         "code": "statement_not_found",
                 *         "message": "There is no such statement: check the id.",
                 *         "doc_url": "/docs/errors#statement_not_found"
                 *       },
                 *       "request_id": "8109552d-768d-416c-b820-4b386319cdf9"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Conflict: `idempotency_answer_lost`, `idempotency_key_in_use`, `reconciliation_running`. */
        IdempotencyAnswerLostOrIdempotencyKeyInUseOrReconciliationRunning: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "error": {
                 *         "code": "idempotency_key_in_use",
                 *         "message": "The first request with this Idempotency-Key has no answer yet: send it again in a moment.",
                 *         "doc_url": "/docs/errors#idempotency_key_in_use"
                 *       },
                 *       "request_id": "8109552d-768d-416c-b820-4b386319cdf9"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Not Found: `reconciliation_not_found`. */
        ReconciliationNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "error": {
                 *         "code": "reconciliation_not_found",
                 *         "message": "There is no such reconciliation of credits: check the id.",
                 *         "doc_url": "/docs/errors#reconciliation_not_found"
                 *       },
                 *       "request_id": "8109552d-768d-416c-b820-4b386319cdf9"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Bad Request: `invalid_request`, `invalid_url`, `target_refused`. */
        InvalidRequestOrInvalidUrlOrTargetRefused: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "error": {
                 *         "code": "target_refused",
                 *         "message": "The URL is refused: it leads to an address that is not public.",
                 *         "doc_url": "/docs/errors#target_refused"
                 *       },
                 *       "request_id": "8109552d-768d-416c-b820-4b386319cdf9"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Conflict: `idempotency_answer_lost`, `idempotency_key_in_use`, `limit_reached`. */
        IdempotencyAnswerLostOrIdempotencyKeyInUseOrLimitReached: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "error": {
                 *         "code": "idempotency_key_in_use",
                 *         "message": "The first request with this Idempotency-Key has no answer yet: send it again in a moment.",
                 *         "doc_url": "/docs/errors#idempotency_key_in_use"
                 *       },
                 *       "request_id": "8109552d-768d-416c-b820-4b386319cdf9"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Not Found: `webhook_not_found`. */
        WebhookNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "error": {
                 *         "code": "webhook_not_found",
                 *         "message": "There is no such webhook: check the id.",
                 *         "doc_url": "/docs/errors#webhook_not_found"
                 *       },
                 *       "request_id": "8109552d-768d-416c-b820-4b386319cdf9"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Conflict: `idempotency_answer_lost`, `idempotency_key_in_use`. */
        IdempotencyAnswerLostOrIdempotencyKeyInUse: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "error": {
                 *         "code": "idempotency_key_in_use",
                 *         "message": "The first request with this Idempotency-Key has no answer yet: send it again in a moment.",
                 *         "doc_url": "/docs/errors#idempotency_key_in_use"
                 *       },
                 *       "request_id": "8109552d-768d-416c-b820-4b386319cdf9"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Conflict: `idempotency_answer_lost`, `idempotency_key_in_use`, `recovery_running`, `webhook_inactive`. */
        IdempotencyAnswerLostOrIdempotencyKeyInUseOrRecoveryRunningOrWebhookInactive: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "error": {
                 *         "code": "idempotency_key_in_use",
                 *         "message": "The first request with this Idempotency-Key has no answer yet: send it again in a moment.",
                 *         "doc_url": "/docs/errors#idempotency_key_in_use"
                 *       },
                 *       "request_id": "8109552d-768d-416c-b820-4b386319cdf9"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Not Found: `notification_not_found`. */
        NotificationNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "error": {
                 *         "code": "notification_not_found",
                 *         "message": "There is no such notification: check the id.",
                 *         "doc_url": "/docs/errors#notification_not_found"
                 *       },
                 *       "request_id": "8109552d-768d-416c-b820-4b386319cdf9"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Not Found: `notification_not_found`, `webhook_not_found`. */
        NotificationNotFoundOrWebhookNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "error": {
                 *         "code": "notification_not_found",
                 *         "message": "There is no such notification: check the id.",
                 *         "doc_url": "/docs/errors#notification_not_found"
                 *       },
                 *       "request_id": "8109552d-768d-416c-b820-4b386319cdf9"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Conflict: `delivery_in_flight`, `idempotency_answer_lost`, `idempotency_key_in_use`, `webhook_inactive`. */
        DeliveryInFlightOrIdempotencyAnswerLostOrIdempotencyKeyInUseOrWebhookInactive: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "error": {
                 *         "code": "idempotency_key_in_use",
                 *         "message": "The first request with this Idempotency-Key has no answer yet: send it again in a moment.",
                 *         "doc_url": "/docs/errors#idempotency_key_in_use"
                 *       },
                 *       "request_id": "8109552d-768d-416c-b820-4b386319cdf9"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Conflict: `cursor_unknown`. */
        CursorUnknown: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "error": {
                 *         "code": "cursor_unknown",
                 *         "message": "The database does not know this cursor. Go on from the cursor in the header chainbell-cursor. Skip the ids that you have.",
                 *         "doc_url": "/docs/errors#cursor_unknown"
                 *       },
                 *       "request_id": "8109552d-768d-416c-b820-4b386319cdf9"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Gone: `cursor_expired`. */
        CursorExpired: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "error": {
                 *         "code": "cursor_expired",
                 *         "message": "Notifications after this cursor were removed. Go on from the cursor in the header chainbell-cursor.",
                 *         "doc_url": "/docs/errors#cursor_expired"
                 *       },
                 *       "request_id": "8109552d-768d-416c-b820-4b386319cdf9"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Not Found: `api_key_not_found`. */
        ApiKeyNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "error": {
                 *         "code": "api_key_not_found",
                 *         "message": "There is no such API key: check the id.",
                 *         "doc_url": "/docs/errors#api_key_not_found"
                 *       },
                 *       "request_id": "8109552d-768d-416c-b820-4b386319cdf9"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Unauthorized: `invalid_admin_token`, `missing_credentials`. */
        InvalidAdminTokenOrMissingCredentials: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "error": {
                 *         "code": "missing_credentials",
                 *         "message": "Send the API key in the header x-api-key.",
                 *         "doc_url": "/docs/errors#missing_credentials"
                 *       },
                 *       "request_id": "8109552d-768d-416c-b820-4b386319cdf9"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Forbidden: `role_missing`, `scope_missing`. */
        RoleMissingOrScopeMissing: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "error": {
                 *         "code": "scope_missing",
                 *         "message": "The admin token lacks the scope 'wallets': use a token that has it.",
                 *         "doc_url": "/docs/errors#scope_missing"
                 *       },
                 *       "request_id": "8109552d-768d-416c-b820-4b386319cdf9"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Forbidden: `scope_missing`. */
        ScopeMissing: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "error": {
                 *         "code": "scope_missing",
                 *         "message": "The admin token lacks the scope 'wallets': use a token that has it.",
                 *         "doc_url": "/docs/errors#scope_missing"
                 *       },
                 *       "request_id": "8109552d-768d-416c-b820-4b386319cdf9"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Not Found: `business_not_found`. */
        BusinessNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "error": {
                 *         "code": "business_not_found",
                 *         "message": "There is no such business: check the id.",
                 *         "doc_url": "/docs/errors#business_not_found"
                 *       },
                 *       "request_id": "8109552d-768d-416c-b820-4b386319cdf9"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Conflict: `idempotency_answer_lost`, `idempotency_key_in_use`, `wallet_exists`. */
        IdempotencyAnswerLostOrIdempotencyKeyInUseOrWalletExists: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "error": {
                 *         "code": "wallet_exists",
                 *         "message": "The wallet is watched already on that blockchain; nothing was added.",
                 *         "doc_url": "/docs/errors#wallet_exists"
                 *       },
                 *       "request_id": "8109552d-768d-416c-b820-4b386319cdf9"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Not Found: `chain_not_found`. */
        ChainNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "error": {
                 *         "code": "chain_not_found",
                 *         "message": "There is no chain 'ethereum': GET /chains and the command status list the names.",
                 *         "doc_url": "/docs/errors#chain_not_found"
                 *       },
                 *       "request_id": "8109552d-768d-416c-b820-4b386319cdf9"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Service Unavailable: `database_unavailable`, `rpc_unavailable`, `state_unavailable`, `unavailable`. */
        ServiceUnavailable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "error": {
                 *         "code": "database_unavailable",
                 *         "message": "The service cannot answer in time: send the request again.",
                 *         "doc_url": "/docs/errors#database_unavailable"
                 *       },
                 *       "request_id": "8109552d-768d-416c-b820-4b386319cdf9"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: {
        /** @description Only notifications of this webhook, by its id. Left out: of the first webhook. `any`: all, each by the webhook where it stands worst. */
        WebhookId: "any" | string;
        /** @description Unix seconds of this attempt. */
        WebhookTimestamp: string;
        /** @description The id of the notification of this blockchain that was written for this webhook before it. Not there on the first one, on a test, nor on an event about a balance or an unlisted token. */
        WebhookPrevious: string;
        /** @description `v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`; two of them, with a space between, while secrets overlap. With `ed25519` also `v1a,` and that signature, and so twice in an overlap. */
        WebhookSignature: string;
        /** @description Lowercase hex HMAC-SHA256 of the body, keyed with the secret as it was shown. */
        XWebhookSignature: string;
        /** @description The same with the new secret, while secrets overlap. */
        XWebhookSignatureNext: string;
        /** @description The most rows of a page. */
        Limit: number;
        /** @description The place at which the page begins: the `next_cursor` of the page before. Left out: the first page. */
        Cursor: string;
        /** @description Only this chain, by its configured name. */
        Blockchain: string;
        /** @description Only rows of this status. */
        Status: "syncing" | "watched" | "leaving";
        /**
         * @description Only wallets whose reference or label contains this text, or whose address begins with it, in any case.
         * @example order-
         */
        Q: string;
        /** @description Only wallets that were added at this date or time, or later. */
        From: string;
        /** @description Only wallets that were added before this date or time. */
        To: string;
        /** @description Only wallets with this label. */
        Label: string;
        /** @description A key of your choice. A repeated request with the same key is carried out once, and gets the first answer again for 24 hours. */
        IdempotencyKey: string;
        /** @description Only transactions of this type. */
        Type: "deposit" | "withdrawal" | "payment" | "fee" | "income" | "adjustment" | "unattributed";
        /** @description Only this asset, by its code. */
        Asset: string;
        /** @description Only this wallet, by its id. */
        WalletId: string;
        /** @description Only transactions with this hash: whole, its first six digits or more, or both ends as in 0x825d…4c7f. */
        TxHash: string;
        /** @description The order of the rows. `time`, the default: newest first. `amount`: largest first. It needs `asset`, and leaves out fees and corrections. A row whose amount a reorg changes may move to another page. */
        Sort: "time" | "amount";
        /** @description Only transfers of this contract. */
        Contract: string;
        /**
         * @description A month such as 2026-10. Give it instead of `from` and `to`.
         * @example 2026-10
         */
        Month: string;
        /** @description The time zone of months and dates, such as Europe/Zurich. Left out: UTC. */
        TimeZone: string;
        /** @description Only wallets whose reference begins so. */
        ReferencePrefix: string;
        /** @description The form of the statement. Left out: the form that `Accept` prefers, or `jsonl` if it names none of them. */
        Format: "jsonl" | "csv" | "html" | "parquet";
        /** @description Only notifications of this event. */
        Event: string;
        /** @description Only notifications of this transaction, by its id. */
        TransactionId: string;
        /** @description The width of each row: an hour or a day. */
        Bucket: "hour" | "day";
        /** @description Only rows of this business, by its id. */
        BusinessId: string;
    };
    requestBodies: never;
    headers: {
        /** @description Of this request: quote it when something went wrong. */
        RequestId: string;
        /** @description The version of the API, which is that of the software: see docs/upgrading.md. */
        Version: string;
        /** @description The server of the database that answered. */
        ReadFrom: "primary" | "replica";
        /** @description The greatest age of the answer in milliseconds: later changes may be missing. 0 from the primary. */
        StalenessMs: number;
        /** @description Seconds to wait before the request is sent again. */
        RetryAfter: number;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getService: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "name": "Chainbell",
                     *         "version": "0.2.0",
                     *         "links": {
                     *           "documentation": "docs",
                     *           "description": "openapi.json",
                     *           "health": "health"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /**
                             * @description The name of the software.
                             * @enum {string}
                             */
                            name: "Chainbell";
                            /**
                             * @description The version of the software.
                             * @example 0.2.0
                             */
                            version: string;
                            /** @description Links to the other pages, relative to this address. They also work below a path of a proxy. */
                            links: {
                                /**
                                 * @description The address of the documentation.
                                 * @example docs
                                 */
                                documentation: string;
                                /**
                                 * @description The address of the description.
                                 * @example openapi.json
                                 */
                                description: string;
                                /**
                                 * @description The address of the health.
                                 * @example health
                                 */
                                health: string;
                            };
                        };
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            500: components["responses"]["InternalError"];
        };
    };
    adminGetAlerts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "alerts": [
                     *           {
                     *             "kind": "ChainbellLedgerUnreadable",
                     *             "severity": "critical",
                     *             "summary": "ethereum is 6 min behind: deposits are seen that much later.",
                     *             "since": "2026-01-31T12:00:00.000Z",
                     *             "chain": "ethereum",
                     *             "endpoint": "rpc.example.com",
                     *             "asset": null,
                     *             "values": {
                     *               "lag_seconds": 360
                     *             },
                     *             "webhooks": [
                     *               {
                     *                 "webhook_id": "01a20098-8e18-7000-8000-4c1f0a7d2e35",
                     *                 "url": "https://example.com/hook",
                     *                 "business_id": "01a20098-1f40-7000-8000-3c9e5a7d2b18",
                     *                 "business_name": "Example Ltd",
                     *                 "since": "2026-01-31T12:00:00.000Z"
                     *               }
                     *             ],
                     *             "runbook": "docs/runbooks.md#chainbellchainbehind"
                     *           }
                     *         ],
                     *         "channels": [
                     *           {
                     *             "channel": "slack",
                     *             "sent_at": "2026-01-31T12:00:00.000Z",
                     *             "waiting": 0,
                     *             "failure": null,
                     *             "failure_code": null,
                     *             "failure_values": {}
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** @description The alerts that hold now, the worst first. */
                            alerts: components["schemas"]["Alert"][];
                            /** @description The channels to which anything was to be sent within a week. */
                            channels: {
                                /**
                                 * @description The channel to which alerts are sent.
                                 * @example slack
                                 */
                                channel: string;
                                /** @description When it last took an alert. Null: it has taken none. */
                                sent_at: string | null;
                                /**
                                 * @description The number of messages that it has not taken yet.
                                 * @example 0
                                 */
                                waiting: number;
                                /**
                                 * @description The channel's answer to the oldest message that it has not taken. Null: it has taken all.
                                 * @example null
                                 */
                                failure: string | null;
                                /**
                                 * @description A stable word for `failure`. Null where there is none, or where an earlier release tried. answered: it answered `answer`, which is no success. late: it did not answer in time. failed: the attempt failed with the error `error`.
                                 * @example null
                                 */
                                failure_code: string | null;
                                /**
                                 * @description The values in `failure`, for a text of your own.
                                 * @example {}
                                 */
                                failure_values: {
                                    [key: string]: string | number;
                                };
                            }[];
                        };
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAdminTokenOrMissingCredentials"];
            403: components["responses"]["ScopeMissing"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    adminRevokeApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the API key. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "id": "01a20098-2c90-7000-8000-5b7d3e9a1c42",
                     *         "business_id": "01a20098-1f40-7000-8000-3c9e5a7d2b18",
                     *         "label": "shop in Lisbon",
                     *         "prefix": "cb_3Vt1",
                     *         "created_at": "2026-01-31T12:00:00.000Z",
                     *         "revoked_at": "2026-01-31T12:00:00.000Z",
                     *         "expires_at": "2026-01-31T12:00:00.000Z",
                     *         "last_used_at": "2026-01-31T12:00:00.000Z",
                     *         "scopes": [
                     *           "read"
                     *         ],
                     *         "networks": [
                     *           "198.51.100.0/28"
                     *         ],
                     *         "max_wallets": 1
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["ApiKey"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAdminTokenOrMissingCredentials"];
            403: components["responses"]["RoleMissingOrScopeMissing"];
            404: components["responses"]["ApiKeyNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    adminRotateApiKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice. A repeated request with the same key is carried out once, and gets the first answer again for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id of the API key. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "overlap_hours": 24
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The old one works beside the new one for this many hours. The default is 24.
                     * @example 24
                     */
                    overlap_hours?: number;
                } | null;
            };
        };
        responses: {
            /** @description Made. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "id": "01a20098-2c90-7000-8000-5b7d3e9a1c42",
                     *         "business_id": "01a20098-1f40-7000-8000-3c9e5a7d2b18",
                     *         "label": "shop in Lisbon",
                     *         "prefix": "cb_3Vt1",
                     *         "created_at": "2026-01-31T12:00:00.000Z",
                     *         "revoked_at": "2026-01-31T12:00:00.000Z",
                     *         "expires_at": "2026-01-31T12:00:00.000Z",
                     *         "last_used_at": "2026-01-31T12:00:00.000Z",
                     *         "scopes": [
                     *           "read"
                     *         ],
                     *         "networks": [
                     *           "198.51.100.0/28"
                     *         ],
                     *         "max_wallets": 1,
                     *         "key": "cb_3Vt1mQ0yq5n0o7Yh2cQm4l8w"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["NewApiKey"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAdminTokenOrMissingCredentials"];
            403: components["responses"]["RoleMissingOrScopeMissing"];
            404: components["responses"]["ApiKeyNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyAnswerLostOrIdempotencyKeyInUse"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    adminListAudit: {
        parameters: {
            query?: {
                /** @description Only entries of this author. */
                actor?: string;
                /** @description Only entries of this verb, in any case. */
                action?: string;
                /** @description Only entries about the thing with this id. */
                subject?: string;
                /** @description Only rows of this business, by its id. */
                business_id?: components["parameters"]["BusinessId"];
                /** @description Only from this date or time on. It is included. */
                from?: string;
                /** @description Only before this date or time. It is not included. */
                to?: string;
                /** @description The most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description The place at which the page begins: the `next_cursor` of the page before. Left out: the first page. */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    "chainbell-read-from": components["headers"]["ReadFrom"];
                    "chainbell-staleness-ms": components["headers"]["StalenessMs"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": [
                     *         {
                     *           "id": "01a20098-2c90-7000-8000-5b7d3e9a1c42",
                     *           "at": "2026-01-31T12:00:00.000Z",
                     *           "actor": "ops",
                     *           "actor_name": null,
                     *           "via": "http",
                     *           "address": "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc",
                     *           "action": "webhook.register",
                     *           "subject": "01a20098-8e18-7000-8000-4c1f0a7d2e35",
                     *           "details": {}
                     *         }
                     *       ],
                     *       "next_cursor": "MDFhMjAwOTgtOGZjMC03MDA2LTgwMDAtMDdlMjJlN2Y0ZDk0"
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["AuditEntry"][];
                        /**
                         * @description The place of the next page. Send it as `cursor`. Null: this is the last page.
                         * @example MDFhMjAwOTgtOGZjMC03MDA2LTgwMDAtMDdlMjJlN2Y0ZDk0
                         */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAdminTokenOrMissingCredentials"];
            403: components["responses"]["ScopeMissing"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    adminGetAuditVerify: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "whole": true,
                     *         "head": "120:9f86d081884c7d659f86d081884c7d659f86d081884c7d659f86d081884c7d65",
                     *         "finding": "entry 17 is not what was recorded",
                     *         "broken": {
                     *           "entry": "17",
                     *           "fault": "missing"
                     *         },
                     *         "unchained": 0,
                     *         "inserted": [
                     *           "01a20098-2c90-7000-8000-5b7d3e9a1c42"
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** @description True: no entry was changed or taken out. */
                            whole: boolean;
                            /**
                             * @description The last entry's number and hash.
                             * @example 120:9f86d081884c7d659f86d081884c7d659f86d081884c7d659f86d081884c7d65
                             */
                            head: string | null;
                            /**
                             * @description The fault. Null: there is none.
                             * @example entry 17 is not what was recorded
                             */
                            finding: string | null;
                            /** @description The first wrong entry of the chain. Null: the chain is whole. */
                            broken: {
                                /**
                                 * @description The number of the entry.
                                 * @example 17
                                 */
                                entry: string;
                                /**
                                 * @description The fault of the entry. `missing`: is missing. `changed`: was changed. `unsigned`: was not written by Chainbell: it has no right MAC. `archived`: was archived and stands here again. `other`: is not the one that was written down.
                                 * @enum {string}
                                 */
                                fault: "missing" | "changed" | "unsigned" | "archived" | "other";
                            } | null;
                            /**
                             * @description Entries that wait for their place in the chain, usually for a second.
                             * @example 0
                             */
                            unchained: number;
                            /** @description Entries that Chainbell did not write, at most twenty: they have no right MAC. */
                            inserted: string[];
                        };
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAdminTokenOrMissingCredentials"];
            403: components["responses"]["ScopeMissing"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    adminListBusinesses: {
        parameters: {
            query?: {
                /**
                 * @description Only businesses whose name contains this text, in any case.
                 * @example Example
                 */
                q?: string;
                /** @description Only businesses with these ids, at most 100, with commas between them. */
                ids?: string;
                /** @description The most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description The place at which the page begins: the `next_cursor` of the page before. Left out: the first page. */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": [
                     *         {
                     *           "id": "01a20098-2c90-7000-8000-5b7d3e9a1c42",
                     *           "name": "Example Ltd",
                     *           "legal_name": "Example Trading Limited",
                     *           "address": "1 Example Street\nLondon",
                     *           "verified_at": "2026-01-31T12:00:00.000Z",
                     *           "suspended_at": "2026-01-31T12:00:00.000Z",
                     *           "notify_pending": true,
                     *           "in_flight": 10,
                     *           "rate": 50,
                     *           "created_at": "2026-01-31T12:00:00.000Z"
                     *         }
                     *       ],
                     *       "next_cursor": "MDFhMjAwOTgtOGZjMC03MDA2LTgwMDAtMDdlMjJlN2Y0ZDk0"
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Business"][];
                        /**
                         * @description The place of the next page. Send it as `cursor`. Null: this is the last page.
                         * @example MDFhMjAwOTgtOGZjMC03MDA2LTgwMDAtMDdlMjJlN2Y0ZDk0
                         */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAdminTokenOrMissingCredentials"];
            403: components["responses"]["ScopeMissing"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    adminCreateBusiness: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice. A repeated request with the same key is carried out once, and gets the first answer again for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Example Ltd",
                 *       "verified": true
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The name of the business, of at most 200 characters.
                     * @example Example Ltd
                     */
                    name: string;
                    /** @description True: the business is verified at once. */
                    verified?: boolean;
                };
            };
        };
        responses: {
            /** @description Made. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "id": "01a20098-2c90-7000-8000-5b7d3e9a1c42",
                     *         "name": "Example Ltd",
                     *         "legal_name": "Example Trading Limited",
                     *         "address": "1 Example Street\nLondon",
                     *         "verified_at": "2026-01-31T12:00:00.000Z",
                     *         "suspended_at": "2026-01-31T12:00:00.000Z",
                     *         "notify_pending": true,
                     *         "in_flight": 10,
                     *         "rate": 50,
                     *         "created_at": "2026-01-31T12:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Business"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAdminTokenOrMissingCredentials"];
            403: components["responses"]["RoleMissingOrScopeMissing"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyAnswerLostOrIdempotencyKeyInUse"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    adminGetBusiness: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the business. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "id": "01a20098-2c90-7000-8000-5b7d3e9a1c42",
                     *         "name": "Example Ltd",
                     *         "legal_name": "Example Trading Limited",
                     *         "address": "1 Example Street\nLondon",
                     *         "verified_at": "2026-01-31T12:00:00.000Z",
                     *         "suspended_at": "2026-01-31T12:00:00.000Z",
                     *         "notify_pending": true,
                     *         "in_flight": 10,
                     *         "rate": 50,
                     *         "created_at": "2026-01-31T12:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Business"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAdminTokenOrMissingCredentials"];
            403: components["responses"]["ScopeMissing"];
            404: components["responses"]["BusinessNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    adminUpdateBusiness: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the business. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Example Ltd",
                 *       "legal_name": "Example Trading Limited",
                 *       "address": "1 Example Street\nLondon",
                 *       "notify_pending": true,
                 *       "in_flight": 10,
                 *       "rate": 50
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The name of the business, of at most 200 characters.
                     * @example Example Ltd
                     */
                    name?: string;
                    /**
                     * @description The legal name in the head of statements. Null: `name` stands there.
                     * @example Example Trading Limited
                     */
                    legal_name?: string | null;
                    /**
                     * @description The postal address in the head of statements, with line breaks. Null: none stands there.
                     * @example 1 Example Street
                     *     London
                     */
                    address?: string | null;
                    /** @description True: `transaction.pending` and `transaction.dropped` are notified too. */
                    notify_pending?: boolean;
                    /**
                     * @description The most deliveries of the business that are under way at once. Null: the configured default.
                     * @example 10
                     */
                    in_flight?: number | null;
                    /**
                     * @description The most attempts a second, at all webhooks of the business together. Null: not limited.
                     * @example 50
                     */
                    rate?: number | null;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "id": "01a20098-2c90-7000-8000-5b7d3e9a1c42",
                     *         "name": "Example Ltd",
                     *         "legal_name": "Example Trading Limited",
                     *         "address": "1 Example Street\nLondon",
                     *         "verified_at": "2026-01-31T12:00:00.000Z",
                     *         "suspended_at": "2026-01-31T12:00:00.000Z",
                     *         "notify_pending": true,
                     *         "in_flight": 10,
                     *         "rate": 50,
                     *         "created_at": "2026-01-31T12:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Business"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAdminTokenOrMissingCredentials"];
            403: components["responses"]["RoleMissingOrScopeMissing"];
            404: components["responses"]["BusinessNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    adminListBusinessApiKeys: {
        parameters: {
            query?: {
                /** @description The most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description The place at which the page begins: the `next_cursor` of the page before. Left out: the first page. */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path: {
                /** @description The id of the business. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": [
                     *         {
                     *           "id": "01a20098-2c90-7000-8000-5b7d3e9a1c42",
                     *           "business_id": "01a20098-1f40-7000-8000-3c9e5a7d2b18",
                     *           "label": "shop in Lisbon",
                     *           "prefix": "cb_3Vt1",
                     *           "created_at": "2026-01-31T12:00:00.000Z",
                     *           "revoked_at": "2026-01-31T12:00:00.000Z",
                     *           "expires_at": "2026-01-31T12:00:00.000Z",
                     *           "last_used_at": "2026-01-31T12:00:00.000Z",
                     *           "scopes": [
                     *             "read"
                     *           ],
                     *           "networks": [
                     *             "198.51.100.0/28"
                     *           ],
                     *           "max_wallets": 1
                     *         }
                     *       ],
                     *       "next_cursor": "MDFhMjAwOTgtOGZjMC03MDA2LTgwMDAtMDdlMjJlN2Y0ZDk0"
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["ApiKey"][];
                        /**
                         * @description The place of the next page. Send it as `cursor`. Null: this is the last page.
                         * @example MDFhMjAwOTgtOGZjMC03MDA2LTgwMDAtMDdlMjJlN2Y0ZDk0
                         */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAdminTokenOrMissingCredentials"];
            403: components["responses"]["ScopeMissing"];
            404: components["responses"]["BusinessNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    adminCreateBusinessApiKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice. A repeated request with the same key is carried out once, and gets the first answer again for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id of the business. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "label": "shop in Lisbon",
                 *       "scopes": [
                 *         "read"
                 *       ],
                 *       "networks": [
                 *         "198.51.100.0/28"
                 *       ],
                 *       "expires_at": "2027-01-31T12:00:00Z",
                 *       "max_wallets": 1
                 *     }
                 */
                "application/json": components["schemas"]["KeyToGrant"] | null;
            };
        };
        responses: {
            /** @description Made. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "id": "01a20098-2c90-7000-8000-5b7d3e9a1c42",
                     *       "key": "cb_3Vt1mQ0yq5n0o7Yh2cQm4l8w",
                     *       "data": {
                     *         "id": "01a20098-2c90-7000-8000-5b7d3e9a1c42",
                     *         "business_id": "01a20098-1f40-7000-8000-3c9e5a7d2b18",
                     *         "label": "shop in Lisbon",
                     *         "prefix": "cb_3Vt1",
                     *         "created_at": "2026-01-31T12:00:00.000Z",
                     *         "revoked_at": "2026-01-31T12:00:00.000Z",
                     *         "expires_at": "2026-01-31T12:00:00.000Z",
                     *         "last_used_at": "2026-01-31T12:00:00.000Z",
                     *         "scopes": [
                     *           "read"
                     *         ],
                     *         "networks": [
                     *           "198.51.100.0/28"
                     *         ],
                     *         "max_wallets": 1,
                     *         "key": "cb_3Vt1mQ0yq5n0o7Yh2cQm4l8w"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["NewApiKeyAnswer"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAdminTokenOrMissingCredentials"];
            403: components["responses"]["RoleMissingOrScopeMissing"];
            404: components["responses"]["BusinessNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyAnswerLostOrIdempotencyKeyInUseOrLimitReached"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    adminCreateConsoleLink: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice. A repeated request with the same key is carried out once, and gets the first answer again for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id of the business. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "role": "viewer"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description viewer: looks. developer: does what an API key of the business may.
                     * @enum {string}
                     */
                    role?: "viewer" | "developer";
                } | null;
            };
        };
        responses: {
            /** @description Made. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "business_id": "01a20098-1f40-7000-8000-3c9e5a7d2b18",
                     *         "role": "viewer",
                     *         "link": "cbl_3vJ0C1T9d2m8Qw5Xr7YbZkLhNfPgSaUeViWoRtEyU4I",
                     *         "path": "/console/enter#cbl_3vJ0C1T9d2m8Qw5Xr7YbZkLhNfPgSaUeViWoRtEyU4I",
                     *         "expires_at": "2026-01-31T12:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["ConsoleLink"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAdminTokenOrMissingCredentials"];
            403: components["responses"]["RoleMissingOrScopeMissing"];
            404: components["responses"]["BusinessNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyAnswerLostOrIdempotencyKeyInUse"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    adminResumeBusiness: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice. A repeated request with the same key is carried out once, and gets the first answer again for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id of the business. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": Record<string, never> | null;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "id": "01a20098-2c90-7000-8000-5b7d3e9a1c42",
                     *         "name": "Example Ltd",
                     *         "legal_name": "Example Trading Limited",
                     *         "address": "1 Example Street\nLondon",
                     *         "verified_at": "2026-01-31T12:00:00.000Z",
                     *         "suspended_at": "2026-01-31T12:00:00.000Z",
                     *         "notify_pending": true,
                     *         "in_flight": 10,
                     *         "rate": 50,
                     *         "created_at": "2026-01-31T12:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Business"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAdminTokenOrMissingCredentials"];
            403: components["responses"]["RoleMissingOrScopeMissing"];
            404: components["responses"]["BusinessNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyAnswerLostOrIdempotencyKeyInUse"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    adminListBusinessSightings: {
        parameters: {
            query?: {
                /** @description Only this chain, by its configured name. */
                blockchain?: components["parameters"]["Blockchain"];
                /** @description Only this wallet, by its id. */
                wallet_id?: components["parameters"]["WalletId"];
                /** @description Only transfers of this contract. */
                contract?: components["parameters"]["Contract"];
                /** @description Only transactions with this hash: whole, its first six digits or more, or both ends as in 0x825d…4c7f. */
                tx_hash?: components["parameters"]["TxHash"];
                /** @description Only from this date or time on. It is included. */
                from?: string;
                /** @description Only before this date or time. It is not included. */
                to?: string;
                /** @description The most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description The place at which the page begins: the `next_cursor` of the page before. Left out: the first page. */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path: {
                /** @description The id of the business. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    "chainbell-read-from": components["headers"]["ReadFrom"];
                    "chainbell-staleness-ms": components["headers"]["StalenessMs"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": [
                     *         {
                     *           "id": "01a20098-2c90-7000-8000-5b7d3e9a1c42",
                     *           "status": "pending",
                     *           "blockchain": "ethereum",
                     *           "wallet_id": "01a20098-39e4-7000-8000-02911919b011",
                     *           "reference": "customer-17",
                     *           "label": "shop in Lisbon",
                     *           "contract": "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc",
                     *           "unverified_symbol": "USDT",
                     *           "raw_amount": "12500000",
                     *           "tx_hash": "0x825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f",
                     *           "from_address": "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc",
                     *           "to_address": "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc",
                     *           "block_number": 21000000,
                     *           "log_index": 17,
                     *           "date": "2026-01-31T12:00:00.000Z",
                     *           "proof": "root",
                     *           "lookalike_of": "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc"
                     *         }
                     *       ],
                     *       "next_cursor": "MDFhMjAwOTgtOGZjMC03MDA2LTgwMDAtMDdlMjJlN2Y0ZDk0"
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Sighting"][];
                        /**
                         * @description The place of the next page. Send it as `cursor`. Null: this is the last page.
                         * @example MDFhMjAwOTgtOGZjMC03MDA2LTgwMDAtMDdlMjJlN2Y0ZDk0
                         */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAdminTokenOrMissingCredentials"];
            403: components["responses"]["ScopeMissing"];
            404: components["responses"]["BusinessNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    adminListBusinessStatements: {
        parameters: {
            query?: {
                /** @description The most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description The place at which the page begins: the `next_cursor` of the page before. Left out: the first page. */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path: {
                /** @description The id of the business. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": [
                     *         {
                     *           "id": "01a20098-2c90-7000-8000-5b7d3e9a1c42",
                     *           "business_id": "01a20098-1f40-7000-8000-3c9e5a7d2b18",
                     *           "made_at": "2026-01-31T12:00:00.000Z",
                     *           "made_by": "01a20098-21a8-7000-8000-7e4c2f9b6d50",
                     *           "made_via": "api",
                     *           "from": "2026-01-31T12:00:00.000Z",
                     *           "to": "2026-01-31T12:00:00.000Z",
                     *           "time_zone": "Europe/Zurich",
                     *           "filter": {
                     *             "blockchain": "ethereum",
                     *             "asset": "USDC",
                     *             "wallet_id": "01a20098-39e4-7000-8000-02911919b011",
                     *             "label": "shop in Lisbon",
                     *             "reference_prefix": "customer-"
                     *           },
                     *           "final": true,
                     *           "holdings": 1,
                     *           "unknown_openings": 1,
                     *           "entries": 86579,
                     *           "unpriced": 1,
                     *           "unconfirmed": 1,
                     *           "digest": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *           "signature": {
                     *             "key_id": "5b0c6d3f9a1e7742",
                     *             "algorithm": "ed25519",
                     *             "value": "q0Zrq0Zrq0Zrq0Zrq0Zrq0Zrq0Zrq0Zrq0Zrq0Zrq0Zrq0Zrq0Zrq0Zrq0Zrq0Zrq0Zrq0Zrq0Zrq0Zrq0ZrBw=="
                     *           },
                     *           "chains": [
                     *             {
                     *               "blockchain": "ethereum",
                     *               "chain_id": 1,
                     *               "opening": {
                     *                 "block": 1,
                     *                 "block_hash": "0x825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f",
                     *                 "block_time": "2026-01-31T12:00:00.000Z",
                     *                 "seal": 1,
                     *                 "seal_hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *                 "final": true
                     *               },
                     *               "closing": {
                     *                 "block": 1,
                     *                 "block_hash": "0x825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f",
                     *                 "block_time": "2026-01-31T12:00:00.000Z",
                     *                 "seal": 1,
                     *                 "seal_hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *                 "final": true
                     *               }
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "next_cursor": "MDFhMjAwOTgtOGZjMC03MDA2LTgwMDAtMDdlMjJlN2Y0ZDk0"
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Statement"][];
                        /**
                         * @description The place of the next page. Send it as `cursor`. Null: this is the last page.
                         * @example MDFhMjAwOTgtOGZjMC03MDA2LTgwMDAtMDdlMjJlN2Y0ZDk0
                         */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAdminTokenOrMissingCredentials"];
            403: components["responses"]["ScopeMissing"];
            404: components["responses"]["BusinessNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    adminSuspendBusiness: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice. A repeated request with the same key is carried out once, and gets the first answer again for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id of the business. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": Record<string, never> | null;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "id": "01a20098-2c90-7000-8000-5b7d3e9a1c42",
                     *         "name": "Example Ltd",
                     *         "legal_name": "Example Trading Limited",
                     *         "address": "1 Example Street\nLondon",
                     *         "verified_at": "2026-01-31T12:00:00.000Z",
                     *         "suspended_at": "2026-01-31T12:00:00.000Z",
                     *         "notify_pending": true,
                     *         "in_flight": 10,
                     *         "rate": 50,
                     *         "created_at": "2026-01-31T12:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Business"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAdminTokenOrMissingCredentials"];
            403: components["responses"]["RoleMissingOrScopeMissing"];
            404: components["responses"]["BusinessNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyAnswerLostOrIdempotencyKeyInUse"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    adminListBusinessTransactions: {
        parameters: {
            query?: {
                /** @description Only transactions of this type. */
                type?: components["parameters"]["Type"];
                /** @description Only this asset, by its code. */
                asset?: components["parameters"]["Asset"];
                /** @description Only this chain, by its configured name. */
                blockchain?: components["parameters"]["Blockchain"];
                /** @description Only rows of this status. */
                status?: "pending" | "completed" | "dropped" | "reversed";
                /** @description Only this wallet, by its id. */
                wallet_id?: components["parameters"]["WalletId"];
                /**
                 * @description Only rows of wallets whose reference or label contains this text, or whose address begins with it, in any case. Removed wallets count too. It matches at most 5,000 wallets, in a business with at most 100,000.
                 * @example order-
                 */
                q?: string;
                /** @description Only transactions with this hash: whole, its first six digits or more, or both ends as in 0x825d…4c7f. */
                tx_hash?: components["parameters"]["TxHash"];
                /** @description The order of the rows. `time`, the default: newest first. `amount`: largest first. It needs `asset`, and leaves out fees and corrections. A row whose amount a reorg changes may move to another page. */
                sort?: components["parameters"]["Sort"];
                /** @description Only from this date or time on. It is included. */
                from?: string;
                /** @description Only before this date or time. It is not included. */
                to?: string;
                /** @description The most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description The place at which the page begins: the `next_cursor` of the page before. Left out: the first page. */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path: {
                /** @description The id of the business. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    "chainbell-read-from": components["headers"]["ReadFrom"];
                    "chainbell-staleness-ms": components["headers"]["StalenessMs"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": [
                     *         {
                     *           "id": "01a20098-2c90-7000-8000-5b7d3e9a1c42",
                     *           "type": "deposit",
                     *           "amount": "1.5",
                     *           "asset": "USDC",
                     *           "status": "pending",
                     *           "date": "2026-01-31T12:00:00.000Z",
                     *           "wallet_id": "01a20098-39e4-7000-8000-02911919b011",
                     *           "blockchain": "ethereum",
                     *           "tx_hash": "0x825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f",
                     *           "from_address": "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc",
                     *           "to_address": "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc",
                     *           "memo": "0x825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f",
                     *           "virtual_address": "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc",
                     *           "confirmations": 12,
                     *           "block_number": 21000000,
                     *           "block_hash": "0x825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f",
                     *           "log_index": 17,
                     *           "trace_path": "0.1",
                     *           "proof": "root",
                     *           "since_block": 20999000,
                     *           "confirmed_alone": true,
                     *           "required_confirmations": 12,
                     *           "fee": {
                     *             "amount": "1.5",
                     *             "asset": "USDC"
                     *           },
                     *           "usd_value": "1.5",
                     *           "label": "shop in Lisbon",
                     *           "reference": "customer-17",
                     *           "seen_at": "2026-01-31T12:00:00.000Z",
                     *           "completed_at": "2026-01-31T12:00:00.000Z",
                     *           "lookalike_of": "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc"
                     *         }
                     *       ],
                     *       "next_cursor": "MDFhMjAwOTgtOGZjMC03MDA2LTgwMDAtMDdlMjJlN2Y0ZDk0"
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Transaction"][];
                        /**
                         * @description The place of the next page. Send it as `cursor`. Null: this is the last page.
                         * @example MDFhMjAwOTgtOGZjMC03MDA2LTgwMDAtMDdlMjJlN2Y0ZDk0
                         */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAdminTokenOrMissingCredentials"];
            403: components["responses"]["ScopeMissing"];
            404: components["responses"]["BusinessNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    adminVerifyBusiness: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice. A repeated request with the same key is carried out once, and gets the first answer again for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id of the business. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": Record<string, never> | null;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "id": "01a20098-2c90-7000-8000-5b7d3e9a1c42",
                     *         "name": "Example Ltd",
                     *         "legal_name": "Example Trading Limited",
                     *         "address": "1 Example Street\nLondon",
                     *         "verified_at": "2026-01-31T12:00:00.000Z",
                     *         "suspended_at": "2026-01-31T12:00:00.000Z",
                     *         "notify_pending": true,
                     *         "in_flight": 10,
                     *         "rate": 50,
                     *         "created_at": "2026-01-31T12:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Business"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAdminTokenOrMissingCredentials"];
            403: components["responses"]["RoleMissingOrScopeMissing"];
            404: components["responses"]["BusinessNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyAnswerLostOrIdempotencyKeyInUse"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    adminListBusinessWallets: {
        parameters: {
            query?: {
                /** @description Only this chain, by its configured name. */
                blockchain?: components["parameters"]["Blockchain"];
                /** @description Only rows of this status. */
                status?: components["parameters"]["Status"];
                /**
                 * @description Only wallets whose reference or label contains this text, or whose address begins with it, in any case.
                 * @example order-
                 */
                q?: components["parameters"]["Q"];
                /** @description Only wallets that were added at this date or time, or later. */
                from?: components["parameters"]["From"];
                /** @description Only wallets that were added before this date or time. */
                to?: components["parameters"]["To"];
                /** @description The most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description The place at which the page begins: the `next_cursor` of the page before. Left out: the first page. */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path: {
                /** @description The id of the business. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": [
                     *         {
                     *           "wallet_id": "01a20098-39e4-7000-8000-02911919b011",
                     *           "blockchain": "ethereum",
                     *           "address": "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc",
                     *           "currencies": [
                     *             "ETH",
                     *             "USDC"
                     *           ],
                     *           "label": "shop in Lisbon",
                     *           "reference": "customer-17",
                     *           "purpose": "deposit",
                     *           "status": "syncing",
                     *           "from_block": 20000000,
                     *           "history": "filling",
                     *           "created_at": "2026-01-31T12:00:00.000Z",
                     *           "business_id": "01a20098-1f40-7000-8000-3c9e5a7d2b18"
                     *         }
                     *       ],
                     *       "next_cursor": "MDFhMjAwOTgtOGZjMC03MDA2LTgwMDAtMDdlMjJlN2Y0ZDk0"
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["AdminWallet"][];
                        /**
                         * @description The place of the next page. Send it as `cursor`. Null: this is the last page.
                         * @example MDFhMjAwOTgtOGZjMC03MDA2LTgwMDAtMDdlMjJlN2Y0ZDk0
                         */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAdminTokenOrMissingCredentials"];
            403: components["responses"]["ScopeMissing"];
            404: components["responses"]["BusinessNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    adminCreateBusinessWallet: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice. A repeated request with the same key is carried out once, and gets the first answer again for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id of the business. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "blockchain": "ethereum",
                 *       "address": "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc",
                 *       "purpose": "deposit",
                 *       "reference": "customer-17",
                 *       "label": "shop in Lisbon",
                 *       "from_block": 20000000
                 *     }
                 */
                "application/json": components["schemas"]["NewWallet"] | {
                    /** @description The wallets, all of which are added or none. */
                    wallets: components["schemas"]["NewWallet"][];
                };
            };
        };
        responses: {
            /** @description Made. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "wallet_id": "01a20098-39e4-7000-8000-02911919b011",
                     *         "blockchain": "ethereum",
                     *         "address": "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc",
                     *         "currencies": [
                     *           "ETH",
                     *           "USDC"
                     *         ],
                     *         "label": "shop in Lisbon",
                     *         "reference": "customer-17",
                     *         "purpose": "deposit",
                     *         "status": "syncing",
                     *         "from_block": 20000000,
                     *         "history": "filling",
                     *         "created_at": "2026-01-31T12:00:00.000Z",
                     *         "business_id": "01a20098-1f40-7000-8000-3c9e5a7d2b18"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["AdminWallet"] | components["schemas"]["AdminWallet"][];
                    };
                };
            };
            400: components["responses"]["InvalidAddressOrInvalidRequestOrUnknownBlockchain"];
            401: components["responses"]["InvalidAdminTokenOrMissingCredentials"];
            403: components["responses"]["RoleMissingOrScopeMissing"];
            404: components["responses"]["BusinessNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyAnswerLostOrIdempotencyKeyInUseOrWalletExists"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    adminGetChainEndpoints: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The configured name of the chain. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": [
                     *         {
                     *           "at": "2026-01-31T12:00:00.000Z",
                     *           "endpoint": "rpc.example.com",
                     *           "latency_ms": 42,
                     *           "failures": 0
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /**
                             * Format: date-time
                             * @description The beginning of the ten minutes.
                             * @example 2026-01-31T12:00:00.000Z
                             */
                            at: string;
                            /**
                             * @description The endpoint, by its host.
                             * @example rpc.example.com
                             */
                            endpoint: string;
                            /**
                             * @description The endpoint's longest time to answer in the ten minutes, in ms. Each time is that of its last twenty answers or so.
                             * @example 42
                             */
                            latency_ms: number | null;
                            /**
                             * @description The number of requests that failed.
                             * @example 0
                             */
                            failures: number;
                        }[];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAdminTokenOrMissingCredentials"];
            403: components["responses"]["ScopeMissing"];
            404: components["responses"]["ChainNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    adminGetChainLag: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The configured name of the chain. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": [
                     *         {
                     *           "at": "2026-01-31T12:00:00.000Z",
                     *           "seconds": 1
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /**
                             * Format: date-time
                             * @description The beginning of the ten minutes.
                             * @example 2026-01-31T12:00:00.000Z
                             */
                            at: string;
                            /** @description The most seconds that the chain was behind. */
                            seconds: number;
                        }[];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAdminTokenOrMissingCredentials"];
            403: components["responses"]["ScopeMissing"];
            404: components["responses"]["ChainNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    adminResetChain: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice. A repeated request with the same key is carried out once, and gets the first answer again for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The configured name of the chain. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": Record<string, never> | null;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "name": "ethereum",
                     *         "dropped": 1,
                     *         "reversed": 0,
                     *         "notified": 1
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /**
                             * @description The configured name of the chain.
                             * @example ethereum
                             */
                            name: string;
                            /**
                             * @description The number of pending transactions that were dropped.
                             * @example 1
                             */
                            dropped: number;
                            /**
                             * @description The number of completed transactions that were reversed.
                             * @example 0
                             */
                            reversed: number;
                            /**
                             * @description The number of notifications that were written for it.
                             * @example 1
                             */
                            notified: number;
                        };
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAdminTokenOrMissingCredentials"];
            403: components["responses"]["RoleMissingOrScopeMissing"];
            404: components["responses"]["ChainNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyAnswerLostOrIdempotencyKeyInUse"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    adminRewindChain: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice. A repeated request with the same key is carried out once, and gets the first answer again for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The configured name of the chain. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "to_block": 20999000
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The block to which the chain goes back.
                     * @example 20999000
                     */
                    to_block: number;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "name": "ethereum",
                     *         "from": 1,
                     *         "to": 1
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /**
                             * @description The configured name of the chain.
                             * @example ethereum
                             */
                            name: string;
                            /** @description The position of the chain before. */
                            from: number;
                            /** @description The position of the chain after. */
                            to: number;
                        };
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAdminTokenOrMissingCredentials"];
            403: components["responses"]["RoleMissingOrScopeMissing"];
            404: components["responses"]["ChainNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyAnswerLostOrIdempotencyKeyInUse"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    adminSettleChain: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice. A repeated request with the same key is carried out once, and gets the first answer again for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The configured name of the chain. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "block_hash": "0x88e96d4537bea4d9c05d12549907b32561d3bf31f45aae734cdc119f13406cb6",
                 *       "wallet_id": "01a20098-39e4-7000-8000-02911919b011"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The hash of the block.
                     * @example 0x88e96d4537bea4d9c05d12549907b32561d3bf31f45aae734cdc119f13406cb6
                     */
                    block_hash: string;
                    /**
                     * @description Only this wallet, by its id. Left out: all wallets.
                     * @example 01a20098-39e4-7000-8000-02911919b011
                     */
                    wallet_id?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "name": "ethereum",
                     *         "block_number": 21000000,
                     *         "block_hash": "0x825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f",
                     *         "transactions": [
                     *           {
                     *             "id": "01a20098-2c90-7000-8000-5b7d3e9a1c42",
                     *             "wallet_id": "01a20098-39e4-7000-8000-02911919b011",
                     *             "asset": "USDC",
                     *             "amount": "1.5"
                     *           }
                     *         ],
                     *         "confirmed": 21000012,
                     *         "notified": 1
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /**
                             * @description The configured name of the chain.
                             * @example ethereum
                             */
                            name: string;
                            /**
                             * @description The number of the block.
                             * @example 21000000
                             */
                            block_number: number;
                            /**
                             * @description The hash of the block.
                             * @example 0x825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f
                             */
                            block_hash: string;
                            /** @description The transactions that it settled. */
                            transactions: {
                                /**
                                 * Format: uuid
                                 * @description The id of the transaction.
                                 * @example 01a20098-2c90-7000-8000-5b7d3e9a1c42
                                 */
                                id: string;
                                /**
                                 * Format: uuid
                                 * @description The id of the wallet.
                                 * @example 01a20098-39e4-7000-8000-02911919b011
                                 */
                                wallet_id: string;
                                /**
                                 * @description The code of the asset.
                                 * @example USDC
                                 */
                                asset: string;
                                /**
                                 * @description The amount in atomic units of the asset, an integer.
                                 * @example 1.5
                                 */
                                amount: string;
                            }[];
                            /**
                             * @description The number of transactions that it confirmed.
                             * @example 21000012
                             */
                            confirmed: number;
                            /**
                             * @description The number of notifications that were written for it.
                             * @example 1
                             */
                            notified: number;
                        };
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAdminTokenOrMissingCredentials"];
            403: components["responses"]["RoleMissingOrScopeMissing"];
            404: components["responses"]["ChainNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyAnswerLostOrIdempotencyKeyInUse"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    adminGetHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "version": "0.2.0",
                     *         "node": "v24.11.0",
                     *         "started_at": "2026-01-31T12:00:00.000Z",
                     *         "parts": [
                     *           {
                     *             "name": "ethereum",
                     *             "trouble": null,
                     *             "causes": [
                     *               {
                     *                 "code": "not_watched",
                     *                 "values": {
                     *                   "chain": "ethereum"
                     *                 }
                     *               }
                     *             ]
                     *           }
                     *         ],
                     *         "migrations": [
                     *           "20261121000000_init"
                     *         ],
                     *         "pending_migrations": [],
                     *         "configuration": {
                     *           "version": 1,
                     *           "applied_at": "2026-01-31T12:00:00.000Z"
                     *         },
                     *         "configuration_faults": [
                     *           {
                     *             "path": "chains[0].rpc",
                     *             "message": "is required",
                     *             "code": "required",
                     *             "values": {}
                     *           }
                     *         ],
                     *         "configuration_changes": [
                     *           {
                     *             "chain": "ethereum",
                     *             "asset": "USDC",
                     *             "change": "is watched from now on",
                     *             "code": "asset_added"
                     *           }
                     *         ],
                     *         "database": {
                     *           "size_bytes": "1048576",
                     *           "bytes_a_day": "52428",
                     *           "tables": [
                     *             {
                     *               "name": "ethereum",
                     *               "rows": 120,
                     *               "bytes": "1048576",
                     *               "bytes_a_day": "52428"
                     *             }
                     *           ]
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /**
                             * @description The version of the software.
                             * @example 0.2.0
                             */
                            version: string;
                            /**
                             * @description The version of Node that runs it.
                             * @example v24.11.0
                             */
                            node: string;
                            /**
                             * Format: date-time
                             * @description When it began.
                             * @example 2026-01-31T12:00:00.000Z
                             */
                            started_at: string;
                            /** @description The parts of the process, and whether each makes progress. */
                            parts: {
                                /**
                                 * @description The name of the part.
                                 * @example ethereum
                                 */
                                name: string;
                                /**
                                 * @description The fault. Null: there is none.
                                 * @example null
                                 */
                                trouble: string | null;
                                /** @description The causes of `trouble`. Empty: there is none. */
                                causes: {
                                    /**
                                     * @description The code of a fault, or another stable word. no_step: none of its steps has ended in time. failed: its steps fail with the error `error`. not_listening: it does not listen. not_watched: no process watches the chain `chain`. not_taken: jobs wait in the queue, and no process takes them. not_sent: no process sends notifications. not_passed_on: no process passes on what is due.
                                     * @example not_watched
                                     */
                                    code: string;
                                    /**
                                     * @description The values of the cause, for a text of your own.
                                     * @example {
                                     *       "chain": "ethereum"
                                     *     }
                                     */
                                    values: {
                                        [key: string]: string | number;
                                    };
                                }[];
                            }[];
                            /**
                             * @description The migrations that are applied, the oldest first.
                             * @example [
                             *       "20261121000000_init"
                             *     ]
                             */
                            migrations: string[];
                            /**
                             * @description The migrations of this version that are not applied. The database is older than the software. Empty: none.
                             * @example []
                             */
                            pending_migrations: string[];
                            /** @description The configuration that was applied last. Null: none was. */
                            configuration: {
                                /**
                                 * @description The number of the configuration, one more for each that is applied.
                                 * @example 1
                                 */
                                version: number;
                                /**
                                 * Format: date-time
                                 * @description When it was applied.
                                 * @example 2026-01-31T12:00:00.000Z
                                 */
                                applied_at: string;
                            } | null;
                            /**
                             * @description The faults that the file and the environment have now. With any, the next start is refused.
                             * @example [
                             *       {
                             *         "path": "chains[0].rpc",
                             *         "message": "is required",
                             *         "code": "required",
                             *         "values": {}
                             *       }
                             *     ]
                             */
                            configuration_faults: {
                                /** @description The place of the fault in the file. */
                                path: string;
                                /**
                                 * @description The fault, and what to do.
                                 * @example limit must be a whole number from 1 to 500; it is '9999'.
                                 */
                                message: string;
                                /**
                                 * @description unknown_key: there is no such key. required: the value is required. not_a_list: the value is not a list. not_a_map: the value is not a map of keys. one_value: the value is a list or a map, and must be one value. choice: the value is none of `choices`. whole_number: the value is not a whole number from `min` to `max`. true_or_false: the value is neither true nor false. decimal: the value is not a plain decimal. address: the value is not an address, or its EIP-55 checksum is wrong. hash: the value is not 0x and 64 hexadecimal digits. url: the value is not a URL that begins with one of `schemes`. duration: the value is not a length of time. too_short: the time is shorter than `least`. too_long: the time is longer than `most` seconds. address_range: the value is not a range of IP addresses. confirmations: the value is not a depth up to `most`, a time up to a day, safe or finalized. too_few: the list has fewer than `least` entries. too_many: the list has more than `most` entries. same_as: the value is the same as that of `other`, and must not be. not_set: the value names the environment variable `name`, which is not set. no_file: there is no file `file`. unreadable: the file cannot be read: the system says `reason`. invalid: the value is not allowed: `message` says why.
                                 * @enum {string}
                                 */
                                code: "unknown_key" | "required" | "not_a_list" | "not_a_map" | "one_value" | "choice" | "whole_number" | "true_or_false" | "decimal" | "address" | "hash" | "url" | "duration" | "too_short" | "too_long" | "address_range" | "confirmations" | "too_few" | "too_many" | "same_as" | "not_set" | "no_file" | "unreadable" | "invalid";
                                /**
                                 * @description The values in `message`, for a text of your own.
                                 * @example {}
                                 */
                                values: {
                                    [key: string]: string | number;
                                };
                            }[];
                            /**
                             * @description The settings in the file with which this process began that are not applied. Apply them with `config apply`.
                             * @example [
                             *       {
                             *         "chain": "ethereum",
                             *         "asset": "USDC",
                             *         "change": "is watched from now on",
                             *         "code": "asset_added"
                             *       }
                             *     ]
                             */
                            configuration_changes: {
                                /**
                                 * @description The chain, by its name in the file.
                                 * @example 1.5
                                 */
                                chain: string;
                                /**
                                 * @description The asset. Null: the change is about the chain.
                                 * @example USDC
                                 */
                                asset: string | null;
                                /** @description The change that would be applied, in words. */
                                change: string;
                                /**
                                 * @description chain_added: the chain is added. asset_added: is watched from now on. asset_changed: is described otherwise. asset_back: is watched and notified again. asset_left: is recorded as before, and nobody is notified of it. asset_removed: is not recorded any more.
                                 * @enum {string}
                                 */
                                code: "chain_added" | "asset_added" | "asset_changed" | "asset_back" | "asset_left" | "asset_removed";
                            }[];
                            /** @description The size of the database and of its tables, and their growth a day. */
                            database: {
                                /**
                                 * @description The size in bytes.
                                 * @example 1048576
                                 */
                                size_bytes: string;
                                /**
                                 * @description The growth a day in bytes, over at most the last 31 days. Null: it was not measured for a day yet.
                                 * @example 52428
                                 */
                                bytes_a_day: string | null;
                                /** @description The twenty largest tables, as PostgreSQL estimates them. */
                                tables: {
                                    /**
                                     * @description The name of the table.
                                     * @example ethereum
                                     */
                                    name: string;
                                    /**
                                     * @description The number of rows, as PostgreSQL estimates it.
                                     * @example 120
                                     */
                                    rows: number;
                                    /**
                                     * @description The size in bytes.
                                     * @example 1048576
                                     */
                                    bytes: string;
                                    /**
                                     * @description The growth a day in bytes, over at most the last 31 days. Null: it was not measured for a day yet.
                                     * @example 52428
                                     */
                                    bytes_a_day: string | null;
                                }[];
                            };
                        };
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAdminTokenOrMissingCredentials"];
            403: components["responses"]["ScopeMissing"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    adminGetLedgerCheck: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "entries": 86579,
                     *         "accounts": [
                     *           {
                     *             "blockchain": "ethereum",
                     *             "asset": "USDC",
                     *             "account": "wallets",
                     *             "amount": "1.5"
                     *           }
                     *         ],
                     *         "heads": [
                     *           {
                     *             "blockchain": "ethereum",
                     *             "number": 1,
                     *             "hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
                     *           }
                     *         ],
                     *         "findings": [
                     *           {
                     *             "kind": "entry_changed",
                     *             "what": "balance",
                     *             "values": {
                     *               "chain_name": "ethereum",
                     *               "number": "17",
                     *               "entry_id": "4711"
                     *             }
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /**
                             * @description The number of entries that it covers.
                             * @example 86579
                             */
                            entries: number;
                            /** @description The sum of all entries by account and asset. Each must be zero. */
                            accounts: {
                                /**
                                 * @description The configured name of the chain.
                                 * @example ethereum
                                 */
                                blockchain: string;
                                /**
                                 * @description The code of the asset.
                                 * @example USDC
                                 */
                                asset: string;
                                /**
                                 * @description The account of the ledger, such as `wallets`.
                                 * @example wallets
                                 */
                                account: string;
                                /**
                                 * @description The amount as an exact decimal, in units of the asset.
                                 * @example 1.5
                                 */
                                amount: string;
                            }[];
                            /** @description The newest digest of each chain of seals. Keep them elsewhere. */
                            heads: {
                                /**
                                 * @description The configured name of the chain.
                                 * @example ethereum
                                 */
                                blockchain: string;
                                /**
                                 * @description The number of the newest seal.
                                 * @example 1
                                 */
                                number: number;
                                /**
                                 * @description The digest of the newest seal.
                                 * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
                                 */
                                hash: string;
                            }[];
                            /** @description Each thing that is wrong. Empty: nothing is. */
                            findings: components["schemas"]["LedgerFinding"][];
                        };
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAdminTokenOrMissingCredentials"];
            403: components["responses"]["ScopeMissing"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    adminListLedgerReconciliations: {
        parameters: {
            query?: {
                /** @description Only this chain, by its configured name. */
                blockchain?: components["parameters"]["Blockchain"];
                /** @description Only this wallet, by its id. */
                wallet_id?: components["parameters"]["WalletId"];
                /** @description Only rows of this business, by its id. */
                business_id?: components["parameters"]["BusinessId"];
                /** @description Only this asset, by its code. */
                asset?: components["parameters"]["Asset"];
                /** @description Only rows of this event. `finished`: a comparison. The others: a discrepancy that was found, that changed, or that was resolved. */
                event?: "finished" | "found" | "changed" | "resolved";
                /** @description True: only discrepancies that are still open, each by its newest row. */
                open?: boolean;
                /** @description Only from this date or time on. It is included. */
                from?: string;
                /** @description Only before this date or time. It is not included. */
                to?: string;
                /** @description The most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description The place at which the page begins: the `next_cursor` of the page before. Left out: the first page. */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    "chainbell-read-from": components["headers"]["ReadFrom"];
                    "chainbell-staleness-ms": components["headers"]["StalenessMs"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": [
                     *         {
                     *           "id": "01a20098-2c90-7000-8000-5b7d3e9a1c42",
                     *           "number": 1,
                     *           "at": "2026-01-31T12:00:00.000Z",
                     *           "blockchain": "ethereum",
                     *           "event": "finished",
                     *           "block_number": 21000000,
                     *           "compared": 120,
                     *           "agreed": 21000012,
                     *           "discrepancies": 0,
                     *           "wallet_id": "01a20098-39e4-7000-8000-02911919b011",
                     *           "address": "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc",
                     *           "business_id": "01a20098-1f40-7000-8000-3c9e5a7d2b18",
                     *           "reference": "customer-17",
                     *           "label": "shop in Lisbon",
                     *           "asset": "USDC",
                     *           "ledger": "1.5",
                     *           "chain": "1.5",
                     *           "resolution": "agreed",
                     *           "open": true,
                     *           "hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
                     *         }
                     *       ],
                     *       "next_cursor": "MDFhMjAwOTgtOGZjMC03MDA2LTgwMDAtMDdlMjJlN2Y0ZDk0"
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["ReconciliationRecord"][];
                        /**
                         * @description The place of the next page. Send it as `cursor`. Null: this is the last page.
                         * @example MDFhMjAwOTgtOGZjMC03MDA2LTgwMDAtMDdlMjJlN2Y0ZDk0
                         */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAdminTokenOrMissingCredentials"];
            403: components["responses"]["ScopeMissing"];
            404: components["responses"]["BusinessNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    adminListNotifications: {
        parameters: {
            query?: {
                /** @description Only rows of this business, by its id. */
                business_id?: components["parameters"]["BusinessId"];
                /** @description Only notifications of this event. */
                event?: components["parameters"]["Event"];
                /** @description Only rows of this status. `undelivered`: exhausted, held, waiting. */
                status?: "waiting" | "delivered" | "exhausted" | "held" | "cancelled" | "filtered" | "undelivered";
                /** @description Only notifications of this transaction, by its id. */
                transaction_id?: components["parameters"]["TransactionId"];
                /** @description Only notifications of this webhook, by its id. Left out: of the first webhook. `any`: all, each by the webhook where it stands worst. */
                webhook_id?: components["parameters"]["WebhookId"];
                /** @description Only this chain, by its configured name. */
                blockchain?: components["parameters"]["Blockchain"];
                /** @description Only this asset, by its code. */
                asset?: components["parameters"]["Asset"];
                /**
                 * @description Only rows of wallets whose reference or label contains this text, or whose address begins with it, in any case. Removed wallets count too. It matches at most 5,000 wallets, in a business with at most 100,000.
                 * @example order-
                 */
                q?: string;
                /** @description The order of the rows. `time`, the default: newest first. `amount`: those of the largest transaction first. It needs `asset`, and for an operator one business. It has notifications of transactions alone. A row may move to another page if a reorg changes the transaction's amount. */
                sort?: "time" | "amount";
                /** @description Only from this date or time on. It is included. */
                from?: string;
                /** @description Only before this date or time. It is not included. */
                to?: string;
                /** @description The most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description The place at which the page begins: the `next_cursor` of the page before. Left out: the first page. */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    "chainbell-read-from": components["headers"]["ReadFrom"];
                    "chainbell-staleness-ms": components["headers"]["StalenessMs"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": [
                     *         {
                     *           "id": "01a20098-2c90-7000-8000-5b7d3e9a1c42",
                     *           "event": "transaction.deposit",
                     *           "status": "waiting",
                     *           "transaction_id": "01a20098-8fc0-7006-8000-07e22e7f4d94",
                     *           "created_at": "2026-01-31T12:00:00.000Z",
                     *           "delivered_at": "2026-01-31T12:00:00.000Z",
                     *           "attempt_count": 1,
                     *           "payload": {},
                     *           "webhook_id": "01a20098-8e18-7000-8000-4c1f0a7d2e35",
                     *           "last_attempt": {
                     *             "url": "https://example.com/hook",
                     *             "at": "2026-01-31T12:00:00.000Z",
                     *             "status_code": 200,
                     *             "error": "timeout",
                     *             "response": "ok"
                     *           },
                     *           "business_id": "01a20098-1f40-7000-8000-3c9e5a7d2b18",
                     *           "label": "shop in Lisbon"
                     *         }
                     *       ],
                     *       "next_cursor": "MDFhMjAwOTgtOGZjMC03MDA2LTgwMDAtMDdlMjJlN2Y0ZDk0"
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /**
                             * Format: uuid
                             * @description The id of the notification.
                             * @example 01a20098-2c90-7000-8000-5b7d3e9a1c42
                             */
                            id: string;
                            /**
                             * @description transaction.deposit: an incoming transfer to a deposit wallet is confirmed. transaction.withdrawal: an outgoing transfer is confirmed. transaction.payment: an incoming transfer to a payment wallet is confirmed. transaction.reversed: a confirmed transaction has left the chain. transaction.pending: a transaction is on the chain, not yet confirmed. transaction.dropped: a pending transaction has left the chain. wallet.balance_below: a wallet's confirmed balance is below a threshold. wallet.balance_restored: a wallet's confirmed balance was below a threshold and is restored. token.unlisted: a wallet got a token that is not configured, in a confirmed block. webhook.test: the business tried its webhook.
                             * @example transaction.deposit
                             */
                            event: string;
                            /**
                             * @description waiting: its next attempt is due at a time. delivered: an attempt was accepted. exhausted: every attempt has failed. held: waiting, but the webhook is inactive or there is none. cancelled: the webhook was deleted. filtered: the filter of the first webhook left it out.
                             * @enum {string}
                             */
                            status: "waiting" | "delivered" | "exhausted" | "held" | "cancelled" | "filtered";
                            /**
                             * @description The id of the transaction. Null: the notification is about none.
                             * @example 01a20098-8fc0-7006-8000-07e22e7f4d94
                             */
                            transaction_id: string | null;
                            /**
                             * Format: date-time
                             * @description When it was created.
                             * @example 2026-01-31T12:00:00.000Z
                             */
                            created_at: string;
                            /** @description When the receiver answered 2xx. Null: not yet. */
                            delivered_at: string | null;
                            /**
                             * @description The number of attempts so far, at the first webhook.
                             * @example 1
                             */
                            attempt_count: number;
                            /** @description The body that is sent, as an object. */
                            payload: {
                                [key: string]: unknown;
                            };
                            /**
                             * @description The webhook that `status` is of. Null: the first one.
                             * @example 01a20098-8e18-7000-8000-4c1f0a7d2e35
                             */
                            webhook_id: string | null;
                            /** @description The last attempt at the webhook that `status` is of. Null: there was none. */
                            last_attempt: components["schemas"]["LastAttempt"] | null;
                            /**
                             * Format: uuid
                             * @description The id of the business.
                             * @example 01a20098-1f40-7000-8000-3c9e5a7d2b18
                             */
                            business_id: string;
                            /**
                             * @description The present label of its wallet. Null: the wallet has none.
                             * @example shop in Lisbon
                             */
                            label: string | null;
                        }[];
                        /**
                         * @description The place of the next page. Send it as `cursor`. Null: this is the last page.
                         * @example MDFhMjAwOTgtOGZjMC03MDA2LTgwMDAtMDdlMjJlN2Y0ZDk0
                         */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAdminTokenOrMissingCredentials"];
            403: components["responses"]["ScopeMissing"];
            404: components["responses"]["BusinessNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    adminGetNotification: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the notification. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "id": "01a20098-2c90-7000-8000-5b7d3e9a1c42",
                     *         "event": "transaction.deposit",
                     *         "status": "waiting",
                     *         "transaction_id": "01a20098-8fc0-7006-8000-07e22e7f4d94",
                     *         "created_at": "2026-01-31T12:00:00.000Z",
                     *         "delivered_at": "2026-01-31T12:00:00.000Z",
                     *         "attempt_count": 1,
                     *         "payload": {},
                     *         "body": "{\"id\":\"01a20098-39e4-7000-8000-02911919b011\",\"event\":\"transaction.deposit\"}",
                     *         "attempts": [
                     *           {
                     *             "webhook_id": "01a20098-8e18-7000-8000-4c1f0a7d2e35",
                     *             "number": 1,
                     *             "url": "https://example.com/hook",
                     *             "at": "2026-01-31T12:00:00.000Z",
                     *             "latency_ms": 42,
                     *             "status_code": 200,
                     *             "error": "timeout",
                     *             "response": "ok",
                     *             "next_attempt_at": "2026-01-31T12:00:00.000Z"
                     *           }
                     *         ],
                     *         "business_id": "01a20098-1f40-7000-8000-3c9e5a7d2b18"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["AdminNotificationDetail"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAdminTokenOrMissingCredentials"];
            403: components["responses"]["ScopeMissing"];
            404: components["responses"]["NotificationNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    adminRedeliverNotification: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice. A repeated request with the same key is carried out once, and gets the first answer again for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id of the notification. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "webhook_id": "01a20098-8e18-7000-8000-4c1f0a7d2e35"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The id of the webhook that gets it. Left out: the first webhook.
                     * @example 01a20098-8e18-7000-8000-4c1f0a7d2e35
                     */
                    webhook_id?: string;
                } | null;
            };
        };
        responses: {
            /** @description Taken up. */
            202: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "id": "01a20098-2c90-7000-8000-5b7d3e9a1c42",
                     *         "delivery_id": "01a20098-8fc1-7000-8000-2d6b8e4f0a13"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /**
                             * Format: uuid
                             * @description The id of the notification.
                             * @example 01a20098-2c90-7000-8000-5b7d3e9a1c42
                             */
                            id: string;
                            /**
                             * Format: uuid
                             * @description The id of the delivery that this request made.
                             * @example 01a20098-8fc1-7000-8000-2d6b8e4f0a13
                             */
                            delivery_id: string;
                        };
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAdminTokenOrMissingCredentials"];
            403: components["responses"]["RoleMissingOrScopeMissing"];
            404: components["responses"]["NotificationNotFoundOrWebhookNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["DeliveryInFlightOrIdempotencyAnswerLostOrIdempotencyKeyInUseOrWebhookInactive"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    adminGetOutbox: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "since": "2026-01-31T12:00:00.000Z",
                     *         "businesses": [
                     *           {
                     *             "business_id": "01a20098-1f40-7000-8000-3c9e5a7d2b18",
                     *             "name": "ethereum",
                     *             "waiting": 0,
                     *             "held": 0,
                     *             "oldest_waiting_at": "2026-01-31T12:00:00.000Z"
                     *           }
                     *         ],
                     *         "receivers": [
                     *           {
                     *             "business_id": "01a20098-1f40-7000-8000-3c9e5a7d2b18",
                     *             "webhook_id": "01a20098-8e18-7000-8000-4c1f0a7d2e35",
                     *             "url": "https://example.com/hook",
                     *             "attempts": 1,
                     *             "failed": 1,
                     *             "p50_ms": 1,
                     *             "p95_ms": 1
                     *           }
                     *         ],
                     *         "failures": [
                     *           {
                     *             "business_id": "01a20098-1f40-7000-8000-3c9e5a7d2b18",
                     *             "webhook_id": "01a20098-8e18-7000-8000-4c1f0a7d2e35",
                     *             "url": "https://example.com/hook",
                     *             "status_code": 200,
                     *             "error": "timeout",
                     *             "attempts": 1,
                     *             "first_at": "2026-01-31T12:00:00.000Z",
                     *             "last_at": "2026-01-31T12:00:00.000Z",
                     *             "notification_id": "01a20098-8fc0-8006-8000-1e92b23647fa",
                     *             "response": "ok"
                     *           }
                     *         ],
                     *         "hours": [
                     *           {
                     *             "at": "2026-01-31T12:00:00.000Z",
                     *             "attempts": 1,
                     *             "failed": 1,
                     *             "p50_ms": 1,
                     *             "p95_ms": 1
                     *           }
                     *         ],
                     *         "queue": [
                     *           {
                     *             "at": "2026-01-31T12:00:00.000Z",
                     *             "waiting": 0,
                     *             "held": 0
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /**
                             * Format: date-time
                             * @description The beginning of all lists but `businesses`. It is a day ago, or later where the day had more than 20,000 attempts.
                             * @example 2026-01-31T12:00:00.000Z
                             */
                            since: string;
                            /** @description The waiting deliveries, business by business. */
                            businesses: {
                                /**
                                 * Format: uuid
                                 * @description The id of the business.
                                 * @example 01a20098-1f40-7000-8000-3c9e5a7d2b18
                                 */
                                business_id: string;
                                /**
                                 * @description The name of the business.
                                 * @example ethereum
                                 */
                                name: string;
                                /**
                                 * @description The number of notifications that wait.
                                 * @example 0
                                 */
                                waiting: number;
                                /**
                                 * @description The number of notifications without an active webhook.
                                 * @example 0
                                 */
                                held: number;
                                /** @description When the oldest began to wait. Null: none waits. */
                                oldest_waiting_at: string | null;
                            }[];
                            /** @description The answers of each receiver in the last day. */
                            receivers: {
                                /**
                                 * Format: uuid
                                 * @description The id of the business.
                                 * @example 01a20098-1f40-7000-8000-3c9e5a7d2b18
                                 */
                                business_id: string;
                                /**
                                 * Format: uuid
                                 * @description The id of the webhook.
                                 * @example 01a20098-8e18-7000-8000-4c1f0a7d2e35
                                 */
                                webhook_id: string;
                                /**
                                 * @description The URL that is notified.
                                 * @example https://example.com/hook
                                 */
                                url: string;
                                /**
                                 * @description The number of attempts in the last day.
                                 * @example 1
                                 */
                                attempts: number;
                                /** @description The number of attempts without a 2xx. */
                                failed: number;
                                /** @description The time within which half of the answers came, in ms. */
                                p50_ms: number;
                                /** @description The time within which 95 of 100 answers came, in ms. */
                                p95_ms: number;
                            }[];
                            /** @description Failed attempts of the last day, by cause. */
                            failures: {
                                /**
                                 * Format: uuid
                                 * @description The id of the business.
                                 * @example 01a20098-1f40-7000-8000-3c9e5a7d2b18
                                 */
                                business_id: string;
                                /**
                                 * Format: uuid
                                 * @description The id of the webhook.
                                 * @example 01a20098-8e18-7000-8000-4c1f0a7d2e35
                                 */
                                webhook_id: string;
                                /**
                                 * @description The URL that is notified.
                                 * @example https://example.com/hook
                                 */
                                url: string;
                                /**
                                 * @description The status of the receiver's answer. Null: there was none.
                                 * @example 200
                                 */
                                status_code: number | null;
                                /** @description The reason why the attempt has no answer. Null: there was one. */
                                error: ("timeout" | "dns" | "connection" | "tls" | "target_refused" | "unrecorded" | "withheld") | null;
                                /**
                                 * @description The number of attempts that failed in this way.
                                 * @example 1
                                 */
                                attempts: number;
                                /**
                                 * Format: date-time
                                 * @description When the first of them was made.
                                 * @example 2026-01-31T12:00:00.000Z
                                 */
                                first_at: string;
                                /**
                                 * Format: date-time
                                 * @description When the last of them was made.
                                 * @example 2026-01-31T12:00:00.000Z
                                 */
                                last_at: string;
                                /**
                                 * Format: uuid
                                 * @description The id of the notification of the last of these attempts.
                                 * @example 01a20098-8fc0-8006-8000-1e92b23647fa
                                 */
                                notification_id: string;
                                /**
                                 * @description The last of these answers. Null: there was none, or it was not kept.
                                 * @example ok
                                 */
                                response: string | null;
                            }[];
                            /** @description The attempts of each hour, the oldest first. */
                            hours: {
                                /**
                                 * Format: date-time
                                 * @description The beginning of the hour.
                                 * @example 2026-01-31T12:00:00.000Z
                                 */
                                at: string;
                                /**
                                 * @description The number of attempts in the hour.
                                 * @example 1
                                 */
                                attempts: number;
                                /** @description The number of attempts without a 2xx. */
                                failed: number;
                                /** @description The time within which half of the answers came, in ms. */
                                p50_ms: number;
                                /** @description The time within which 95 of 100 answers came, in ms. */
                                p95_ms: number;
                            }[];
                            /** @description The most that waited in each ten minutes of the last day, the oldest first. Ten minutes in which nobody looked are left out. */
                            queue: {
                                /**
                                 * Format: date-time
                                 * @description The moment of the numbers.
                                 * @example 2026-01-31T12:00:00.000Z
                                 */
                                at: string;
                                /**
                                 * @description The number of notifications that wait.
                                 * @example 0
                                 */
                                waiting: number;
                                /**
                                 * @description The number of notifications without an active webhook.
                                 * @example 0
                                 */
                                held: number;
                            }[];
                        };
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAdminTokenOrMissingCredentials"];
            403: components["responses"]["ScopeMissing"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    adminReconcile: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice. A repeated request with the same key is carried out once, and gets the first answer again for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "wallet_id": "01a20098-39e4-7000-8000-02911919b011"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Only this wallet, by its id. Left out: all wallets.
                     * @example 01a20098-39e4-7000-8000-02911919b011
                     */
                    wallet_id?: string;
                } | null;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "compared": 120,
                     *         "not_shown": 1,
                     *         "discrepancies": 0,
                     *         "differences": [
                     *           {
                     *             "blockchain": "ethereum",
                     *             "wallet_id": "01a20098-39e4-7000-8000-02911919b011",
                     *             "address": "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc",
                     *             "asset": "USDC",
                     *             "block_number": 21000000,
                     *             "ledger": "1",
                     *             "chain": "1.5",
                     *             "difference": "0.5",
                     *             "outcome": "found"
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /**
                             * @description The number of balances that were compared.
                             * @example 120
                             */
                            compared: number;
                            /** @description The number of balances that no state root shows and no two hosts give alike. They count neither as equal nor as different. */
                            not_shown: number;
                            /**
                             * @description The number of balances that differed.
                             * @example 0
                             */
                            discrepancies: number;
                            /** @description Each balance that differs, with both amounts. */
                            differences: {
                                /**
                                 * @description The configured name of the chain.
                                 * @example ethereum
                                 */
                                blockchain: string;
                                /**
                                 * Format: uuid
                                 * @description The id of the wallet.
                                 * @example 01a20098-39e4-7000-8000-02911919b011
                                 */
                                wallet_id: string;
                                /**
                                 * @description The address, with its EIP-55 checksum.
                                 * @example 0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc
                                 */
                                address: string;
                                /**
                                 * @description The code of the asset.
                                 * @example USDC
                                 */
                                asset: string;
                                /**
                                 * @description The number of the block.
                                 * @example 21000000
                                 */
                                block_number: number;
                                /**
                                 * @description The balance in the ledger.
                                 * @example 1
                                 */
                                ledger: string;
                                /**
                                 * @description The balance on the chain.
                                 * @example 1.5
                                 */
                                chain: string;
                                /**
                                 * @description The balance on the chain less that of the ledger.
                                 * @example 0.5
                                 */
                                difference: string;
                                /**
                                 * @description The outcome of the comparison.
                                 * @enum {string}
                                 */
                                outcome: "found" | "adjusted" | "unattributed" | "opening_corrected" | "discrepancy" | "moved";
                            }[];
                        };
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAdminTokenOrMissingCredentials"];
            403: components["responses"]["RoleMissingOrScopeMissing"];
            404: components["responses"]["WalletNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyAnswerLostOrIdempotencyKeyInUse"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    adminSearch: {
        parameters: {
            query: {
                /**
                 * @description The text to find: a transaction's hash or an address, whole or shortened as 0x825d…4c7f. Or an id, an amount with its asset, or the number of a notification such as No. 4. Or a part of a reference, a label or a name.
                 * @example order-17
                 */
                q: string;
                /** @description The most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description The place at which the page begins: the `next_cursor` of the page before. Left out: the first page. */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": [
                     *         {
                     *           "kind": "transaction",
                     *           "id": "01a20098-2c90-7000-8000-5b7d3e9a1c42",
                     *           "label": "shop in Lisbon",
                     *           "detail": "deposit completed ethereum",
                     *           "business_id": "01a20098-1f40-7000-8000-3c9e5a7d2b18"
                     *         }
                     *       ],
                     *       "next_cursor": "MDFhMjAwOTgtOGZjMC03MDA2LTgwMDAtMDdlMjJlN2Y0ZDk0"
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Found"][];
                        /**
                         * @description The place of the next page. Send it as `cursor`. Null: this is the last page.
                         * @example MDFhMjAwOTgtOGZjMC03MDA2LTgwMDAtMDdlMjJlN2Y0ZDk0
                         */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAdminTokenOrMissingCredentials"];
            403: components["responses"]["ScopeMissing"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    adminDeleteStatement: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the statement. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "id": "01a20098-2c90-7000-8000-5b7d3e9a1c42",
                     *         "business_id": "01a20098-1f40-7000-8000-3c9e5a7d2b18",
                     *         "made_at": "2026-01-31T12:00:00.000Z",
                     *         "made_by": "01a20098-21a8-7000-8000-7e4c2f9b6d50",
                     *         "made_via": "api",
                     *         "from": "2026-01-31T12:00:00.000Z",
                     *         "to": "2026-01-31T12:00:00.000Z",
                     *         "time_zone": "Europe/Zurich",
                     *         "filter": {
                     *           "blockchain": "ethereum",
                     *           "asset": "USDC",
                     *           "wallet_id": "01a20098-39e4-7000-8000-02911919b011",
                     *           "label": "shop in Lisbon",
                     *           "reference_prefix": "customer-"
                     *         },
                     *         "final": true,
                     *         "holdings": 1,
                     *         "unknown_openings": 1,
                     *         "entries": 86579,
                     *         "unpriced": 1,
                     *         "unconfirmed": 1,
                     *         "digest": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *         "signature": {
                     *           "key_id": "5b0c6d3f9a1e7742",
                     *           "algorithm": "ed25519",
                     *           "value": "q0Zrq0Zrq0Zrq0Zrq0Zrq0Zrq0Zrq0Zrq0Zrq0Zrq0Zrq0Zrq0Zrq0Zrq0Zrq0Zrq0Zrq0Zrq0Zrq0Zrq0ZrBw=="
                     *         },
                     *         "chains": [
                     *           {
                     *             "blockchain": "ethereum",
                     *             "chain_id": 1,
                     *             "opening": {
                     *               "block": 1,
                     *               "block_hash": "0x825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f",
                     *               "block_time": "2026-01-31T12:00:00.000Z",
                     *               "seal": 1,
                     *               "seal_hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *               "final": true
                     *             },
                     *             "closing": {
                     *               "block": 1,
                     *               "block_hash": "0x825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f",
                     *               "block_time": "2026-01-31T12:00:00.000Z",
                     *               "seal": 1,
                     *               "seal_hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *               "final": true
                     *             }
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Statement"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAdminTokenOrMissingCredentials"];
            403: components["responses"]["RoleMissingOrScopeMissing"];
            404: components["responses"]["StatementNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    adminGetStatus: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "chains": [
                     *           {
                     *             "name": "ethereum",
                     *             "alerts": [
                     *               {
                     *                 "kind": "ChainbellLedgerUnreadable",
                     *                 "severity": "critical",
                     *                 "summary": "ethereum is 6 min behind: deposits are seen that much later.",
                     *                 "since": "2026-01-31T12:00:00.000Z",
                     *                 "chain": "ethereum",
                     *                 "endpoint": "rpc.example.com",
                     *                 "asset": null,
                     *                 "values": {
                     *                   "lag_seconds": 360
                     *                 },
                     *                 "webhooks": [
                     *                   {
                     *                     "webhook_id": "01a20098-8e18-7000-8000-4c1f0a7d2e35",
                     *                     "url": "https://example.com/hook",
                     *                     "business_id": "01a20098-1f40-7000-8000-3c9e5a7d2b18",
                     *                     "business_name": "Example Ltd",
                     *                     "since": "2026-01-31T12:00:00.000Z"
                     *                   }
                     *                 ],
                     *                 "runbook": "docs/runbooks.md#chainbellchainbehind"
                     *               }
                     *             ],
                     *             "position": 21000024,
                     *             "cursor": 1,
                     *             "head": 21000024,
                     *             "confirmed": 21000012,
                     *             "lag_blocks": 0,
                     *             "lag_seconds": 2,
                     *             "stopped": {
                     *               "code": "chain_stopped",
                     *               "reason": "The history of the chain changed below its confirmed height.",
                     *               "remedy": "Compare the endpoints, then run chain reset.",
                     *               "since": "2026-01-31T12:00:00.000Z"
                     *             },
                     *             "held": {
                     *               "what": "block",
                     *               "why": "silent",
                     *               "number": 1,
                     *               "since": "2026-01-31T12:00:00.000Z",
                     *               "times": 3
                     *             },
                     *             "discrepancies": 0,
                     *             "assets": [
                     *               "ETH",
                     *               "USDC"
                     *             ],
                     *             "left_assets": [
                     *               "DUSD"
                     *             ],
                     *             "opening_assets": [
                     *               {
                     *                 "asset": "USDC",
                     *                 "wallets": 1,
                     *                 "opened": 1
                     *               }
                     *             ],
                     *             "unproven": 0,
                     *             "openings_answered": 1,
                     *             "histories": 0,
                     *             "reconciled_at": "2026-01-31T12:00:00.000Z",
                     *             "agreed": 21000012,
                     *             "read_at": "2026-01-31T12:00:00.000Z",
                     *             "tracing": "debug",
                     *             "reading": "full",
                     *             "gives_up": [
                     *               "A block that may hold something of ours is asked for in two steps, not in one."
                     *             ],
                     *             "gives_up_codes": [
                     *               "traces"
                     *             ],
                     *             "verification": {
                     *               "header": true,
                     *               "transactions": true,
                     *               "receipts": "root"
                     *             },
                     *             "evidence": {
                     *               "level": "recorded",
                     *               "source": "https://ethereum.org",
                     *               "checked": "2026-11-01"
                     *             },
                     *             "upgrade": {
                     *               "name": "ethereum",
                     *               "at": "2026-01-31T12:00:00.000Z"
                     *             },
                     *             "agreed_blocks": {
                     *               "count": 3,
                     *               "last": 21000000,
                     *               "endpoints": [
                     *                 "rpc.example.com"
                     *               ],
                     *               "why": "silent",
                     *               "unread": "header",
                     *               "unknown": [
                     *                 "blockAccessListHash"
                     *               ]
                     *             },
                     *             "balances": "state",
                     *             "discovered": {
                     *               "blocks": 1,
                     *               "complete": true,
                     *               "header": true,
                     *               "transactions": true,
                     *               "receipts": "root"
                     *             },
                     *             "endpoints": [
                     *               {
                     *                 "name": "ethereum",
                     *                 "score": 1,
                     *                 "head": 21000024,
                     *                 "latency_ms": 42,
                     *                 "requests_per_second": 25,
                     *                 "concurrency": 8,
                     *                 "failures": 0,
                     *                 "calls": 12400,
                     *                 "calls_hours": 24,
                     *                 "charged": 310000,
                     *                 "charged_in": "CU",
                     *                 "last_error": "HTTP 429",
                     *                 "silent_ms": 12000,
                     *                 "can": [
                     *                   "block_receipts"
                     *                 ],
                     *                 "cannot": [
                     *                   "block_receipts"
                     *                 ],
                     *                 "log_blocks": 10000
                     *               }
                     *             ]
                     *           }
                     *         ],
                     *         "outbox": {
                     *           "waiting": 0,
                     *           "held": 0,
                     *           "oldest_waiting_at": "2026-01-31T12:00:00.000Z"
                     *         },
                     *         "id_key": "5f2c0a9be1d34c77"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** @description The chains, each with its own rows. */
                            chains: {
                                /**
                                 * @description The configured name of the chain.
                                 * @example ethereum
                                 */
                                name: string;
                                /** @description The conditions of the chain and its endpoints that hold now, the worst first. An alert is sent of one that lasts. */
                                alerts: components["schemas"]["Alert"][];
                                /**
                                 * @description The last block whose movements are all in the ledger.
                                 * @example 21000024
                                 */
                                position: number | null;
                                /**
                                 * @deprecated
                                 * @description The old name of `position`. Read `position`.
                                 */
                                cursor: number | null;
                                /**
                                 * @description The newest block that an endpoint has.
                                 * @example 21000024
                                 */
                                head: number | null;
                                /**
                                 * @description The confirmed height: the newest block that is deep enough.
                                 * @example 21000012
                                 */
                                confirmed: number | null;
                                /**
                                 * @description The number of blocks from the position to the head.
                                 * @example 0
                                 */
                                lag_blocks: number | null;
                                /**
                                 * @description The age of the position's block, in seconds. Null: there is no position yet.
                                 * @example 2
                                 */
                                lag_seconds: number | null;
                                /** @description The reason why nothing is read. Null: the chain goes on. */
                                stopped: {
                                    /**
                                     * @description The code of the cause, which never changes.
                                     * @example chain_stopped
                                     */
                                    code: string;
                                    /**
                                     * @description The cause of the stop, in words.
                                     * @example The history of the chain changed below its confirmed height.
                                     */
                                    reason: string;
                                    /**
                                     * @description The step that ends the stop.
                                     * @example Compare the endpoints, then run chain reset.
                                     */
                                    remedy: string;
                                    /** @description When the chain stopped. Null: nobody knows. */
                                    since: string | null;
                                } | null;
                                /** @description Blocks that wait for agreement of further endpoints. block: a block is not read: no root shows its movements, nor do enough hosts. confirmation: nothing new is confirmed. reorg: a reorganisation is not undone. balance: coin that moved is not confirmed: one endpoint alone says the balances. trace: coin that a contract paid is not confirmed: one endpoint alone says who paid it. state: coin that a contract paid is not confirmed: no endpoint has the balances of its block. history: a history is not filled in, for one of these reasons or for lack of old blocks or traces. opening: what wallets began with is not recorded, for one of these reasons. settlement: what a reorganisation has taken away is not reversed yet. */
                                held: {
                                    /**
                                     * @description The thing that waits for agreement.
                                     * @enum {string}
                                     */
                                    what: "block" | "confirmation" | "reorg" | "balance" | "trace" | "state" | "history" | "opening" | "settlement";
                                    /**
                                     * @description The reason: silence, dispute, refusal, or a block that is not final.
                                     * @enum {string}
                                     */
                                    why: "silent" | "disputed" | "refused" | "not_final";
                                    /**
                                     * @description The number of the first block that waits.
                                     * @example 1
                                     */
                                    number: number;
                                    /**
                                     * Format: date-time
                                     * @description When it began to wait.
                                     * @example 2026-01-31T12:00:00.000Z
                                     */
                                    since: string;
                                    /**
                                     * @description The number of times that the endpoints were asked.
                                     * @example 3
                                     */
                                    times: number;
                                } | null;
                                /**
                                 * @description The number of balances that differed.
                                 * @example 0
                                 */
                                discrepancies: number;
                                /**
                                 * @description The codes of all assets of the chain that are recorded, or once were.
                                 * @example [
                                 *       "ETH",
                                 *       "USDC"
                                 *     ]
                                 */
                                assets: string[];
                                /**
                                 * @description The codes of assets that were left out of the configuration. They are recorded as before, and nobody is notified of them.
                                 * @example [
                                 *       "DUSD"
                                 *     ]
                                 */
                                left_assets: string[];
                                /** @description Added assets whose balances are still being read. `wallets` is the number of wallets, `opened` the number of those that have their balance. */
                                opening_assets: {
                                    /**
                                     * @description The code of the asset.
                                     * @example USDC
                                     */
                                    asset: string;
                                    /** @description The number of wallets on the chain. */
                                    wallets: number;
                                    /** @description The number of wallets whose opening balance is there. */
                                    opened: number;
                                }[];
                                /**
                                 * @description The number of balances that neither a state root nor two hosts showed.
                                 * @example 0
                                 */
                                unproven: number;
                                /** @description The number of balances whose opening only one endpoint has given. */
                                openings_answered: number;
                                /**
                                 * @description The number of histories that are being filled in.
                                 * @example 0
                                 */
                                histories: number;
                                /** @description When the ledger was last compared with the chain. */
                                reconciled_at: string | null;
                                /**
                                 * @description The number of balances that were equal in the ledger and on the chain.
                                 * @example 21000012
                                 */
                                agreed: number | null;
                                /** @description When the balances were last read from the chain. */
                                read_at: string | null;
                                /** @description The way in which internal transfers are read. Null: not known yet. */
                                tracing: ("debug" | "parity" | "off") | null;
                                /** @description The amount of questions to its endpoints. full: all that shows what moved, as soon as it can be had. economical: as few requests as the proofs allow. */
                                reading: ("full" | "economical") | null;
                                /**
                                 * @description The drawbacks of this reading, one sentence for each.
                                 * @example [
                                 *       "A block that may hold something of ours is asked for in two steps, not in one."
                                 *     ]
                                 */
                                gives_up: string[] | null;
                                /** @description The drawbacks of this reading as codes, for a text of your own. */
                                gives_up_codes: ("traces" | "due" | "waits" | "traces_missing")[] | null;
                                /** @description The proofs of a block. Null: not known yet. */
                                verification: {
                                    /** @description True: the header's hash is proved. */
                                    header: boolean;
                                    /** @description True: the root of the transactions is proved. */
                                    transactions: boolean;
                                    /**
                                     * @description The proof of receipts.
                                     * @enum {string}
                                     */
                                    receipts: "root" | "root-op" | "settled" | "bloom" | "none";
                                } | null;
                                /** @description The source of the chain's settings. Null: nothing is known of it. */
                                evidence: {
                                    /**
                                     * @description `recorded`: blocks of it were read in tests. `documented`: its documents say so. `assumed`: neither.
                                     * @enum {string}
                                     */
                                    level: "recorded" | "documented" | "assumed";
                                    /**
                                     * @description The document or test that shows the chain's settings.
                                     * @example https://ethereum.org
                                     */
                                    source: string;
                                    /**
                                     * @description The day on which its source was last read.
                                     * @example 2026-11-01
                                     */
                                    checked: string;
                                } | null;
                                /** @description The chain's next upgrade, if this version cannot read its blocks. It is shown from four weeks before. Null: none is known. */
                                upgrade: {
                                    /**
                                     * @description The name of the upgrade.
                                     * @example ethereum
                                     */
                                    name: string;
                                    /**
                                     * Format: date-time
                                     * @description When it comes.
                                     * @example 2026-01-31T12:00:00.000Z
                                     */
                                    at: string;
                                } | null;
                                /** @description Blocks that stand on the agreement of endpoints. Null: none do. */
                                agreed_blocks: {
                                    /**
                                     * @description The number of blocks.
                                     * @example 3
                                     */
                                    count: number;
                                    /**
                                     * @description The number of the last one.
                                     * @example 21000000
                                     */
                                    last: number | null;
                                    /**
                                     * @description The endpoints that agreed.
                                     * @example [
                                     *       "rpc.example.com"
                                     *     ]
                                     */
                                    endpoints: string[];
                                    /**
                                     * @description The reason why these blocks are not proved.
                                     * @example silent
                                     */
                                    why: string;
                                    /** @description The part of the last one that could not be read: its header, or its transactions. Null: not known. */
                                    unread: ("header" | "contents") | null;
                                    /**
                                     * @description The fields or types of it that this version does not know.
                                     * @example [
                                     *       "blockAccessListHash"
                                     *     ]
                                     */
                                    unknown: string[];
                                } | null;
                                /** @description The proof of the balances that were read last. `state`: the state root in the block's header, which its hash covers. `agreed`: endpoints of two hosts answered the same. `answered`: one endpoint answered it. */
                                balances: ("state" | "agreed" | "answered") | null;
                                /** @description For a chain without a recorded or documented profile, the findings in its first 64 blocks. They say whether headers hash, whether transactions make up their root, and the strongest proof of receipts that held. */
                                discovered: {
                                    /** @description The number of blocks that were looked at so far. */
                                    blocks: number;
                                    /** @description True: all of them were looked at. */
                                    complete: boolean;
                                    /** @description True: the headers hash. */
                                    header: boolean;
                                    /** @description True: transactions make up their root. Null: no block had any. */
                                    transactions: boolean | null;
                                    /** @description The strongest proof of receipts that held. Null: none was seen. */
                                    receipts: ("root" | "root-op" | "settled" | "bloom" | "none") | null;
                                } | null;
                                /** @description The endpoints, and how each answers. */
                                endpoints: {
                                    /**
                                     * @description The endpoint, by its host.
                                     * @example ethereum
                                     */
                                    name: string;
                                    /**
                                     * @description The share of answers among its last requests, from 0 to 1. The best is asked first.
                                     * @example 1
                                     */
                                    score: number;
                                    /**
                                     * @description The newest block that it has.
                                     * @example 21000024
                                     */
                                    head: number | null;
                                    /**
                                     * @description The time of its last twenty answers or so, in ms. Null: none yet.
                                     * @example 42
                                     */
                                    latency_ms: number | null;
                                    /**
                                     * @description The rate at which requests are made. Null: not limited.
                                     * @example 25
                                     */
                                    requests_per_second: number | null;
                                    /**
                                     * @description The number of requests at once.
                                     * @example 8
                                     */
                                    concurrency: number;
                                    /**
                                     * @description The number of requests that failed since its watcher began.
                                     * @example 0
                                     */
                                    failures: number;
                                    /**
                                     * @description The number of calls that its watcher sent within `calls_hours`. Each call of a batch counts.
                                     * @example 12400
                                     */
                                    calls: number;
                                    /**
                                     * @description The hours that `calls` covers: 24, or those since its watcher began.
                                     * @example 24
                                     */
                                    calls_hours: number;
                                    /**
                                     * @description The provider's charge for these calls by its public prices, in `charged_in`. Null: not known.
                                     * @example 310000
                                     */
                                    charged: number | null;
                                    /**
                                     * @description The unit of `charged`, in the provider's words. Null: not known.
                                     * @example CU
                                     */
                                    charged_in: string | null;
                                    /**
                                     * @description The endpoint's last failure, in words. Null: there was none.
                                     * @example HTTP 429
                                     */
                                    last_error: string | null;
                                    /**
                                     * @description The time for which it has answered nothing, in ms. Null: it answers.
                                     * @example 12000
                                     */
                                    silent_ms: number | null;
                                    /** @description Abilities that it has shown since its watcher began. block_receipts: all receipts of a block in one answer. traces: the traces of a block. logs: the logs of a range of blocks. proofs: balances with a proof by the state root. access_lists: the access list of a block. many_balances: many balances in one answer, by a contract of the chain. announcements: new blocks announced by a websocket. old_blocks: old blocks with their logs, receipts and traces. old_state: balances after old blocks. */
                                    can: ("block_receipts" | "traces" | "logs" | "proofs" | "access_lists" | "many_balances" | "announcements" | "old_blocks" | "old_state")[];
                                    /** @description Abilities that it has refused since its watcher began, or whose data it no longer has. An ability that it was not asked for stands in neither list. */
                                    cannot: ("block_receipts" | "traces" | "logs" | "proofs" | "access_lists" | "many_balances" | "announcements" | "old_blocks" | "old_state")[];
                                    /**
                                     * @description The blocks that one question for logs may span, as its answers have shown. Null: it was not asked for logs.
                                     * @example 10000
                                     */
                                    log_blocks: number | null;
                                }[] | null;
                            }[];
                            /** @description The deliveries: `waiting`, `held` and `oldest_waiting_at`. */
                            outbox: {
                                /**
                                 * @description The number of deliveries that wait for their next attempt.
                                 * @example 0
                                 */
                                waiting: number;
                                /**
                                 * @description The number of deliveries without an active webhook.
                                 * @example 0
                                 */
                                held: number;
                                /** @description When the oldest began to wait. Null: none waits. */
                                oldest_waiting_at: string | null;
                            };
                            /**
                             * @description The fingerprint of the key that ids are derived with. A restored database or a replica has the same.
                             * @example 5f2c0a9be1d34c77
                             */
                            id_key: string;
                        };
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAdminTokenOrMissingCredentials"];
            403: components["responses"]["ScopeMissing"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    adminGetTransaction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the transaction. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "id": "01a20098-2c90-7000-8000-5b7d3e9a1c42",
                     *         "type": "deposit",
                     *         "amount": "1.5",
                     *         "asset": "USDC",
                     *         "status": "pending",
                     *         "date": "2026-01-31T12:00:00.000Z",
                     *         "wallet_id": "01a20098-39e4-7000-8000-02911919b011",
                     *         "blockchain": "ethereum",
                     *         "tx_hash": "0x825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f",
                     *         "from_address": "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc",
                     *         "to_address": "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc",
                     *         "memo": "0x825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f",
                     *         "virtual_address": "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc",
                     *         "confirmations": 12,
                     *         "block_number": 21000000,
                     *         "block_hash": "0x825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f",
                     *         "log_index": 17,
                     *         "trace_path": "0.1",
                     *         "proof": "root",
                     *         "since_block": 20999000,
                     *         "confirmed_alone": true,
                     *         "required_confirmations": 12,
                     *         "fee": {
                     *           "amount": "1.5",
                     *           "asset": "USDC"
                     *         },
                     *         "usd_value": "1.5",
                     *         "label": "shop in Lisbon",
                     *         "reference": "customer-17",
                     *         "seen_at": "2026-01-31T12:00:00.000Z",
                     *         "completed_at": "2026-01-31T12:00:00.000Z",
                     *         "lookalike_of": "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc",
                     *         "notifications": [
                     *           {
                     *             "id": "01a20098-2c90-7000-8000-5b7d3e9a1c42",
                     *             "event": "transaction.deposit",
                     *             "status": "waiting",
                     *             "attempts": 1,
                     *             "created_at": "2026-01-31T12:00:00.000Z",
                     *             "delivered_at": "2026-01-31T12:00:00.000Z",
                     *             "last_attempt_at": "2026-01-31T12:00:00.000Z",
                     *             "next_attempt_at": "2026-01-31T12:00:00.000Z",
                     *             "reverses_notification_id": "01a20098-8fc0-8006-8000-1e92b23647fa",
                     *             "deliveries": [
                     *               {
                     *                 "webhook_id": "01a20098-8e18-7000-8000-4c1f0a7d2e35",
                     *                 "url": "https://example.com/hook",
                     *                 "status": "waiting",
                     *                 "attempts": 1,
                     *                 "delivered_at": "2026-01-31T12:00:00.000Z"
                     *               }
                     *             ]
                     *           }
                     *         ],
                     *         "business_id": "01a20098-1f40-7000-8000-3c9e5a7d2b18"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["AdminTransactionDetail"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAdminTokenOrMissingCredentials"];
            403: components["responses"]["ScopeMissing"];
            404: components["responses"]["TransactionNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    adminGetWallet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the wallet. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "wallet_id": "01a20098-39e4-7000-8000-02911919b011",
                     *         "blockchain": "ethereum",
                     *         "address": "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc",
                     *         "currencies": [
                     *           "ETH",
                     *           "USDC"
                     *         ],
                     *         "label": "shop in Lisbon",
                     *         "reference": "customer-17",
                     *         "purpose": "deposit",
                     *         "status": "syncing",
                     *         "from_block": 20000000,
                     *         "history": "filling",
                     *         "created_at": "2026-01-31T12:00:00.000Z",
                     *         "business_id": "01a20098-1f40-7000-8000-3c9e5a7d2b18",
                     *         "thresholds": [
                     *           {
                     *             "asset": "USDC",
                     *             "below": "1.5",
                     *             "restored_from": "1.5",
                     *             "is_below": true,
                     *             "since": "2026-01-31T12:00:00.000Z"
                     *           }
                     *         ],
                     *         "balances": {
                     *           "wallet_id": "01a20098-39e4-7000-8000-02911919b011",
                     *           "blockchain": "ethereum",
                     *           "block_number": 21000000,
                     *           "block_hash": "0x825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f",
                     *           "balances": [
                     *             {
                     *               "asset": "USDC",
                     *               "amount": "1.5",
                     *               "compared_block": 1
                     *             }
                     *           ]
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["AdminWalletDetail"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAdminTokenOrMissingCredentials"];
            403: components["responses"]["ScopeMissing"];
            404: components["responses"]["WalletNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    adminDeleteWallet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the wallet. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "wallet_id": "01a20098-39e4-7000-8000-02911919b011",
                     *         "status": "leaving",
                     *         "leaving_at": "2026-01-31T12:00:00.000Z",
                     *         "removed_at": "2026-01-31T12:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["WalletRemoval"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAdminTokenOrMissingCredentials"];
            403: components["responses"]["RoleMissingOrScopeMissing"];
            404: components["responses"]["WalletNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    adminArchiveWallet: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice. A repeated request with the same key is carried out once, and gets the first answer again for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id of the wallet. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "wallet_id": "01a20098-39e4-7000-8000-02911919b011",
                     *         "status": "leaving",
                     *         "leaving_at": "2026-01-31T12:00:00.000Z",
                     *         "removed_at": "2026-01-31T12:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["WalletRemoval"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAdminTokenOrMissingCredentials"];
            403: components["responses"]["RoleMissingOrScopeMissing"];
            404: components["responses"]["WalletNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyAnswerLostOrIdempotencyKeyInUse"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    adminBackfillWallet: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice. A repeated request with the same key is carried out once, and gets the first answer again for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id of the wallet. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "from_block": 20000000
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The first block of a history that is filled in.
                     * @example 20000000
                     */
                    from_block: number;
                };
            };
        };
        responses: {
            /** @description Taken up. */
            202: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "wallet_id": "01a20098-39e4-7000-8000-02911919b011",
                     *         "from_block": 20000000
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /**
                             * Format: uuid
                             * @description The id of the wallet.
                             * @example 01a20098-39e4-7000-8000-02911919b011
                             */
                            wallet_id: string;
                            /**
                             * @description The first block of the history.
                             * @example 20000000
                             */
                            from_block: number;
                        };
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAdminTokenOrMissingCredentials"];
            403: components["responses"]["RoleMissingOrScopeMissing"];
            404: components["responses"]["WalletNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyAnswerLostOrIdempotencyKeyInUse"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    adminGetWalletThreshold: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the wallet. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "thresholds": [
                 *         {
                 *           "asset": "ETH",
                 *           "below": "1.5",
                 *           "restored_from": "2"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description The thresholds of the wallet, the whole list. */
                    thresholds: components["schemas"]["ThresholdAsked"][];
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": [
                     *         {
                     *           "asset": "USDC",
                     *           "below": "1.5",
                     *           "restored_from": "1.5",
                     *           "is_below": true,
                     *           "since": "2026-01-31T12:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Threshold"][];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAdminTokenOrMissingCredentials"];
            403: components["responses"]["RoleMissingOrScopeMissing"];
            404: components["responses"]["WalletNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    adminListWebhooks: {
        parameters: {
            query?: {
                /** @description Only rows of this business, by its id. */
                business_id?: components["parameters"]["BusinessId"];
                /** @description The most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description The place at which the page begins: the `next_cursor` of the page before. Left out: the first page. */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": [
                     *         {
                     *           "id": "01a20098-2c90-7000-8000-5b7d3e9a1c42",
                     *           "url": "https://example.com/hook",
                     *           "description": "Credits of the shop",
                     *           "additional": true,
                     *           "is_active": true,
                     *           "created_at": "2026-01-31T12:00:00.000Z",
                     *           "last_success_at": "2026-01-31T12:00:00.000Z",
                     *           "consecutive_failures": 1,
                     *           "disabled_at": "2026-01-31T12:00:00.000Z",
                     *           "disabled_reason": null,
                     *           "rate": 50,
                     *           "filter": {
                     *             "events": [
                     *               "transaction.deposit"
                     *             ],
                     *             "blockchains": [
                     *               "ethereum"
                     *             ],
                     *             "assets": [
                     *               "ETH",
                     *               "USDC"
                     *             ],
                     *             "wallet_ids": [
                     *               "01a20098-39e4-7000-8000-02911919b011"
                     *             ],
                     *             "references": [
                     *               "shop-"
                     *             ],
                     *             "min_amount": {
                     *               "USDC": "1000"
                     *             },
                     *             "min_usd": "1000"
                     *           },
                     *           "wants": "transaction.deposit, of USDC, from 1000 USDC",
                     *           "order": "none",
                     *           "on_exhausted": "continue",
                     *           "circuit": "closed",
                     *           "circuit_opened_at": "2026-01-31T12:00:00.000Z",
                     *           "circuit_retry_at": "2026-01-31T12:00:00.000Z",
                     *           "business_id": "01a20098-1f40-7000-8000-3c9e5a7d2b18"
                     *         }
                     *       ],
                     *       "next_cursor": "MDFhMjAwOTgtOGZjMC03MDA2LTgwMDAtMDdlMjJlN2Y0ZDk0"
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /**
                             * Format: uuid
                             * @description The id of the webhook.
                             * @example 01a20098-2c90-7000-8000-5b7d3e9a1c42
                             */
                            id: string;
                            /**
                             * @description The URL that is notified.
                             * @example https://example.com/hook
                             */
                            url: string;
                            /**
                             * @description The purpose of the webhook, in the words of its business. Null: the business gave none.
                             * @example Credits of the shop
                             */
                            description: string | null;
                            /** @description True: it stands beside the first webhook, and a new registration never replaces it. */
                            additional: boolean;
                            /** @description True: the webhook is notified. False: its deliveries are held. */
                            is_active: boolean;
                            /**
                             * Format: date-time
                             * @description When it was created.
                             * @example 2026-01-31T12:00:00.000Z
                             */
                            created_at: string;
                            /** @description When a receiver last answered 2xx. Null: never. */
                            last_success_at: string | null;
                            /** @description The number of failed attempts since the last success. */
                            consecutive_failures: number;
                            /** @description When it was deactivated. Null: it is active. */
                            disabled_at: string | null;
                            /**
                             * @description gone: its receiver answered 410. failing: every attempt has failed for five days. requested: somebody paused it.
                             * @example null
                             */
                            disabled_reason: ("gone" | "failing" | "requested") | null;
                            /**
                             * @description The most attempts a second at this webhook, on average. Null: not limited.
                             * @example 50
                             */
                            rate: number | null;
                            /** @description The notifications that it wants; null: everything but `token.unlisted`. All fields that are there must hold. */
                            filter: components["schemas"]["WebhookFilter"] | null;
                            /**
                             * @description The notifications that the webhook gets, in words.
                             * @example transaction.deposit, of USDC, from 1000 USDC
                             */
                            wants: string;
                            /**
                             * @description The order of notifications. `none`: no order. `wallet`: each wallet has one delivery at a time.
                             * @enum {string}
                             */
                            order: "none" | "wallet";
                            /**
                             * @description The step after a notification is given up, with an order. `continue`: the next one is sent. `hold`: its wallet waits.
                             * @enum {string}
                             */
                            on_exhausted: "continue" | "hold";
                            /**
                             * @description `open`: 10 attempts in a row failed. Only one attempt is then made at `circuit_retry_at`, until one succeeds. `closed`: every due attempt is made.
                             * @enum {string}
                             */
                            circuit: "closed" | "open";
                            /** @description When the circuit opened. Null: it is closed. */
                            circuit_opened_at: string | null;
                            /** @description When the next attempt is made while the circuit is open. Null: the circuit is closed. */
                            circuit_retry_at: string | null;
                            /**
                             * Format: uuid
                             * @description The id of the business.
                             * @example 01a20098-1f40-7000-8000-3c9e5a7d2b18
                             */
                            business_id: string;
                        }[];
                        /**
                         * @description The place of the next page. Send it as `cursor`. Null: this is the last page.
                         * @example MDFhMjAwOTgtOGZjMC03MDA2LTgwMDAtMDdlMjJlN2Y0ZDk0
                         */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAdminTokenOrMissingCredentials"];
            403: components["responses"]["ScopeMissing"];
            404: components["responses"]["BusinessNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    adminUpdateWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "rate": 50
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The most attempts a second at this webhook, on average. Null: not limited.
                     * @example 50
                     */
                    rate?: number | null;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "id": "01a20098-2c90-7000-8000-5b7d3e9a1c42",
                     *         "url": "https://example.com/hook",
                     *         "description": "Credits of the shop",
                     *         "additional": true,
                     *         "is_active": true,
                     *         "created_at": "2026-01-31T12:00:00.000Z",
                     *         "last_success_at": "2026-01-31T12:00:00.000Z",
                     *         "consecutive_failures": 1,
                     *         "disabled_at": "2026-01-31T12:00:00.000Z",
                     *         "disabled_reason": null,
                     *         "rate": 50,
                     *         "filter": {
                     *           "events": [
                     *             "transaction.deposit"
                     *           ],
                     *           "blockchains": [
                     *             "ethereum"
                     *           ],
                     *           "assets": [
                     *             "ETH",
                     *             "USDC"
                     *           ],
                     *           "wallet_ids": [
                     *             "01a20098-39e4-7000-8000-02911919b011"
                     *           ],
                     *           "references": [
                     *             "shop-"
                     *           ],
                     *           "min_amount": {
                     *             "USDC": "1000"
                     *           },
                     *           "min_usd": "1000"
                     *         },
                     *         "wants": "transaction.deposit, of USDC, from 1000 USDC",
                     *         "order": "none",
                     *         "on_exhausted": "continue",
                     *         "circuit": "closed",
                     *         "circuit_opened_at": "2026-01-31T12:00:00.000Z",
                     *         "circuit_retry_at": "2026-01-31T12:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["WebhookHealth"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAdminTokenOrMissingCredentials"];
            403: components["responses"]["RoleMissingOrScopeMissing"];
            404: components["responses"]["WebhookNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    adminDisableWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice. A repeated request with the same key is carried out once, and gets the first answer again for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id of the webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "id": "01a20098-2c90-7000-8000-5b7d3e9a1c42",
                     *         "url": "https://example.com/hook",
                     *         "description": "Credits of the shop",
                     *         "additional": true,
                     *         "is_active": true,
                     *         "created_at": "2026-01-31T12:00:00.000Z",
                     *         "last_success_at": "2026-01-31T12:00:00.000Z",
                     *         "consecutive_failures": 1,
                     *         "disabled_at": "2026-01-31T12:00:00.000Z",
                     *         "disabled_reason": null,
                     *         "rate": 50,
                     *         "filter": {
                     *           "events": [
                     *             "transaction.deposit"
                     *           ],
                     *           "blockchains": [
                     *             "ethereum"
                     *           ],
                     *           "assets": [
                     *             "ETH",
                     *             "USDC"
                     *           ],
                     *           "wallet_ids": [
                     *             "01a20098-39e4-7000-8000-02911919b011"
                     *           ],
                     *           "references": [
                     *             "shop-"
                     *           ],
                     *           "min_amount": {
                     *             "USDC": "1000"
                     *           },
                     *           "min_usd": "1000"
                     *         },
                     *         "wants": "transaction.deposit, of USDC, from 1000 USDC",
                     *         "order": "none",
                     *         "on_exhausted": "continue",
                     *         "circuit": "closed",
                     *         "circuit_opened_at": "2026-01-31T12:00:00.000Z",
                     *         "circuit_retry_at": "2026-01-31T12:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["WebhookHealth"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAdminTokenOrMissingCredentials"];
            403: components["responses"]["RoleMissingOrScopeMissing"];
            404: components["responses"]["WebhookNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyAnswerLostOrIdempotencyKeyInUse"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    adminEnableWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice. A repeated request with the same key is carried out once, and gets the first answer again for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id of the webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "id": "01a20098-2c90-7000-8000-5b7d3e9a1c42",
                     *         "url": "https://example.com/hook",
                     *         "description": "Credits of the shop",
                     *         "additional": true,
                     *         "is_active": true,
                     *         "created_at": "2026-01-31T12:00:00.000Z",
                     *         "last_success_at": "2026-01-31T12:00:00.000Z",
                     *         "consecutive_failures": 1,
                     *         "disabled_at": "2026-01-31T12:00:00.000Z",
                     *         "disabled_reason": null,
                     *         "rate": 50,
                     *         "filter": {
                     *           "events": [
                     *             "transaction.deposit"
                     *           ],
                     *           "blockchains": [
                     *             "ethereum"
                     *           ],
                     *           "assets": [
                     *             "ETH",
                     *             "USDC"
                     *           ],
                     *           "wallet_ids": [
                     *             "01a20098-39e4-7000-8000-02911919b011"
                     *           ],
                     *           "references": [
                     *             "shop-"
                     *           ],
                     *           "min_amount": {
                     *             "USDC": "1000"
                     *           },
                     *           "min_usd": "1000"
                     *         },
                     *         "wants": "transaction.deposit, of USDC, from 1000 USDC",
                     *         "order": "none",
                     *         "on_exhausted": "continue",
                     *         "circuit": "closed",
                     *         "circuit_opened_at": "2026-01-31T12:00:00.000Z",
                     *         "circuit_retry_at": "2026-01-31T12:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["WebhookHealth"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAdminTokenOrMissingCredentials"];
            403: components["responses"]["RoleMissingOrScopeMissing"];
            404: components["responses"]["WebhookNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyAnswerLostOrIdempotencyKeyInUse"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    adminRecoverWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice. A repeated request with the same key is carried out once, and gets the first answer again for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id of the webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "since": "2026-01-31T12:00:00Z",
                 *       "until": "2026-02-01T12:00:00Z",
                 *       "include": [
                 *         "held"
                 *       ],
                 *       "filter": {
                 *         "events": [
                 *           "transaction.deposit"
                 *         ],
                 *         "blockchains": [
                 *           "ethereum"
                 *         ],
                 *         "assets": [
                 *           "ETH",
                 *           "USDC"
                 *         ],
                 *         "wallet_ids": [
                 *           "01a20098-39e4-7000-8000-02911919b011"
                 *         ],
                 *         "references": [
                 *           "shop-"
                 *         ],
                 *         "min_amount": {
                 *           "USDC": "1000"
                 *         },
                 *         "min_usd": "1000"
                 *       }
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Only notifications that were written at this time or later.
                     * @example 2026-01-31T12:00:00Z
                     */
                    since: string;
                    /**
                     * @description Only notifications that were written before this time. Left out: now.
                     * @example 2026-02-01T12:00:00Z
                     */
                    until?: string;
                    /** @description The states of delivery that are queued again. `waiting` makes retries due now. Left out: all states except `waiting`. */
                    include?: ("held" | "exhausted" | "cancelled" | "waiting")[];
                    /** @description Only notifications that this filter lets through. */
                    filter?: components["schemas"]["FilterAsked"];
                };
            };
        };
        responses: {
            /** @description Taken up. */
            202: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "recovery": "01a20098-b2f4-7000-8000-6c3a9e1d5f78",
                     *         "webhook_id": "01a20098-8e18-7000-8000-4c1f0a7d2e35",
                     *         "state": "running",
                     *         "queued": 4,
                     *         "since": "2026-01-31T12:00:00.000Z",
                     *         "until": "2026-01-31T12:00:00.000Z",
                     *         "include": [
                     *           "held"
                     *         ],
                     *         "filter": {
                     *           "events": [
                     *             "transaction.deposit"
                     *           ],
                     *           "blockchains": [
                     *             "ethereum"
                     *           ],
                     *           "assets": [
                     *             "ETH",
                     *             "USDC"
                     *           ],
                     *           "wallet_ids": [
                     *             "01a20098-39e4-7000-8000-02911919b011"
                     *           ],
                     *           "references": [
                     *             "shop-"
                     *           ],
                     *           "min_amount": {
                     *             "USDC": "1000"
                     *           },
                     *           "min_usd": "1000"
                     *         },
                     *         "position": "2026-01-31T12:00:00.000Z",
                     *         "through": "2026-01-31T12:00:00.000Z",
                     *         "started_at": "2026-01-31T12:00:00.000Z",
                     *         "ended_at": "2026-01-31T12:00:00.000Z",
                     *         "id": "01a20098-2c90-7000-8000-5b7d3e9a1c42"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /**
                             * Format: uuid
                             * @description The id of the recovery.
                             * @example 01a20098-b2f4-7000-8000-6c3a9e1d5f78
                             */
                            recovery: string;
                            /**
                             * Format: uuid
                             * @description The id of the webhook.
                             * @example 01a20098-8e18-7000-8000-4c1f0a7d2e35
                             */
                            webhook_id: string;
                            /**
                             * @description running: it goes on, in batches; while its webhook is inactive it waits. done: everything that it is for is queued again. failed: its webhook was deleted or replaced before: the rest is not queued.
                             * @enum {string}
                             */
                            state: "running" | "done" | "failed";
                            /**
                             * @description The number of notifications that the recovery has queued again so far.
                             * @example 4
                             */
                            queued: number;
                            /**
                             * Format: date-time
                             * @description The first moment that it covers.
                             * @example 2026-01-31T12:00:00.000Z
                             */
                            since: string;
                            /** @description The first moment that it no longer covers. Null: the moment of the request. */
                            until: string | null;
                            /** @description The states of delivery that it queues again. */
                            include: ("held" | "exhausted" | "cancelled" | "waiting")[];
                            /** @description The notifications that it wants; null: everything but `token.unlisted`. All fields that are there must hold. */
                            filter: components["schemas"]["WebhookFilter"] | null;
                            /** @description The progress: all notifications written up to this time were looked at. Null: none was yet. */
                            position: string | null;
                            /** @description When the newest notification of the recovery was written. Null: there was none. */
                            through: string | null;
                            /**
                             * Format: date-time
                             * @description When it began.
                             * @example 2026-01-31T12:00:00.000Z
                             */
                            started_at: string;
                            /** @description When it was done or failed. Null: it is running. */
                            ended_at: string | null;
                            /**
                             * Format: uuid
                             * @description The id of the webhook.
                             * @example 01a20098-2c90-7000-8000-5b7d3e9a1c42
                             */
                            id: string;
                        };
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAdminTokenOrMissingCredentials"];
            403: components["responses"]["RoleMissingOrScopeMissing"];
            404: components["responses"]["WebhookNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyAnswerLostOrIdempotencyKeyInUseOrRecoveryRunningOrWebhookInactive"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    adminListWebhookRecoveries: {
        parameters: {
            query?: {
                /** @description The most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description The place at which the page begins: the `next_cursor` of the page before. Left out: the first page. */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path: {
                /** @description The id of the webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": [
                     *         {
                     *           "recovery": "01a20098-b2f4-7000-8000-6c3a9e1d5f78",
                     *           "webhook_id": "01a20098-8e18-7000-8000-4c1f0a7d2e35",
                     *           "state": "running",
                     *           "queued": 4,
                     *           "since": "2026-01-31T12:00:00.000Z",
                     *           "until": "2026-01-31T12:00:00.000Z",
                     *           "include": [
                     *             "held"
                     *           ],
                     *           "filter": {
                     *             "events": [
                     *               "transaction.deposit"
                     *             ],
                     *             "blockchains": [
                     *               "ethereum"
                     *             ],
                     *             "assets": [
                     *               "ETH",
                     *               "USDC"
                     *             ],
                     *             "wallet_ids": [
                     *               "01a20098-39e4-7000-8000-02911919b011"
                     *             ],
                     *             "references": [
                     *               "shop-"
                     *             ],
                     *             "min_amount": {
                     *               "USDC": "1000"
                     *             },
                     *             "min_usd": "1000"
                     *           },
                     *           "position": "2026-01-31T12:00:00.000Z",
                     *           "through": "2026-01-31T12:00:00.000Z",
                     *           "started_at": "2026-01-31T12:00:00.000Z",
                     *           "ended_at": "2026-01-31T12:00:00.000Z"
                     *         }
                     *       ],
                     *       "next_cursor": "MDFhMjAwOTgtOGZjMC03MDA2LTgwMDAtMDdlMjJlN2Y0ZDk0"
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Recovery"][];
                        /**
                         * @description The place of the next page. Send it as `cursor`. Null: this is the last page.
                         * @example MDFhMjAwOTgtOGZjMC03MDA2LTgwMDAtMDdlMjJlN2Y0ZDk0
                         */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAdminTokenOrMissingCredentials"];
            403: components["responses"]["ScopeMissing"];
            404: components["responses"]["WebhookNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    adminGetWebhookRecovery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the webhook. */
                id: string;
                /** @description The id of the recovery. */
                recovery: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "recovery": "01a20098-b2f4-7000-8000-6c3a9e1d5f78",
                     *         "webhook_id": "01a20098-8e18-7000-8000-4c1f0a7d2e35",
                     *         "state": "running",
                     *         "queued": 4,
                     *         "since": "2026-01-31T12:00:00.000Z",
                     *         "until": "2026-01-31T12:00:00.000Z",
                     *         "include": [
                     *           "held"
                     *         ],
                     *         "filter": {
                     *           "events": [
                     *             "transaction.deposit"
                     *           ],
                     *           "blockchains": [
                     *             "ethereum"
                     *           ],
                     *           "assets": [
                     *             "ETH",
                     *             "USDC"
                     *           ],
                     *           "wallet_ids": [
                     *             "01a20098-39e4-7000-8000-02911919b011"
                     *           ],
                     *           "references": [
                     *             "shop-"
                     *           ],
                     *           "min_amount": {
                     *             "USDC": "1000"
                     *           },
                     *           "min_usd": "1000"
                     *         },
                     *         "position": "2026-01-31T12:00:00.000Z",
                     *         "through": "2026-01-31T12:00:00.000Z",
                     *         "started_at": "2026-01-31T12:00:00.000Z",
                     *         "ended_at": "2026-01-31T12:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Recovery"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAdminTokenOrMissingCredentials"];
            403: components["responses"]["ScopeMissing"];
            404: components["responses"]["WebhookNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    listApiKeys: {
        parameters: {
            query?: {
                /** @description The most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description The place at which the page begins: the `next_cursor` of the page before. Left out: the first page. */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": [
                     *         {
                     *           "id": "01a20098-2c90-7000-8000-5b7d3e9a1c42",
                     *           "business_id": "01a20098-1f40-7000-8000-3c9e5a7d2b18",
                     *           "label": "shop in Lisbon",
                     *           "prefix": "cb_3Vt1",
                     *           "created_at": "2026-01-31T12:00:00.000Z",
                     *           "revoked_at": "2026-01-31T12:00:00.000Z",
                     *           "expires_at": "2026-01-31T12:00:00.000Z",
                     *           "last_used_at": "2026-01-31T12:00:00.000Z",
                     *           "scopes": [
                     *             "read"
                     *           ],
                     *           "networks": [
                     *             "198.51.100.0/28"
                     *           ],
                     *           "max_wallets": 1
                     *         }
                     *       ],
                     *       "next_cursor": "MDFhMjAwOTgtOGZjMC03MDA2LTgwMDAtMDdlMjJlN2Y0ZDk0"
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["ApiKey"][];
                        /**
                         * @description The place of the next page. Send it as `cursor`. Null: this is the last page.
                         * @example MDFhMjAwOTgtOGZjMC03MDA2LTgwMDAtMDdlMjJlN2Y0ZDk0
                         */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAccessTokenOrInvalidApiKey"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice. A repeated request with the same key is carried out once, and gets the first answer again for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "label": "shop in Lisbon",
                 *       "scopes": [
                 *         "read"
                 *       ],
                 *       "networks": [
                 *         "198.51.100.0/28"
                 *       ],
                 *       "expires_at": "2027-01-31T12:00:00Z"
                 *     }
                 */
                "application/json": components["schemas"]["KeyToCreate"] | null;
            };
        };
        responses: {
            /** @description Made. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "id": "01a20098-2c90-7000-8000-5b7d3e9a1c42",
                     *       "key": "cb_3Vt1mQ0yq5n0o7Yh2cQm4l8w",
                     *       "data": {
                     *         "id": "01a20098-2c90-7000-8000-5b7d3e9a1c42",
                     *         "business_id": "01a20098-1f40-7000-8000-3c9e5a7d2b18",
                     *         "label": "shop in Lisbon",
                     *         "prefix": "cb_3Vt1",
                     *         "created_at": "2026-01-31T12:00:00.000Z",
                     *         "revoked_at": "2026-01-31T12:00:00.000Z",
                     *         "expires_at": "2026-01-31T12:00:00.000Z",
                     *         "last_used_at": "2026-01-31T12:00:00.000Z",
                     *         "scopes": [
                     *           "read"
                     *         ],
                     *         "networks": [
                     *           "198.51.100.0/28"
                     *         ],
                     *         "max_wallets": 1,
                     *         "key": "cb_3Vt1mQ0yq5n0o7Yh2cQm4l8w"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["NewApiKeyAnswer"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAccessTokenOrInvalidApiKey"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyAnswerLostOrIdempotencyKeyInUseOrLimitReached"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    revokeApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the API key. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "id": "01a20098-2c90-7000-8000-5b7d3e9a1c42",
                     *         "business_id": "01a20098-1f40-7000-8000-3c9e5a7d2b18",
                     *         "label": "shop in Lisbon",
                     *         "prefix": "cb_3Vt1",
                     *         "created_at": "2026-01-31T12:00:00.000Z",
                     *         "revoked_at": "2026-01-31T12:00:00.000Z",
                     *         "expires_at": "2026-01-31T12:00:00.000Z",
                     *         "last_used_at": "2026-01-31T12:00:00.000Z",
                     *         "scopes": [
                     *           "read"
                     *         ],
                     *         "networks": [
                     *           "198.51.100.0/28"
                     *         ],
                     *         "max_wallets": 1
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["ApiKey"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAccessTokenOrInvalidApiKey"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["ApiKeyNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    listAudit: {
        parameters: {
            query?: {
                /** @description The most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description The place at which the page begins: the `next_cursor` of the page before. Left out: the first page. */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": [
                     *         {
                     *           "id": "01a20098-2c90-7000-8000-5b7d3e9a1c42",
                     *           "at": "2026-01-31T12:00:00.000Z",
                     *           "actor": "key",
                     *           "key_id": "01a20098-21a8-7000-8000-7e4c2f9b6d50",
                     *           "session_id": "01a20098-6a5c-7000-8000-0f8d3b5e7c21",
                     *           "address": "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc",
                     *           "action": "webhook.register",
                     *           "subject": "01a20098-8e18-7000-8000-4c1f0a7d2e35",
                     *           "details": {}
                     *         }
                     *       ],
                     *       "next_cursor": "MDFhMjAwOTgtOGZjMC03MDA2LTgwMDAtMDdlMjJlN2Y0ZDk0"
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["OwnAuditEntry"][];
                        /**
                         * @description The place of the next page. Send it as `cursor`. Null: this is the last page.
                         * @example MDFhMjAwOTgtOGZjMC03MDA2LTgwMDAtMDdlMjJlN2Y0ZDk0
                         */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAccessTokenOrInvalidApiKey"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    createAccessToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Nothing, or an empty object. */
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": Record<string, never> | null;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "access_token": "eyJhbGciOiJIUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJrZXlfaWQiOiIwMWEy",
                     *       "token_type": "Bearer",
                     *       "expires_in": 900
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The token. Send it as `Authorization: Bearer`.
                         * @example eyJhbGciOiJIUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJrZXlfaWQiOiIwMWEy
                         */
                        access_token: string;
                        /**
                         * @description The scheme of the header `Authorization`.
                         * @enum {string}
                         */
                        token_type: "Bearer";
                        /**
                         * @description The lifetime of the token, in seconds.
                         * @example 900
                         */
                        expires_in: number;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidApiKeyOrMissingCredentials"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    endAccessToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "id": "01a20098-2c90-7000-8000-5b7d3e9a1c42"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /**
                             * Format: uuid
                             * @description The id of the access token: its claim `jti`.
                             * @example 01a20098-2c90-7000-8000-5b7d3e9a1c42
                             */
                            id: string;
                        };
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["AccessTokenExpiredOrInvalidAccessTokenOrMissingCredentials"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    listAccessTokens: {
        parameters: {
            query?: {
                /** @description The most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description The place at which the page begins: the `next_cursor` of the page before. Left out: the first page. */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": [
                     *         {
                     *           "id": "01a20098-2c90-7000-8000-5b7d3e9a1c42",
                     *           "created_at": "2026-01-31T12:00:00.000Z",
                     *           "expires_at": "2026-01-31T12:00:00.000Z",
                     *           "address": "203.0.113.7"
                     *         }
                     *       ],
                     *       "next_cursor": "MDFhMjAwOTgtOGZjMC03MDA2LTgwMDAtMDdlMjJlN2Y0ZDk0"
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["AccessToken"][];
                        /**
                         * @description The place of the next page. Send it as `cursor`. Null: this is the last page.
                         * @example MDFhMjAwOTgtOGZjMC03MDA2LTgwMDAtMDdlMjJlN2Y0ZDk0
                         */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidApiKeyOrMissingCredentials"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    endListedAccessToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the access token. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "id": "01a20098-2c90-7000-8000-5b7d3e9a1c42"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /**
                             * Format: uuid
                             * @description The id of the access token: its claim `jti`.
                             * @example 01a20098-2c90-7000-8000-5b7d3e9a1c42
                             */
                            id: string;
                        };
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidApiKeyOrMissingCredentials"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["TokenNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    getBalance: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "net_worth": "6250.25",
                     *       "holdings": [
                     *         {
                     *           "asset": "USDC",
                     *           "blockchain": "ethereum",
                     *           "amount": "1.5",
                     *           "usd": "6250.25",
                     *           "price_proof": "agreed",
                     *           "pending": "1.5"
                     *         }
                     *       ],
                     *       "net_worth_usd": 6250.25,
                     *       "assets": {
                     *         "ETH": 1.5,
                     *         "USDC": 2500.25
                     *       },
                     *       "pending": {
                     *         "USDC": 100
                     *       },
                     *       "unpriced_assets": [
                     *         "DUSD"
                     *       ],
                     *       "prices_as_of": "2026-01-31T12:00:00.000Z",
                     *       "syncing_wallets": 0
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same number as `net_worth_usd`, as text.
                         * @example 6250.25
                         */
                        net_worth: string;
                        /** @description Every asset of every chain that is held or incoming, with exact amounts as texts. */
                        holdings: components["schemas"]["Holding"][];
                        /**
                         * @description The worth of all priced holdings in US dollars, with two decimals, rounded half to even. A JSON number.
                         * @example 6250.25
                         */
                        net_worth_usd: number;
                        /**
                         * @description The confirmed amount of each asset, by its code, in all wallets together. The JSON numbers have every digit.
                         * @example {
                         *       "ETH": 1.5,
                         *       "USDC": 2500.25
                         *     }
                         */
                        assets: {
                            [key: string]: number;
                        };
                        /**
                         * @description The incoming amount of each asset, by its code, that is not confirmed yet. The JSON numbers have every digit.
                         * @example {
                         *       "USDC": 100
                         *     }
                         */
                        pending: {
                            [key: string]: number;
                        };
                        /**
                         * @description The codes of held assets without a fresh price. `net_worth_usd` leaves them out.
                         * @example [
                         *       "DUSD"
                         *     ]
                         */
                        unpriced_assets: string[];
                        /** @description The time of the oldest price that was used. Null: none was used. */
                        prices_as_of: string | null;
                        /**
                         * @description The number of wallets whose opening balance in some asset was not read yet. Those balances are left out of all sums.
                         * @example 0
                         */
                        syncing_wallets: number;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAccessTokenOrInvalidApiKey"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    getChains: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": [
                     *         {
                     *           "name": "ethereum",
                     *           "chain_id": 1,
                     *           "explorer": "https://etherscan.io",
                     *           "native_asset": "ETH",
                     *           "assets": [
                     *             "ETH",
                     *             "USDC"
                     *           ],
                     *           "position": 21000024,
                     *           "head": 21000024,
                     *           "confirmed": 21000012,
                     *           "lag_seconds": 2,
                     *           "stopped": true,
                     *           "held": true,
                     *           "required_confirmations": 12
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Chain"][];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAccessTokenOrInvalidApiKey"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "status": "ready",
                     *       "ready": true,
                     *       "services": [
                     *         {
                     *           "name": "ethereum",
                     *           "trouble": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The state of the process.
                         * @enum {string}
                         */
                        status: "ready" | "degraded";
                        /** @description True: every part makes progress. */
                        ready: boolean;
                        /** @description The parts of the process, and whether each makes progress. */
                        services: {
                            /**
                             * @description The name of the part.
                             * @example ethereum
                             */
                            name: string;
                            /**
                             * @description The fault. Null: there is none.
                             * @example null
                             */
                            trouble: string | null;
                        }[];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            500: components["responses"]["InternalError"];
        };
    };
    getHealthLive: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "status": "live"
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The state of the process.
                         * @enum {string}
                         */
                        status: "live";
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            500: components["responses"]["InternalError"];
        };
    };
    getHealthReady: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "ready": true,
                     *       "services": [
                     *         {
                     *           "name": "ethereum",
                     *           "trouble": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Readiness"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            500: components["responses"]["InternalError"];
            /** @description Some part makes no progress. */
            503: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "ready": true,
                     *       "services": [
                     *         {
                     *           "name": "ethereum",
                     *           "trouble": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Readiness"];
                };
            };
        };
    };
    listNotifications: {
        parameters: {
            query?: {
                /** @description Only notifications of this event. */
                event?: components["parameters"]["Event"];
                /** @description Only rows of this status. `undelivered`: exhausted, held, waiting. */
                status?: "waiting" | "delivered" | "exhausted" | "held" | "cancelled" | "filtered" | "undelivered";
                /** @description Only notifications of this transaction, by its id. */
                transaction_id?: components["parameters"]["TransactionId"];
                /** @description Only notifications of this webhook, by its id. Left out: of the first webhook. `any`: all, each by the webhook where it stands worst. */
                webhook_id?: components["parameters"]["WebhookId"];
                /** @description Only this chain, by its configured name. */
                blockchain?: components["parameters"]["Blockchain"];
                /** @description Only this asset, by its code. */
                asset?: components["parameters"]["Asset"];
                /**
                 * @description Only rows of wallets whose reference or label contains this text, or whose address begins with it, in any case. Removed wallets count too. It matches at most 5,000 wallets, in a business with at most 100,000.
                 * @example order-
                 */
                q?: string;
                /** @description The order of the rows. `time`, the default: newest first. `amount`: those of the largest transaction first. It needs `asset`, and for an operator one business. It has notifications of transactions alone. A row may move to another page if a reorg changes the transaction's amount. */
                sort?: "time" | "amount";
                /** @description Only from this date or time on. It is included. */
                from?: string;
                /** @description Only before this date or time. It is not included. */
                to?: string;
                /** @description Further fields of each row, with commas between them: `fee`, `usd_value`, `label`. */
                include?: string;
                /** @description The most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description The place at which the page begins: the `next_cursor` of the page before. Left out: the first page. */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    "chainbell-read-from": components["headers"]["ReadFrom"];
                    "chainbell-staleness-ms": components["headers"]["StalenessMs"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": [
                     *         {
                     *           "id": "01a20098-2c90-7000-8000-5b7d3e9a1c42",
                     *           "event": "transaction.deposit",
                     *           "status": "waiting",
                     *           "transaction_id": "01a20098-8fc0-7006-8000-07e22e7f4d94",
                     *           "created_at": "2026-01-31T12:00:00.000Z",
                     *           "delivered_at": "2026-01-31T12:00:00.000Z",
                     *           "attempt_count": 1,
                     *           "payload": {},
                     *           "webhook_id": "01a20098-8e18-7000-8000-4c1f0a7d2e35",
                     *           "last_attempt": {
                     *             "url": "https://example.com/hook",
                     *             "at": "2026-01-31T12:00:00.000Z",
                     *             "status_code": 200,
                     *             "error": "timeout",
                     *             "response": "ok"
                     *           },
                     *           "fee": {
                     *             "amount": "1.5",
                     *             "asset": "USDC"
                     *           },
                     *           "usd_value": "1.5",
                     *           "label": "shop in Lisbon"
                     *         }
                     *       ],
                     *       "next_cursor": "MDFhMjAwOTgtOGZjMC03MDA2LTgwMDAtMDdlMjJlN2Y0ZDk0"
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Notification"][];
                        /**
                         * @description The place of the next page. Send it as `cursor`. Null: this is the last page.
                         * @example MDFhMjAwOTgtOGZjMC03MDA2LTgwMDAtMDdlMjJlN2Y0ZDk0
                         */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAccessTokenOrInvalidApiKey"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    countNotifications: {
        parameters: {
            query?: {
                /** @description The width of each row: an hour or a day. */
                bucket?: components["parameters"]["Bucket"];
                /** @description Only from this date or time on. It is included. */
                from?: string;
                /** @description Only before this date or time. It is not included. */
                to?: string;
                /** @description Only notifications of this webhook, by its id. Left out: of the first webhook. */
                webhook_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    "chainbell-read-from": components["headers"]["ReadFrom"];
                    "chainbell-staleness-ms": components["headers"]["StalenessMs"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "buckets": [
                     *           {
                     *             "at": "2026-01-31T12:00:00.000Z",
                     *             "waiting": 0,
                     *             "delivered": 1,
                     *             "exhausted": 1,
                     *             "held": 0,
                     *             "cancelled": 2,
                     *             "filtered": 1
                     *           }
                     *         ],
                     *         "total": {
                     *           "waiting": 0,
                     *           "delivered": 1,
                     *           "exhausted": 1,
                     *           "held": 0,
                     *           "cancelled": 2,
                     *           "filtered": 1
                     *         },
                     *         "undelivered": 1,
                     *         "complete": true
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** @description The hours or days, the oldest first. */
                            buckets: components["schemas"]["NotificationCount"][];
                            /** @description The numbers of the whole time. */
                            total: components["schemas"]["NotificationTotal"];
                            /** @description Notifications that wait, are held or were given up: `waiting`, `held` and `exhausted` of `total` together. */
                            undelivered: number;
                            /**
                             * @description False where 200,000 or more are not delivered. Those count too that the filter of the first of several webhooks left out. With `webhook_id` where the time has 100,000 notifications or more. Older ones are left out then.
                             * @example true
                             */
                            complete: boolean;
                        };
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAccessTokenOrInvalidApiKey"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    getNotificationFeed: {
        parameters: {
            query?: {
                /** @description The place after which the answer begins: the `chainbell-cursor` of the answer before. */
                after?: string;
                /** @description The id of a notification, instead of `after`. The answer begins after it, and has only its chain. */
                after_id?: string;
                /** @description The most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description The most seconds for which an answer without rows is held back, until a row is there. */
                wait?: number;
                /** @description Only notifications on one of these chains, by name. Several have commas between them. */
                blockchain?: string;
                /** @description Only notifications of one of these events. Several have commas between them. */
                event?: string;
                /** @description Only notifications about one of these wallets, by id. Several have commas between them. */
                wallet_id?: string;
                /** @description Only notifications that move one of these assets, by code. Several have commas between them. */
                asset?: string;
                /** @description Only notifications of wallets whose reference begins with this text. */
                reference_prefix?: string;
                /** @description The least amount of `asset` that moves, in its units. `asset` must then name one asset. */
                min_amount?: string;
                /** @description The least worth in US dollars, at confirmation. An event without an amount or a price passes. */
                min_usd?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example {"id":"…","event":"transaction.deposit","timestamp":"…","sequence":1042,"data":{…}} */
                    "application/x-ndjson": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAccessTokenOrInvalidApiKey"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotificationNotFound"];
            409: components["responses"]["CursorUnknown"];
            410: components["responses"]["CursorExpired"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    getNotification: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the notification. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "id": "01a20098-2c90-7000-8000-5b7d3e9a1c42",
                     *         "event": "transaction.deposit",
                     *         "status": "waiting",
                     *         "transaction_id": "01a20098-8fc0-7006-8000-07e22e7f4d94",
                     *         "created_at": "2026-01-31T12:00:00.000Z",
                     *         "delivered_at": "2026-01-31T12:00:00.000Z",
                     *         "attempt_count": 1,
                     *         "payload": {},
                     *         "body": "{\"id\":\"01a20098-39e4-7000-8000-02911919b011\",\"event\":\"transaction.deposit\"}",
                     *         "attempts": [
                     *           {
                     *             "webhook_id": "01a20098-8e18-7000-8000-4c1f0a7d2e35",
                     *             "number": 1,
                     *             "url": "https://example.com/hook",
                     *             "at": "2026-01-31T12:00:00.000Z",
                     *             "latency_ms": 42,
                     *             "status_code": 200,
                     *             "error": "timeout",
                     *             "response": "ok",
                     *             "next_attempt_at": "2026-01-31T12:00:00.000Z",
                     *             "request": {
                     *               "headers": [
                     *                 {
                     *                   "name": "x-shop",
                     *                   "value": "application/json"
                     *                 }
                     *               ],
                     *               "is_secret_gone": true
                     *             }
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /**
                             * Format: uuid
                             * @description The id of the notification.
                             * @example 01a20098-2c90-7000-8000-5b7d3e9a1c42
                             */
                            id: string;
                            /**
                             * @description transaction.deposit: an incoming transfer to a deposit wallet is confirmed. transaction.withdrawal: an outgoing transfer is confirmed. transaction.payment: an incoming transfer to a payment wallet is confirmed. transaction.reversed: a confirmed transaction has left the chain. transaction.pending: a transaction is on the chain, not yet confirmed. transaction.dropped: a pending transaction has left the chain. wallet.balance_below: a wallet's confirmed balance is below a threshold. wallet.balance_restored: a wallet's confirmed balance was below a threshold and is restored. token.unlisted: a wallet got a token that is not configured, in a confirmed block. webhook.test: the business tried its webhook.
                             * @example transaction.deposit
                             */
                            event: string;
                            /**
                             * @description waiting: its next attempt is due at a time. delivered: an attempt was accepted. exhausted: every attempt has failed. held: waiting, but the webhook is inactive or there is none. cancelled: the webhook was deleted. filtered: the filter of the first webhook left it out.
                             * @enum {string}
                             */
                            status: "waiting" | "delivered" | "exhausted" | "held" | "cancelled" | "filtered";
                            /**
                             * @description The id of the transaction. Null: the notification is about none.
                             * @example 01a20098-8fc0-7006-8000-07e22e7f4d94
                             */
                            transaction_id: string | null;
                            /**
                             * Format: date-time
                             * @description When it was created.
                             * @example 2026-01-31T12:00:00.000Z
                             */
                            created_at: string;
                            /** @description When the receiver answered 2xx. Null: not yet. */
                            delivered_at: string | null;
                            /**
                             * @description The number of attempts so far, at the first webhook.
                             * @example 1
                             */
                            attempt_count: number;
                            /** @description The body that is sent, as an object. */
                            payload: {
                                [key: string]: unknown;
                            };
                            /**
                             * @description The body as text: exactly the bytes that are signed and sent.
                             * @example {"id":"01a20098-39e4-7000-8000-02911919b011","event":"transaction.deposit"}
                             */
                            body: string;
                            /** @description Every attempt, the oldest first. */
                            attempts: components["schemas"]["AttemptWithRequest"][];
                        };
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAccessTokenOrInvalidApiKey"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotificationNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    redeliverNotification: {
        parameters: {
            query?: {
                /** @description The id of the webhook that gets it. Left out: the first webhook. */
                webhook_id?: string;
            };
            header?: {
                /** @description A key of your choice. A repeated request with the same key is carried out once, and gets the first answer again for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id of the notification. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Taken up. */
            202: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "id": "01a20098-2c90-7000-8000-5b7d3e9a1c42",
                     *         "delivery_id": "01a20098-8fc1-7000-8000-2d6b8e4f0a13"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /**
                             * Format: uuid
                             * @description The id of the notification.
                             * @example 01a20098-2c90-7000-8000-5b7d3e9a1c42
                             */
                            id: string;
                            /**
                             * Format: uuid
                             * @description The id of the delivery that this request made.
                             * @example 01a20098-8fc1-7000-8000-2d6b8e4f0a13
                             */
                            delivery_id: string;
                        };
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAccessTokenOrInvalidApiKey"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotificationNotFoundOrWebhookNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["DeliveryInFlightOrIdempotencyAnswerLostOrIdempotencyKeyInUseOrWebhookInactive"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    getOpenMatters: {
        parameters: {
            query?: {
                /**
                 * @description A month such as 2026-10. Give it instead of `from` and `to`.
                 * @example 2026-10
                 */
                month?: components["parameters"]["Month"];
                /** @description The beginning of the period: a date, or a moment at a quarter of an hour. It is included. */
                from?: string;
                /** @description The end of the period, in the form of `from`. It is not included. */
                to?: string;
                /** @description The time zone of months and dates, such as Europe/Zurich. Left out: UTC. */
                time_zone?: components["parameters"]["TimeZone"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "from": "2026-01-31T12:00:00.000Z",
                     *         "to": "2026-01-31T12:00:00.000Z",
                     *         "time_zone": "Europe/Zurich",
                     *         "open": [
                     *           {
                     *             "kind": "period_not_over",
                     *             "blockchain": "ethereum",
                     *             "wallet_id": "01a20098-39e4-7000-8000-02911919b011",
                     *             "asset": "USDC",
                     *             "transaction_id": "01a20098-8fc0-7006-8000-07e22e7f4d94",
                     *             "what": "balance",
                     *             "values": {
                     *               "block_number": 21000000,
                     *               "ledger": "1.5",
                     *               "chain": "2"
                     *             }
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /**
                             * Format: date-time
                             * @description The beginning of the period. It is included.
                             * @example 2026-01-31T12:00:00.000Z
                             */
                            from: string;
                            /**
                             * Format: date-time
                             * @description The end of the period. It is not included.
                             * @example 2026-01-31T12:00:00.000Z
                             */
                            to: string;
                            /**
                             * @description The time zone of its days and months.
                             * @example Europe/Zurich
                             */
                            time_zone: string;
                            /** @description The open matters of the period. Empty: the ledger knows of none. */
                            open: {
                                /**
                                 * @description period_not_over: a chain has not confirmed the end of the period. held: a transaction waits for its proof, or for the word of more hosts. unconfirmed: a transaction of the period is not confirmed yet. opening_not_read: the first balance of a wallet was not read yet. chain_not_configured: the business has money on a chain that the configuration does not name. chain_unreadable: the business has wallets on a chain that cannot be read until somebody mends its configuration or state. differs: the ledger and the chain have different balances. ledger_finding: the ledger does not agree with itself; where it names no business, none is closed. proof_differs: a proof contradicts a balance of the attestation. file_changed: a file of the folder is not as it was written.
                                 * @enum {string}
                                 */
                                kind: "period_not_over" | "held" | "unconfirmed" | "opening_not_read" | "chain_not_configured" | "chain_unreadable" | "differs" | "ledger_finding" | "proof_differs" | "file_changed";
                                /**
                                 * @description The configured name of the chain.
                                 * @example ethereum
                                 */
                                blockchain: string | null;
                                /**
                                 * @description The id of the wallet.
                                 * @example 01a20098-39e4-7000-8000-02911919b011
                                 */
                                wallet_id: string | null;
                                /**
                                 * @description The code of the asset.
                                 * @example USDC
                                 */
                                asset: string | null;
                                /**
                                 * @description The id of the transaction. Null: the notification is about none.
                                 * @example 01a20098-8fc0-7006-8000-07e22e7f4d94
                                 */
                                transaction_id: string | null;
                                /**
                                 * @description The matter in words.
                                 * @example balance
                                 */
                                what: string;
                                /**
                                 * @description The values in `what` that stand in no other field. `differs` has the block, the ledger's balance and the chain's.
                                 * @example {
                                 *       "block_number": 21000000,
                                 *       "ledger": "1.5",
                                 *       "chain": "2"
                                 *     }
                                 */
                                values: {
                                    [key: string]: string | number;
                                };
                            }[];
                        };
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAccessTokenOrInvalidApiKey"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    listReconciliations: {
        parameters: {
            query?: {
                /** @description The most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description The place at which the page begins: the `next_cursor` of the page before. Left out: the first page. */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": [
                     *         {
                     *           "id": "01a20098-2c90-7000-8000-5b7d3e9a1c42",
                     *           "created_at": "2026-01-31T12:00:00.000Z",
                     *           "finished_at": "2026-01-31T12:00:00.000Z",
                     *           "format": "csv",
                     *           "digest": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *           "credits": 1,
                     *           "from": "2026-01-31T12:00:00.000Z",
                     *           "to": "2026-01-31T12:00:00.000Z",
                     *           "counts": {
                     *             "matches": 1,
                     *             "not_received": 1,
                     *             "not_credited": 1,
                     *             "credited_twice": 1,
                     *             "other_wallet": 1,
                     *             "other_asset": 1,
                     *             "other_amount": 1,
                     *             "before_confirmed": 1,
                     *             "reversed": 0,
                     *             "malformed": 1
                     *           },
                     *           "assets": [
                     *             {
                     *               "asset": "USDC",
                     *               "credits": 1,
                     *               "credited": "1.5",
                     *               "received": "1.5",
                     *               "difference": "1.5"
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "next_cursor": "MDFhMjAwOTgtOGZjMC03MDA2LTgwMDAtMDdlMjJlN2Y0ZDk0"
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["CreditCheck"][];
                        /**
                         * @description The place of the next page. Send it as `cursor`. Null: this is the last page.
                         * @example MDFhMjAwOTgtOGZjMC03MDA2LTgwMDAtMDdlMjJlN2Y0ZDk0
                         */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAccessTokenOrInvalidApiKey"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    createReconciliation: {
        parameters: {
            query?: {
                /** @description The beginning of the period of the money that was to be credited, by the times of the blocks. It is included. Left out: the time of the oldest credit. */
                from?: string;
                /** @description The end of that period. It is not included. Left out: the time of the newest credit. */
                to?: string;
            };
            header?: {
                /** @description A key of your choice. A repeated request with the same key is carried out once, and gets the first answer again for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example transaction_id,asset,amount,reference,credited_at
                 *     01a20098-8fc0-8000-8000-02911919b011,ETH,1,credit-1,2026-01-31T12:00:00Z
                 */
                "text/csv": string;
                /**
                 * @example transaction_id,asset,amount,reference,credited_at
                 *     01a20098-8fc0-8000-8000-02911919b011,ETH,1,credit-1,2026-01-31T12:00:00Z
                 */
                "application/x-ndjson": string;
            };
        };
        responses: {
            /** @description Made. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "id": "01a20098-2c90-7000-8000-5b7d3e9a1c42",
                     *         "created_at": "2026-01-31T12:00:00.000Z",
                     *         "finished_at": "2026-01-31T12:00:00.000Z",
                     *         "format": "csv",
                     *         "digest": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *         "credits": 1,
                     *         "from": "2026-01-31T12:00:00.000Z",
                     *         "to": "2026-01-31T12:00:00.000Z",
                     *         "counts": {
                     *           "matches": 1,
                     *           "not_received": 1,
                     *           "not_credited": 1,
                     *           "credited_twice": 1,
                     *           "other_wallet": 1,
                     *           "other_asset": 1,
                     *           "other_amount": 1,
                     *           "before_confirmed": 1,
                     *           "reversed": 0,
                     *           "malformed": 1
                     *         },
                     *         "assets": [
                     *           {
                     *             "asset": "USDC",
                     *             "credits": 1,
                     *             "credited": "1.5",
                     *             "received": "1.5",
                     *             "difference": "1.5"
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["CreditCheck"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAccessTokenOrInvalidApiKey"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyAnswerLostOrIdempotencyKeyInUseOrReconciliationRunning"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    listReconciliation: {
        parameters: {
            query?: {
                /** @description Only lines with this verdict. */
                verdict?: "matches" | "not_received" | "not_credited" | "credited_twice" | "other_wallet" | "other_asset" | "other_amount" | "before_confirmed" | "reversed" | "malformed";
                /** @description True: only lines that differ from the run before, or that it did not have. Within the period, also lines that only that run had. */
                changes?: boolean;
                /** @description The most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description The place at which the page begins: the `next_cursor` of the page before. Left out: the first page. */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path: {
                /** @description The id of the run. */
                reconciliation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": [
                     *         {
                     *           "line": 1,
                     *           "verdict": "matches",
                     *           "cause": "decimals",
                     *           "likely_cause": "The amounts differ by a power of ten: one was read with other decimals.",
                     *           "next_step": "Correct the credit. Take the decimal amount of the notification as it is.",
                     *           "change": "new",
                     *           "reference": "customer-17",
                     *           "credited_at": "2026-01-31T12:00:00.000Z",
                     *           "asset": "USDC",
                     *           "amount": "1.5",
                     *           "transaction_id": "01a20098-8fc0-7006-8000-07e22e7f4d94",
                     *           "tx_hash": "0x825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f",
                     *           "wallet_id": "01a20098-39e4-7000-8000-02911919b011",
                     *           "address": "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc",
                     *           "received": {
                     *             "asset": "USDC",
                     *             "amount": "1.5"
                     *           },
                     *           "problem": "amount: missing",
                     *           "problem_code": "missing",
                     *           "problem_values": {
                     *             "field": "amount"
                     *           },
                     *           "text": "01a20098-8fc0-8000-8000-02911919b011,ETH,,credit-1,2026-01-31T12:00:00Z"
                     *         }
                     *       ],
                     *       "next_cursor": "MDFhMjAwOTgtOGZjMC03MDA2LTgwMDAtMDdlMjJlN2Y0ZDk0",
                     *       "reconciliation": {
                     *         "id": "01a20098-2c90-7000-8000-5b7d3e9a1c42",
                     *         "created_at": "2026-01-31T12:00:00.000Z",
                     *         "finished_at": "2026-01-31T12:00:00.000Z",
                     *         "format": "csv",
                     *         "digest": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *         "credits": 1,
                     *         "from": "2026-01-31T12:00:00.000Z",
                     *         "to": "2026-01-31T12:00:00.000Z",
                     *         "counts": {
                     *           "matches": 1,
                     *           "not_received": 1,
                     *           "not_credited": 1,
                     *           "credited_twice": 1,
                     *           "other_wallet": 1,
                     *           "other_asset": 1,
                     *           "other_amount": 1,
                     *           "before_confirmed": 1,
                     *           "reversed": 0,
                     *           "malformed": 1
                     *         },
                     *         "assets": [
                     *           {
                     *             "asset": "USDC",
                     *             "credits": 1,
                     *             "credited": "1.5",
                     *             "received": "1.5",
                     *             "difference": "1.5"
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["CheckedCredit"][];
                        /**
                         * @description The place of the next page. Send it as `cursor`. Null: this is the last page.
                         * @example MDFhMjAwOTgtOGZjMC03MDA2LTgwMDAtMDdlMjJlN2Y0ZDk0
                         */
                        next_cursor: string | null;
                        /** @description The run, as the list of runs shows it. */
                        reconciliation: components["schemas"]["CreditCheck"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAccessTokenOrInvalidApiKey"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["ReconciliationNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    search: {
        parameters: {
            query: {
                /**
                 * @description The text to find: a transaction's hash or an address, whole or shortened as 0x825d…4c7f. Or an id, an amount with its asset, or the number of a notification such as No. 4. Or a part of a reference, a label or a name.
                 * @example order-17
                 */
                q: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": [
                     *         {
                     *           "kind": "transaction",
                     *           "id": "01a20098-2c90-7000-8000-5b7d3e9a1c42",
                     *           "label": "shop in Lisbon",
                     *           "detail": "deposit completed ethereum",
                     *           "business_id": "01a20098-1f40-7000-8000-3c9e5a7d2b18"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Found"][];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAccessTokenOrInvalidApiKey"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    listSightings: {
        parameters: {
            query?: {
                /** @description Only this chain, by its configured name. */
                blockchain?: components["parameters"]["Blockchain"];
                /** @description Only this wallet, by its id. */
                wallet_id?: components["parameters"]["WalletId"];
                /** @description Only transfers of this contract. */
                contract?: components["parameters"]["Contract"];
                /** @description Only transactions with this hash: whole, its first six digits or more, or both ends as in 0x825d…4c7f. */
                tx_hash?: components["parameters"]["TxHash"];
                /** @description Only from this date or time on. It is included. */
                from?: string;
                /** @description Only before this date or time. It is not included. */
                to?: string;
                /** @description The most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description The place at which the page begins: the `next_cursor` of the page before. Left out: the first page. */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    "chainbell-read-from": components["headers"]["ReadFrom"];
                    "chainbell-staleness-ms": components["headers"]["StalenessMs"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": [
                     *         {
                     *           "id": "01a20098-2c90-7000-8000-5b7d3e9a1c42",
                     *           "status": "pending",
                     *           "blockchain": "ethereum",
                     *           "wallet_id": "01a20098-39e4-7000-8000-02911919b011",
                     *           "reference": "customer-17",
                     *           "label": "shop in Lisbon",
                     *           "contract": "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc",
                     *           "unverified_symbol": "USDT",
                     *           "raw_amount": "12500000",
                     *           "tx_hash": "0x825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f",
                     *           "from_address": "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc",
                     *           "to_address": "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc",
                     *           "block_number": 21000000,
                     *           "log_index": 17,
                     *           "date": "2026-01-31T12:00:00.000Z",
                     *           "proof": "root",
                     *           "lookalike_of": "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc"
                     *         }
                     *       ],
                     *       "next_cursor": "MDFhMjAwOTgtOGZjMC03MDA2LTgwMDAtMDdlMjJlN2Y0ZDk0"
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Sighting"][];
                        /**
                         * @description The place of the next page. Send it as `cursor`. Null: this is the last page.
                         * @example MDFhMjAwOTgtOGZjMC03MDA2LTgwMDAtMDdlMjJlN2Y0ZDk0
                         */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAccessTokenOrInvalidApiKey"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    getStatements: {
        parameters: {
            query?: {
                /**
                 * @description A month such as 2026-10. Give it instead of `from` and `to`.
                 * @example 2026-10
                 */
                month?: components["parameters"]["Month"];
                /** @description The beginning of the period: a date, or a moment at a quarter of an hour. It is included. */
                from?: string;
                /** @description The end of the period, in the form of `from`. It is not included. */
                to?: string;
                /** @description The time zone of months and dates, such as Europe/Zurich. Left out: UTC. */
                time_zone?: components["parameters"]["TimeZone"];
                /** @description Only this chain, by its configured name. */
                blockchain?: components["parameters"]["Blockchain"];
                /** @description Only this asset, by its code. */
                asset?: components["parameters"]["Asset"];
                /** @description Only this wallet, by its id. */
                wallet_id?: components["parameters"]["WalletId"];
                /** @description Only wallets with this label. */
                label?: components["parameters"]["Label"];
                /** @description Only wallets whose reference begins so. */
                reference_prefix?: components["parameters"]["ReferencePrefix"];
                /** @description True: make a new statement even if one of this period exists. False, the default: answer with the existing one. */
                anew?: boolean;
                /** @description The form of the statement. Left out: the form that `Accept` prefers, or `jsonl` if it names none of them. */
                format?: components["parameters"]["Format"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example {"id":"…","line":"statement","statement":1,…} */
                    "application/x-ndjson": string;
                    /** @example {"id":"…","line":"statement","statement":1,…} */
                    "text/csv": string;
                    /** @example {"id":"…","line":"statement","statement":1,…} */
                    "text/html": string;
                    /** @example {"id":"…","line":"statement","statement":1,…} */
                    "application/vnd.apache.parquet": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAccessTokenOrInvalidApiKey"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["ChainNotFoundOrWalletNotFound"];
            409: components["responses"]["LimitReached"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    listStatementAll: {
        parameters: {
            query?: {
                /** @description The most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description The place at which the page begins: the `next_cursor` of the page before. Left out: the first page. */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": [
                     *         {
                     *           "id": "01a20098-2c90-7000-8000-5b7d3e9a1c42",
                     *           "business_id": "01a20098-1f40-7000-8000-3c9e5a7d2b18",
                     *           "made_at": "2026-01-31T12:00:00.000Z",
                     *           "made_by": "01a20098-21a8-7000-8000-7e4c2f9b6d50",
                     *           "made_via": "api",
                     *           "from": "2026-01-31T12:00:00.000Z",
                     *           "to": "2026-01-31T12:00:00.000Z",
                     *           "time_zone": "Europe/Zurich",
                     *           "filter": {
                     *             "blockchain": "ethereum",
                     *             "asset": "USDC",
                     *             "wallet_id": "01a20098-39e4-7000-8000-02911919b011",
                     *             "label": "shop in Lisbon",
                     *             "reference_prefix": "customer-"
                     *           },
                     *           "final": true,
                     *           "holdings": 1,
                     *           "unknown_openings": 1,
                     *           "entries": 86579,
                     *           "unpriced": 1,
                     *           "unconfirmed": 1,
                     *           "digest": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *           "signature": {
                     *             "key_id": "5b0c6d3f9a1e7742",
                     *             "algorithm": "ed25519",
                     *             "value": "q0Zrq0Zrq0Zrq0Zrq0Zrq0Zrq0Zrq0Zrq0Zrq0Zrq0Zrq0Zrq0Zrq0Zrq0Zrq0Zrq0Zrq0Zrq0Zrq0Zrq0ZrBw=="
                     *           },
                     *           "chains": [
                     *             {
                     *               "blockchain": "ethereum",
                     *               "chain_id": 1,
                     *               "opening": {
                     *                 "block": 1,
                     *                 "block_hash": "0x825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f",
                     *                 "block_time": "2026-01-31T12:00:00.000Z",
                     *                 "seal": 1,
                     *                 "seal_hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *                 "final": true
                     *               },
                     *               "closing": {
                     *                 "block": 1,
                     *                 "block_hash": "0x825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f",
                     *                 "block_time": "2026-01-31T12:00:00.000Z",
                     *                 "seal": 1,
                     *                 "seal_hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *                 "final": true
                     *               }
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "next_cursor": "MDFhMjAwOTgtOGZjMC03MDA2LTgwMDAtMDdlMjJlN2Y0ZDk0"
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Statement"][];
                        /**
                         * @description The place of the next page. Send it as `cursor`. Null: this is the last page.
                         * @example MDFhMjAwOTgtOGZjMC03MDA2LTgwMDAtMDdlMjJlN2Y0ZDk0
                         */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAccessTokenOrInvalidApiKey"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    listStatementMaking: {
        parameters: {
            query?: {
                /** @description The most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description The place at which the page begins: the `next_cursor` of the page before. Left out: the first page. */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": [
                     *         {
                     *           "id": "01a20098-2c90-7000-8000-5b7d3e9a1c42",
                     *           "begun_at": "2026-01-31T12:00:00.000Z",
                     *           "from": "2026-01-31T12:00:00.000Z",
                     *           "to": "2026-01-31T12:00:00.000Z",
                     *           "time_zone": "Europe/Zurich",
                     *           "filter": {
                     *             "blockchain": "ethereum",
                     *             "asset": "USDC",
                     *             "wallet_id": "01a20098-39e4-7000-8000-02911919b011",
                     *             "label": "shop in Lisbon",
                     *             "reference_prefix": "customer-"
                     *           },
                     *           "entries": 86579,
                     *           "entries_expected": 1
                     *         }
                     *       ],
                     *       "next_cursor": "MDFhMjAwOTgtOGZjMC03MDA2LTgwMDAtMDdlMjJlN2Y0ZDk0"
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["StatementUnderWay"][];
                        /**
                         * @description The place of the next page. Send it as `cursor`. Null: this is the last page.
                         * @example MDFhMjAwOTgtOGZjMC03MDA2LTgwMDAtMDdlMjJlN2Y0ZDk0
                         */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAccessTokenOrInvalidApiKey"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    getStatement: {
        parameters: {
            query?: {
                /** @description The form of the statement. Left out: the form that `Accept` prefers, or `jsonl` if it names none of them. */
                format?: components["parameters"]["Format"];
            };
            header?: never;
            path: {
                /** @description The id of the statement. */
                statement_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example {"id":"…","line":"statement","statement":1,…} */
                    "application/x-ndjson": string;
                    /** @example {"id":"…","line":"statement","statement":1,…} */
                    "text/csv": string;
                    /** @example {"id":"…","line":"statement","statement":1,…} */
                    "text/html": string;
                    /** @example {"id":"…","line":"statement","statement":1,…} */
                    "application/vnd.apache.parquet": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAccessTokenOrInvalidApiKey"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["StatementNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    getTotals: {
        parameters: {
            query?: {
                /**
                 * @description A month such as 2026-10. Give it instead of `from` and `to`.
                 * @example 2026-10
                 */
                month?: components["parameters"]["Month"];
                /** @description The beginning of the period: a date, or a moment at a quarter of an hour. It is included. */
                from?: string;
                /** @description The end of the period, in the form of `from`. It is not included. */
                to?: string;
                /** @description The time zone of months and dates, such as Europe/Zurich. Left out: UTC. */
                time_zone?: components["parameters"]["TimeZone"];
                /** @description The groups into which each asset is divided, with commas between them: blockchain, type, label, day, month. */
                by?: string;
                /** @description Only this chain, by its configured name. */
                blockchain?: components["parameters"]["Blockchain"];
                /** @description Only this asset, by its code. */
                asset?: components["parameters"]["Asset"];
                /** @description Only this wallet, by its id. */
                wallet_id?: components["parameters"]["WalletId"];
                /** @description Only wallets with this label. */
                label?: components["parameters"]["Label"];
                /** @description Only wallets whose reference begins so. */
                reference_prefix?: components["parameters"]["ReferencePrefix"];
                /** @description Only transactions of this type. */
                type?: components["parameters"]["Type"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    "chainbell-read-from": components["headers"]["ReadFrom"];
                    "chainbell-staleness-ms": components["headers"]["StalenessMs"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": [
                     *         {
                     *           "asset": "USDC",
                     *           "blockchain": "ethereum",
                     *           "type": "deposit",
                     *           "label": "shop in Lisbon",
                     *           "period": "2026-10",
                     *           "completed": {
                     *             "count": 3,
                     *             "in": "1.5",
                     *             "out": "1.5",
                     *             "usd_in": "1.5",
                     *             "usd_out": "1.5",
                     *             "unpriced": 1
                     *           },
                     *           "pending": {
                     *             "count": 3,
                     *             "in": "1.5",
                     *             "out": "1.5"
                     *           },
                     *           "reversed": {
                     *             "count": 3,
                     *             "in": "1.5",
                     *             "out": "1.5"
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Total"][];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAccessTokenOrInvalidApiKey"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["ChainNotFoundOrWalletNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    listTransactions: {
        parameters: {
            query?: {
                /** @description Only transactions of this type. */
                type?: components["parameters"]["Type"];
                /** @description Only this asset, by its code. */
                asset?: components["parameters"]["Asset"];
                /** @description Only this chain, by its configured name. */
                blockchain?: components["parameters"]["Blockchain"];
                /** @description Only rows of this status. */
                status?: "pending" | "completed" | "dropped" | "reversed";
                /** @description Only this wallet, by its id. */
                wallet_id?: components["parameters"]["WalletId"];
                /**
                 * @description Only rows of wallets whose reference or label contains this text, or whose address begins with it, in any case. Removed wallets count too. It matches at most 5,000 wallets, in a business with at most 100,000.
                 * @example order-
                 */
                q?: string;
                /** @description Only transactions with this hash: whole, its first six digits or more, or both ends as in 0x825d…4c7f. */
                tx_hash?: components["parameters"]["TxHash"];
                /** @description The order of the rows. `time`, the default: newest first. `amount`: largest first. It needs `asset`, and leaves out fees and corrections. A row whose amount a reorg changes may move to another page. */
                sort?: components["parameters"]["Sort"];
                /** @description Only from this date or time on. It is included. */
                from?: string;
                /** @description Only before this date or time. It is not included. */
                to?: string;
                /** @description The most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description The place at which the page begins: the `next_cursor` of the page before. Left out: the first page. */
                cursor?: components["parameters"]["Cursor"];
                /** @description Further fields of each row, with commas between them: `block_number`, `block_hash`, `log_index`, `trace_path`, `proof`, `since_block`, `confirmed_alone`, `required_confirmations`, `fee`, `usd_value`, `label`, `reference`, `seen_at`, `completed_at`. */
                include?: string;
                /** @description True: `openings` is added to the answer, with the balances from before the wallet was watched. It needs `wallet_id`. */
                openings?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    "chainbell-read-from": components["headers"]["ReadFrom"];
                    "chainbell-staleness-ms": components["headers"]["StalenessMs"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": [
                     *         {
                     *           "id": "01a20098-2c90-7000-8000-5b7d3e9a1c42",
                     *           "type": "deposit",
                     *           "amount": "1.5",
                     *           "asset": "USDC",
                     *           "status": "pending",
                     *           "date": "2026-01-31T12:00:00.000Z",
                     *           "wallet_id": "01a20098-39e4-7000-8000-02911919b011",
                     *           "blockchain": "ethereum",
                     *           "tx_hash": "0x825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f",
                     *           "from_address": "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc",
                     *           "to_address": "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc",
                     *           "memo": "0x825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f",
                     *           "virtual_address": "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc",
                     *           "confirmations": 12,
                     *           "block_number": 21000000,
                     *           "block_hash": "0x825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f",
                     *           "log_index": 17,
                     *           "trace_path": "0.1",
                     *           "proof": "root",
                     *           "since_block": 20999000,
                     *           "confirmed_alone": true,
                     *           "required_confirmations": 12,
                     *           "fee": {
                     *             "amount": "1.5",
                     *             "asset": "USDC"
                     *           },
                     *           "usd_value": "1.5",
                     *           "label": "shop in Lisbon",
                     *           "reference": "customer-17",
                     *           "seen_at": "2026-01-31T12:00:00.000Z",
                     *           "completed_at": "2026-01-31T12:00:00.000Z",
                     *           "lookalike_of": "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc"
                     *         }
                     *       ],
                     *       "next_cursor": "MDFhMjAwOTgtOGZjMC03MDA2LTgwMDAtMDdlMjJlN2Y0ZDk0",
                     *       "openings": [
                     *         {
                     *           "kind": "opening",
                     *           "asset": "USDC",
                     *           "amount": "1.5",
                     *           "block_number": 21000000,
                     *           "recorded_at": "2026-01-31T12:00:00.000Z",
                     *           "proof": "state"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Transaction"][];
                        /**
                         * @description The place of the next page. Send it as `cursor`. Null: this is the last page.
                         * @example MDFhMjAwOTgtOGZjMC03MDA2LTgwMDAtMDdlMjJlN2Y0ZDk0
                         */
                        next_cursor: string | null;
                        /** @description The balances from when the wallet began to be watched. */
                        openings?: components["schemas"]["Opening"][];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAccessTokenOrInvalidApiKey"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["WalletNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    countTransactions: {
        parameters: {
            query?: {
                /** @description The width of each row: an hour or a day. */
                bucket?: components["parameters"]["Bucket"];
                /** @description Only from this date or time on. It is included. */
                from?: string;
                /** @description Only before this date or time. It is not included. */
                to?: string;
                /** @description Only this wallet, by its id. */
                wallet_id?: components["parameters"]["WalletId"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    "chainbell-read-from": components["headers"]["ReadFrom"];
                    "chainbell-staleness-ms": components["headers"]["StalenessMs"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": [
                     *         {
                     *           "at": "2026-01-31T12:00:00.000Z",
                     *           "deposits": 1,
                     *           "payments": 1,
                     *           "withdrawals": 1,
                     *           "reversed": 0
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["TransactionCount"][];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAccessTokenOrInvalidApiKey"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    getTransaction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the transaction. */
                transaction_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "id": "01a20098-2c90-7000-8000-5b7d3e9a1c42",
                     *         "type": "deposit",
                     *         "amount": "1.5",
                     *         "asset": "USDC",
                     *         "status": "pending",
                     *         "date": "2026-01-31T12:00:00.000Z",
                     *         "wallet_id": "01a20098-39e4-7000-8000-02911919b011",
                     *         "blockchain": "ethereum",
                     *         "tx_hash": "0x825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f",
                     *         "from_address": "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc",
                     *         "to_address": "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc",
                     *         "memo": "0x825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f",
                     *         "virtual_address": "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc",
                     *         "confirmations": 12,
                     *         "block_number": 21000000,
                     *         "block_hash": "0x825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f",
                     *         "log_index": 17,
                     *         "trace_path": "0.1",
                     *         "proof": "root",
                     *         "since_block": 20999000,
                     *         "confirmed_alone": true,
                     *         "required_confirmations": 12,
                     *         "fee": {
                     *           "amount": "1.5",
                     *           "asset": "USDC"
                     *         },
                     *         "usd_value": "1.5",
                     *         "label": "shop in Lisbon",
                     *         "reference": "customer-17",
                     *         "seen_at": "2026-01-31T12:00:00.000Z",
                     *         "completed_at": "2026-01-31T12:00:00.000Z",
                     *         "lookalike_of": "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc",
                     *         "notifications": [
                     *           {
                     *             "id": "01a20098-2c90-7000-8000-5b7d3e9a1c42",
                     *             "event": "transaction.deposit",
                     *             "status": "waiting",
                     *             "attempts": 1,
                     *             "created_at": "2026-01-31T12:00:00.000Z",
                     *             "delivered_at": "2026-01-31T12:00:00.000Z",
                     *             "last_attempt_at": "2026-01-31T12:00:00.000Z",
                     *             "next_attempt_at": "2026-01-31T12:00:00.000Z",
                     *             "reverses_notification_id": "01a20098-8fc0-8006-8000-1e92b23647fa",
                     *             "deliveries": [
                     *               {
                     *                 "webhook_id": "01a20098-8e18-7000-8000-4c1f0a7d2e35",
                     *                 "url": "https://example.com/hook",
                     *                 "status": "waiting",
                     *                 "attempts": 1,
                     *                 "delivered_at": "2026-01-31T12:00:00.000Z"
                     *               }
                     *             ]
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["TransactionDetail"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAccessTokenOrInvalidApiKey"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["TransactionNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    listWallets: {
        parameters: {
            query?: {
                /** @description Only this chain, by its configured name. */
                blockchain?: components["parameters"]["Blockchain"];
                /** @description Only rows of this status. */
                status?: components["parameters"]["Status"];
                /**
                 * @description Only wallets whose reference or label contains this text, or whose address begins with it, in any case.
                 * @example order-
                 */
                q?: components["parameters"]["Q"];
                /** @description Only wallets that were added at this date or time, or later. */
                from?: components["parameters"]["From"];
                /** @description Only wallets that were added before this date or time. */
                to?: components["parameters"]["To"];
                /** @description Only wallets of this address, in any case. */
                address?: string;
                /** @description Only wallets with this reference. */
                reference?: string;
                /** @description Only wallets with this label. */
                label?: components["parameters"]["Label"];
                /** @description The most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description The place at which the page begins: the `next_cursor` of the page before. Left out: the first page. */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": [
                     *         {
                     *           "wallet_id": "01a20098-39e4-7000-8000-02911919b011",
                     *           "blockchain": "ethereum",
                     *           "address": "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc",
                     *           "currencies": [
                     *             "ETH",
                     *             "USDC"
                     *           ],
                     *           "label": "shop in Lisbon",
                     *           "reference": "customer-17",
                     *           "purpose": "deposit",
                     *           "status": "syncing",
                     *           "from_block": 20000000,
                     *           "history": "filling",
                     *           "created_at": "2026-01-31T12:00:00.000Z"
                     *         }
                     *       ],
                     *       "next_cursor": "MDFhMjAwOTgtOGZjMC03MDA2LTgwMDAtMDdlMjJlN2Y0ZDk0"
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Wallet"][];
                        /**
                         * @description The place of the next page. Send it as `cursor`. Null: this is the last page.
                         * @example MDFhMjAwOTgtOGZjMC03MDA2LTgwMDAtMDdlMjJlN2Y0ZDk0
                         */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAccessTokenOrInvalidApiKey"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    createWallet: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice. A repeated request with the same key is carried out once, and gets the first answer again for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "blockchain": "ethereum",
                 *       "address": "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc",
                 *       "purpose": "deposit",
                 *       "reference": "customer-17",
                 *       "label": "shop in Lisbon"
                 *     }
                 */
                "application/json": components["schemas"]["OwnWallet"] | {
                    /** @description The wallets, all of which are added or none. */
                    wallets: components["schemas"]["OwnWallet"][];
                };
            };
        };
        responses: {
            /** @description Made. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "wallet_id": "01a20098-39e4-7000-8000-02911919b011",
                     *         "blockchain": "ethereum",
                     *         "address": "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc",
                     *         "currencies": [
                     *           "ETH",
                     *           "USDC"
                     *         ],
                     *         "label": "shop in Lisbon",
                     *         "reference": "customer-17",
                     *         "purpose": "deposit",
                     *         "status": "syncing",
                     *         "from_block": 20000000,
                     *         "history": "filling",
                     *         "created_at": "2026-01-31T12:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Wallet"] | components["schemas"]["Wallet"][];
                    };
                };
            };
            400: components["responses"]["InvalidAddressOrInvalidRequestOrUnknownBlockchain"];
            401: components["responses"]["InvalidAccessTokenOrInvalidApiKey"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    getWallet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the wallet. */
                wallet_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "wallet_id": "01a20098-39e4-7000-8000-02911919b011",
                     *         "blockchain": "ethereum",
                     *         "address": "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc",
                     *         "currencies": [
                     *           "ETH",
                     *           "USDC"
                     *         ],
                     *         "label": "shop in Lisbon",
                     *         "reference": "customer-17",
                     *         "purpose": "deposit",
                     *         "status": "syncing",
                     *         "from_block": 20000000,
                     *         "history": "filling",
                     *         "created_at": "2026-01-31T12:00:00.000Z",
                     *         "thresholds": [
                     *           {
                     *             "asset": "USDC",
                     *             "below": "1.5",
                     *             "restored_from": "1.5",
                     *             "is_below": true,
                     *             "since": "2026-01-31T12:00:00.000Z"
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["WalletDetail"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAccessTokenOrInvalidApiKey"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["WalletNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    getWalletBalances: {
        parameters: {
            query?: {
                /** @description A confirmed block's number, or a date or time. Left out: the confirmed height. */
                at?: string;
            };
            header?: never;
            path: {
                /** @description The id of the wallet. */
                wallet_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "wallet_id": "01a20098-39e4-7000-8000-02911919b011",
                     *         "blockchain": "ethereum",
                     *         "block_number": 21000000,
                     *         "block_hash": "0x825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f",
                     *         "balances": [
                     *           {
                     *             "asset": "USDC",
                     *             "amount": "1.5",
                     *             "compared_block": 1
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["WalletBalances"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAccessTokenOrInvalidApiKey"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["WalletNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    getWalletThreshold: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the wallet. */
                wallet_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "thresholds": [
                 *         {
                 *           "asset": "ETH",
                 *           "below": "1.5",
                 *           "restored_from": "2"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description The thresholds of the wallet, the whole list. */
                    thresholds: components["schemas"]["ThresholdAsked"][];
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": [
                     *         {
                     *           "asset": "USDC",
                     *           "below": "1.5",
                     *           "restored_from": "1.5",
                     *           "is_below": true,
                     *           "since": "2026-01-31T12:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Threshold"][];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAccessTokenOrInvalidApiKey"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["WalletNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "id": "01a20098-2c90-7000-8000-5b7d3e9a1c42",
                     *         "url": "https://example.com/hook",
                     *         "description": "Credits of the shop",
                     *         "additional": true,
                     *         "is_active": true,
                     *         "created_at": "2026-01-31T12:00:00.000Z",
                     *         "last_success_at": "2026-01-31T12:00:00.000Z",
                     *         "consecutive_failures": 1,
                     *         "disabled_at": "2026-01-31T12:00:00.000Z",
                     *         "disabled_reason": null,
                     *         "rate": 50,
                     *         "filter": {
                     *           "events": [
                     *             "transaction.deposit"
                     *           ],
                     *           "blockchains": [
                     *             "ethereum"
                     *           ],
                     *           "assets": [
                     *             "ETH",
                     *             "USDC"
                     *           ],
                     *           "wallet_ids": [
                     *             "01a20098-39e4-7000-8000-02911919b011"
                     *           ],
                     *           "references": [
                     *             "shop-"
                     *           ],
                     *           "min_amount": {
                     *             "USDC": "1000"
                     *           },
                     *           "min_usd": "1000"
                     *         },
                     *         "wants": "transaction.deposit, of USDC, from 1000 USDC",
                     *         "order": "none",
                     *         "on_exhausted": "continue",
                     *         "circuit": "closed",
                     *         "circuit_opened_at": "2026-01-31T12:00:00.000Z",
                     *         "circuit_retry_at": "2026-01-31T12:00:00.000Z",
                     *         "event": "*",
                     *         "overlap_ends_at": "2026-01-31T12:00:00.000Z",
                     *         "header_names": [
                     *           "Authorization"
                     *         ],
                     *         "client_certificate": {
                     *           "fingerprint": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *           "expires_at": "2026-01-31T12:00:00.000Z"
                     *         },
                     *         "public_key": "whpk_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=",
                     *         "next_public_key": "whpk_2Lk0mXv8Jq1s5t7u9w0y2A4C6E8G0I2K4M6O8Q0S2U4=",
                     *         "lines": {
                     *           "waiting": 0,
                     *           "held": 0,
                     *           "oldest_waiting_at": "2026-01-31T12:00:00.000Z"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["WebhookInOrder"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAccessTokenOrInvalidApiKey"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["WebhookNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice. A repeated request with the same key is carried out once, and gets the first answer again for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://example.com/hook",
                 *       "description": "Credits of the shop",
                 *       "additional": true,
                 *       "filter": {
                 *         "events": [
                 *           "transaction.deposit"
                 *         ],
                 *         "blockchains": [
                 *           "ethereum"
                 *         ],
                 *         "assets": [
                 *           "ETH",
                 *           "USDC"
                 *         ],
                 *         "wallet_ids": [
                 *           "01a20098-39e4-7000-8000-02911919b011"
                 *         ],
                 *         "references": [
                 *           "shop-"
                 *         ],
                 *         "min_amount": {
                 *           "USDC": "1000"
                 *         },
                 *         "min_usd": "1000"
                 *       },
                 *       "order": "none",
                 *       "on_exhausted": "continue"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description A public https URL: see where a webhook may point.
                     * @example https://example.com/hook
                     */
                    url: string;
                    /**
                     * @description The purpose of the webhook, in your own words. Null: none.
                     * @example Credits of the shop
                     */
                    description?: string | null;
                    /** @description True: register this webhook beside the others, up to the installation's limit. False, the default: register the first webhook, or replace its URL. */
                    additional?: boolean;
                    /** @description The notifications that it wants; null: everything but `token.unlisted`. All fields that are there must hold. */
                    filter?: components["schemas"]["FilterAsked"] | null;
                    /**
                     * @description The order of notifications. `none`: no order. `wallet`: each wallet has one delivery at a time, in the order of the ledger.
                     * @enum {string}
                     */
                    order?: "none" | "wallet";
                    /**
                     * @description The step after a notification is given up, with an order. `continue`: the next one of its wallet is sent. `hold`: the wallet waits until you act.
                     * @enum {string}
                     */
                    on_exhausted?: "continue" | "hold";
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "id": "01a20098-2c90-7000-8000-5b7d3e9a1c42",
                     *         "url": "https://example.com/hook",
                     *         "description": "Credits of the shop",
                     *         "additional": true,
                     *         "event": "*",
                     *         "is_active": true,
                     *         "created_at": "2026-01-31T12:00:00.000Z",
                     *         "filter": {
                     *           "events": [
                     *             "transaction.deposit"
                     *           ],
                     *           "blockchains": [
                     *             "ethereum"
                     *           ],
                     *           "assets": [
                     *             "ETH",
                     *             "USDC"
                     *           ],
                     *           "wallet_ids": [
                     *             "01a20098-39e4-7000-8000-02911919b011"
                     *           ],
                     *           "references": [
                     *             "shop-"
                     *           ],
                     *           "min_amount": {
                     *             "USDC": "1000"
                     *           },
                     *           "min_usd": "1000"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /**
                             * Format: uuid
                             * @description The id of the webhook.
                             * @example 01a20098-2c90-7000-8000-5b7d3e9a1c42
                             */
                            id: string;
                            /**
                             * @description The URL that is notified.
                             * @example https://example.com/hook
                             */
                            url: string;
                            /**
                             * @description The purpose of the webhook, in the words of its business. Null: the business gave none.
                             * @example Credits of the shop
                             */
                            description: string | null;
                            /** @description True: it stands beside the first webhook, and a new registration never replaces it. */
                            additional: boolean;
                            /**
                             * @description The events that the webhook gets: always `*`. Its filter says more.
                             * @enum {string}
                             */
                            event: "*";
                            /** @description True: the webhook is notified. False: its deliveries are held. */
                            is_active: boolean;
                            /**
                             * Format: date-time
                             * @description When it was created.
                             * @example 2026-01-31T12:00:00.000Z
                             */
                            created_at: string;
                            /** @description The notifications that it wants; null: everything but `token.unlisted`. All fields that are there must hold. */
                            filter: components["schemas"]["WebhookFilter"] | null;
                        };
                    };
                };
            };
            /** @description Made. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "id": "01a20098-2c90-7000-8000-5b7d3e9a1c42",
                     *         "url": "https://example.com/hook",
                     *         "description": "Credits of the shop",
                     *         "additional": true,
                     *         "event": "*",
                     *         "is_active": true,
                     *         "created_at": "2026-01-31T12:00:00.000Z",
                     *         "filter": {
                     *           "events": [
                     *             "transaction.deposit"
                     *           ],
                     *           "blockchains": [
                     *             "ethereum"
                     *           ],
                     *           "assets": [
                     *             "ETH",
                     *             "USDC"
                     *           ],
                     *           "wallet_ids": [
                     *             "01a20098-39e4-7000-8000-02911919b011"
                     *           ],
                     *           "references": [
                     *             "shop-"
                     *           ],
                     *           "min_amount": {
                     *             "USDC": "1000"
                     *           },
                     *           "min_usd": "1000"
                     *         },
                     *         "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /**
                             * Format: uuid
                             * @description The id of the webhook.
                             * @example 01a20098-2c90-7000-8000-5b7d3e9a1c42
                             */
                            id: string;
                            /**
                             * @description The URL that is notified.
                             * @example https://example.com/hook
                             */
                            url: string;
                            /**
                             * @description The purpose of the webhook, in the words of its business. Null: the business gave none.
                             * @example Credits of the shop
                             */
                            description: string | null;
                            /** @description True: it stands beside the first webhook, and a new registration never replaces it. */
                            additional: boolean;
                            /**
                             * @description The events that the webhook gets: always `*`. Its filter says more.
                             * @enum {string}
                             */
                            event: "*";
                            /** @description True: the webhook is notified. False: its deliveries are held. */
                            is_active: boolean;
                            /**
                             * Format: date-time
                             * @description When it was created.
                             * @example 2026-01-31T12:00:00.000Z
                             */
                            created_at: string;
                            /** @description The notifications that it wants; null: everything but `token.unlisted`. All fields that are there must hold. */
                            filter: components["schemas"]["WebhookFilter"] | null;
                            /**
                             * @description The webhook's secret. It is shown here and never again: store it now.
                             * @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=
                             */
                            secret: string;
                        };
                    };
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidUrlOrTargetRefused"];
            401: components["responses"]["InvalidAccessTokenOrInvalidApiKey"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyAnswerLostOrIdempotencyKeyInUseOrLimitReached"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    getWebhookAll: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": [
                     *         {
                     *           "id": "01a20098-2c90-7000-8000-5b7d3e9a1c42",
                     *           "url": "https://example.com/hook",
                     *           "description": "Credits of the shop",
                     *           "additional": true,
                     *           "is_active": true,
                     *           "created_at": "2026-01-31T12:00:00.000Z",
                     *           "last_success_at": "2026-01-31T12:00:00.000Z",
                     *           "consecutive_failures": 1,
                     *           "disabled_at": "2026-01-31T12:00:00.000Z",
                     *           "disabled_reason": null,
                     *           "rate": 50,
                     *           "filter": {
                     *             "events": [
                     *               "transaction.deposit"
                     *             ],
                     *             "blockchains": [
                     *               "ethereum"
                     *             ],
                     *             "assets": [
                     *               "ETH",
                     *               "USDC"
                     *             ],
                     *             "wallet_ids": [
                     *               "01a20098-39e4-7000-8000-02911919b011"
                     *             ],
                     *             "references": [
                     *               "shop-"
                     *             ],
                     *             "min_amount": {
                     *               "USDC": "1000"
                     *             },
                     *             "min_usd": "1000"
                     *           },
                     *           "wants": "transaction.deposit, of USDC, from 1000 USDC",
                     *           "order": "none",
                     *           "on_exhausted": "continue",
                     *           "circuit": "closed",
                     *           "circuit_opened_at": "2026-01-31T12:00:00.000Z",
                     *           "circuit_retry_at": "2026-01-31T12:00:00.000Z",
                     *           "event": "*",
                     *           "overlap_ends_at": "2026-01-31T12:00:00.000Z",
                     *           "header_names": [
                     *             "Authorization"
                     *           ],
                     *           "client_certificate": {
                     *             "fingerprint": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *             "expires_at": "2026-01-31T12:00:00.000Z"
                     *           },
                     *           "public_key": "whpk_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=",
                     *           "next_public_key": "whpk_2Lk0mXv8Jq1s5t7u9w0y2A4C6E8G0I2K4M6O8Q0S2U4=",
                     *           "lines": {
                     *             "waiting": 0,
                     *             "held": 0,
                     *             "oldest_waiting_at": "2026-01-31T12:00:00.000Z"
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["WebhookInOrder"][];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAccessTokenOrInvalidApiKey"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    getWebhookOrigins: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "networks": [
                     *           "198.51.100.0/28"
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /**
                             * @description The CIDR blocks from which requests come. Empty: the operator has not listed them, so do not filter by address.
                             * @example [
                             *       "198.51.100.0/28"
                             *     ]
                             */
                            networks: string[];
                        };
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAccessTokenOrInvalidApiKey"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "id": "01a20098-2c90-7000-8000-5b7d3e9a1c42",
                     *         "cancelled": 2
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /**
                             * Format: uuid
                             * @description The id of the webhook.
                             * @example 01a20098-2c90-7000-8000-5b7d3e9a1c42
                             */
                            id: string;
                            /**
                             * @description The number of waiting deliveries that were cancelled.
                             * @example 2
                             */
                            cancelled: number;
                        };
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAccessTokenOrInvalidApiKey"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["WebhookNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    updateWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://example.com/hook",
                 *       "description": "Credits of the shop",
                 *       "is_active": true,
                 *       "rate": 50,
                 *       "filter": {
                 *         "events": [
                 *           "transaction.deposit"
                 *         ],
                 *         "blockchains": [
                 *           "ethereum"
                 *         ],
                 *         "assets": [
                 *           "ETH",
                 *           "USDC"
                 *         ],
                 *         "wallet_ids": [
                 *           "01a20098-39e4-7000-8000-02911919b011"
                 *         ],
                 *         "references": [
                 *           "shop-"
                 *         ],
                 *         "min_amount": {
                 *           "USDC": "1000"
                 *         },
                 *         "min_usd": "1000"
                 *       },
                 *       "order": "none",
                 *       "on_exhausted": "continue",
                 *       "headers": {
                 *         "Authorization": "Bearer 3Vt1mQ0yq5n0"
                 *       },
                 *       "client_certificate": {
                 *         "certificate": "-----BEGIN CERTIFICATE-----",
                 *         "private_key": "-----BEGIN PRIVATE KEY-----"
                 *       },
                 *       "ed25519": true
                 *     }
                 */
                "application/json": {
                    /**
                     * @description A public https URL: see where a webhook may point.
                     * @example https://example.com/hook
                     */
                    url?: string;
                    /**
                     * @description The purpose of the webhook, in your own words. Null: none.
                     * @example Credits of the shop
                     */
                    description?: string | null;
                    /** @description False holds the notifications that wait. True sends them, and makes retries due now. */
                    is_active?: boolean;
                    /**
                     * @description The most attempts a second at this webhook, on average. Null: not limited.
                     * @example 50
                     */
                    rate?: number | null;
                    /** @description The notifications that it wants; null: everything but `token.unlisted`. All fields that are there must hold. */
                    filter?: components["schemas"]["FilterAsked"] | null;
                    /**
                     * @description The order of notifications. `none`: no order. `wallet`: each wallet has one delivery at a time, in the order of the ledger.
                     * @enum {string}
                     */
                    order?: "none" | "wallet";
                    /**
                     * @description The step after a notification is given up, with an order. `continue`: the next one of its wallet is sent. `hold`: the wallet waits until you act.
                     * @enum {string}
                     */
                    on_exhausted?: "continue" | "hold";
                    /**
                     * @description Headers that every request to the webhook has, by name. Their values are never shown. Null: none.
                     * @example {
                     *       "Authorization": "Bearer 3Vt1mQ0yq5n0"
                     *     }
                     */
                    headers?: {
                        [key: string]: string;
                    } | null;
                    /** @description The client certificate for a receiver that asks for one (mTLS), PEM. Null: none. */
                    client_certificate?: {
                        /**
                         * @description The client certificate, PEM, with those of its issuers where the receiver needs them.
                         * @example -----BEGIN CERTIFICATE-----
                         */
                        certificate: string;
                        /**
                         * @description The private key of the certificate, PEM. It is stored encrypted and never shown.
                         * @example -----BEGIN PRIVATE KEY-----
                         */
                        private_key: string;
                    } | null;
                    /** @description True: each request also has an Ed25519 signature `v1a`. Verify it with `public_key`. */
                    ed25519?: boolean;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "id": "01a20098-2c90-7000-8000-5b7d3e9a1c42",
                     *         "url": "https://example.com/hook",
                     *         "description": "Credits of the shop",
                     *         "additional": true,
                     *         "is_active": true,
                     *         "created_at": "2026-01-31T12:00:00.000Z",
                     *         "last_success_at": "2026-01-31T12:00:00.000Z",
                     *         "consecutive_failures": 1,
                     *         "disabled_at": "2026-01-31T12:00:00.000Z",
                     *         "disabled_reason": null,
                     *         "rate": 50,
                     *         "filter": {
                     *           "events": [
                     *             "transaction.deposit"
                     *           ],
                     *           "blockchains": [
                     *             "ethereum"
                     *           ],
                     *           "assets": [
                     *             "ETH",
                     *             "USDC"
                     *           ],
                     *           "wallet_ids": [
                     *             "01a20098-39e4-7000-8000-02911919b011"
                     *           ],
                     *           "references": [
                     *             "shop-"
                     *           ],
                     *           "min_amount": {
                     *             "USDC": "1000"
                     *           },
                     *           "min_usd": "1000"
                     *         },
                     *         "wants": "transaction.deposit, of USDC, from 1000 USDC",
                     *         "order": "none",
                     *         "on_exhausted": "continue",
                     *         "circuit": "closed",
                     *         "circuit_opened_at": "2026-01-31T12:00:00.000Z",
                     *         "circuit_retry_at": "2026-01-31T12:00:00.000Z",
                     *         "event": "*",
                     *         "overlap_ends_at": "2026-01-31T12:00:00.000Z",
                     *         "header_names": [
                     *           "Authorization"
                     *         ],
                     *         "client_certificate": {
                     *           "fingerprint": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *           "expires_at": "2026-01-31T12:00:00.000Z"
                     *         },
                     *         "public_key": "whpk_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=",
                     *         "next_public_key": "whpk_2Lk0mXv8Jq1s5t7u9w0y2A4C6E8G0I2K4M6O8Q0S2U4="
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Webhook"];
                    };
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidUrlOrTargetRefused"];
            401: components["responses"]["InvalidAccessTokenOrInvalidApiKey"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["WebhookNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    recoverNotifications: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice. A repeated request with the same key is carried out once, and gets the first answer again for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id of the webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "since": "2026-01-31T12:00:00Z",
                 *       "until": "2026-02-01T12:00:00Z",
                 *       "include": [
                 *         "held"
                 *       ],
                 *       "filter": {
                 *         "events": [
                 *           "transaction.deposit"
                 *         ],
                 *         "blockchains": [
                 *           "ethereum"
                 *         ],
                 *         "assets": [
                 *           "ETH",
                 *           "USDC"
                 *         ],
                 *         "wallet_ids": [
                 *           "01a20098-39e4-7000-8000-02911919b011"
                 *         ],
                 *         "references": [
                 *           "shop-"
                 *         ],
                 *         "min_amount": {
                 *           "USDC": "1000"
                 *         },
                 *         "min_usd": "1000"
                 *       },
                 *       "preview": true
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Only notifications that were written at this time or later.
                     * @example 2026-01-31T12:00:00Z
                     */
                    since: string;
                    /**
                     * @description Only notifications that were written before this time. Left out: now.
                     * @example 2026-02-01T12:00:00Z
                     */
                    until?: string;
                    /** @description The states of delivery that are queued again. `waiting` makes retries due now. Left out: all states except `waiting`. */
                    include?: ("held" | "exhausted" | "cancelled" | "waiting")[];
                    /** @description Only notifications that this filter lets through. */
                    filter?: components["schemas"]["FilterAsked"];
                    /** @description True: queue nothing, and answer 200 with what would be queued. */
                    preview?: boolean;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "count": 3,
                     *         "more": true,
                     *         "first": [
                     *           {
                     *             "id": "01a20098-2c90-7000-8000-5b7d3e9a1c42",
                     *             "event": "transaction.deposit",
                     *             "status": "held",
                     *             "created_at": "2026-01-31T12:00:00.000Z"
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /**
                             * @description The number of notifications that the recovery would queue again, among those that it has looked at.
                             * @example 3
                             */
                            count: number;
                            /** @description True: it has looked only at the 10000 oldest notifications of the period. `count` is then a least number. */
                            more: boolean;
                            /** @description The ten oldest of those notifications. */
                            first: {
                                /**
                                 * Format: uuid
                                 * @description The id of the notification.
                                 * @example 01a20098-2c90-7000-8000-5b7d3e9a1c42
                                 */
                                id: string;
                                /**
                                 * @description The events that the webhook gets: always `*`. Its filter says more.
                                 * @example transaction.deposit
                                 */
                                event: string;
                                /**
                                 * @description The state of its delivery.
                                 * @enum {string}
                                 */
                                status: "held" | "exhausted" | "cancelled" | "waiting";
                                /**
                                 * Format: date-time
                                 * @description When it was created.
                                 * @example 2026-01-31T12:00:00.000Z
                                 */
                                created_at: string;
                            }[];
                        };
                    };
                };
            };
            /** @description Taken up. */
            202: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "queued": 4,
                     *       "data": {
                     *         "recovery": "01a20098-b2f4-7000-8000-6c3a9e1d5f78",
                     *         "webhook_id": "01a20098-8e18-7000-8000-4c1f0a7d2e35",
                     *         "state": "running",
                     *         "queued": 4,
                     *         "since": "2026-01-31T12:00:00.000Z",
                     *         "until": "2026-01-31T12:00:00.000Z",
                     *         "include": [
                     *           "held"
                     *         ],
                     *         "filter": {
                     *           "events": [
                     *             "transaction.deposit"
                     *           ],
                     *           "blockchains": [
                     *             "ethereum"
                     *           ],
                     *           "assets": [
                     *             "ETH",
                     *             "USDC"
                     *           ],
                     *           "wallet_ids": [
                     *             "01a20098-39e4-7000-8000-02911919b011"
                     *           ],
                     *           "references": [
                     *             "shop-"
                     *           ],
                     *           "min_amount": {
                     *             "USDC": "1000"
                     *           },
                     *           "min_usd": "1000"
                     *         },
                     *         "position": "2026-01-31T12:00:00.000Z",
                     *         "through": "2026-01-31T12:00:00.000Z",
                     *         "started_at": "2026-01-31T12:00:00.000Z",
                     *         "ended_at": "2026-01-31T12:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The number of notifications that are queued again.
                         * @example 4
                         */
                        queued: number;
                        data: components["schemas"]["Recovery"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAccessTokenOrInvalidApiKey"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["WebhookNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyAnswerLostOrIdempotencyKeyInUseOrRecoveryRunningOrWebhookInactive"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    listWebhookRecoveries: {
        parameters: {
            query?: {
                /** @description The most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description The place at which the page begins: the `next_cursor` of the page before. Left out: the first page. */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path: {
                /** @description The id of the webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": [
                     *         {
                     *           "recovery": "01a20098-b2f4-7000-8000-6c3a9e1d5f78",
                     *           "webhook_id": "01a20098-8e18-7000-8000-4c1f0a7d2e35",
                     *           "state": "running",
                     *           "queued": 4,
                     *           "since": "2026-01-31T12:00:00.000Z",
                     *           "until": "2026-01-31T12:00:00.000Z",
                     *           "include": [
                     *             "held"
                     *           ],
                     *           "filter": {
                     *             "events": [
                     *               "transaction.deposit"
                     *             ],
                     *             "blockchains": [
                     *               "ethereum"
                     *             ],
                     *             "assets": [
                     *               "ETH",
                     *               "USDC"
                     *             ],
                     *             "wallet_ids": [
                     *               "01a20098-39e4-7000-8000-02911919b011"
                     *             ],
                     *             "references": [
                     *               "shop-"
                     *             ],
                     *             "min_amount": {
                     *               "USDC": "1000"
                     *             },
                     *             "min_usd": "1000"
                     *           },
                     *           "position": "2026-01-31T12:00:00.000Z",
                     *           "through": "2026-01-31T12:00:00.000Z",
                     *           "started_at": "2026-01-31T12:00:00.000Z",
                     *           "ended_at": "2026-01-31T12:00:00.000Z"
                     *         }
                     *       ],
                     *       "next_cursor": "MDFhMjAwOTgtOGZjMC03MDA2LTgwMDAtMDdlMjJlN2Y0ZDk0"
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Recovery"][];
                        /**
                         * @description The place of the next page. Send it as `cursor`. Null: this is the last page.
                         * @example MDFhMjAwOTgtOGZjMC03MDA2LTgwMDAtMDdlMjJlN2Y0ZDk0
                         */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAccessTokenOrInvalidApiKey"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["WebhookNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    getWebhookRecovery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the webhook. */
                id: string;
                /** @description The id of the recovery. */
                recovery: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "recovery": "01a20098-b2f4-7000-8000-6c3a9e1d5f78",
                     *         "webhook_id": "01a20098-8e18-7000-8000-4c1f0a7d2e35",
                     *         "state": "running",
                     *         "queued": 4,
                     *         "since": "2026-01-31T12:00:00.000Z",
                     *         "until": "2026-01-31T12:00:00.000Z",
                     *         "include": [
                     *           "held"
                     *         ],
                     *         "filter": {
                     *           "events": [
                     *             "transaction.deposit"
                     *           ],
                     *           "blockchains": [
                     *             "ethereum"
                     *           ],
                     *           "assets": [
                     *             "ETH",
                     *             "USDC"
                     *           ],
                     *           "wallet_ids": [
                     *             "01a20098-39e4-7000-8000-02911919b011"
                     *           ],
                     *           "references": [
                     *             "shop-"
                     *           ],
                     *           "min_amount": {
                     *             "USDC": "1000"
                     *           },
                     *           "min_usd": "1000"
                     *         },
                     *         "position": "2026-01-31T12:00:00.000Z",
                     *         "through": "2026-01-31T12:00:00.000Z",
                     *         "started_at": "2026-01-31T12:00:00.000Z",
                     *         "ended_at": "2026-01-31T12:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: components["schemas"]["Recovery"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAccessTokenOrInvalidApiKey"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["WebhookNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice. A repeated request with the same key is carried out once, and gets the first answer again for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id of the webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "overlap_hours": 24
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The old one works beside the new one for this many hours. The default is 24.
                     * @example 24
                     */
                    overlap_hours?: number;
                } | null;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "id": "01a20098-2c90-7000-8000-5b7d3e9a1c42",
                     *         "overlap_ends_at": "2026-01-31T12:00:00.000Z",
                     *         "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=",
                     *         "public_key": "whpk_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /**
                             * Format: uuid
                             * @description The id of the webhook.
                             * @example 01a20098-2c90-7000-8000-5b7d3e9a1c42
                             */
                            id: string;
                            /** @description When the old secret ends; until then both sign. Null: no rotation is going on. */
                            overlap_ends_at: string | null;
                            /**
                             * @description The webhook's secret. It is shown here and never again: store it now.
                             * @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=
                             */
                            secret: string;
                            /**
                             * @description The public key of the new pair. Null: the webhook has none.
                             * @example whpk_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=
                             */
                            public_key: string | null;
                        };
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAccessTokenOrInvalidApiKey"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["WebhookNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyAnswerLostOrIdempotencyKeyInUse"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    finishWebhookSecretRotation: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice. A repeated request with the same key is carried out once, and gets the first answer again for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id of the webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "id": "01a20098-2c90-7000-8000-5b7d3e9a1c42",
                     *         "overlap_ends_at": "2026-01-31T12:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /**
                             * Format: uuid
                             * @description The id of the webhook.
                             * @example 01a20098-2c90-7000-8000-5b7d3e9a1c42
                             */
                            id: string;
                            /** @description When the old secret ends; until then both sign. Null: no rotation is going on. */
                            overlap_ends_at: string | null;
                        };
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAccessTokenOrInvalidApiKey"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["WebhookNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyAnswerLostOrIdempotencyKeyInUse"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice. A repeated request with the same key is carried out once, and gets the first answer again for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id of the webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "event": "transaction.deposit"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The event in the body of the attempt. Left out: `webhook.test`.
                     * @enum {string}
                     */
                    event?: "transaction.deposit" | "transaction.withdrawal" | "transaction.payment" | "transaction.reversed" | "transaction.pending" | "transaction.dropped" | "wallet.balance_below" | "wallet.balance_restored" | "token.unlisted" | "webhook.test";
                } | null;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "chainbell-version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "notification_id": "01a20098-8fc0-8006-8000-1e92b23647fa",
                     *         "delivered": true,
                     *         "latency_ms": 42,
                     *         "status_code": 200,
                     *         "error": "timeout",
                     *         "response": "ok"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /**
                             * Format: uuid
                             * @description The id of the notification of this attempt.
                             * @example 01a20098-8fc0-8006-8000-1e92b23647fa
                             */
                            notification_id: string;
                            /** @description True: the receiver answered 2xx. */
                            delivered: boolean;
                            /**
                             * @description The time from the beginning of the attempt to its end, in ms.
                             * @example 42
                             */
                            latency_ms: number;
                            /**
                             * @description The status of the receiver's answer. Null: there was none.
                             * @example 200
                             */
                            status_code: number | null;
                            /** @description The reason why the attempt has no answer. Null: there was one. */
                            error: ("timeout" | "dns" | "connection" | "tls" | "target_refused" | "unrecorded" | "withheld") | null;
                            /**
                             * @description The first 1 KB of the answer. Null: there was none.
                             * @example ok
                             */
                            response: string | null;
                        };
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAccessTokenOrInvalidApiKey"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["WebhookNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyAnswerLostOrIdempotencyKeyInUse"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrUnavailable"];
        };
    };
    onTransactionDeposit: {
        parameters: {
            query?: {
                /** @description Only notifications of this webhook, by its id. Left out: of the first webhook. `any`: all, each by the webhook where it stands worst. */
                webhook_id?: components["parameters"]["WebhookId"];
            };
            header: {
                /** @description Unix seconds of this attempt. */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /** @description The id of the notification of this blockchain that was written for this webhook before it. Not there on the first one, on a test, nor on an event about a balance or an unlisted token. */
                "webhook-previous"?: components["parameters"]["WebhookPrevious"];
                /** @description `v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`; two of them, with a space between, while secrets overlap. With `ed25519` also `v1a,` and that signature, and so twice in an overlap. */
                "webhook-signature": components["parameters"]["WebhookSignature"];
                /** @description Lowercase hex HMAC-SHA256 of the body, keyed with the secret as it was shown. */
                "X-Webhook-Signature": components["parameters"]["XWebhookSignature"];
                /** @description The same with the new secret, while secrets overlap. */
                "X-Webhook-Signature-Next"?: components["parameters"]["XWebhookSignatureNext"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "01a20098-8fc0-8006-8000-1e92b23647fa",
                 *       "event": "transaction.deposit",
                 *       "timestamp": "2026-01-31T12:00:00.000Z",
                 *       "sequence": 1042,
                 *       "data": {
                 *         "transactionId": "01a20098-8fc0-8006-8000-07e22e7f4d94",
                 *         "txHash": "0x825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f",
                 *         "amount": "12.5",
                 *         "asset": "USDC",
                 *         "blockchain": "ethereum",
                 *         "fromAddress": "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
                 *         "status": "confirmed",
                 *         "type": "deposit",
                 *         "toAddress": "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc",
                 *         "walletId": "01a20098-39e4-7000-8000-02911919b011",
                 *         "reference": "customer-17",
                 *         "blockNumber": 21000000,
                 *         "confirmedAlone": false,
                 *         "proof": "root"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["TransactionDeposit"];
            };
        };
        responses: {
            /** @description Received, as with any other 2xx. Chainbell does not interpret its body. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Nothing more is to be sent: the webhook is deactivated. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not now: it is sent again, and `Retry-After` is heeded. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onTransactionWithdrawal: {
        parameters: {
            query?: {
                /** @description Only notifications of this webhook, by its id. Left out: of the first webhook. `any`: all, each by the webhook where it stands worst. */
                webhook_id?: components["parameters"]["WebhookId"];
            };
            header: {
                /** @description Unix seconds of this attempt. */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /** @description The id of the notification of this blockchain that was written for this webhook before it. Not there on the first one, on a test, nor on an event about a balance or an unlisted token. */
                "webhook-previous"?: components["parameters"]["WebhookPrevious"];
                /** @description `v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`; two of them, with a space between, while secrets overlap. With `ed25519` also `v1a,` and that signature, and so twice in an overlap. */
                "webhook-signature": components["parameters"]["WebhookSignature"];
                /** @description Lowercase hex HMAC-SHA256 of the body, keyed with the secret as it was shown. */
                "X-Webhook-Signature": components["parameters"]["XWebhookSignature"];
                /** @description The same with the new secret, while secrets overlap. */
                "X-Webhook-Signature-Next"?: components["parameters"]["XWebhookSignatureNext"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "01a20098-a350-800b-8000-0c51d3e07b62",
                 *       "event": "transaction.withdrawal",
                 *       "timestamp": "2026-01-31T12:00:00.000Z",
                 *       "sequence": 1043,
                 *       "data": {
                 *         "transactionId": "01a20098-a350-800b-8000-0300970724f9",
                 *         "txHash": "0x825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f",
                 *         "amount": "12.5",
                 *         "asset": "USDC",
                 *         "blockchain": "ethereum",
                 *         "fromAddress": "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc",
                 *         "status": "confirmed",
                 *         "type": "withdrawal",
                 *         "toAddress": "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
                 *         "walletId": "01a20098-39e4-7000-8000-02911919b011",
                 *         "reference": "customer-17",
                 *         "blockNumber": 21000000,
                 *         "confirmedAlone": false,
                 *         "proof": "root"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["TransactionWithdrawal"];
            };
        };
        responses: {
            /** @description Received, as with any other 2xx. Chainbell does not interpret its body. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Nothing more is to be sent: the webhook is deactivated. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not now: it is sent again, and `Retry-After` is heeded. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onTransactionPayment: {
        parameters: {
            query?: {
                /** @description Only notifications of this webhook, by its id. Left out: of the first webhook. `any`: all, each by the webhook where it stands worst. */
                webhook_id?: components["parameters"]["WebhookId"];
            };
            header: {
                /** @description Unix seconds of this attempt. */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /** @description The id of the notification of this blockchain that was written for this webhook before it. Not there on the first one, on a test, nor on an event about a balance or an unlisted token. */
                "webhook-previous"?: components["parameters"]["WebhookPrevious"];
                /** @description `v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`; two of them, with a space between, while secrets overlap. With `ed25519` also `v1a,` and that signature, and so twice in an overlap. */
                "webhook-signature": components["parameters"]["WebhookSignature"];
                /** @description Lowercase hex HMAC-SHA256 of the body, keyed with the secret as it was shown. */
                "X-Webhook-Signature": components["parameters"]["XWebhookSignature"];
                /** @description The same with the new secret, while secrets overlap. */
                "X-Webhook-Signature-Next"?: components["parameters"]["XWebhookSignatureNext"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "01a20098-b6d8-8010-8000-35a8f06c2d17",
                 *       "event": "transaction.payment",
                 *       "timestamp": "2026-01-31T12:00:00.000Z",
                 *       "sequence": 1044,
                 *       "data": {
                 *         "transactionId": "01a20098-b6d8-8010-8000-0258579f9100",
                 *         "txHash": "0x825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f",
                 *         "amount": "12.5",
                 *         "asset": "USDC",
                 *         "blockchain": "ethereum",
                 *         "fromAddress": "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
                 *         "status": "confirmed",
                 *         "type": "payment",
                 *         "toAddress": "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc",
                 *         "walletId": "01a20098-39e4-7000-8000-02911919b011",
                 *         "reference": "customer-17",
                 *         "blockNumber": 21000000,
                 *         "confirmedAlone": false,
                 *         "proof": "root"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["TransactionPayment"];
            };
        };
        responses: {
            /** @description Received, as with any other 2xx. Chainbell does not interpret its body. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Nothing more is to be sent: the webhook is deactivated. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not now: it is sent again, and `Retry-After` is heeded. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onTransactionReversed: {
        parameters: {
            query?: {
                /** @description Only notifications of this webhook, by its id. Left out: of the first webhook. `any`: all, each by the webhook where it stands worst. */
                webhook_id?: components["parameters"]["WebhookId"];
            };
            header: {
                /** @description Unix seconds of this attempt. */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /** @description The id of the notification of this blockchain that was written for this webhook before it. Not there on the first one, on a test, nor on an event about a balance or an unlisted token. */
                "webhook-previous"?: components["parameters"]["WebhookPrevious"];
                /** @description `v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`; two of them, with a space between, while secrets overlap. With `ed25519` also `v1a,` and that signature, and so twice in an overlap. */
                "webhook-signature": components["parameters"]["WebhookSignature"];
                /** @description Lowercase hex HMAC-SHA256 of the body, keyed with the secret as it was shown. */
                "X-Webhook-Signature": components["parameters"]["XWebhookSignature"];
                /** @description The same with the new secret, while secrets overlap. */
                "X-Webhook-Signature-Next"?: components["parameters"]["XWebhookSignatureNext"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "01a20098-8fc0-8006-8000-28d07c94e1b3",
                 *       "event": "transaction.reversed",
                 *       "timestamp": "2026-01-31T12:00:00.000Z",
                 *       "sequence": 1045,
                 *       "data": {
                 *         "transactionId": "01a20098-8fc0-8006-8000-07e22e7f4d94",
                 *         "txHash": "0x825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f",
                 *         "amount": "12.5",
                 *         "asset": "USDC",
                 *         "blockchain": "ethereum",
                 *         "fromAddress": "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
                 *         "status": "reversed",
                 *         "type": "deposit",
                 *         "toAddress": "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc",
                 *         "walletId": "01a20098-39e4-7000-8000-02911919b011",
                 *         "reference": "customer-17",
                 *         "blockNumber": 21000000,
                 *         "confirmedAlone": false,
                 *         "proof": "root",
                 *         "reversesNotificationId": "01a20098-8fc0-8006-8000-1e92b23647fa"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["TransactionReversed"];
            };
        };
        responses: {
            /** @description Received, as with any other 2xx. Chainbell does not interpret its body. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Nothing more is to be sent: the webhook is deactivated. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not now: it is sent again, and `Retry-After` is heeded. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onTransactionPending: {
        parameters: {
            query?: {
                /** @description Only notifications of this webhook, by its id. Left out: of the first webhook. `any`: all, each by the webhook where it stands worst. */
                webhook_id?: components["parameters"]["WebhookId"];
            };
            header: {
                /** @description Unix seconds of this attempt. */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /** @description The id of the notification of this blockchain that was written for this webhook before it. Not there on the first one, on a test, nor on an event about a balance or an unlisted token. */
                "webhook-previous"?: components["parameters"]["WebhookPrevious"];
                /** @description `v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`; two of them, with a space between, while secrets overlap. With `ed25519` also `v1a,` and that signature, and so twice in an overlap. */
                "webhook-signature": components["parameters"]["WebhookSignature"];
                /** @description Lowercase hex HMAC-SHA256 of the body, keyed with the secret as it was shown. */
                "X-Webhook-Signature": components["parameters"]["XWebhookSignature"];
                /** @description The same with the new secret, while secrets overlap. */
                "X-Webhook-Signature-Next"?: components["parameters"]["XWebhookSignatureNext"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "01a20098-8fc0-8006-8000-117f3a5be840",
                 *       "event": "transaction.pending",
                 *       "timestamp": "2026-01-31T12:00:00.000Z",
                 *       "sequence": 1041,
                 *       "data": {
                 *         "transactionId": "01a20098-8fc0-8006-8000-07e22e7f4d94",
                 *         "txHash": "0x825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f",
                 *         "amount": "12.5",
                 *         "asset": "USDC",
                 *         "blockchain": "ethereum",
                 *         "fromAddress": "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
                 *         "status": "pending",
                 *         "type": "deposit",
                 *         "toAddress": "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc",
                 *         "walletId": "01a20098-39e4-7000-8000-02911919b011",
                 *         "reference": "customer-17",
                 *         "blockNumber": 21000000,
                 *         "confirmedAlone": false,
                 *         "proof": "root"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["TransactionPending"];
            };
        };
        responses: {
            /** @description Received, as with any other 2xx. Chainbell does not interpret its body. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Nothing more is to be sent: the webhook is deactivated. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not now: it is sent again, and `Retry-After` is heeded. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onTransactionDropped: {
        parameters: {
            query?: {
                /** @description Only notifications of this webhook, by its id. Left out: of the first webhook. `any`: all, each by the webhook where it stands worst. */
                webhook_id?: components["parameters"]["WebhookId"];
            };
            header: {
                /** @description Unix seconds of this attempt. */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /** @description The id of the notification of this blockchain that was written for this webhook before it. Not there on the first one, on a test, nor on an event about a balance or an unlisted token. */
                "webhook-previous"?: components["parameters"]["WebhookPrevious"];
                /** @description `v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`; two of them, with a space between, while secrets overlap. With `ed25519` also `v1a,` and that signature, and so twice in an overlap. */
                "webhook-signature": components["parameters"]["WebhookSignature"];
                /** @description Lowercase hex HMAC-SHA256 of the body, keyed with the secret as it was shown. */
                "X-Webhook-Signature": components["parameters"]["XWebhookSignature"];
                /** @description The same with the new secret, while secrets overlap. */
                "X-Webhook-Signature-Next"?: components["parameters"]["XWebhookSignatureNext"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "01a20098-ca60-8015-8000-3b60c8214f95",
                 *       "event": "transaction.dropped",
                 *       "timestamp": "2026-01-31T12:00:00.000Z",
                 *       "sequence": 1046,
                 *       "data": {
                 *         "transactionId": "01a20098-ca60-8015-8000-06d9e5b31a7c",
                 *         "txHash": "0x825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f",
                 *         "amount": "12.5",
                 *         "asset": "USDC",
                 *         "blockchain": "ethereum",
                 *         "fromAddress": "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
                 *         "status": "dropped",
                 *         "type": "deposit",
                 *         "toAddress": "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc",
                 *         "walletId": "01a20098-39e4-7000-8000-02911919b011",
                 *         "reference": "customer-17",
                 *         "blockNumber": 21000000,
                 *         "confirmedAlone": false,
                 *         "proof": "root"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["TransactionDropped"];
            };
        };
        responses: {
            /** @description Received, as with any other 2xx. Chainbell does not interpret its body. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Nothing more is to be sent: the webhook is deactivated. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not now: it is sent again, and `Retry-After` is heeded. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onWalletBalance_below: {
        parameters: {
            query?: {
                /** @description Only notifications of this webhook, by its id. Left out: of the first webhook. `any`: all, each by the webhook where it stands worst. */
                webhook_id?: components["parameters"]["WebhookId"];
            };
            header: {
                /** @description Unix seconds of this attempt. */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /** @description The id of the notification of this blockchain that was written for this webhook before it. Not there on the first one, on a test, nor on an event about a balance or an unlisted token. */
                "webhook-previous"?: components["parameters"]["WebhookPrevious"];
                /** @description `v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`; two of them, with a space between, while secrets overlap. With `ed25519` also `v1a,` and that signature, and so twice in an overlap. */
                "webhook-signature": components["parameters"]["WebhookSignature"];
                /** @description Lowercase hex HMAC-SHA256 of the body, keyed with the secret as it was shown. */
                "X-Webhook-Signature": components["parameters"]["XWebhookSignature"];
                /** @description The same with the new secret, while secrets overlap. */
                "X-Webhook-Signature-Next"?: components["parameters"]["XWebhookSignatureNext"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "01a20098-39e4-8000-8000-22b7f1904ce6",
                 *       "event": "wallet.balance_below",
                 *       "timestamp": "2026-01-31T12:00:00.000Z",
                 *       "data": {
                 *         "walletId": "01a20098-39e4-7000-8000-02911919b011",
                 *         "address": "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc",
                 *         "reference": "customer-17",
                 *         "blockchain": "ethereum",
                 *         "asset": "USDC",
                 *         "status": "below",
                 *         "balance": "6.25",
                 *         "below": "12.5",
                 *         "restoredFrom": "25",
                 *         "crossing": 1
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["WalletBalance_below"];
            };
        };
        responses: {
            /** @description Received, as with any other 2xx. Chainbell does not interpret its body. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Nothing more is to be sent: the webhook is deactivated. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not now: it is sent again, and `Retry-After` is heeded. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onWalletBalance_restored: {
        parameters: {
            query?: {
                /** @description Only notifications of this webhook, by its id. Left out: of the first webhook. `any`: all, each by the webhook where it stands worst. */
                webhook_id?: components["parameters"]["WebhookId"];
            };
            header: {
                /** @description Unix seconds of this attempt. */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /** @description The id of the notification of this blockchain that was written for this webhook before it. Not there on the first one, on a test, nor on an event about a balance or an unlisted token. */
                "webhook-previous"?: components["parameters"]["WebhookPrevious"];
                /** @description `v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`; two of them, with a space between, while secrets overlap. With `ed25519` also `v1a,` and that signature, and so twice in an overlap. */
                "webhook-signature": components["parameters"]["WebhookSignature"];
                /** @description Lowercase hex HMAC-SHA256 of the body, keyed with the secret as it was shown. */
                "X-Webhook-Signature": components["parameters"]["XWebhookSignature"];
                /** @description The same with the new secret, while secrets overlap. */
                "X-Webhook-Signature-Next"?: components["parameters"]["XWebhookSignatureNext"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "01a20098-39e4-8000-8000-0f48a6d3719b",
                 *       "event": "wallet.balance_restored",
                 *       "timestamp": "2026-01-31T12:00:00.000Z",
                 *       "data": {
                 *         "walletId": "01a20098-39e4-7000-8000-02911919b011",
                 *         "address": "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc",
                 *         "reference": "customer-17",
                 *         "blockchain": "ethereum",
                 *         "asset": "USDC",
                 *         "status": "restored",
                 *         "balance": "25",
                 *         "below": "12.5",
                 *         "restoredFrom": "25",
                 *         "crossing": 2
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["WalletBalance_restored"];
            };
        };
        responses: {
            /** @description Received, as with any other 2xx. Chainbell does not interpret its body. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Nothing more is to be sent: the webhook is deactivated. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not now: it is sent again, and `Retry-After` is heeded. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onTokenUnlisted: {
        parameters: {
            query?: {
                /** @description Only notifications of this webhook, by its id. Left out: of the first webhook. `any`: all, each by the webhook where it stands worst. */
                webhook_id?: components["parameters"]["WebhookId"];
            };
            header: {
                /** @description Unix seconds of this attempt. */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /** @description The id of the notification of this blockchain that was written for this webhook before it. Not there on the first one, on a test, nor on an event about a balance or an unlisted token. */
                "webhook-previous"?: components["parameters"]["WebhookPrevious"];
                /** @description `v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`; two of them, with a space between, while secrets overlap. With `ed25519` also `v1a,` and that signature, and so twice in an overlap. */
                "webhook-signature": components["parameters"]["WebhookSignature"];
                /** @description Lowercase hex HMAC-SHA256 of the body, keyed with the secret as it was shown. */
                "X-Webhook-Signature": components["parameters"]["XWebhookSignature"];
                /** @description The same with the new secret, while secrets overlap. */
                "X-Webhook-Signature-Next"?: components["parameters"]["XWebhookSignatureNext"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "01a20098-8fc0-8007-8000-3c0e95b7f284",
                 *       "event": "token.unlisted",
                 *       "timestamp": "2026-01-31T12:00:00.000Z",
                 *       "data": {
                 *         "sightingId": "01a20098-8fc0-8007-8000-1f5c7e0a2b66",
                 *         "walletId": "01a20098-39e4-7000-8000-02911919b011",
                 *         "label": null,
                 *         "reference": "customer-17",
                 *         "blockchain": "ethereum",
                 *         "contract": "0x700b6A60ce7EaaEA56F065753d8dcB9653dbAD35",
                 *         "unverifiedSymbol": "USDT",
                 *         "rawAmount": "12500000",
                 *         "txHash": "0x825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f825d3f0b7c9b4c7f",
                 *         "fromAddress": "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
                 *         "toAddress": "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc",
                 *         "blockNumber": 21000000,
                 *         "blockHash": "0x5ad1c0e2b7f34a965ad1c0e2b7f34a965ad1c0e2b7f34a965ad1c0e2b7f34a96",
                 *         "logIndex": 7,
                 *         "proof": "root",
                 *         "status": "sighted"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["TokenUnlisted"];
            };
        };
        responses: {
            /** @description Received, as with any other 2xx. Chainbell does not interpret its body. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Nothing more is to be sent: the webhook is deactivated. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not now: it is sent again, and `Retry-After` is heeded. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onWebhookTest: {
        parameters: {
            query?: {
                /** @description Only notifications of this webhook, by its id. Left out: of the first webhook. `any`: all, each by the webhook where it stands worst. */
                webhook_id?: components["parameters"]["WebhookId"];
            };
            header: {
                /** @description Unix seconds of this attempt. */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /** @description The id of the notification of this blockchain that was written for this webhook before it. Not there on the first one, on a test, nor on an event about a balance or an unlisted token. */
                "webhook-previous"?: components["parameters"]["WebhookPrevious"];
                /** @description `v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`; two of them, with a space between, while secrets overlap. With `ed25519` also `v1a,` and that signature, and so twice in an overlap. */
                "webhook-signature": components["parameters"]["WebhookSignature"];
                /** @description Lowercase hex HMAC-SHA256 of the body, keyed with the secret as it was shown. */
                "X-Webhook-Signature": components["parameters"]["XWebhookSignature"];
                /** @description The same with the new secret, while secrets overlap. */
                "X-Webhook-Signature-Next"?: components["parameters"]["XWebhookSignatureNext"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "01a20098-de80-7a52-9d0c-7f2f6a3c1b55",
                 *       "event": "webhook.test",
                 *       "timestamp": "2026-01-31T12:00:00.000Z",
                 *       "data": {
                 *         "transactionId": "00000000-0000-0000-0000-000000000000",
                 *         "txHash": "0x0000000000000000000000000000000000000000000000000000000000000000",
                 *         "amount": "0",
                 *         "asset": "TEST",
                 *         "blockchain": "test",
                 *         "fromAddress": "0x0000000000000000000000000000000000000000",
                 *         "status": "test",
                 *         "type": "deposit",
                 *         "toAddress": "0x0000000000000000000000000000000000000000",
                 *         "walletId": "00000000-0000-0000-0000-000000000000",
                 *         "reference": null,
                 *         "blockNumber": 0,
                 *         "confirmedAlone": false,
                 *         "proof": "root"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["WebhookTest"];
            };
        };
        responses: {
            /** @description Received, as with any other 2xx. Chainbell does not interpret its body. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Nothing more is to be sent: the webhook is deactivated. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not now: it is sent again, and `Retry-After` is heeded. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
