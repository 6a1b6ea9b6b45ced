import { keysOf, meaningsOf } from "../keys-of.ts";

/**
 * The ways to prove the receipts of a block.
 *
 * - `root`: they make up the header's receiptsRoot.
 * - `root-op`: the same with the deposit receipts of an OP-stack chain.
 * - `settled`: they only have to belong to the block's transactions. Root and bloom of the header
 *   are of earlier blocks (ACP-194).
 * - `bloom`: their logs make up the header's logsBloom, no more and no fewer.
 * - `none`: they only have to belong together.
 */
export const receiptsProofs = ["root", "root-op", "settled", "bloom", "none"] as const;

export type ReceiptsProof = (typeof receiptsProofs)[number];

/** The proof that a block needs before anything of it is believed. */
export type BlockProof = {
  /**
   * True if the block's hash is rebuilt from its header. Without that, a root proves no more than
   * that the endpoint agrees with itself.
   */
  header: boolean;
  /** True if the transactions must make up the header's transactionsRoot. */
  transactions: boolean;
  receipts: ReceiptsProof;
};

/**
 * A part of a block whose form may be newer than this version. `header`: a field of the header.
 * `contents`: a type of transaction.
 */
export type BlockPart = "header" | "contents";

/**
 * The treatment of a block with such a part. `required`: the block is proved, or it is not
 * processed and the chain stops. `agreed`: the block is processed if endpoints of two different
 * hosts answer the same.
 */
export const unreadableChoices = ["required", "agreed"] as const;

export type UnreadablePolicy = Record<BlockPart, (typeof unreadableChoices)[number]>;

/** The policy that processes no block with a part that cannot be read. */
export const nothingUnread: UnreadablePolicy = { header: "required", contents: "required" };

/**
 * The ways to read internal transfers. `debug`: by `debug_traceBlockByHash`. `parity`: by
 * `trace_block`. `off`: not at all.
 */
export const tracingModes = ["auto", "debug", "parity", "off"] as const;

/** `auto`: the first of debug and parity that the endpoint offers, else off. */
export type TracingChoice = (typeof tracingModes)[number];

export type Tracing = Exclude<TracingChoice, "auto">;

/** The proofs of the balance that an address has after a block, the strongest first. */
const balanceDescriptions = {
  state: "the state root in the block's header, which its hash covers",
  agreed: "endpoints of two hosts answered the same",
  answered: "one endpoint answered it",
} as const;

export type BalanceProof = keyof typeof balanceDescriptions;

export const balanceProofs = keysOf(balanceDescriptions);

/** The weakest of some proofs. An amount that rests on all of them has no better one. */
export function weakestProof(proofs: readonly BalanceProof[]): BalanceProof {
  return balanceProofs.findLast((proof) => proofs.includes(proof)) ?? "answered";
}

export const balanceProofDescription = meaningsOf(balanceDescriptions);
