import type { LedgerAccount } from "../money/ledger-account.ts";

/**
 * A finding of the ledger check. It is impossible if only Chainbell wrote to the ledger, and
 * Chainbell is right. Amounts are in atomic units, and ids are the database's.
 *
 * - `not_zero`: the holdings of all wallets in an asset and its accounts do not add up to zero.
 * - `balance`: a wallet's balance is not the sum of its entries.
 * - `opening`: a wallet's opening balance is not the sum of the entries about it.
 * - `opening_changed`: a wallet's opening balance, or its proof, differs from its seal.
 * - `pending`: a wallet's pending balance is not the sum of its pending transactions.
 * - `account`: an account is not the other side of its entries.
 * - `transaction`: a transaction's entries do not fit its status, direction and amount.
 * - `transaction_changed`: its wallet, parties, amount or hash do not fit its id, or its entries
 *   are of another wallet or asset. Or its memo, proof or times differ from its seal.
 * - `notification`: its id or body differs from its transaction.
 * - `stream`: the first notification of a stream that does not follow from the one before it. One
 *   between them is missing, or its place was changed.
 * - `due`: the table of due deliveries lacks a waiting, unclaimed delivery or has it otherwise. Or
 *   it has a row of a delivery that does not wait.
 * - `seal`: the first seal of a chain that does not follow from the one before it and its own
 *   contents.
 * - `head`: a published seal has changed or is missing.
 * - `entry_changed`: the first entry of a chain that differs from its seal.
 * - `entry_missing`: the first sealed entry of a chain that is missing.
 * - `entry_unsealed`: an entry that was never sealed.
 * - `reconciliation`: the first row in the record of a chain's reconciliations that was changed
 *   afterwards.
 * - `statement`: the stored lines of a statement are missing, or differ from what was signed.
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

/** The business of a finding; null: it may concern any business. */
export function businessOf(found: LedgerFinding): string | null {
  return found.kind === "statement" || found.kind === "stream" ? found.businessId : null;
}

/**
 * The end of a chain's journal. A person with a copy elsewhere can show later that nothing before
 * it was rewritten.
 */
export type SealHead = { chainName: string; number: bigint; hash: string };

/** The balance of an account in one asset. */
export type AccountBalance = {
  chainName: string;
  assetCode: string;
  assetDecimals: number;
  account: LedgerAccount | "wallets";
  amountAtomic: bigint;
};

export type LedgerCheck = {
  /** The number of entries that were checked. */
  entries: bigint;
  accounts: AccountBalance[];
  heads: SealHead[];
  findings: LedgerFinding[];
};
