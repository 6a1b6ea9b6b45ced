/** How far a chain has been processed, as the operator sees it. Heights are null until the chain has been seen. */
export type ChainStatus = {
  name: string;
  /** The last block whose movements are all in the ledger. */
  cursor: bigint | null;
  /** The highest block any endpoint has announced. */
  head: bigint | null;
  /** Everything up to here is confirmed. */
  confirmed: bigint | null;
  lagBlocks: bigint | null;
  /** Age of the cursor's block while there are newer ones, else 0. */
  lagSeconds: number | null;
  /** Why the chain is stopped; null while it runs. */
  stopped: { code: string; reason: string } | null;
};

/** What is still to be told. `held` waits for its webhook to become active, or for one to be registered. */
export type OutboxStatus = { waiting: number; held: number; oldestWaitingAt: Date | null };

export type LedgerStatus = { chains: ChainStatus[]; outbox: OutboxStatus };
