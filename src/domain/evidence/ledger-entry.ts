import type { LedgerAccount } from "../money/ledger-account.ts";
import { type TransactionType, transactionTypes } from "../money/transaction.ts";

/**
 * All kinds of entries. `account`: the account on the other side. `of_transaction`: the
 * transaction's type decides which account.
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
 * The account on the other side of an entry. Null: the transaction that would decide it is missing.
 */
export function accountOf(kind: EntryKind, type: TransactionType | null): LedgerAccount | null {
  const { account } = entryKinds[kind];
  if (account !== "of_transaction") return account;
  return type === null ? null : transactionTypes[type].account;
}
