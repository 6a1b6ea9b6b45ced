import type { Address } from "./address.ts";
import type { ReceiptsProof } from "./block-proof.ts";
import type { ConfirmationPolicy } from "./confirmation.ts";
import type { HeaderEncoding } from "./header-encoding.ts";

/**
 * A contract that shows the chain's own coin as a token. `logs` says how its Transfer logs relate
 * to the moves of the coin.
 *
 * - `repeats`: they repeat what transactions and traces say. They are passed over.
 * - `moves`: they show moves that nothing else shows. They count.
 * - `all`: they show every move of the coin. They count, and values and traces are passed over.
 * - `completes`: they may show every move. Those count that values and traces do not show as well.
 * - `shares`: they show moves of the same balance by the token's own calls. A log counts unless
 *   another transfer of the same parties and amount shows it as well. Amounts are compared as far
 *   as the token's decimals go.
 * - `amsterdam`: `all` in blocks whose header has the hash of an access list, `repeats` in other
 *   blocks. EIP-7928 came with EIP-7708.
 */
export type NativeAlias = {
  address: Address;
  logs: "repeats" | "moves" | "all" | "completes" | "shares" | "amsterdam";
  /** The decimals in which the token counts the coin. The coin itself has 18. */
  decimals: number;
  /**
   * An account that keeps what the token's decimals cannot show. A payment from or to the account
   * is no transfer.
   */
  reserve?: Address;
};

/** The ways in which the frames of a chain's traces differ from those of go-ethereum. */
type TraceDialect =
  | "geth"
  /** Every call tree begins at the zero address, at the chain's entry point. */
  | "zksync"
  /** Coin also moves in separate lists, before and after the calls. */
  | "nitro"
  /**
   * `trace_block` also shows the coin that a system call makes, as a reward. So it is preferred.
   */
  | "rewards";

/** A change of the chain's rules, known before it comes. */
type ChainFork = {
  name: string;
  /** Seconds since the epoch; null: announced without a time. */
  atSeconds: number | null;
  /** True if this version reads the blocks that follow the fork. */
  isRead: boolean;
};

/**
 * A change of the chain's rules that this version does not read. `atMs` is its time in ms since the
 * epoch.
 */
export type UnreadUpgrade = { name: string; atMs: number };

/**
 * The operator is warned of an upgrade that this version does not read, from this time before it
 * on.
 */
const warnedAheadMs = 28 * 86_400_000;

/**
 * The first upgrade of a chain that this version does not read; null: there is none. It is known
 * from four weeks before its time on.
 */
export function unreadUpgrade(
  { forks }: Pick<ChainProfile, "forks">,
  nowMs: number,
): UnreadUpgrade | null {
  const due = forks.flatMap(({ name, atSeconds, isRead }) =>
    isRead || atSeconds === null || atSeconds * 1_000 - nowMs > warnedAheadMs
      ? []
      : [{ name, atMs: atSeconds * 1_000 }],
  );
  return due.toSorted((a, b) => a.atMs - b.atMs)[0] ?? null;
}

/**
 * The evidence for a profile. `recorded`: blocks of the chain itself were read and came out right.
 * `documented`: the makers' specification or source says so. `assumed`: nobody could check it, so
 * the first blocks of the chain have to show it.
 */
export const evidenceLevels = ["recorded", "documented", "assumed"] as const;

export type Evidence = {
  level: (typeof evidenceLevels)[number];
  source: string;
  /** The day on which the source was looked up, as YYYY-MM-DD. */
  checked: string;
};

/** The known facts about a chain, by its EIP-155 id. The configuration may say otherwise. */
export type ChainProfile = {
  chainId: number;
  name: string;
  /** The software that the chain runs. */
  family: string;
  /** Null: the chain has no coin of its own. If the code is null, the operator must say it. */
  coin: { code: string | null } | null;
  header: HeaderEncoding;
  /** True if the transactions of a block make up the header's transactionsRoot. */
  hasTransactionsRoot: boolean;
  /**
   * Transaction types whose bytes an endpoint does not give whole, or whose encoding no recorded
   * block has confirmed. If the hash of such a transaction does not come out, the root of its block
   * cannot be rebuilt. The block's other transactions still have their hashes.
   */
  looseTypes: readonly number[];
  /**
   * A transaction that is in no root and in no bloom. `state-sync`: before block 80,084,800,
   * Polygon's node showed the events of Heimdall as such a transaction.
   */
  outsideRoots: "state-sync" | null;
  receipts: ReceiptsProof;
  /**
   * The first block whose roots are made as they are today. Of the blocks before it, only header
   * and bloom are checked.
   */
  rootsSince: bigint;
  /** True if log indexes may have gaps, for example where failed transactions counted theirs. */
  hasLogGaps: boolean;
  /** True if the priority fees of a block go to its `miner` address. */
  paysFeeRecipient: boolean;
  nativeAliases: readonly NativeAlias[];
  /** The asset in which an EIP-4895 withdrawal of a block is paid. */
  withdrawals: "native" | "token" | "none";
  /**
   * Avalanche: the id of the coin among its chains, by which atomic transactions name the coin.
   * Null elsewhere.
   */
  atomicCoin: string | null;
  /**
   * Coin that moves without a transaction and without a withdrawal, in words; null: no coin does.
   */
  systemCredits: string | null;
  traces: TraceDialect;
  blockTimeMs: number;
  /** The time after which a block cannot be undone any more, in words. */
  finality: string;
  confirmations: ConfirmationPolicy;
  /** A block explorer's address; a transaction is below `/tx/`. */
  explorer: string | null;
  /**
   * The parts of its blocks that cannot be proved, and the replacement for the proof, in words.
   * Null: everything is proved that Ethereum proves.
   */
  unproved: string | null;
  forks: readonly ChainFork[];
  evidence: Evidence;
};

export const minute = 60_000;

/** The policy of an age, by the times of the blocks. */
export const age = (ageMs: number): ConfirmationPolicy => ({ kind: "age", ageMs });

export const depth = (blocks: number): ConfirmationPolicy => ({ kind: "depth", depth: blocks });

/**
 * EIP-7708. In force, it makes each move of the coin also show as a Transfer log of this address.
 */
export const eip7708: NativeAlias = {
  address: "0xfffffffffffffffffffffffffffffffffffffffe",
  logs: "repeats",
  decimals: 18,
};

/**
 * The same on a chain where EIP-7708 is in force since Amsterdam. From then on, those logs are all
 * that moves the coin.
 */
export const eip7708SinceAmsterdam: NativeAlias = { ...eip7708, logs: "amsterdam" };

/** The identity of a chain: its EIP-155 id, its name, its software, and the code of its coin. */
export const identity = (chainId: number, name: string, family: string, code: string) => ({
  chainId,
  name,
  family,
  coin: { code },
});

/** The day on which the sources of most profiles were looked up. */
const checked = "2026-11-21";

export const documented = (source: string): Evidence => ({ level: "documented", source, checked });
export const recorded = (source: string): Evidence => ({ level: "recorded", source, checked });
export const assumed = (source: string): Evidence => ({ level: "assumed", source, checked });
