import type { Address } from "../chain/address.ts";
import type { BlockHeader, Hash } from "../chain/block.ts";
import { keysOf, meaningsOf } from "../keys-of.ts";

/** The asset address of a chain's own coin. */
export const nativeAddress = "native";

export type AssetAddress = Address | typeof nativeAddress;

/**
 * Stands for the transaction hash of money that no transaction moved. Examples are a beacon
 * withdrawal and the earnings of a fee recipient.
 */
export const noTransaction: Hash = `0x${"0".repeat(64)}`;

/** The source of an income, with the facts that make it one of its kind (docs/invariants.md#i3). */
export type IncomeSource =
  /** A beacon withdrawal (EIP-4895), by its index. */
  | { kind: "withdrawal"; index: bigint }
  /**
   * Coin that an L2 makes for a deposit from its parent chain, named by the transaction that brings
   * it.
   */
  | { kind: "mint" }
  /**
   * Coin that the chain itself gave in a block, named by the block's hash. Examples are block
   * rewards, or coin that a system call makes.
   */
  | { kind: "reward"; blockHash: Hash }
  /** Priority fees of a block, by its hash. */
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
   * The place of a transfer that only a trace shows, in its transaction's call tree. On Nitro,
   * `before` or `after` the tree, with a place. For coin that the block itself gave: `block`.
   */
  tracePath: string | null;
  /** Left out if nothing more is known. */
  tag?: TransferTag;
};

/** The data that a payment on Tempo has. Each is null if the payment has none. */
export type TransferTag = {
  /** 32 bytes that the payer chose (TIP-20). */
  memo: Hash | null;
  /** The virtual address that it was paid to, and forwarded from (TIP-1022). */
  virtualAddress: Address | null;
};

/**
 * Money that moved in a block, whoever it belongs to.
 *
 * - `transfer`: has both sides.
 * - `wrap`: the same for a token that logs wrapping and unwrapping without a Transfer (WETH9). It
 *   counts for no other token. The zero address is one of its sides.
 * - `fee`: the price that the sender of a transaction paid for it. `to` is the zero address.
 * - `income`: comes from nobody. `from` is the zero address.
 */
export type Movement = Moved &
  ({ kind: "transfer" | "wrap" } | { kind: "fee" } | { kind: "income"; source: IncomeSource });

/**
 * The proofs that a movement happened. The types of TypeScript and the API's description follow
 * from this table. A test holds the database's CHECK against it.
 */
const descriptions = {
  root: "the block's hash covers it: the header was rebuilt, and its transactions and receipts make up the roots in it",
  bloom:
    "the header was rebuilt, and its bloom holds the addresses and topics of the logs, no more and no fewer; amounts, and how often, one endpoint answered",
  agreed:
    "endpoints of two different hosts answered the same, and the hash could not be rebuilt from it",
  answered: "one endpoint answered it, such as a trace or a chain whose blocks cannot be rebuilt",
} as const;

export type MovementProof = keyof typeof descriptions;

export const movementProofs = keysOf(descriptions);

export const movementProofDescription = meaningsOf(descriptions);

/**
 * The proof of each kind of movement in one block. `others` are those that are neither of its logs
 * nor of its traces. `unshownFees`: transactions with a fee of which the endpoint alone says a
 * part, whatever shows the rest.
 */
export type BlockEvidence = {
  logs: MovementProof;
  traces: MovementProof;
  others: MovementProof;
  unshownFees: ReadonlySet<Hash>;
};

/** The evidence of a block of which nothing more is known than the answer of an endpoint. */
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
 * A block and every movement in it, in order of execution. They are proved to belong together as
 * far as `evidence` says. `host` is the host of the endpoint that answered the block.
 */
export type LoadedBlock = {
  header: BlockHeader;
  movements: Movement[];
  evidence: BlockEvidence;
  host: string;
};
