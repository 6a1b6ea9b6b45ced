import type { Address } from "../chain/address.ts";
import type { Position } from "../chain/block.ts";
import type { AssetKind } from "./asset.ts";
import type { AssetAddress } from "./movement.ts";
import type { CorrectionType, WalletPurpose } from "./transaction.ts";

/** What the ledger says that a wallet holds of an asset. Amounts in atomic units. */
export type LedgerHolding = {
  walletId: string;
  assetId: number;
  businessId: string;
  purpose: WalletPurpose;
  walletAddress: Address;
  assetAddress: AssetAddress;
  assetCode: string;
  assetKind: AssetKind;
  assetDecimals: number;
  /** Movements are looked for above these heights. */
  walletSince: bigint;
  assetSince: bigint;
  /** At the confirmed height. */
  confirmedAtomic: bigint;
  /** What is still pending at the position: incoming less outgoing. */
  pendingAtomic: bigint;
};

/** A block whose hash is stored, with its time in ms since the epoch. */
export type StoredBlock = Position & { timeMs: number };

/** Holdings and heights of one moment. `confirmed` null: the hash of that height is no longer stored. */
export type HoldingsPage = {
  confirmed: StoredBlock | null;
  position: StoredBlock;
  holdings: LedgerHolding[];
};

/** A holding for which ledger and chain do not say the same, at one block. */
export type Difference = {
  holding: LedgerHolding;
  at: StoredBlock;
  ledgerAtomic: bigint;
  chainAtomic: bigint;
};

/**
 * What came of a difference. `found`: the blocks, read again, explain it. `unattributed`: what contracts did inside, on a
 * chain that cannot be traced. `moved`: to be looked at another time.
 */
export type Finding = Difference & {
  outcome: "found" | "adjusted" | "unattributed" | "discrepancy" | "moved";
};

/** A correction of a balance, for what changed above `since` and up to the block of the difference. */
export type Correction = Difference & { since: bigint; type: CorrectionType };
