import type { LedgerAccount } from "../money/ledger-account.ts";
import { type TransactionType, transactionTypes } from "../money/transaction.ts";

/**
 * Every kind of entry. `account` is the account of its other side. `of_transaction`: the type of
 * its transaction says which.
 */
export const entryKinds = {
  opening: { account: "opening" },
  opening_undone: { account: "opening" },
  opening_corrected: { account: "opening" },
  confirmation: { account: "of_transaction" },
  reversal: { account: "of_transaction" },
} as const satisfies Record<string, { account: LedgerAccount | "of_transaction" }>;

export type EntryKind = keyof typeof entryKinds;

/**
 * The account that an entry stands against. Null: the entry lacks the transaction that would say
 * so.
 */
export function accountOf(kind: EntryKind, type: TransactionType | null): LedgerAccount | null {
  const { account } = entryKinds[kind];
  if (account !== "of_transaction") return account;
  return type === null ? null : transactionTypes[type].account;
}
