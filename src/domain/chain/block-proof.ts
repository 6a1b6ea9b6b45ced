import { keysOf, meaningsOf } from "../keys-of.ts";

/**
 * The way in which the receipts of a block are proved.
 *
 * - `root`: they must make up the header's receiptsRoot.
 * - `root-op`: the same with the deposit receipts of an OP-stack chain.
 * - `settled`: they must only belong to the block's transactions, because the header's root and
 *   bloom are of earlier blocks (ACP-194).
 * - `bloom`: their logs must make up exactly the header's logsBloom.
 * - `none`: they must only belong together.
 */
export const receiptsProofs = ["root", "root-op", "settled", "bloom", "none"] as const;

export type ReceiptsProof = (typeof receiptsProofs)[number];

/** The proof that a block needs before it is used. */
export type BlockProof = {
  /**
   * True if the header must have the block's hash. Without that, a root only shows that the
   * endpoint agrees with itself.
   */
  header: boolean;
  /** True if the transactions must make up the header's transactionsRoot. */
  transactions: boolean;
  receipts: ReceiptsProof;
};

/**
 * A part of a block that may be in a form unknown to this version. `header`: a field of the header.
 * `contents`: a type of transaction.
 */
export const blockParts = ["header", "contents"] as const;

export type BlockPart = (typeof blockParts)[number];

/**
 * The fate of a block with such a part. `required`: it must be proved, or the chain stops.
 * `agreed`: it is accepted if endpoints of two hosts answer the same.
 */
export const unreadableChoices = ["required", "agreed"] as const;

export type UnreadablePolicy = Record<BlockPart, (typeof unreadableChoices)[number]>;

/** The policy that accepts no block without a full proof. */
export const nothingUnread: UnreadablePolicy = { header: "required", contents: "required" };

/**
 * The way in which internal transfers are read. `debug`: by `debug_traceBlockByHash`. `parity`: by
 * `trace_block`. `off`: not at all.
 */
export const tracingModes = ["auto", "debug", "parity", "off"] as const;

/** `auto`: `debug` or `parity`, whichever the endpoint offers first, else `off`. */
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

/** The weakest of these proofs. An amount that depends on all of them is proved no better. */
export function weakestProof(proofs: readonly BalanceProof[]): BalanceProof {
  return balanceProofs.findLast((proof) => proofs.includes(proof)) ?? "answered";
}

export const balanceProofDescription = meaningsOf(balanceDescriptions);
