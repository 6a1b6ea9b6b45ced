import type { Address } from "./address.ts";
import type { ReceiptsProof } from "./block-proof.ts";
import type { ConfirmationPolicy } from "./confirmation.ts";
import type { HeaderEncoding } from "./header-encoding.ts";

/**
 * A contract that shows the chain's own coin as a token, and what its Transfer logs say of the coin:
 * `repeats`: again what transactions and traces say; they are passed over. `moves`: what nothing else says; they count.
 * `all`: every move of the coin; they count, and values and traces are passed over. `completes`: perhaps every move; those
 * count that values and traces do not say as well. `shares`: what only moves the same balance by the token's own calls;
 * those count that no other transfer of the same parties and amount, as far as the token's decimals go, says as well.
 * `amsterdam`: `all` in blocks whose header has the hash of an access list (EIP-7928 came with EIP-7708), `repeats` in others.
 */
export type NativeAlias = {
  address: Address;
  logs: "repeats" | "moves" | "all" | "completes" | "shares" | "amsterdam";
  /** How many the token counts the coin in; the coin itself has 18. */
  decimals: number;
  /** An account that keeps what the token's decimals cannot show: what it gives or takes is no transfer. */
  reserve?: Address;
};

/** How the frames of a chain's traces differ from those of go-ethereum. */
type TraceDialect =
  | "geth"
  /** Every call tree begins at the zero address, at the chain's entry point. */
  | "zksync"
  /** Coin also moves in lists of their own, before and after the calls. */
  | "nitro"
  /** trace_block also shows the coin that a system call makes, as a reward; so it is preferred. */
  | "rewards";

/** A change of the chain's rules, known before it comes. */
type ChainFork = {
  name: string;
  /** Seconds since the epoch; null: announced without a time. */
  atSeconds: number | null;
  /** Whether this version reads the blocks that follow it. */
  isRead: boolean;
};

/** A change of the chain's rules that this version does not read, and when it comes, in ms since the epoch. */
export type UnreadUpgrade = { name: string; atMs: number };

/** From so long before an upgrade that this version does not read, the operator is warned of it. */
const warnedAheadMs = 28 * 86_400_000;

/** The first upgrade of a chain that this version does not read, from four weeks before it on; null: there is none. */
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
 * How well a profile is founded. `recorded`: blocks of the chain itself were read and came out right. `documented`: its
 * makers' specification or source says so. `assumed`: nobody could check it, so it is found out from its first blocks.
 */
export const evidenceLevels = ["recorded", "documented", "assumed"] as const;

export type Evidence = {
  level: (typeof evidenceLevels)[number];
  source: string;
  /** The day on which that was looked up, as YYYY-MM-DD. */
  checked: string;
};

/** What is known of a chain by its EIP-155 id; the configuration may say otherwise. */
export type ChainProfile = {
  chainId: number;
  name: string;
  /** The software it runs. */
  family: string;
  /** Null: it has no coin of its own. A code that is null must be said by the operator. */
  coin: { code: string | null } | null;
  header: HeaderEncoding;
  /** Whether its transactions make up the header's transactionsRoot. */
  hasTransactionsRoot: boolean;
  /**
   * Types whose bytes an endpoint does not give whole, or that no recorded block has shown to be encoded right. The root
   * of a block with one whose hash does not come out cannot be rebuilt; its other transactions still have their hashes.
   */
  looseTypes: readonly number[];
  /**
   * A transaction that is in no root and in no bloom. `state-sync`: the one that Polygon's node showed for what Heimdall
   * brought, before block 80,084,800.
   */
  outsideRoots: "state-sync" | null;
  receipts: ReceiptsProof;
  /** The first block whose roots are made as they are today; of the ones before only header and bloom are held. */
  rootsSince: bigint;
  /** Whether log indexes may leave some out, as where failed transactions counted theirs. */
  hasLogGaps: boolean;
  /** Whether the priority fees of a block go to its `miner` address. */
  paysFeeRecipient: boolean;
  nativeAliases: readonly NativeAlias[];
  /** What an EIP-4895 withdrawal of a block is paid in. */
  withdrawals: "native" | "token" | "none";
  /** Avalanche: the id of the coin among its chains, by which atomic transactions name it; null elsewhere. */
  atomicCoin: string | null;
  /** Coin that moves without a transaction and without a withdrawal, in words; null: none does. */
  systemCredits: string | null;
  traces: TraceDialect;
  blockTimeMs: number;
  /** When a block cannot be undone any more, in words. */
  finality: string;
  confirmations: ConfirmationPolicy;
  /** A block explorer's address; a transaction is below `/tx/`. */
  explorer: string | null;
  /** What cannot be proved of its blocks and what stands in for it, in words; null: all that Ethereum proves is proved. */
  unproved: string | null;
  forks: readonly ChainFork[];
  evidence: Evidence;
};

export const minute = 60_000;

/** A length of time, by the times of the blocks. */
export const age = (ageMs: number): ConfirmationPolicy => ({ kind: "age", ageMs });

export const depth = (blocks: number): ConfirmationPolicy => ({ kind: "depth", depth: blocks });

/** EIP-7708: where it is in force, each move of the coin also shows as a Transfer log of this address. */
export const eip7708: NativeAlias = {
  address: "0xfffffffffffffffffffffffffffffffffffffffe",
  logs: "repeats",
  decimals: 18,
};

/** The same on a chain that has it in force since Amsterdam: from then on those logs are all that moves the coin. */
export const eip7708SinceAmsterdam: NativeAlias = { ...eip7708, logs: "amsterdam" };

/** Which chain it is: its EIP-155 id, its name, the software it runs, and the code of its coin. */
export const identity = (chainId: number, name: string, family: string, code: string) => ({
  ...{ chainId, name, family, coin: { code } },
});

/** The day on which the sources of most profiles were looked up. */
const checked = "2026-11-21";

export const documented = (source: string): Evidence => ({ level: "documented", source, checked });
export const recorded = (source: string): Evidence => ({ level: "recorded", source, checked });
export const assumed = (source: string): Evidence => ({ level: "assumed", source, checked });
