/** What moved, as the business sees it. The first three notify; the others only explain the balance. */
export type TransactionType =
  | "deposit"
  | "withdrawal"
  | "payment"
  | "fee"
  | "income"
  | "adjustment"
  | "unattributed";

export const notifiedTypes = [
  "deposit",
  "withdrawal",
  "payment",
] as const satisfies TransactionType[];

/**
 * A transaction's life. pending: on chain, not deep enough. completed: confirmed. dropped: was pending, is no longer
 * on the chain. reversed: was completed, is no longer on the chain. The last two go back to pending when the
 * transaction is included again, under the same id.
 */
export type TransactionStatus = (typeof transactionStatuses)[number];

export const transactionStatuses = ["pending", "completed", "dropped", "reversed"] as const;

/** Of the wallet: `in` raises its balance, `out` lowers it. */
export type Direction = "in" | "out";

export type WalletPurpose = "deposit" | "payment";

/** An incoming transfer is a `payment` where the wallet is a checkout address, else a `deposit`. */
export function typeOfTransfer(
  direction: Direction,
  purpose: WalletPurpose,
): "deposit" | "withdrawal" | "payment" {
  if (direction === "out") return "withdrawal";
  return purpose;
}
