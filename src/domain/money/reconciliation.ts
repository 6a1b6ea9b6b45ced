import type { Position } from "../chain/block.ts";
import type { BalanceProof } from "../chain/block-proof.ts";
import type { AssetKind } from "./asset.ts";
import type { BalanceKey, BalanceQuestion } from "./balance.ts";
import type { CorrectionType, WalletPurpose } from "./transaction.ts";

/** The ledger's balance of a wallet in an asset. Amounts are in atomic units. */
export type LedgerBalance = BalanceKey &
  BalanceQuestion & {
    businessId: string;
    purpose: WalletPurpose;
    assetCode: string;
    assetKind: AssetKind;
    assetDecimals: number;
    /** Movements of the wallet and of the asset count above these heights. */
    walletSince: bigint;
    assetSince: bigint;
    /**
     * The confirmed height when the opening was recorded. A comparison below this height did not
     * cover the balance. Null: not known.
     */
    openedNumber: bigint | null;
    /**
     * The open discrepancy of the balance arose above this height. Null: there is none, or it was
     * found before this was recorded.
     */
    differsSince: bigint | null;
    /** True for a removed wallet that is watched until it is empty. */
    isLeaving: boolean;
    /** The balance at the confirmed height. */
    confirmedAtomic: bigint;
    /** The amount between the confirmed height and the position: incoming less outgoing. */
    pendingAtomic: bigint;
  };

/** A block with a stored hash, and its time in ms since the epoch. */
export type StoredBlock = Position & { timeMs: number };

/** Asks for a chain's balances, page by page. `walletIds` null: those of all wallets. */
export type LedgerBalancesAsked = {
  chainName: string;
  walletIds: readonly string[] | null;
  /** The last balance of the page before; null: begin with the first. */
  after: BalanceKey | null;
  limit: number;
};

/**
 * Balances and heights of one moment. `confirmed` null: the hash of the confirmed height is not
 * stored any more. `undos`: as in ChainState.
 */
export type LedgerBalancesPage = {
  confirmed: StoredBlock | null;
  position: StoredBlock;
  undos: number;
  balances: LedgerBalance[];
};

/** A balance in which ledger and chain differ at one height, without an explanation. */
type Discrepancy = {
  balance: BalanceKey;
  at: { number: bigint };
  ledgerAtomic: bigint;
  chainAtomic: bigint;
};

/** The compared balances, and those of them that differ. All others agree again. */
export type ComparedBalances = {
  compared: readonly BalanceKey[];
  discrepancies: readonly (Discrepancy & { since: bigint })[];
};

/**
 * A balance in which ledger and chain differ at one block. `proof`: that of the chain's balance.
 */
export type Difference = Discrepancy & {
  balance: LedgerBalance;
  at: StoredBlock;
  proof: BalanceProof;
};

/**
 * The explanation that was found for a difference. It arose above `since`.
 *
 * - `found`: the blocks, read again, explain it.
 * - `unattributed`: contracts moved coin internally, on a chain without traces.
 * - `opening_corrected`: the opening balance was wrong.
 * - `moved`: it must be examined again later, and stays open until then.
 */
export type Finding = Difference & {
  since: bigint;
  outcome: "found" | "adjusted" | "unattributed" | "opening_corrected" | "discrepancy" | "moved";
};

/** Corrects a balance for a change above `since`, up to the block of the difference. */
export type Correction = Difference & { since: bigint; type: CorrectionType };

/**
 * The end of a comparison of a whole chain. `atNumber`: the height at which the last balances were
 * compared. `agreedNumber`: up to this height all balances agree, or their differences are known;
 * null: the stored height stays. `undos`: as it was at each of its pages.
 */
export type FinishedReconciliation = {
  chainName: string;
  atNumber: bigint;
  agreedNumber: bigint | null;
  compared: number;
  undos: number;
};
