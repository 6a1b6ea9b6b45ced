import type { BalanceProof, BlockProof, ReceiptsProof, Tracing } from "./block-proof.ts";
import type { Reading } from "./chain-rules.ts";
import type { Hold } from "./confirmation.ts";
import type { Evidence, UnreadUpgrade } from "./profile.ts";

/** A head as an endpoint named it. */
export type ChainHead = {
  number: bigint;
  /** The time of the block itself, in ms since the epoch. */
  timeMs: number;
  /** When it was named. */
  seenMs: number;
};

/** An endpoint as the operator sees it. */
export type EndpointHealth = {
  /** Its host. */
  name: string;
  /** 1 while all goes well, falling towards 0 with each failure. */
  score: number;
  /** The highest block it has announced. */
  head: bigint | null;
  latencyMs: number | null;
  /** The rate it has been slowed down to; null: it is not limited. */
  requestsPerSecond: number | null;
  /** Requests under way at once, at most. */
  concurrency: number;
  failures: number;
  lastError: string | null;
  /** Calls that the process that watches the chain has sent it within `callsHours`, those of a batch each. */
  calls: number;
  /** The last day, or the hours since that process began. */
  callsHours: number;
  /** What its provider charges for them, in units of its own; null: not known here. */
  charged: { units: number; unit: string } | null;
};

/** Blocks that could not be read whole and were taken because endpoints of two hosts agreed on them. */
export type AgreedReading = {
  /** How many, since the watching process began. */
  blocks: number;
  /** The last of them. */
  number: bigint;
  endpoints: string[];
  /** What could not be read of the last one. */
  why: string;
};

/**
 * What the first blocks of a chain have shown of which no recorded or documented profile is known. Null: no block could
 * show it yet.
 */
export type Discovery = {
  /** How many were looked at. */
  blocks: number;
  /** Whether those are all that are looked at. */
  isComplete: boolean;
  /** Whether each header, encoded as Ethereum's, has the block's hash. */
  header: boolean;
  /** Whether the transactions made up each header's transactionsRoot. */
  transactions: boolean | null;
  /** The strongest proof of receipts that held in all of them. */
  receipts: ReceiptsProof | null;
};

/** How a chain is being read by the process that watches it. */
export type ChainReading = {
  /** Null: not found out yet. */
  tracing: Tracing | null;
  /** How much is asked of its endpoints. */
  reading: Reading;
  /** What that gives up, a sentence each. */
  givenUp: string[];
  verification: BlockProof;
  /** How well it is known what kind of chain it is. */
  evidence: Evidence;
  /** An upgrade that this version does not read, from four weeks before it on; null: none is known. */
  upgrade: UnreadUpgrade | null;
  /** The highest of the heads that the endpoints named last; null: none has yet. */
  head: ChainHead | null;
  /** Null: all were proved as the chain can be. */
  agreed: AgreedReading | null;
  /** What showed the balances that were read last; null: none have been read yet. */
  balances: BalanceProof | null;
  /** Null: the chain is known, or nothing was seen yet. */
  discovered: Discovery | null;
  endpoints: EndpointHealth[];
};

/** The same, and what waits for the word of further endpoints; null: nothing does. */
export type ReportedReading = ChainReading & { held: Hold | null };

/** How far a chain has been processed, as the operator sees it. Heights are null until the chain has been seen. */
export type ChainStatus = {
  name: string;
  /** The last block whose movements are all in the ledger. */
  position: bigint | null;
  /** The time of that block itself. */
  positionTime: Date | null;
  /** The highest block any endpoint has announced. */
  head: bigint | null;
  /** Everything up to here is confirmed. */
  confirmed: bigint | null;
  lagBlocks: bigint | null;
  /**
   * From the position's block to the head, by the blocks' own times. Where no endpoint has named a head for a minute, the
   * time since then is added: nobody knows what the chain has done meanwhile.
   */
  lagSeconds: number | null;
  /** Why the chain is stopped, and since when, as far as that is known; null while it runs. */
  stopped: { code: string; reason: string; since: Date | null } | null;
  /** As its watcher last said; null: none has yet. */
  reading: (ReportedReading & { reportedAt: Date }) | null;
  /** Balances that are not the chain's, for no reason that was found. */
  discrepancies: number;
  /** Codes of assets that were left out of the configuration: they are recorded, and nobody is notified of them. */
  leftAssets: string[];
  /** Transactions of the coin that wait for their proof: their block's balances do not show them. */
  unproven: number;
  /** Balances whose opening one endpoint alone has said. */
  openingsAnswered: number;
  /** Wallets whose history is being filled in. */
  histories: number;
  /** When all balances were last compared with the chain. */
  reconciledAt: Date | null;
  /** Up to here all of them were found to agree. */
  agreed: bigint | null;
};

/** How far a chain was behind its head at most, from a moment on. */
export type LagSample = { at: Date; seconds: number };

/** How far a chain is, as every business may know it. */
export type ChainHeights = Pick<
  ChainStatus,
  "name" | "position" | "head" | "confirmed" | "lagSeconds"
> & {
  /** Its EIP-155 id. */
  chainId: bigint;
  /** The code of its coin; null: the coin is not watched. */
  nativeAsset: string | null;
  isStopped: boolean;
  /** Something waits for the word of further endpoints. */
  isHeld: boolean;
};

/** What is still to be delivered. `held` waits for its webhook to become active, or for one to be registered. */
export type OutboxStatus = { waiting: number; held: number; oldestWaitingAt: Date | null };

export type LedgerStatus = {
  chains: ChainStatus[];
  outbox: OutboxStatus;
  /** The fingerprint of what ids are derived with: of one installation and its copies alone. */
  idKey: string;
};
