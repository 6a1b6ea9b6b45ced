import type { ShownAbilities } from "./ability.ts";
import type { BalanceProof, BlockPart, BlockProof, ReceiptsProof, Tracing } from "./block-proof.ts";
import type { Drawback, Reading } from "./chain-rules.ts";
import type { Hold } from "./confirmation.ts";
import type { Evidence, UnreadUpgrade } from "./profile.ts";

/**
 * The progress of an asset whose balances are being made. `wallets`: how many there were when it
 * began to be watched. `opened`: how many of them have their balance.
 */
export type OpeningProgress = { assetCode: string; wallets: number; opened: number };

/** A head as an endpoint named it. */
export type ChainHead = {
  number: bigint;
  /** The time of the block, in ms since the epoch. */
  timeMs: number;
  /** When the endpoint named it, in ms since the epoch. */
  seenMs: number;
};

/** The health of an endpoint, as the operator sees it. */
export type EndpointHealth = {
  /** Its host. */
  name: string;
  /** 1 while all goes well. It falls towards 0 with each failure. */
  score: number;
  /** The head that the endpoint named last. It may be lower than one before. */
  head: bigint | null;
  latencyMs: number | null;
  /** The present limit of requests a second; null: there is none. */
  requestsPerSecond: number | null;
  /** The most requests that may be under way at once. */
  concurrency: number;
  failures: number;
  lastError: string | null;
  /**
   * For how many ms it has answered nothing; null: it answers. A process of release 0.2 leaves it
   * out.
   */
  silentMs?: number | null;
  /**
   * The calls that the watching process sent to it within `callsHours`. Each call of a batch
   * counts.
   */
  calls: number;
  /** The hours in which calls were counted: 23 to 24, or fewer since that process began. */
  callsHours: number;
  /** The price of these calls at the provider, in its own units; null: not known. */
  charged: { units: number; unit: string } | null;
  /** A process of 0.2 does not say it. */
  shown?: ShownAbilities;
};

/** Blocks that could not be proved, and were accepted because endpoints of two hosts agreed. */
export type AgreedReading = {
  /** The number since the watching process began. */
  blocks: number;
  /** The last of them. */
  number: bigint;
  endpoints: string[];
  /** The reason why the last of them could not be proved. */
  why: string;
  /** The part of it that could not be read; null: a process of 0.2 took it, and does not say. */
  unread: BlockPart | null;
  /** The fields or types of that part which this version does not know. */
  unknown: string[];
};

/**
 * The findings from the first blocks of a chain. They are examined if the chain has no recorded or
 * documented profile. A property is null if no block could show it yet.
 */
export type Discovery = {
  /** The number of examined blocks. */
  blocks: number;
  /** True if no more blocks will be examined. */
  isComplete: boolean;
  /** True if each header, encoded as Ethereum's, has the block's hash. */
  header: boolean;
  /** True if the transactions made up each header's transactionsRoot. */
  transactions: boolean | null;
  /** The strongest proof of receipts that held in all these blocks. */
  receipts: ReceiptsProof | null;
};

/** The way in which the watching process reads a chain. */
export type ChainReading = {
  /** Null: not known yet. */
  tracing: Tracing | null;
  /** The amount of requests to its endpoints. */
  reading: Reading;
  givenUp: Drawback[];
  verification: BlockProof;
  /** The evidence for the chain's profile. */
  evidence: Evidence;
  /**
   * An upgrade that this version cannot read, from four weeks before it on; null: none is known.
   */
  upgrade: UnreadUpgrade | null;
  /** The highest head that the endpoints named last; null: none has named one yet. */
  head: ChainHead | null;
  /** Null: all blocks were proved as far as the chain allows. */
  agreed: AgreedReading | null;
  /** The proof of the balances that were read last; null: none were read yet. */
  balances: BalanceProof | null;
  /** Null: the chain has a known profile, or no block was examined yet. */
  discovered: Discovery | null;
  endpoints: EndpointHealth[];
};

/** The same, with what waits for further endpoints; null: nothing waits. */
export type ReportedReading = ChainReading & { held: Hold | null };

/** The progress of a chain, for the operator. Heights are null until the chain was read. */
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
   * The time from the position's block to the head, in s, by the blocks' own times. The chain's
   * progress is unknown if no endpoint has named a head for a minute. The time since then is added.
   */
  lagSeconds: number | null;
  /**
   * The reason why the chain is stopped, and since when if that is known; null: it is not stopped.
   */
  stopped: { code: string; reason: string; since: Date | null } | null;
  /** The latest report of its watcher; null: none yet. */
  reading: (ReportedReading & { reportedAt: Date }) | null;
  /** The number of balances that differ from the chain's without an explanation. */
  discrepancies: number;
  /** When the oldest of these differences was found; null: there is none. */
  differsSince: Date | null;
  /** The codes of all assets that are recorded, or once were. */
  assetCodes: string[];
  /** Codes of assets that left the configuration. They are recorded, but not notified. */
  leftAssets: string[];
  /** New assets whose balances are still being made. */
  openingAssets: OpeningProgress[];
  /**
   * The number of transactions of the coin that wait for their proof, because their block's
   * balances do not show them.
   */
  unproven: number;
  /** The number of opening balances that only one endpoint has answered. */
  openingsAnswered: number;
  /** The number of wallets with a history that is not complete yet. */
  histories: number;
  /** When all balances were last compared with the chain. */
  reconciledAt: Date | null;
  /** All balances were found to agree up to this block. */
  agreed: bigint | null;
};

/** The longest time that a chain was behind its head, in s, in the period that begins at `at`. */
export type LagSample = { at: Date; seconds: number };

/**
 * The answers of an endpoint in the period that begins at `at`: its longest latency, and its failed
 * requests. A latency is the average of about its last twenty answers.
 */
export type EndpointSample = Pick<EndpointHealth, "name" | "latencyMs" | "failures"> & { at: Date };

/** The progress of a chain, for every business. */
export type ChainHeights = Pick<
  ChainStatus,
  "name" | "position" | "head" | "confirmed" | "lagSeconds" | "assetCodes"
> & {
  /** Its EIP-155 id. */
  chainId: bigint;
  /** The code of its coin; null: the coin is not watched. */
  nativeAsset: string | null;
  isStopped: boolean;
  /** True if something of now waits for further endpoints. */
  isHeld: boolean;
};

/**
 * Deliveries that wait. `held`: those without an active webhook. `lateSince`: since when one has
 * been due for longest, and its receiver is not to blame. Receivers that fail are left out, whoever
 * else waits. Null: nothing is late.
 */
export type OutboxStatus = {
  waiting: number;
  held: number;
  oldestWaitingAt: Date | null;
  lateSince: Date | null;
};

export type LedgerStatus = {
  chains: ChainStatus[];
  outbox: OutboxStatus;
  /**
   * The fingerprint of the key from which ids are derived. Only an installation and its copies
   * share it.
   */
  idKey: string;
};
