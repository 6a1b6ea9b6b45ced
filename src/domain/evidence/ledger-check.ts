import type { LedgerAccount } from "../money/ledger-account.ts";

/**
 * Something in the ledger that cannot be so if nobody but Chainbell wrote it, and Chainbell is
 * right. Amounts are in atomic units, ids as the database has them.
 *
 * - `not_zero`: the holdings of all wallets in an asset and its accounts do not add up to zero.
 * - `balance`: a wallet's balance is not the sum of its entries.
 * - `opening`: a wallet's opening balance is not the sum of the entries about it.
 * - `opening_changed`: a wallet's opening balance, or its proof, is another than was sealed.
 * - `pending`: a wallet's pending balance is not the sum of what is pending to it.
 * - `account`: an account is not the other side of its entries.
 * - `transaction`: a transaction's entries differ from what its status, direction and amount say.
 * - `transaction_changed`: its wallet, its parties, its amount or its hash are not those it has its
 *   id of, or its entries are of another wallet or asset. Or it says something else than was sealed
 *   with its entry: its memo, its proof, its times.
 * - `notification`: its id or its body says something else than its transaction.
 * - `stream`: of a business and chain, the first notification that does not follow from the one
 *   before it in their stream: one between them is gone, or its place was changed.
 * - `due`: a delivery that waits and that nobody has claimed is not among those that are due, or
 *   stands there otherwise, or something stands there that does not wait.
 * - `seal`: of a chain, the first seal that does not follow from the one before it and from its own
 *   contents.
 * - `head`: a seal that was published is another one by now, or gone.
 * - `entry_changed`: of a chain, the first entry that differs from what was sealed.
 * - `entry_missing`: of a chain, the first sealed entry that is not there at all.
 * - `entry_unsealed`: an entry that was never sealed.
 * - `reconciliation`: of a chain, the first row of its reconciliations' record that was changed
 *   after it was recorded.
 * - `statement`: the stored lines of a statement are not what was signed, or are gone.
 */
export type LedgerFinding =
  | { kind: "not_zero"; assetId: number; wallets: bigint; accounts: bigint }
  | { kind: "balance"; walletId: string; assetId: number; balance: bigint; entries: bigint }
  | {
      kind: "opening" | "pending";
      walletId: string;
      assetId: number;
      balance: bigint;
      expected: bigint;
    }
  | { kind: "opening_changed"; walletId: string; assetId: number }
  | { kind: "transaction_changed"; transactionId: string }
  | { kind: "notification"; notificationId: string }
  | { kind: "stream"; businessId: string; chainName: string; sequence: bigint }
  | { kind: "due"; deliveryId: string }
  | { kind: "account"; assetId: number; account: string; amount: bigint; entries: bigint }
  | { kind: "transaction"; transactionId: string; entries: bigint }
  | { kind: "seal" | "head" | "reconciliation"; chainName: string; number: bigint }
  | { kind: "entry_changed" | "entry_missing"; chainName: string; number: bigint; entryId: bigint }
  | { kind: "entry_unsealed"; entryId: bigint }
  | { kind: "statement"; businessId: string; statementId: string };

/** The business whose things a finding names; null: it may be anybody's. */
export function businessOf(found: LedgerFinding): string | null {
  return found.kind === "statement" || found.kind === "stream" ? found.businessId : null;
}

/**
 * The end of the journal of a chain. A person who keeps it elsewhere can tell later that nothing up
 * to here was rewritten.
 */
export type SealHead = { chainName: string; number: bigint; hash: string };

/** The amount on an account, of one asset. */
export type AccountBalance = {
  chainName: string;
  assetCode: string;
  assetDecimals: number;
  account: LedgerAccount | "wallets";
  amountAtomic: bigint;
};

export type LedgerCheck = {
  /** Entries that were looked at. */
  entries: bigint;
  accounts: AccountBalance[];
  heads: SealHead[];
  findings: LedgerFinding[];
};
