import { keysOf } from "../keys-of.ts";
import type { LedgerAccount } from "./ledger-account.ts";

/**
 * All types of transactions. The TypeScript types, the lists, the SQL, the indexes' conditions and
 * the API's documentation are made from this table. A test compares the database's CHECK and
 * partial indexes with it.
 *
 * - `isNotified`: a business is notified of it, and lists show it by default.
 * - `origin`: a `movement` is in a block. The reconciler wrote a `correction` for a difference that
 *   no movement explains.
 * - `account`: the account on the other side of its entries.
 */
export const transactionTypes = {
  deposit: {
    isNotified: true,
    origin: "movement",
    account: "chain",
    description: "an incoming transfer to a deposit wallet",
  },
  withdrawal: {
    isNotified: true,
    origin: "movement",
    account: "chain",
    description: "an outgoing transfer",
  },
  payment: {
    isNotified: true,
    origin: "movement",
    account: "chain",
    description: "an incoming transfer to a payment wallet",
  },
  fee: {
    isNotified: false,
    origin: "movement",
    account: "fees",
    description: "what a wallet paid for a transaction of its own, also for a failed one",
  },
  income: {
    isNotified: false,
    origin: "movement",
    account: "chain",
    description: "coin that no transfer brought: a validator's withdrawal or a block's fees",
  },
  adjustment: {
    isNotified: false,
    origin: "correction",
    account: "adjustment",
    description: "the correction of a token whose balances also change without a transfer",
  },
  unattributed: {
    isNotified: false,
    origin: "correction",
    account: "adjustment",
    description: "a change of the coin on a chain whose inner calls cannot be read",
  },
} as const satisfies Record<
  string,
  {
    isNotified: boolean;
    origin: "movement" | "correction";
    account: LedgerAccount;
    description: string;
  }
>;

export type TransactionType = keyof typeof transactionTypes;

/** The types that have a trait. */
type TypesWith<Trait> = {
  [Type in TransactionType]: (typeof transactionTypes)[Type] extends Trait ? Type : never;
}[TransactionType];

export type NotifiedType = TypesWith<{ isNotified: true }>;

export type CorrectionType = TypesWith<{ origin: "correction" }>;

export function isNotifiedType(type: TransactionType): type is NotifiedType {
  return transactionTypes[type].isNotified;
}

export function isCorrectionType(type: TransactionType): type is CorrectionType {
  return transactionTypes[type].origin === "correction";
}

export const notifiedTypes: readonly NotifiedType[] =
  keysOf(transactionTypes).filter(isNotifiedType);

/**
 * The statuses of a transaction. `isOnChain`: its block is on the chain, as far as is known. A
 * transaction that is not on the chain may be included again. It then becomes pending, under the
 * same id.
 */
export const transactionStatuses = {
  pending: { isOnChain: true, description: "on the chain, not deep enough" },
  completed: { isOnChain: true, description: "confirmed" },
  dropped: { isOnChain: false, description: "was pending, is no longer on the chain" },
  reversed: { isOnChain: false, description: "was completed, is no longer on the chain" },
} as const satisfies Record<string, { isOnChain: boolean; description: string }>;

export type TransactionStatus = keyof typeof transactionStatuses;

export function isOnChain(status: TransactionStatus): boolean {
  return transactionStatuses[status].isOnChain;
}

/** `in` raises the wallet's balance, `out` lowers it. */
export type Direction = "in" | "out";

/** The effect of a transaction on its wallet's balance: positive if it raises the balance. */
export function signedAmount(of: { direction: Direction; amountAtomic: bigint }): bigint {
  return of.direction === "in" ? of.amountAtomic : -of.amountAtomic;
}

export type WalletPurpose = "deposit" | "payment";

/**
 * The type of a transfer. An incoming one is a `payment` to a checkout wallet, else a `deposit`.
 */
export function typeOfTransfer(
  direction: Direction,
  purpose: WalletPurpose,
): "deposit" | "withdrawal" | "payment" {
  if (direction === "out") return "withdrawal";
  return purpose;
}
