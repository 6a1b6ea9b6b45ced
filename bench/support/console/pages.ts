/**
 * What a page asks when it is opened, and which topics have it ask again: as console/src/pages
 * does.
 */
export type Asked = { path: string; topics: readonly string[] };

export type ConsolePage = { title: string; of: "business" | "operator"; asks: readonly Asked[] };

/** Of a ledger that is filled. */
export type Known = {
  walletId: string;
  transactionId: string;
  notificationId: string;
  txHash: string;
  /** Somewhere in the middle of the transactions and of the notifications. */
  cursors: { transactions: string; notifications: string };
  businessId: string;
  /** A moment of which a block is known, a week ago or as long as the ledger goes back. */
  since: string;
};

const dayMs = 86_400_000;

/** The days of the charts, as console/src/pages/overview/last-days.ts has them. */
function lastDays(): string {
  const midnight = (days: number) =>
    `${new Date(Date.now() + days * dayMs).toISOString().slice(0, 10)}T00:00:00.000Z`;
  return `from=${midnight(-29)}&to=${midnight(1)}&bucket=day`;
}

/** Every page, with its filters one at a time and the searches that find little. */
export function consolePages(known: Known): ConsolePage[] {
  return [...pagesOfBusiness(known), ...pagesOfOperator(known)];
}

function pagesOfBusiness({ walletId, transactionId, notificationId, since, ...known }: Known) {
  const page = (title: string, ...asks: Asked[]): ConsolePage => ({ title, of: "business", asks });
  const ask = (path: string, ...topics: string[]): Asked => ({ path, topics });
  const transactions = (query: string) => ask(`/transactions?${query}`, "transactions");
  const wallets = (query: string) => ask(`/wallets?${query}`, "wallets");
  const notifications = (query: string) => ask(`/notifications?${query}`, "deliveries");
  const search = (text: string) => ask(`/search?q=${text}`);
  const day = `from=${new Date(Date.now() - dayMs).toISOString()}&to=${new Date().toISOString()}&bucket=hour`;
  const chains = ask("/chains", "chains");
  return [
    page(
      "Overview",
      ask("/balance", "balance", "transactions", "wallets"),
      ask("/webhooks", "webhook", "deliveries"),
      ask(`/transactions/counts?${lastDays()}`),
      ask(`/notifications/counts?${lastDays()}`),
      ask(`/notifications/counts?${day}`, "deliveries"),
      ask(`/transactions?status=reversed&limit=1&from=${since}`, "transactions"),
      ask("/transactions?limit=8", "transactions"),
      chains,
    ),
    page("Transactions", transactions(""), chains),
    page("Transactions, far down", transactions(`cursor=${known.cursors.transactions}`), chains),
    page("Transactions, reversed ones", transactions("status=reversed"), chains),
    page("Transactions, fees of a week", transactions(`type=fee&from=${since}`), chains),
    page("Transactions, of a wallet", transactions(`wallet_id=${walletId}`), chains),
    page("A transaction", ask(`/transactions/${transactionId}`, "transactions", "deliveries")),
    page("Wallets", wallets("")),
    page("Wallets, searched for", wallets("q=order-19")),
    page("Wallets, searched for, none", wallets("q=nothing")),
    page("Wallets, syncing", wallets("status=syncing")),
    page(
      "A wallet",
      ask(`/wallets/${walletId}`, "wallets"),
      ask(`/wallets/${walletId}/balances`, "balance", "transactions"),
    ),
    page("Deliveries", notifications("")),
    page("Deliveries, far down", notifications(`cursor=${known.cursors.notifications}`)),
    page("Deliveries, given up", notifications("status=exhausted")),
    page("Deliveries, waiting", notifications("status=waiting")),
    page("Deliveries, held (none)", notifications("status=held")),
    page("Deliveries, cancelled (none)", notifications("status=cancelled")),
    page("Deliveries, reversals", notifications("event=transaction.reversed")),
    page("Deliveries, of the usual event", notifications("event=transaction.deposit")),
    page("Deliveries, tests (none)", notifications("event=webhook.test")),
    page("Deliveries, of a transaction", notifications(`transaction_id=${transactionId}`)),
    page("A delivery", ask(`/notifications/${notificationId}`, "deliveries")),
    page("Webhooks", ask("/webhooks", "webhook", "deliveries")),
    page("API keys", ask("/api-keys", "keys")),
    page(
      "A statement",
      ask(`/wallets/${walletId}`),
      ask(`/wallets/${walletId}/balances?at=${since}`),
      ask(`/transactions?wallet_id=${walletId}&status=completed&limit=500&from=${since}`),
      ask(`/transactions?wallet_id=${walletId}&status=completed&type=fee&limit=500&from=${since}`),
    ),
    page("Search, a hash", search(known.txHash)),
    page("Search, an id", search(notificationId)),
    page("Search, the beginning of a label", search("customer%2001")),
    page("Search, nothing", search("zzzz")),
  ];
}

function pagesOfOperator({ businessId, walletId, txHash }: Known): ConsolePage[] {
  const page = (title: string, ...asks: Asked[]): ConsolePage => ({ title, of: "operator", asks });
  const ask = (path: string, ...topics: string[]): Asked => ({ path: `/admin${path}`, topics });
  const notifications = (query: string) => ask(`/notifications?${query}`, "deliveries");
  const status = ask("/status", "chains", "outbox", "deliveries");
  return [
    page("Chains", status),
    page("Discrepancies", ask("/ledger/reconciliations", "discrepancies", "chains")),
    page(
      "Outbox",
      ask("/status", "outbox", "deliveries"),
      ask("/outbox", "outbox", "deliveries"),
      ask("/webhooks", "deliveries", "webhook"),
    ),
    page("All deliveries", notifications("")),
    page("All deliveries, given up", notifications("status=exhausted")),
    page("All deliveries, of the usual event", notifications("event=transaction.deposit")),
    page("All deliveries, of the other event", notifications("event=transaction.reversed")),
    page("All deliveries, of a business", notifications(`business_id=${businessId}`)),
    page(
      "All deliveries, given up of an event",
      notifications("event=transaction.deposit&status=exhausted"),
    ),
    page("Businesses", ask("/businesses", "businesses")),
    page("A business", ask(`/businesses/${businessId}/api-keys`, "keys")),
    page("Audit", ask("/audit", "audit")),
    page("Audit, of one action", ask("/audit?action=none.such", "audit")),
    page("Audit, about one subject", ask(`/audit?subject=${businessId}`, "audit")),
    page("Health", ask("/health", "health")),
    page("Operator's search, a hash", ask(`/search?q=${txHash}`)),
    page("Operator's search, an id", ask(`/search?q=${walletId}`)),
    page("Operator's search, a name", ask("/search?q=business%2099")),
    page("Operator's search, nothing", ask("/search?q=zzzz")),
  ];
}
