import type { Address } from "../chain/address.ts";
import type { BlockHeader, Hash } from "../chain/block.ts";
import { keysOf, meaningsOf } from "../keys-of.ts";

/** The asset address of a chain's own coin. */
export const nativeAddress = "native";

export type AssetAddress = Address | typeof nativeAddress;

/** Stands for the transaction hash of money that no transaction moved: a beacon withdrawal, what a fee recipient earns. */
export const noTransaction: Hash = `0x${"0".repeat(64)}`;

/** Where an income comes from, with what makes it one of its kind (docs/invariants.md#i3). */
export type IncomeSource =
  /** A beacon withdrawal (EIP-4895), by its index. */
  | { kind: "withdrawal"; index: bigint }
  /** Coin that an L2 makes for a deposit from its parent chain, by the transaction that brings it. */
  | { kind: "mint" }
  /** What the chain itself gave in a block (block rewards, coin that a system call makes), by the block's hash. */
  | { kind: "reward"; blockHash: Hash }
  /** Priority fees of a block, by its hash. */
  | { kind: "fees"; blockHash: Hash };

type Moved = {
  asset: AssetAddress;
  txHash: Hash;
  from: Address;
  to: Address;
  amountAtomic: bigint;
  /** Of an ERC-20 transfer: its index in the block. */
  logIndex: number | null;
  /**
   * Of what only a trace shows: where in its transaction's call tree; `before` and `after` it, with a place (Nitro); `block`, of
   * what the block itself gave.
   */
  tracePath: string | null;
  /** Left out where nothing is known beside. */
  tag?: TransferTag;
};

/** What a payment has with it on Tempo. Each is null where there is none. */
export type TransferTag = {
  /** 32 bytes that the payer chose (TIP-20). */
  memo: Hash | null;
  /** Where it was paid to, and was forwarded from (TIP-1022). */
  virtualAddress: Address | null;
};

/**
 * Money that moved in a block, whoever it belongs to. A `transfer` has both sides. A `wrap` is the same for a token
 * that logs wrapping and unwrapping without a Transfer (WETH9), and counts for no other: the zero address is
 * one of its sides. A `fee` is what the sender of a transaction paid for it, and `to` is the zero address. An `income`
 * comes from nobody: `from` is the zero address.
 */
export type Movement = Moved &
  ({ kind: "transfer" | "wrap" } | { kind: "fee" } | { kind: "income"; source: IncomeSource });

/**
 * What shows that a movement happened. The types of TypeScript and the API's description follow from this table; the
 * database's CHECK is held against it by a test.
 */
const descriptions = {
  root: "the block's hash covers it: the header was rebuilt, and its transactions and receipts make up the roots in it",
  bloom:
    "the header was rebuilt, and its bloom holds the addresses and topics of the logs, no more and no fewer; amounts, and how often, one endpoint answered",
  agreed:
    "endpoints of two different hosts answered the same; what the hash covers could not be rebuilt",
  answered: "one endpoint answered it, such as a trace or a chain whose blocks cannot be rebuilt",
} as const;

export type MovementProof = keyof typeof descriptions;

export const movementProofs = keysOf(descriptions);

export const movementProofDescription = meaningsOf(descriptions);

/**
 * What shows each kind of movement in one block: those of its logs, of its traces, and all others. `unshownFees`: transactions of
 * whose fee the endpoint alone says a part, whatever shows the rest.
 */
export type BlockEvidence = {
  logs: MovementProof;
  traces: MovementProof;
  others: MovementProof;
  unshownFees: ReadonlySet<Hash>;
};

/** Of a block of which nothing more is known than what an endpoint answered. */
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
 * A block and every movement in it, in order of execution, proved to belong together as far as `evidence` says. `host`: of the
 * endpoint that answered it.
 */
export type LoadedBlock = {
  header: BlockHeader;
  movements: Movement[];
  evidence: BlockEvidence;
  host: string;
};
