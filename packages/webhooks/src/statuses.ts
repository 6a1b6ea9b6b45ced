// Made from the events that Chainbell sends: see test/unit/packages/webhooks/schema.test.ts.
/** The events that this version knows, each with the status of its data. */
export const statuses = {
  "transaction.deposit": "confirmed",
  "transaction.withdrawal": "confirmed",
  "transaction.payment": "confirmed",
  "transaction.reversed": "reversed",
  "transaction.pending": "pending",
  "transaction.dropped": "dropped",
  "wallet.balance_below": "below",
  "wallet.balance_restored": "restored",
  "token.unlisted": "sighted",
  "webhook.test": "test",
} as const;
