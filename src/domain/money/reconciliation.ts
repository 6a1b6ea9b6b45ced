import type { Position } from "../chain/block.ts";
import type { BalanceProof } from "../chain/block-proof.ts";
import type { AssetKind } from "./asset.ts";
import type { BalanceKey, BalanceQuestion } from "./balance.ts";
import type { CorrectionType, WalletPurpose } from "./transaction.ts";

/** The balance of a wallet in an asset, as the ledger has it. Amounts are in atomic units. */
export type LedgerBalance = BalanceKey &
  BalanceQuestion & {
    businessId: string;
    purpose: WalletPurpose;
    assetCode: string;
    assetKind: AssetKind;
    assetDecimals: number;
    /** The heights above which movements of the wallet and of the asset are looked for. */
    walletSince: bigint;
    assetSince: bigint;
    /**
     * An open discrepancy of the balance came about above this height. Null: there is none, or it
     * is older than this record.
     */
    differsSince: bigint | null;
    /** True of a wallet that was removed, and is watched until it is found to be empty. */
    isLeaving: boolean;
    /** The balance at the confirmed height. */
    confirmedAtomic: bigint;
    /** The amount that is still pending at the position: incoming less outgoing. */
    pendingAtomic: bigint;
  };

/** A block whose hash is stored, with its time in ms since the epoch. */
export type StoredBlock = Position & { timeMs: number };

/**
 * The balances of a chain that are asked for, page after page. `walletIds` null: those of all
 * wallets.
 */
export type LedgerBalancesAsked = {
  chainName: string;
  walletIds: readonly string[] | null;
  /** The last balance of the page before; null: begin with the first. */
  after: BalanceKey | null;
  limit: number;
};

/**
 * Balances and heights of one moment. `confirmed` null: the hash of the confirmed height is no
 * longer stored.
 */
export type LedgerBalancesPage = {
  confirmed: StoredBlock | null;
  position: StoredBlock;
  balances: LedgerBalance[];
};

/** A balance in which ledger and chain differ, at one height. Nothing explains the difference. */
type Discrepancy = {
  balance: BalanceKey;
  at: { number: bigint };
  ledgerAtomic: bigint;
  chainAtomic: bigint;
};

/**
 * The balances that were compared, and those of them that differ. The rest of `compared` has agreed
 * again.
 */
export type ComparedBalances = {
  compared: readonly BalanceKey[];
  discrepancies: readonly (Discrepancy & { since: bigint })[];
};

/**
 * A balance in which ledger and chain differ, at one block. `proof` is that of the chain's balance.
 */
export type Difference = Discrepancy & {
  balance: LedgerBalance;
  at: StoredBlock;
  proof: BalanceProof;
};

/**
 * The outcome of a difference. It came about above `since`.
 *
 * - `found`: the blocks, read again, explain it.
 * - `unattributed`: contracts moved coin inside, on a chain that cannot be traced.
 * - `opening_corrected`: the opening balance was read wrong.
 * - `moved`: it is to be looked at another time, and stays open until then.
 */
export type Finding = Difference & {
  since: bigint;
  outcome: "found" | "adjusted" | "unattributed" | "opening_corrected" | "discrepancy" | "moved";
};

/** A correction of a balance, for a change above `since` and up to the block of the difference. */
export type Correction = Difference & { since: bigint; type: CorrectionType };

/**
 * The end of a comparison of a whole chain. `agreedNumber` null: the height that was known stays.
 */
export type FinishedReconciliation = {
  chainName: string;
  atNumber: bigint;
  agreedNumber: bigint | null;
  compared: number;
};
