import type { Address } from "../chain/address.ts";
import type { BlockHeader, Hash } from "../chain/block.ts";
import { keysOf, meaningsOf } from "../keys-of.ts";

/** Stands for the asset address of a chain's coin. */
export const nativeAddress = "native";

export type AssetAddress = Address | typeof nativeAddress;

/**
 * Replaces the transaction hash of money that no transaction moved. Examples are a beacon
 * withdrawal and the earnings of a fee recipient.
 */
export const noTransaction: Hash = `0x${"0".repeat(64)}`;

/** The source of an income, with the facts that identify it (docs/invariants.md#i3). */
export type IncomeSource =
  /** A beacon withdrawal (EIP-4895), by its index. */
  | { kind: "withdrawal"; index: bigint }
  /**
   * Coin that an L2 makes for a deposit from its parent chain. The transaction that brings it
   * identifies it.
   */
  | { kind: "mint" }
  /**
   * Coin that the chain itself gave in a block, such as a block reward or a system call's coin. The
   * block's hash identifies it.
   */
  | { kind: "reward"; blockHash: Hash }
  /** The priority fees of a block, which its hash identifies. */
  | { kind: "fees"; blockHash: Hash };

type Moved = {
  asset: AssetAddress;
  txHash: Hash;
  from: Address;
  to: Address;
  amountAtomic: bigint;
  /** The index of an ERC-20 transfer's log in the block. */
  logIndex: number | null;
  /**
   * The place in the transaction's call tree, if only a trace shows the transfer. On Nitro:
   * `before` or `after` the tree, with a place. For coin that the block itself gave: `block`.
   */
  tracePath: string | null;
  /**
   * The index of a log that reports the same as a wrapping (WETH9). It usually means this movement,
   * and may be a second one. Left out if there is no such log.
   */
  echoLogIndex?: number;
  /** Left out if there is nothing to add. */
  tag?: TransferTag;
};

/** The fields that a payment on Tempo may carry. Each is null if the payment has none. */
export type TransferTag = {
  /** 32 bytes that the payer chose (TIP-20). */
  memo: Hash | null;
  /** The virtual address that was paid, and forwarded the payment (TIP-1022). */
  virtualAddress: Address | null;
};

/**
 * Money that moved in a block, of any owner.
 *
 * - `transfer`: has both sides.
 * - `wrap`: the same for a token that logs wrapping and unwrapping without a Transfer (WETH9). It
 *   counts for no other token. One side is the zero address.
 * - `fee`: what the sender paid for a transaction. `to` is the zero address.
 * - `income`: comes from nobody. `from` is the zero address.
 */
export type Movement = Moved &
  ({ kind: "transfer" | "wrap" } | { kind: "fee" } | { kind: "income"; source: IncomeSource });

/**
 * The ways in which a movement may be proved. The TypeScript types and the API's description are
 * made from this table. A test compares the database's CHECK with it.
 */
const descriptions = {
  root: "the rebuilt header has the block's hash, and its roots cover the transactions and receipts",
  bloom:
    "the rebuilt header's bloom holds exactly the logs' addresses and topics; one endpoint answered their amounts and number",
  agreed:
    "endpoints of two different hosts answered the same, and the hash could not be rebuilt from it",
  answered: "one endpoint answered it, such as a trace or a chain whose blocks cannot be rebuilt",
} as const;

export type MovementProof = keyof typeof descriptions;

export const movementProofs = keysOf(descriptions);

export const movementProofDescription = meaningsOf(descriptions);

/**
 * The proof of each kind of movement in one block. `others`: movements that are in neither its logs
 * nor its traces. `unshownFees`: transactions with a fee that the endpoint alone claims in part.
 */
export type BlockEvidence = {
  logs: MovementProof;
  traces: MovementProof;
  others: MovementProof;
  unshownFees: ReadonlySet<Hash>;
};

/** The evidence of a block if only an endpoint's answer is known. */
export const onlyAnswered: BlockEvidence = {
  logs: "answered",
  traces: "answered",
  others: "answered",
  unshownFees: new Set(),
};

export function proofOf(
  evidence: BlockEvidence,
  movement: Pick<Movement, "kind" | "txHash" | "logIndex" | "tracePath">,
): MovementProof {
  if (movement.kind === "fee" && evidence.unshownFees.has(movement.txHash)) return "answered";
  if (movement.tracePath !== null) return evidence.traces;
  return movement.logIndex === null ? evidence.others : evidence.logs;
}

/**
 * A block and all its movements, in order of execution. `evidence` says how far they are proved.
 * `host`: the host of the endpoint that answered the block.
 */
export type LoadedBlock = {
  header: BlockHeader;
  movements: Movement[];
  evidence: BlockEvidence;
  host: string;
};
