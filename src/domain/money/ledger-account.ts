export type LedgerAccount = keyof typeof ledgerAccounts;

/**
 * The accounts opposite the wallets, of every asset. Each entry moves a wallet's account, and one
 * of these by the same amount in the other direction. So all accounts together are zero
 * (docs/invariants.md#i12).
 */
export const ledgerAccounts = {
  chain: { description: "whoever wallets had money from, and sent it to" },
  fees: { description: "what transactions cost" },
  opening: { description: "what wallets held when they began to be watched" },
  adjustment: { description: "what changed without a movement that can be read" },
} as const satisfies Record<string, { description: string }>;
