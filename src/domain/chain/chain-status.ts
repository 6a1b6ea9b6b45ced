import type { BalanceProof, BlockProof, ReceiptsProof, Tracing } from "./block-proof.ts";
import type { Reading } from "./chain-rules.ts";
import type { Hold } from "./confirmation.ts";
import type { Evidence, UnreadUpgrade } from "./profile.ts";

/**
 * The progress of an asset whose balances are being made: of how many wallets that were there when
 * it began to be watched, and how many of them have theirs.
 */
export type OpeningProgress = { assetCode: string; wallets: number; opened: number };

/** A head as an endpoint named it. */
export type ChainHead = {
  number: bigint;
  /** The time of the block itself, in ms since the epoch. */
  timeMs: number;
  /** The time at which the endpoint named it, in ms since the epoch. */
  seenMs: number;
};

/** The health of an endpoint, as the operator sees it. */
export type EndpointHealth = {
  /** Its host. */
  name: string;
  /** 1 while all goes well. It falls towards 0 with each failure. */
  score: number;
  /** The highest block that the endpoint has announced. */
  head: bigint | null;
  latencyMs: number | null;
  /** The rate to which the endpoint has been slowed down; null: it is not limited. */
  requestsPerSecond: number | null;
  /** The most requests that may be under way at once. */
  concurrency: number;
  failures: number;
  lastError: string | null;
  /**
   * The time in ms for which it has answered nothing; null while it answers. A process of 0.2 does
   * not say it.
   */
  silentMs?: number | null;
  /**
   * Calls that the process which watches the chain has sent to the endpoint within `callsHours`.
   * Each call of a batch counts.
   */
  calls: number;
  /**
   * The hours for which calls are counted: 23 to 24, or those since that process began if they are
   * fewer.
   */
  callsHours: number;
  /** The provider's charge for these calls, in units of its own; null: it is not known here. */
  charged: { units: number; unit: string } | null;
};

/**
 * Blocks that could not be read whole. They were taken because endpoints of two hosts agreed on
 * them.
 */
export type AgreedReading = {
  /** The number of blocks since the watching process began. */
  blocks: number;
  /** The last of them. */
  number: bigint;
  endpoints: string[];
  /** The part of the last block that could not be read. */
  why: string;
};

/**
 * The properties that the first blocks of a chain have shown. They are looked at if no recorded or
 * documented profile of the chain is known. A property is null if no block could show it yet.
 */
export type Discovery = {
  /** The number of blocks that were looked at. */
  blocks: number;
  /** True if no more blocks will be looked at. */
  isComplete: boolean;
  /** True if each header, encoded as Ethereum's, has the block's hash. */
  header: boolean;
  /** True if the transactions made up each header's transactionsRoot. */
  transactions: boolean | null;
  /** The strongest proof of receipts that held in all of the blocks. */
  receipts: ReceiptsProof | null;
};

/** The way in which the process that watches a chain reads it. */
export type ChainReading = {
  /** Null: the process has not found it out yet. */
  tracing: Tracing | null;
  /** The amount that is asked of its endpoints. */
  reading: Reading;
  /** The drawbacks of that reading, a sentence each. */
  givenUp: string[];
  verification: BlockProof;
  /** The evidence for the kind of chain that it is. */
  evidence: Evidence;
  /**
   * An upgrade that this version does not read, from four weeks before the upgrade on; null: none
   * is known.
   */
  upgrade: UnreadUpgrade | null;
  /**
   * The highest of the heads that the endpoints named last; null: no endpoint has named one yet.
   */
  head: ChainHead | null;
  /** Null: all blocks were proved as the chain allows. */
  agreed: AgreedReading | null;
  /** The proof of the balances that were read last; null: none have been read yet. */
  balances: BalanceProof | null;
  /** Null: the chain is known, or nothing was seen yet. */
  discovered: Discovery | null;
  endpoints: EndpointHealth[];
};

/** The same, with the thing that waits for further endpoints; null: nothing waits. */
export type ReportedReading = ChainReading & { held: Hold | null };

/**
 * The progress of a chain, as the operator sees it. Heights are null until the chain has been seen.
 */
export type ChainStatus = {
  name: string;
  /** The last block whose movements are all in the ledger. */
  position: bigint | null;
  /** The time of that block itself. */
  positionTime: Date | null;
  /** The highest block that any endpoint has announced. */
  head: bigint | null;
  /** Everything up to this block is confirmed. */
  confirmed: bigint | null;
  lagBlocks: bigint | null;
  /**
   * The time from the position's block to the head, in s, by the blocks' own times. If no endpoint
   * has named a head for a minute, the time since then is added. Nobody knows the chain's progress
   * in that time.
   */
  lagSeconds: number | null;
  /**
   * The reason why the chain is stopped, and since when, as far as that is known; null while it
   * runs.
   */
  stopped: { code: string; reason: string; since: Date | null } | null;
  /** The reading as its watcher last reported it; null: no watcher has reported yet. */
  reading: (ReportedReading & { reportedAt: Date }) | null;
  /** Balances that differ from the chain's, for no reason that was found. */
  discrepancies: number;
  /**
   * Codes of assets that were left out of the configuration. Such an asset is recorded, and nobody
   * is notified of it.
   */
  leftAssets: string[];
  /**
   * Assets that were added, and whose balances are still being made. See `OpeningProgress`.
   */
  openingAssets: OpeningProgress[];
  /**
   * Transactions of the coin that wait for their proof, because their block's balances do not show
   * them.
   */
  unproven: number;
  /** Balances whose opening balance only one endpoint has answered. */
  openingsAnswered: number;
  /** Wallets whose history is being filled in. */
  histories: number;
  /** The time at which all balances were last compared with the chain. */
  reconciledAt: Date | null;
  /** All balances were found to agree up to this block. */
  agreed: bigint | null;
};

/** The longest time that a chain was behind its head, in s, in the period that begins at `at`. */
export type LagSample = { at: Date; seconds: number };

/** The progress of a chain, as every business may know it. */
export type ChainHeights = Pick<
  ChainStatus,
  "name" | "position" | "head" | "confirmed" | "lagSeconds"
> & {
  /** Its EIP-155 id. */
  chainId: bigint;
  /** The code of its coin; null: the coin is not watched. */
  nativeAsset: string | null;
  isStopped: boolean;
  /** True if something waits for further endpoints. */
  isHeld: boolean;
};

/**
 * The deliveries that are still to be made. `held` counts those that wait until their webhook
 * becomes active, or until a webhook is registered.
 */
export type OutboxStatus = { waiting: number; held: number; oldestWaitingAt: Date | null };

export type LedgerStatus = {
  chains: ChainStatus[];
  outbox: OutboxStatus;
  /**
   * The fingerprint of the key that ids are derived with. Only an installation and its copies share
   * it.
   */
  idKey: string;
};
