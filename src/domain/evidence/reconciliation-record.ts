type Described = Record<string, { description: string }>;

/**
 * The events that are recorded when the ledger is compared with a chain. A test compares the
 * database's CHECK with them.
 */
export const reconciliationEvents = {
  finished: { description: "all of a chain was compared" },
  found: { description: "a balance differs, and nothing explains it" },
  changed: { description: "it differs by another amount than before" },
  resolved: { description: "it differs no more, or is not compared again" },
} as const satisfies Described;

export type ReconciliationEvent = keyof typeof reconciliationEvents;

/** The reason why a discrepancy has ended. */
export const discrepancyResolutions = {
  agreed: { description: "ledger and chain say the same again" },
  reset: { description: "its chain was reset" },
  unwatched: { description: "its wallet or asset is watched no more, so it is not compared again" },
} as const satisfies Described;

export type DiscrepancyResolution = keyof typeof discrepancyResolutions;

/** One row of that record. Amounts are in atomic units. */
export type ReconciliationRecord = {
  id: string;
  chainName: string;
  /** The number of the row within its chain, from 1. */
  number: bigint;
  event: ReconciliationEvent;
  /** The compared block. For a resolved discrepancy: the confirmed height at that time. */
  atNumber: bigint | null;
  recordedAt: Date;
  /** True of the newest row of a discrepancy that is still open. */
  isOpen: boolean;
  hash: string;
  /** The result of a finished comparison. */
  comparison: { compared: number; agreedNumber: bigint | null; discrepancies: number } | null;
  /** The discrepancy that the row is about. */
  discrepancy: {
    walletId: string;
    walletAddress: string;
    businessId: string;
    /** The present reference and label of the wallet. */
    reference: string | null;
    label: string | null;
    assetCode: string;
    assetDecimals: number;
    ledgerAtomic: bigint;
    chainAtomic: bigint;
    resolution: DiscrepancyResolution | null;
  } | null;
};

/** The wanted rows: recorded at or after `from`, and before `to`. */
export type RecordFilter = {
  chainName?: string;
  walletId?: string;
  /** Of the wallets of this business. */
  businessId?: string;
  /** Of assets with this code, in any case. */
  assetCode?: string;
  event?: ReconciliationEvent;
  /** True: of each discrepancy that is still open, its newest row alone. False: all rows. */
  isOpen?: boolean;
  from?: Date;
  to?: Date;
};
