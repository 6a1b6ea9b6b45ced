export type LedgerAccount = keyof typeof ledgerAccounts;

/**
 * The accounts that stand against those of the wallets, of every asset. Each entry moves a wallet's
 * account, and moves one of these by the same amount the other way. So all accounts together come
 * to zero (docs/invariants.md#i12).
 */
export const ledgerAccounts = {
  chain: { description: "whoever wallets had money from, and sent it to" },
  fees: { description: "what transactions cost" },
  opening: { description: "what wallets held when they began to be watched" },
  adjustment: { description: "what changed without a movement that can be read" },
} as const satisfies Record<string, { description: string }>;
