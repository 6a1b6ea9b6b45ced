import type { Position } from "../chain/block.ts";
import type { BalanceProof } from "../chain/block-proof.ts";
import type { AssetKind } from "./asset.ts";
import type { BalanceKey, BalanceQuestion } from "./balance.ts";
import type { CorrectionType, WalletPurpose } from "./transaction.ts";

/** What the ledger says that a wallet has of an asset. Amounts in atomic units. */
export type LedgerBalance = BalanceKey &
  BalanceQuestion & {
    businessId: string;
    purpose: WalletPurpose;
    assetCode: string;
    assetKind: AssetKind;
    assetDecimals: number;
    /** Movements are looked for above these heights. */
    walletSince: bigint;
    assetSince: bigint;
    /** Above this height an open discrepancy of it came about; null: there is none, or of before this was kept. */
    differsSince: bigint | null;
    /** At the confirmed height. */
    confirmedAtomic: bigint;
    /** What is still pending at the position: incoming less outgoing. */
    pendingAtomic: bigint;
  };

/** A block whose hash is stored, with its time in ms since the epoch. */
export type StoredBlock = Position & { timeMs: number };

/** Which balances of a chain: those of some wallets, or with null all of them; page after page. */
export type LedgerBalancesAsked = {
  chainName: string;
  walletIds: readonly string[] | null;
  /** The last one of the page before; null: from the first. */
  after: BalanceKey | null;
  limit: number;
};

/** Balances and heights of one moment. `confirmed` null: the hash of that height is no longer stored. */
export type LedgerBalancesPage = {
  confirmed: StoredBlock | null;
  position: StoredBlock;
  balances: LedgerBalance[];
};

/** A balance for which ledger and chain do not say the same, at one height. Nothing explains it. */
type Discrepancy = {
  balance: BalanceKey;
  at: { number: bigint };
  ledgerAtomic: bigint;
  chainAtomic: bigint;
};

/** What was compared, and what of it differs: the rest of `compared` has agreed again. */
export type ComparedBalances = {
  compared: readonly BalanceKey[];
  discrepancies: readonly (Discrepancy & { since: bigint })[];
};

/** A balance for which ledger and chain do not say the same, at one block; `proof`: what shows the chain's. */
export type Difference = Discrepancy & {
  balance: LedgerBalance;
  at: StoredBlock;
  proof: BalanceProof;
};

/**
 * What came of a difference. `found`: the blocks, read again, explain it. `unattributed`: what contracts did inside, on a
 * chain that cannot be traced. `opening_corrected`: what it began with was read wrong. `moved`: to be looked at another time, and open until then. It came about above `since`.
 */
export type Finding = Difference & {
  since: bigint;
  outcome: "found" | "adjusted" | "unattributed" | "opening_corrected" | "discrepancy" | "moved";
};

/** A correction of a balance, for what changed above `since` and up to the block of the difference. */
export type Correction = Difference & { since: bigint; type: CorrectionType };

/** That all of a chain was compared. `agreedNumber` null: what was known of that stays. */
export type FinishedReconciliation = {
  chainName: string;
  atNumber: bigint;
  agreedNumber: bigint | null;
  compared: number;
};
