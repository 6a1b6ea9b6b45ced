/** The chapters of the HTTP description, in its order: what each is about. */
export const tags = {
  Balance: "What a business holds in all of its wallets, and what that is worth.",
  Wallets: "The addresses that are watched, and what each held at a block.",
  Transactions: "Every movement of money to or from a wallet, with its state on the chain.",
  Webhook: "Where a business is notified, and the secret that signs what is sent.",
  Notifications: "What a business was or will be notified of, and every attempt.",
  Events: "What is sent to the webhook of a business: see `webhooks`.",
  "API keys": "What a business proves itself with.",
  Chains: "The chains that are watched.",
  Search: "What an identifier or the beginning of a text names.",
  "Access tokens": "Short-lived credentials, for whoever should not hold the API key.",
  Audit: "Who changed what of a business.",
  Operation: "Whether this process lives and works. Open to everybody.",
  "Administration: businesses": "The customers of the service.",
  "Administration: API keys": "What a business proves itself with.",
  "Administration: wallets": "The addresses that are watched for a business.",
  "Administration: chains": "How far each chain is, and how it is repaired.",
  "Administration: installation": "The processes and their database.",
  "Administration: evidence": "What shows that the ledger is right.",
  "Administration: audit": "Who did what, and when, and whether the trail is whole.",
  "Administration: webhooks": "Where businesses are notified, and whether they answer.",
  "Administration: notifications": "What businesses are notified of.",
} as const;

export type Tag = keyof typeof tags;
