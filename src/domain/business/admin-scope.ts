/** The scopes of admin tokens. A token without any scope may do everything. */
export const adminScopes = {
  read: "everything that only reads",
  wallets: "to add and remove wallets, to fill in their histories, and to set their thresholds",
  businesses: "to create and change businesses, their keys, webhooks and notifications",
  chains: "to rewind, reset and reconcile chains, and to settle what is held",
} as const;

export type AdminScope = keyof typeof adminScopes;
