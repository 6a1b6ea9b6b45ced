import type { Address } from "./address.ts";
import type { ReceiptsProof } from "./block-proof.ts";
import type { ConfirmationPolicy } from "./confirmation.ts";
import type { HeaderEncoding } from "./header-encoding.ts";

/**
 * A contract that shows the chain's coin as a token. `logs` says how its Transfer logs relate to
 * moves of the coin.
 *
 * - `repeats`: they repeat what transactions and traces show. They are ignored.
 * - `moves`: they show moves that nothing else shows. They count.
 * - `all`: they show every move of the coin. They count, and values and traces are ignored.
 * - `completes`: they may show every move. They count unless values and traces show the same move.
 * - `shares`: they show moves of the same balance by the token's own calls. A log counts unless
 *   another transfer of the same parties and amount shows it too. Amounts are compared in the
 *   token's decimals.
 * - `amsterdam`: `all` in blocks whose header has an access list's hash, else `repeats`. EIP-7928
 *   came with EIP-7708.
 */
export type NativeAlias = {
  address: Address;
  logs: "repeats" | "moves" | "all" | "completes" | "shares" | "amsterdam";
  /** The token's decimals. The coin itself has 18. */
  decimals: number;
  /**
   * An account that holds the remainder below the token's decimals. A payment from or to it is no
   * transfer.
   */
  reserve?: Address;
};

/** The differences between a chain's traces and those of go-ethereum. */
type TraceDialect =
  | "geth"
  /** Every call tree begins at the zero address, at the chain's entry point. */
  | "zksync"
  /** Coin also moves in separate lists, before and after the calls. */
  | "nitro"
  /**
   * `trace_block` also shows, as a reward, the coin that a system call makes. So it is preferred.
   */
  | "rewards";

/** A change of the chain's rules that was announced. */
type ChainFork = {
  name: string;
  /** In seconds since the epoch; null: its time is not announced. */
  atSeconds: number | null;
  /** True if this version can read the blocks after the fork. */
  isRead: boolean;
};

/**
 * A change of the chain's rules that this version cannot read. `atMs`: its time, in ms since the
 * epoch.
 */
export type UnreadUpgrade = { name: string; atMs: number };

/** The operator is warned this many ms before an upgrade that this version cannot read. */
const warnedAheadMs = 28 * 86_400_000;

/**
 * The first upgrade of a chain that this version cannot read. Null: none is within four weeks or
 * past.
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
 * The evidence for a profile. `recorded`: blocks of the chain were read, and all proofs held.
 * `documented`: the makers' specification or source. `assumed`: nobody has checked it, so the
 * chain's first blocks are examined.
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
  /** Null: the chain has no coin. A null code: the operator must configure it. */
  coin: { code: string | null } | null;
  header: HeaderEncoding;
  /** True if the transactions of a block make up the header's transactionsRoot. */
  hasTransactionsRoot: boolean;
  /**
   * Transaction types that endpoints answer incompletely, or whose encoding was never confirmed by
   * a recorded block. If such a transaction does not have its hash, the block's root cannot be
   * rebuilt. The other transactions are still checked by their hashes, and hosts must agree on the
   * block.
   */
  looseTypes: readonly number[];
  /**
   * A transaction that no root or bloom covers, so that hosts must agree on its block.
   * `state-sync`: before block 80,084,800 Polygon's node showed Heimdall's events as such a
   * transaction.
   */
  outsideRoots: "state-sync" | null;
  receipts: ReceiptsProof;
  /**
   * The first block with roots as they are made today. In earlier blocks only header and bloom are
   * checked.
   */
  rootsSince: bigint;
  /**
   * True if log indexes may have gaps, for example because the logs of failed transactions were
   * counted.
   */
  hasLogGaps: boolean;
  /**
   * True if logs of a failed transaction count, since they show its fee. Elsewhere its transfers
   * were undone with it, but some nodes still answer their logs (evmos/ethermint#1128).
   */
  keepsFailedLogs: boolean;
  /**
   * True if the gas used includes the fee for data in receipts without `daFootprintGasScalar`.
   * Their `l1Fee` repeats that part.
   */
  mayHaveDataFeeInGas: boolean;
  /** True if the priority fees of a block go to its `miner` address. */
  paysFeeRecipient: boolean;
  nativeAliases: readonly NativeAlias[];
  /** The asset in which an EIP-4895 withdrawal of a block is paid. */
  withdrawals: "native" | "token" | "none";
  /**
   * Avalanche: the coin's id among its chains, by which atomic transactions name it. Null
   * elsewhere.
   */
  atomicCoin: string | null;
  /** Describes coin that moves without a transaction or a withdrawal; null: none does. */
  systemCredits: string | null;
  traces: TraceDialect;
  blockTimeMs: number;
  /** Describes when a block cannot be undone any more. */
  finality: string;
  confirmations: ConfirmationPolicy;
  /** The URL of a block explorer. Transactions are below `/tx/`. */
  explorer: string | null;
  /**
   * Describes which parts of its blocks cannot be proved, and what replaces the proof. Null:
   * everything is proved as on Ethereum.
   */
  unproved: string | null;
  forks: readonly ChainFork[];
  evidence: Evidence;
};

export const minute = 60_000;

/** Confirmation by age, by the times of the blocks. */
export const age = (ageMs: number): ConfirmationPolicy => ({ kind: "age", ageMs });

export const depth = (blocks: number): ConfirmationPolicy => ({ kind: "depth", depth: blocks });

/** EIP-7708: once in force, each move of the coin is also a Transfer log of this address. */
export const eip7708: NativeAlias = {
  address: "0xfffffffffffffffffffffffffffffffffffffffe",
  logs: "repeats",
  decimals: 18,
};

/** The same on a chain where EIP-7708 comes with Amsterdam. From then on only those logs count. */
export const eip7708SinceAmsterdam: NativeAlias = { ...eip7708, logs: "amsterdam" };

/** The identity of a chain: its EIP-155 id, its name, its software, and the code of its coin. */
export const identity = (chainId: number, name: string, family: string, code: string) => ({
  chainId,
  name,
  family,
  coin: { code },
});

/** When the sources of most profiles were looked up. */
const checked = "2026-11-21";

export const documented = (source: string): Evidence => ({ level: "documented", source, checked });
export const recorded = (source: string): Evidence => ({ level: "recorded", source, checked });
export const assumed = (source: string): Evidence => ({ level: "assumed", source, checked });
