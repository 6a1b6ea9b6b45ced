type Described = Record<string, { description: string }>;

/** What is kept of comparing the ledger with its chains; the database's CHECK is held against it by a test. */
export const reconciliationEvents = {
  finished: { description: "all of a chain was compared" },
  found: { description: "a balance differs, and nothing explains it" },
  changed: { description: "it differs by another amount than before" },
  resolved: { description: "it differs no more, or is not compared again" },
} as const satisfies Described;

export type ReconciliationEvent = keyof typeof reconciliationEvents;

/** Why a discrepancy is one no more. */
export const discrepancyResolutions = {
  agreed: { description: "ledger and chain say the same again" },
  reset: { description: "its chain was reset" },
  unwatched: { description: "its wallet or asset is watched no more, so it is not compared again" },
} as const satisfies Described;

export type DiscrepancyResolution = keyof typeof discrepancyResolutions;

/** One row of that record. Amounts in atomic units. */
export type ReconciliationRecord = {
  id: string;
  chainName: string;
  /** Counts the rows of its chain, from 1. */
  number: bigint;
  event: ReconciliationEvent;
  /** The block that was compared, or up to which was confirmed when it was resolved. */
  atNumber: bigint | null;
  recordedAt: Date;
  hash: string;
  /** Of a finished comparison. */
  comparison: { compared: number; agreedNumber: bigint | null; discrepancies: number } | null;
  /** Of a discrepancy. */
  discrepancy: {
    walletId: string;
    walletAddress: string;
    assetCode: string;
    assetDecimals: number;
    ledgerAtomic: bigint;
    chainAtomic: bigint;
    resolution: DiscrepancyResolution | null;
  } | null;
};

/** Which rows are asked for. */
export type RecordFilter = { chainName?: string; walletId?: string };
