/** The chapters of the HTTP description, in its order: what each is about. */
export const tags = {
  Balance: "The money in all wallets of a business, and its worth.",
  Wallets: "The addresses that are watched, and what each held at a block.",
  Transactions: "Every movement of money to or from a wallet, with its state on the chain.",
  Statements: "The money of a business over a period, added up and signed.",
  Webhook: "Where a business is notified, and the secret that signs what is sent.",
  Notifications: "The notifications of a business, past and due, and every attempt.",
  Events: "The bodies that go to the webhook of a business: see `webhooks`.",
  "API keys": "The keys that a business authenticates with.",
  Chains: "The chains that are watched.",
  Search: "Finds an identifier, or texts by their beginning.",
  "Access tokens": "Short-lived credentials, for whoever should not hold the API key.",
  Audit: "Who changed what of a business.",
  Operation: "The health of this process. Open to everybody.",
  "Administration: businesses": "The customers of the service.",
  "Administration: API keys": "The keys that businesses authenticate with.",
  "Administration: wallets": "The addresses that are watched for a business.",
  "Administration: transactions": "The movements of money of every business.",
  "Administration: chains": "The position of each chain, and its repair.",
  "Administration: installation": "The processes and their database.",
  "Administration: evidence": "The evidence that the ledger is right.",
  "Administration: audit": "Who did what, and when, and whether the trail is whole.",
  "Administration: webhooks": "Where businesses are notified, and whether they answer.",
  "Administration: notifications": "The notifications of businesses.",
} as const;

export type Tag = keyof typeof tags;
