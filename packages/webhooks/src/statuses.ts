// Made from the events that Chainbell sends: see test/unit/packages/webhooks/schema.test.ts.
/** Every event that this version knows, and the status that its data has. Types and schemas follow from this table. */
export const statuses = {
  "transaction.deposit": "confirmed",
  "transaction.withdrawal": "confirmed",
  "transaction.payment": "confirmed",
  "transaction.reversed": "reversed",
  "transaction.pending": "pending",
  "transaction.dropped": "dropped",
  "webhook.test": "test",
} as const;
